//! A real Claude Code, or Codex, and the tools around it, alone in a world of their
//! own.

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

use crate::endpoint::{Endpoint, Script};
use crate::programs;
use crate::running::{PATIENCE, Running};

/// The line of the prompt that asks for a document.
pub const ASK: &str = "[ctxutils:write-the-handoff-document]";
/// How what a successor is given begins.
pub const TAKING_OVER: &str = "You are taking over";
/// What a session is told that goes on after an interruption.
const GO_ON: &str = "Go on.";

/// CLIs make names of this one, and cannot keep all of it.
const PROJECT: &str = "the project, 한글";

/// The program of Claude Code, from `CTXUTILS_CLAUDE`. Where that is not set,
/// nothing can be shown; with `CI` or `CTXUTILS_REQUIRE` that is a failure.
///
/// # Panics
/// It is needed and not there.
pub fn claude() -> Option<PathBuf> {
    program_of("CTXUTILS_CLAUDE", "Claude Code")
}

/// The program of a real agent CLI, from a variable.
fn program_of(variable: &str, name: &str) -> Option<PathBuf> {
    if let Some(path) = env::var_os(variable).filter(|path| !path.is_empty()) {
        let path = std::path::absolute(path).unwrap();
        assert!(fs_err::metadata(&path).is_ok(), "{variable}: no program at {path:?}");
        return Some(path);
    }
    crate::missing(&format!("{variable} names no {name}; `make check-agents` installs one"));
    None
}

/// A folder with a project, a home, and an endpoint that follows a script.
#[derive(Debug)]
pub struct World {
    /// Outlives the endpoint, which writes into it.
    pub endpoint: Endpoint,
    folder: TempDir,
    tools: PathBuf,
    agent: &'static str,
    language: &'static str,
}

impl World {
    /// A world; `None` without a Claude Code.
    pub fn new(script: &Script) -> Option<World> {
        Some(World::of("claude", &claude()?, script))
    }

    /// A world with Codex in it, from `CTXUTILS_CODEX`; `None` without one.
    pub fn codex(script: &Script) -> Option<World> {
        let codex = program_of("CTXUTILS_CODEX", "Codex")?;
        let world = World::of("codex", &codex, script);
        let config = format!(
            "model = \"gpt-5.2-codex\"\nmodel_provider = \"scripted\"\n\
             [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\n\
             wire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\"\n\
             request_max_retries = 0\nstream_max_retries = 0\n",
            world.endpoint.url()
        );
        fs_err::write(world.folder.path().join("config/config.toml"), config).unwrap();
        Some(world)
    }

    fn of(name: &'static str, program: &Path, script: &Script) -> World {
        let tools = programs(&[
            "agent-run",
            "ctx-guard",
            "ctx-meter",
            "gen-rotate",
            "handoff-fmt",
            "overflow-detect",
        ]);
        let folder = tempfile::tempdir().unwrap();
        for name in [PROJECT, "home", "config", "tmp", "bin"] {
            fs_err::create_dir(folder.path().join(name)).unwrap();
        }
        let bin = folder.path().join("bin");
        symlink(program, bin.join(name)).unwrap();
        // A shell reads on while it runs: an edit meanwhile would be run as well.
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/handoff-loop");
        fs_err::copy(source, bin.join("handoff-loop")).unwrap();
        let endpoint = Endpoint::start(folder.path(), script);
        World { endpoint, folder, tools, agent: name, language: "en" }
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
        let path = self.folder.path().join("config/settings.json");
        fs_err::write(path, settings.to_string()).unwrap();
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
            .env("CLAUDE_CONFIG_DIR", folder.join("config"))
            .env("TMPDIR", folder.join("tmp"))
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8")
            .env("ANTHROPIC_BASE_URL", self.endpoint.url())
            .env("ANTHROPIC_API_KEY", "dummy")
            .env("CODEX_HOME", folder.join("config"))
            .env("SCRIPTED_KEY", "dummy")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("CLAUDE_CODE_MAX_RETRIES", "1")
            .env("HANDOFF_PAUSE", "0")
            .env("HANDOFF_LANG", self.language)
            .current_dir(self.path(""));
        command
    }

    /// handoff-loop with these arguments; the agent may use Bash.
    pub fn handoff_loop(&self, arguments: &[&str]) -> Running {
        let mut command = self.command("sh");
        command.arg(self.folder.path().join("bin/handoff-loop"));
        command.args(["--agent", self.agent]);
        command.args(match self.agent {
            "codex" => ["--agent-arg=-s", "--agent-arg=danger-full-access"],
            _ => ["--agent-arg=--allowedTools", "--agent-arg=Bash"],
        });
        command.args(arguments);
        Running::start(&mut command, self.folder.path(), "")
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
            let is_result = holds_new_result(&request["body"]);
            let word = if self.agent == "codex" && is_result {
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
    pub fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        let started = Instant::now();
        while !holds() {
            assert!(started.elapsed() < PATIENCE, "waited in vain for {what}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Whether a tool's result is what is new in a request, of either API.
fn holds_new_result(body: &Value) -> bool {
    if let Some(items) = body["input"].as_array() {
        return items.last().is_some_and(|item| item["type"] == "function_call_output");
    }
    let messages = body["messages"].as_array().unwrap();
    let unanswered = messages.iter().rev().take_while(|m| m["role"] != "assistant");
    unanswered.map(|m| &m["content"]).any(holds_result)
}

fn holds_result(content: &Value) -> bool {
    let blocks = content.as_array().into_iter().flatten();
    blocks.map(|block| &block["type"]).any(|kind| kind == "tool_result")
}
