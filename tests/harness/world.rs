//! Real agent CLIs and the tools around them, alone in a world of their own.

use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{CLAUDE, Cli};
use crate::endpoint::{Endpoint, Script};
use crate::running::{PATIENCE, Running};

/// The line of the prompt that asks for a document.
pub const ASK: &str = "[ctxutils:write-the-handoff-document]";
/// How what a successor is given begins.
pub const TAKING_OVER: &str = "You are taking over";
/// What a session is told that goes on after an interruption.
const GO_ON: &str = "Go on.";

/// CLIs make names of this one, and cannot keep all of it.
const PROJECT: &str = "the project, 한글";

/// A folder with a project, a home, and an endpoint that follows a script.
#[derive(Debug)]
pub struct World {
    /// Outlives the endpoint, which writes into it.
    pub endpoint: Endpoint,
    folder: TempDir,
    tools: PathBuf,
    clis: Vec<&'static Cli>,
    language: &'static str,
}

impl World {
    /// A world with Claude Code; `None` where it is missing.
    pub fn new(script: &Script) -> Option<World> {
        World::of(&[&CLAUDE], script)
    }

    /// A world with these CLIs in it, the first of which runs jobs. Where one is
    /// missing, nothing can be shown, and there is no world; with `CI` or
    /// `CTXUTILS_REQUIRE` that is a failure.
    ///
    /// # Panics
    /// A CLI is needed and not there.
    pub fn of(clis: &[&'static Cli], script: &Script) -> Option<World> {
        let programs: Vec<PathBuf> =
            clis.iter().map(|cli| program_of(cli)).collect::<Option<_>>()?;
        let tools = crate::programs(&[
            "agent-run",
            "ctx-guard",
            "ctx-meter",
            "gen-rotate",
            "handoff-fmt",
            "overflow-detect",
        ]);
        let folder = tempfile::tempdir().unwrap();
        for name in [PROJECT, "home", "tmp", "bin"] {
            fs_err::create_dir(folder.path().join(name)).unwrap();
        }
        let bin = folder.path().join("bin");
        // A shell reads on while it runs: an edit meanwhile would be run as well.
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/handoff-loop");
        fs_err::copy(source, bin.join("handoff-loop")).unwrap();
        let endpoint = Endpoint::start(folder.path(), script);
        // Most are scripts of it, wherever it is installed.
        if let Some(node) = on_path("node") {
            symlink(node, bin.join("node")).unwrap();
        }
        for (cli, program) in clis.iter().zip(programs) {
            symlink(program, bin.join(cli.name)).unwrap();
            cli.configure(&folder.path().join("home"), endpoint.url());
        }
        Some(World { endpoint, folder, tools, clis: clis.to_vec(), language: "en" })
    }

    /// The same in another language.
    pub fn speaking(mut self, language: &'static str) -> World {
        self.language = language;
        self
    }

    /// A file of the project.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(PROJECT).join(name)
    }

    /// The text of a file of the project.
    pub fn read(&self, name: &str) -> String {
        fs_err::read_to_string(self.path(name)).unwrap()
    }

    /// Writes a file of the project, and its folder.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    /// The person's own settings of Claude Code.
    pub fn settings(&self, settings: &Value) {
        let folder = self.folder.path().join("home/.claude");
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join("settings.json"), settings.to_string()).unwrap();
    }

    /// A program in this world, in the project's folder.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let folder = self.folder.path();
        let mut command = Command::new(program);
        let path =
            format!("{}:{}:/usr/bin:/bin", folder.join("bin").display(), self.tools.display());
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", folder.join("home"))
            .env("TMPDIR", folder.join("tmp"))
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8")
            .env("HANDOFF_PAUSE", "0")
            .env("HANDOFF_LANG", self.language)
            .current_dir(self.path(""));
        for cli in &self.clis {
            command.envs(cli.environment(&folder.join("home"), self.endpoint.url()));
        }
        command
    }

    /// handoff-loop with these arguments; the agent may use a shell.
    pub fn handoff_loop(&self, arguments: &[&str]) -> Running {
        self.loop_of(self.clis[0], arguments)
    }

    /// The same with any CLI of this world.
    pub fn loop_of(&self, cli: &Cli, arguments: &[&str]) -> Running {
        let mut command = self.command("sh");
        command.arg(self.folder.path().join("bin/handoff-loop"));
        command.args(["--agent", cli.name]);
        command.args(cli.permissions.iter().map(|argument| format!("--agent-arg={argument}")));
        command.args(arguments);
        Running::start(&mut command, self.folder.path(), "")
    }

    /// What a shell makes of this script.
    pub fn shell(&self, script: &str) -> Running {
        Running::start(self.command("sh").args(["-c", script]), self.folder.path(), "")
    }

    /// A tool of ours with these arguments and this on its stdin.
    pub fn tool(&self, name: &str, arguments: &[&str], input: &str) -> Running {
        let mut command = self.command(self.tools.join(name));
        command.args(arguments);
        Running::start(&mut command, self.folder.path(), input)
    }

    /// The rows of the ledger.
    pub fn rows(&self) -> Vec<Value> {
        serde_json::from_str(&self.read(".handoff/runs/manifest.json")).unwrap()
    }

    /// The newest row of the ledger.
    pub fn row(&self) -> Value {
        self.rows().pop().unwrap()
    }

    /// What the endpoint was asked by the main sessions, a word each: `task` for a
    /// new prompt, `result` of a tool, `handoff` for a document, `successor`, `on`
    /// for a session that goes on.
    pub fn asked(&self) -> String {
        let mut words = String::new();
        for request in self.endpoint.requests() {
            if request["agent"].is_string() {
                continue;
            }
            let text = request["last_user"].as_str().unwrap();
            let is_result = request["is_result"] == true;
            // Messages has what is new in one message, results and a prompt alike.
            let word = if is_result && request["api"] != "messages" {
                "result"
            } else if text.contains(ASK) {
                "handoff"
            } else if text.contains(TAKING_OVER) {
                "successor"
            } else if text.contains(GO_ON) {
                "on"
            } else if is_result {
                "result"
            } else {
                "task"
            };
            let _ = write!(words, "{}{word}", if words.is_empty() { "" } else { " " });
        }
        words
    }

    /// Waits until the endpoint has had so many requests.
    ///
    /// # Panics
    /// They do not come.
    pub fn wait_for_requests(&self, number: usize) {
        self.wait_until("requests", || self.endpoint.requests().len() >= number);
    }

    /// Waits until this holds.
    ///
    /// # Panics
    /// It never does.
    pub fn wait_until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let started = Instant::now();
        while !holds() {
            assert!(started.elapsed() < PATIENCE, "waited in vain for {what}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|path| fs_err::metadata(path).is_ok())
}

/// The program of a real agent CLI, where `make check-agents` installed it.
fn program_of(cli: &Cli) -> Option<PathBuf> {
    let variable = "CTXUTILS_AGENTS";
    let Some(folder) = env::var_os(variable).filter(|path| !path.is_empty()) else {
        crate::missing(&format!("{variable} is not set; `make check-agents` installs the CLIs"));
        return None;
    };
    let name = cli.name;
    let path = std::path::absolute(folder).unwrap().join(name).join("node_modules/.bin").join(name);
    if fs_err::metadata(&path).is_err() {
        crate::missing(&format!("{name}, at {}", path.display()));
        return None;
    }
    Some(path)
}
