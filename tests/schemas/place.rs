//! A folder in which tools run, alone in the world.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

const TOOLS: [&str; 7] = [
    "agent-run",
    "ctx-guard",
    "ctx-meter",
    "demo-agent",
    "gen-rotate",
    "handoff-fmt",
    "overflow-detect",
];

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Place {
    folder: TempDir,
    tools: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bin", "home", "tmp", "work"] {
            fs_err::create_dir(folder.path().join(name)).unwrap();
        }
        Place { folder, tools: ctxutils_tests::programs(&TOOLS) }
    }

    /// In which the scripted agent does what the scenario says.
    pub(crate) fn playing(scenario: &Value) -> Place {
        let place = Place::new();
        fs_err::write(place.folder.path().join("scenario.json"), scenario.to_string()).unwrap();
        place
    }

    /// In which an agent named claude is this script.
    pub(crate) fn with_claude(script: &str) -> Place {
        let place = Place::new();
        let program = place.folder.path().join("bin/claude");
        fs_err::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs_err::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
        place
    }

    /// A file of the working directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs_err::write(self.path(name), text).unwrap();
    }

    /// The lines of a file, each of them JSON; none if it is not there.
    pub(crate) fn lines_of(&self, name: &str) -> Vec<Value> {
        lines(&fs_err::read(self.path(name)).unwrap_or_default())
    }

    pub(crate) fn tool<A: AsRef<OsStr>>(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> Call {
        self.program(self.tools.join(name), arguments)
    }

    /// handoff-loop on the scripted agent.
    pub(crate) fn handoff_loop(&self, arguments: &[&str]) -> Call {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/handoff-loop");
        let mut call = self.program("sh", [script.as_os_str()]);
        call.command.args(["--agent", "demo"]).args(arguments);
        call
    }

    fn program<A: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Call {
        let root = self.folder.path();
        let bin = root.join("bin");
        let path = format!("{}:{}:/usr/bin:/bin", bin.display(), self.tools.display());
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("PATH", path).env("LC_ALL", "C").env("TZ", "UTC");
        command.env("HOME", root.join("home")).env("TMPDIR", root.join("tmp"));
        command.env("DEMO_AGENT_SCENARIO", root.join("scenario.json")).env("HANDOFF_PAUSE", "0");
        command.current_dir(root.join("work"));
        Call { command, input: Vec::new() }
    }
}

/// A program with its arguments.
pub(crate) struct Call {
    command: Command,
    input: Vec<u8>,
}

impl Call {
    pub(crate) fn with(mut self, variable: &str, value: &str) -> Call {
        self.command.env(variable, value);
        self
    }

    pub(crate) fn input(mut self, input: &str) -> Call {
        self.input = input.into();
        self
    }

    pub(crate) fn start(mut self) -> Running {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        // A program that refuses its arguments does not read it.
        let _ = child.stdin.take().unwrap().write_all(&self.input);
        Running(child)
    }

    /// Runs it to its end, which must be one of these.
    #[track_caller]
    pub(crate) fn ends(self, codes: &[i32]) -> Output {
        self.start().ends(codes)
    }

    /// The JSON lines that it prints.
    #[track_caller]
    pub(crate) fn prints(self, codes: &[i32]) -> Vec<Value> {
        lines(&self.ends(codes).stdout)
    }
}

pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn interrupt(&self) {
        let kill = Command::new("kill").args(["-s", "TERM", &self.0.id().to_string()]).status();
        assert!(kill.unwrap().success());
    }

    #[track_caller]
    pub(crate) fn ends(self, codes: &[i32]) -> Output {
        let output = self.0.wait_with_output().unwrap();
        let code = output.status.code().unwrap_or(-1);
        assert!(codes.contains(&code), "{code}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }
}

#[track_caller]
fn lines(bytes: &[u8]) -> Vec<Value> {
    let text = str::from_utf8(bytes).expect("JSON is UTF-8");
    assert!(text.is_empty() || text.ends_with('\n'), "no newline at the end: {text}");
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    text.lines().map(parse).collect()
}

/// Waits until there is such a file.
pub(crate) fn wait_for(path: &Path) {
    let begun = Instant::now();
    while !path.try_exists().unwrap() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {path:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// All files below a folder of the fixtures whose names end like this.
pub(crate) fn files(below: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(below).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path(), end));
        } else if entry.file_name().to_str().unwrap().ends_with(end) {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}
