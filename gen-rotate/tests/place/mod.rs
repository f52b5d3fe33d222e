//! A folder of its own for each test, and gen-rotate in it, alone in the world.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A complete document, told from any other by its number.
pub(crate) fn document(number: u32) -> String {
    format!("## Doing now\n\ndocument {number}\n\n## Next step\n\ngo on {number}\n")
}

pub(crate) const DEGRADED: &str =
    "## Doing now\n\n[降级:交接没写成] no room\n\n## Next step\n\nlook at the scene first\n";

pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// With the documents 1 to 9 in `1.md` to `9.md`, and `degraded.md`.
    pub(crate) fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        for number in 1..=9 {
            place.write(&format!("{number}.md"), &document(number));
        }
        place.write("degraded.md", DEGRADED);
        place
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs_err::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> String {
        fs_err::read_to_string(self.path(name)).unwrap()
    }

    /// A program at `bin/NAME`, which is in PATH.
    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs_err::create_dir_all(self.path("bin")).unwrap();
        fs_err::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs_err::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn tool(&self) -> Command {
        let mut command = assert_cmd::cargo::cargo_bin_cmd!("gen-rotate");
        command
            .env_clear()
            .env("HOME", self.folder.path())
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()))
            .current_dir(self.folder.path());
        command
    }

    /// Runs with these words and holds it against a code, stdout and stderr.
    #[track_caller]
    pub(crate) fn check(&self, words: &str, code: i32, stdout: &str, stderr: &str) {
        let words: Vec<_> = words.split(' ').filter(|word| !word.is_empty()).collect();
        self.check_words(&words, code, stdout, stderr);
    }

    #[track_caller]
    pub(crate) fn check_words(&self, words: &[&str], code: i32, stdout: &str, stderr: &str) {
        let output = self.tool().args(words).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(
            (output.status.code(), text(&output.stdout).as_str(), text(&output.stderr).as_str()),
            (Some(code), stdout, stderr),
            "{words:?}"
        );
    }

    /// Runs well and silently but for its stdout, which it returns.
    #[track_caller]
    pub(crate) fn run(&self, words: &str) -> String {
        let output = self.tool().args(words.split(' ')).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{words}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The ledger.
    pub(crate) fn ledger(&self) -> Value {
        serde_json::from_str(&self.read(".handoff/runs/manifest.json")).unwrap()
    }

    /// The newest row.
    pub(crate) fn row(&self) -> Value {
        self.ledger().as_array().unwrap().last().unwrap().clone()
    }

    /// Of the newest row's generations, one key each.
    pub(crate) fn each(&self, key: &str) -> Vec<Value> {
        self.row()["generations"].as_array().unwrap().iter().map(|g| g[key].clone()).collect()
    }

    /// The newest row's newest generation.
    pub(crate) fn last(&self) -> Value {
        self.row()["generations"].as_array().unwrap().last().unwrap().clone()
    }

    /// All files below the HOME but the locks, sorted.
    pub(crate) fn exact_files(&self) -> Vec<String> {
        let mut found = Vec::new();
        list(&self.path(".handoff"), "", &mut found);
        let is_lock =
            |path: &String| path.starts_with("runs/.lock") || path.starts_with("runs/.alive-");
        found.retain(|path| !is_lock(path));
        found.sort();
        found
    }

    /// All files below the HOME but the locks, sorted; stamps become `STAMP`, the
    /// run's name becomes `RUN`.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found: Vec<_> = self.exact_files().iter().map(|path| unstamped(path)).collect();
        found.sort();
        found
    }
}

fn list(folder: &Path, below: &str, found: &mut Vec<String>) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if entry.file_type().unwrap().is_dir() {
            list(&entry.path(), &path, found);
        } else {
            found.push(path);
        }
    }
}

/// `20261130T200704Z` is a stamp, and with `-69f56b` a run.
fn unstamped(path: &str) -> String {
    let Some(at) = path.find("Z") else { return path.to_owned() };
    let Some(start) = at.checked_sub(15).filter(|&s| path.is_char_boundary(s)) else {
        return path.to_owned();
    };
    let rest = &path[at + 1..];
    match path.starts_with("runs/") {
        true => format!("{}RUN{}", &path[..start], &rest[7..]),
        false => format!("{}STAMP{rest}", &path[..start]),
    }
}
