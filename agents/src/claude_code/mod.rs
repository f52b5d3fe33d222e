//! Claude Code (facts measured on 2.1.197).
//!
//! Sessions are lists of JSON lines below `$CLAUDE_CONFIG_DIR` or `~/.claude`,
//! in `projects/<key of the folder>/<session id>.jsonl`; a sub-agent has a file
//! of its own in `<session id>/subagents/`, all of whose lines are sidechains.
//! Older versions wrote sidechains into the main file.

mod attachment;
pub(crate) mod command;
mod content;
mod facts;
pub(crate) mod hooks;
mod record;
mod sessions;
pub(crate) mod stream;

use std::io;
use std::path::{Path, PathBuf};

use crate::See;
use content::Detail;

use crate::agent::{Agent, Session};
use crate::hook::Hooks;
use crate::lines;
use crate::probe::Probe;
use crate::run::{Driver, Event, Invocation, Run};
use crate::transcript::{Identity, Transcript};

pub(crate) struct ClaudeCode;

impl Agent for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn recognises(&self, probe: &Probe) -> bool {
        let speaks = matches!(probe.text("type"), Some("user" | "assistant" | "system"));
        probe.has("sessionId") && probe.has("type")
            || probe.has("isSidechain")
            || speaks && (probe.object("message").is_some() || probe.has("subtype"))
    }

    fn is_identified_by(&self, probes: &[Probe]) -> bool {
        probes.iter().any(is_main) && probes.iter().any(|probe| probe.has("sessionId"))
    }

    fn identity(&self, probes: &[Probe], path: Option<&Path>) -> Identity {
        let first = |key| probes.iter().find_map(|probe| probe.text(key)).map(str::to_owned);
        let name = path.and_then(Path::file_stem).and_then(|stem| stem.to_str());
        Identity {
            session_id: first("sessionId")
                .or_else(|| name.filter(|name| sessions::is_id(name)).map(str::to_owned)),
            folder: first("cwd"),
            sub_agent: !probes.iter().any(is_main)
                && probes.iter().any(|probe| probe.bool("isSidechain") == Some(true)),
        }
    }

    fn newest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        let mut lines = facts::Lines::new(transcript.identity().sub_agent, Detail::Sizes);
        lines::newest_first(&mut lines, transcript.source(), see)
    }

    fn oldest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        let mut lines = facts::Lines::new(transcript.identity().sub_agent, Detail::All);
        lines::oldest_first(&mut lines, transcript.source(), see)
    }

    fn by_id(&self, id: &str) -> io::Result<Vec<PathBuf>> {
        sessions::by_id(id)
    }

    fn by_folder(&self, folder: &Path) -> io::Result<Vec<Session>> {
        sessions::by_folder(folder)
    }

    fn hooks(&self) -> Option<&'static dyn Hooks> {
        Some(&hooks::Dialect)
    }
}

/// Whether a record is the main thread's. Records of a sub-agent say that they are
/// a sidechain; those of events and of older versions may say nothing.
fn is_main(probe: &Probe) -> bool {
    let speaks = matches!(probe.text("type"), Some("user" | "assistant"));
    speaks && probe.bool("isSidechain") != Some(true)
}

impl Driver for ClaudeCode {
    fn invocation(&self, run: &Run) -> io::Result<Invocation> {
        command::invocation("claude", run)
    }

    fn line(&self, line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
        stream::line(line, see)
    }
}
