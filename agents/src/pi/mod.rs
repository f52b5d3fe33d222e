//! pi (facts measured on 0.73.1, 0.74.2 and 1.6.0).
//!
//! A session is JSON lines in `~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`,
//! where slashes of the folder are dashes; `PI_CODING_AGENT_DIR` moves
//! `~/.pi/agent`, `PI_CODING_AGENT_SESSION_DIR` the sessions. The records are a
//! tree. Cached tokens stand beside `input`; no window is recorded; there are no
//! sub-agents.

mod command;
mod facts;
mod sessions;
mod stream;

use std::io;
use std::path::{Path, PathBuf};

use crate::See;
use crate::agent::{Agent, Session};
use crate::claude_code;
use crate::hook::Hooks;
use crate::lines;
use crate::probe::Probe;
use crate::run::{Driver, Event, Invocation, Run};
use crate::transcript::{Identity, Transcript};

pub(crate) struct Pi;

impl Agent for Pi {
    fn name(&self) -> &'static str {
        "pi"
    }

    fn recognises(&self, probe: &Probe) -> bool {
        probe.text("type") == Some("session") && probe.has("version") && probe.has("id")
    }

    fn is_identified_by(&self, probes: &[Probe]) -> bool {
        probes.iter().any(|probe| self.recognises(probe))
    }

    fn identity(&self, probes: &[Probe], _: Option<&Path>) -> Identity {
        let head = probes.iter().find(|probe| self.recognises(probe));
        let text = |key| head.and_then(|head| head.text(key)).map(str::to_owned);
        Identity { session_id: text("id"), folder: text("cwd"), sub_agent: false }
    }

    fn newest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        lines::newest_first_of_branch(facts::Lines::new, transcript.source(), see)
    }

    fn oldest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        lines::oldest_first_of_branch(facts::Lines::new, transcript.source(), see)
    }

    fn by_id(&self, id: &str) -> io::Result<Vec<PathBuf>> {
        sessions::by_id(id)
    }

    fn by_folder(&self, folder: &Path) -> io::Result<Vec<Session>> {
        sessions::by_folder(folder)
    }

    /// pi asks nobody; our extension does, in that dialect.
    fn hooks(&self) -> Option<&'static dyn Hooks> {
        Some(&claude_code::hooks::Dialect)
    }
}

impl Driver for Pi {
    fn invocation(&self, run: &Run) -> io::Result<Invocation> {
        command::invocation(run)
    }

    fn line(&self, line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
        stream::line(line, see)
    }
}
