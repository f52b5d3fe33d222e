//! A place in which a script plays an agent CLI.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

pub(crate) struct Place {
    folder: tempfile::TempDir,
    agent: &'static str,
}

impl Place {
    /// A place in which the agent's program is this script, which may use these words.
    pub(crate) fn new(agent: &'static str, words: &str, script: &str) -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap(), agent };
        fs_err::create_dir(place.path("bin")).unwrap();
        let program = place.path("bin").join(agent);
        fs_err::write(&program, format!("#!/bin/sh\n{words}\n{script}\n")).unwrap();
        fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs it with these words, and returns the outcome.
    #[track_caller]
    pub(crate) fn run(&self, words: &str, code: i32, stdout: &str) -> Value {
        let output = self.command(words).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), text.as_str()), (Some(code), stdout), "{said}");
        serde_json::from_slice(&fs_err::read(self.path("outcome.json")).unwrap()).unwrap()
    }

    /// agent-run with these words.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(cargo_bin!("agent-run"));
        command.env_clear().env("HOME", self.folder.path()).env("LC_ALL", "C").env("TZ", "UTC");
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()));
        command.current_dir(self.folder.path());
        command.args(["--agent", self.agent]).args(words.split(' '));
        command.args(["--outcome", "outcome.json"]).write_stdin("do it");
        command
    }
}
