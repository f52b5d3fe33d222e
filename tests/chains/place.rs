//! A folder with a home, a state, temporary files and a working directory.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::call::Call;

/// The tools of a chain.
pub(crate) const TOOLS: [&str; 6] =
    ["agent-run", "ctx-guard", "ctx-meter", "demo-agent", "gen-rotate", "handoff-fmt"];

/// How long anything may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Place {
    folder: TempDir,
    root: PathBuf,
}

impl Place {
    /// In which the agent does what the scenario says.
    pub(crate) fn new(scenario: &Value) -> Place {
        Place::called(OsStr::new("place"), scenario)
    }

    /// The same in a folder of this name.
    pub(crate) fn called(name: &OsStr, scenario: &Value) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join(name);
        for below in ["home", "tmp", "work"] {
            fs_err::create_dir_all(root.join(below)).unwrap();
        }
        let place = Place { folder, root };
        place.play(scenario);
        place
    }

    /// From now on the agent does what this scenario says.
    pub(crate) fn play(&self, scenario: &Value) {
        fs_err::write(self.path("scenario.json"), scenario.to_string()).unwrap();
        let _ = fs_err::remove_file(self.path("scenario.json.state"));
    }

    /// handoff-loop with these arguments, to be run on the scripted agent.
    pub(crate) fn handoff_loop<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Call<'_> {
        self.script("handoff-loop").arguments(["--agent", "demo"]).arguments(arguments)
    }

    /// A script of the project.
    pub(crate) fn script(&self, name: &str) -> Call<'_> {
        Call::new(self, Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts").join(name))
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// A file below the working directory, as text.
    pub(crate) fn read(&self, below: &str) -> String {
        let path = self.path("work").join(below);
        fs_err::read_to_string(path).unwrap()
    }

    /// The folder of documents and ledger, where it lies by default.
    pub(crate) fn handoff_home(&self) -> PathBuf {
        self.path("work/.handoff")
    }

    pub(crate) fn ledger(&self) -> Value {
        let bytes = fs_err::read(self.handoff_home().join("runs/manifest.json")).unwrap();
        serde_json::from_slice(&bytes).expect("a torn ledger")
    }

    /// The only row of the ledger.
    pub(crate) fn row(&self) -> Value {
        let ledger = self.ledger();
        assert_eq!(ledger.as_array().map(Vec::len), Some(1), "rows: {ledger:#}");
        ledger[0].clone()
    }

    /// The prompts of all sessions, in the order in which they came.
    pub(crate) fn prompts(&self) -> Vec<String> {
        let mut prompts = Vec::new();
        for transcript in files(&self.path("home/.claude/projects")) {
            for line in fs_err::read_to_string(&transcript).unwrap().lines() {
                let record: Value = serde_json::from_str(line).unwrap();
                if record["type"] == "user"
                    && let Some(text) = record["message"]["content"].as_str()
                {
                    let time = record["timestamp"].as_str().unwrap_or_default().to_owned();
                    prompts.push((time, text.to_owned()));
                }
            }
        }
        prompts.sort();
        prompts.into_iter().map(|(_, text)| text).collect()
    }

    /// Waits until there is such a file in the working directory.
    pub(crate) fn wait_for(&self, file: &str) {
        let path = self.path("work").join(file);
        wait_until(file, || path.try_exists().unwrap());
    }

    /// Processes that were started in this place, by their HOME.
    pub(crate) fn processes(&self) -> Vec<libc::pid_t> {
        let mut home = OsString::from("HOME=");
        home.push(self.path("home"));
        let Ok(all) = fs_err::read_dir("/proc") else { return Vec::new() };
        let pids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let ours = |pid: &libc::pid_t| {
            let variables = fs_err::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            variables.split(|&byte| byte == 0).any(|variable| variable == home.as_bytes())
        };
        pids.filter(ours).collect()
    }

    fn command_lines(&self) -> String {
        let line = |pid: libc::pid_t| {
            let words = fs_err::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&words).replace('\0', " ")
        };
        self.processes().into_iter().map(line).collect::<Vec<_>>().join("; ")
    }

    /// Ends all of them at once, as a power cut would.
    pub(crate) fn kill_all(&self) {
        for process in self.processes() {
            send(process, libc::SIGKILL);
        }
        wait_until("the end of all processes", || self.processes().is_empty());
    }

    /// Removes what nobody could after a power cut.
    pub(crate) fn sweep(&self) {
        fs_err::remove_dir_all(self.path("tmp")).unwrap();
        fs_err::create_dir(self.path("tmp")).unwrap();
    }

    /// Nothing may be left of a run that is over.
    pub(crate) fn assert_clean(&self) {
        let begun = Instant::now();
        while !self.processes().is_empty() {
            assert!(begun.elapsed() < PATIENCE, "these still run: {}", self.command_lines());
            thread::sleep(Duration::from_millis(10));
        }
        let left: Vec<_> = files(&self.path("tmp"));
        assert!(left.is_empty(), "left in TMPDIR: {left:?}");
        let folders = fs_err::read_dir(self.path("tmp")).unwrap().count();
        assert_eq!(folders, 0, "folders left in TMPDIR");
    }

    /// Everything in the working directory, with its contents.
    pub(crate) fn work(&self) -> BTreeSet<(PathBuf, Vec<u8>)> {
        let read = |path: PathBuf| (path.clone(), fs_err::read(path).unwrap());
        files(&self.path("work")).into_iter().map(read).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A test that failed may leave some.
        for process in self.processes() {
            send(process, libc::SIGKILL);
        }
        let _ = &self.folder;
    }
}

pub(crate) fn send(process: libc::pid_t, signal: i32) {
    // SAFETY: no memory is involved; the process is one that this test started.
    unsafe { libc::kill(process, signal) };
}

/// Waits until something holds.
pub(crate) fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// All files below a folder; none if it is not there.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}
