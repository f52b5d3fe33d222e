//! A place for one test: a home, a working directory, a scenario.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const ID: &str = "11111111-2222-4333-8444-555555555555";

pub(crate) struct Room {
    folder: TempDir,
    variables: Vec<(&'static str, String)>,
}

/// What a run left on stdout, as JSON lines, with its exit code.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) events: Vec<Value>,
}

impl Ran {
    /// The last line: the result.
    pub(crate) fn result(&self) -> &Value {
        let last = self.events.last().unwrap();
        assert_eq!(last["type"], "result", "{last}");
        last
    }
}

impl Room {
    pub(crate) fn new() -> Room {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("home")).unwrap();
        fs_err::create_dir(folder.path().join("work")).unwrap();
        Room { folder, variables: Vec::new() }
    }

    pub(crate) fn with(scenario: &Value) -> Room {
        let mut room = Room::new();
        let path = room.folder.path().join("scenario.json");
        fs_err::write(&path, scenario.to_string()).unwrap();
        room.set("DEMO_AGENT_SCENARIO", path.to_str().unwrap());
        room
    }

    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.variables.push((name, value.to_owned()));
    }

    pub(crate) fn work(&self) -> PathBuf {
        fs_err::canonicalize(self.folder.path().join("work")).unwrap()
    }

    pub(crate) fn folder(&self) -> PathBuf {
        fs_err::canonicalize(self.folder.path()).unwrap()
    }

    /// The program in this place and nothing else.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("demo-agent"));
        command.env_clear().env("HOME", self.folder().join("home")).env("PATH", "/usr/bin:/bin");
        command.env("TZ", "UTC").env("LC_ALL", "C").current_dir(self.work());
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command.args(arguments).stdin(std::process::Stdio::null());
        command
    }

    pub(crate) fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// A run with stream-json, its stderr empty.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let mut all = vec!["-p", "--output-format", "stream-json", "--verbose"];
        all.extend(arguments);
        let output = self.output(&all);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let text = String::from_utf8(output.stdout).unwrap();
        let events = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Ran { code: output.status.code().unwrap(), events }
    }

    /// The first run of the session [`ID`].
    pub(crate) fn start(&self, arguments: &[&str]) -> Ran {
        let mut all = vec!["do it", "--session-id", ID];
        all.extend(arguments);
        self.run(&all)
    }

    pub(crate) fn resume(&self, prompt: &str, arguments: &[&str]) -> Ran {
        let mut all = vec![prompt, "--resume", ID];
        all.extend(arguments);
        self.run(&all)
    }

    pub(crate) fn transcript_path(&self, session: &str) -> PathBuf {
        let key: String = self
            .work()
            .to_str()
            .unwrap()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        self.folder().join("home/.claude/projects").join(key).join(format!("{session}.jsonl"))
    }

    /// The transcript of [`ID`]: every line must be whole JSON.
    pub(crate) fn transcript(&self) -> Vec<Value> {
        lines_of(&self.transcript_path(ID))
    }

    /// A hook: a shell command for events of a kind; returns the settings.
    pub(crate) fn hook(&self, event: &str, command: &str) -> String {
        let hook = serde_json::json!({"type": "command", "command": command});
        serde_json::json!({"hooks": {event: [{"hooks": [hook]}]}}).to_string()
    }
}

pub(crate) fn lines_of(path: &std::path::Path) -> Vec<Value> {
    let text = fs_err::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "a torn last line");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A file of the fixtures.
pub(crate) fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}
