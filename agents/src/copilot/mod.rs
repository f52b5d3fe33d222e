//! GitHub Copilot CLI (facts measured on 1.0.102).
//!
//! A session is JSON lines in `~/.copilot/session-state/<id>/events.jsonl`;
//! `COPILOT_HOME` moves `~/.copilot`. Counts include the cached part. The window is
//! recorded. What sub-agents do stands in the same file, on lines with an
//! `agentId`.

mod command;
mod facts;
mod hooks;
mod sessions;
mod stream;

use std::io;
use std::path::{Path, PathBuf};

use crate::See;
use crate::agent::{Agent, Session};
use crate::hook::Hooks;
use crate::lines;
use crate::probe::Probe;
use crate::run::{Driver, Event, Invocation, Run};
use crate::transcript::{Identity, Transcript};

pub(crate) struct Copilot;

impl Agent for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn recognises(&self, probe: &Probe) -> bool {
        let is_dotted = probe.text("type").is_some_and(|kind| kind.contains('.'));
        is_dotted && probe.object("data").is_some() && probe.has("timestamp")
    }

    fn is_identified_by(&self, probes: &[Probe]) -> bool {
        probes.iter().any(is_start)
    }

    fn identity(&self, probes: &[Probe], path: Option<&Path>) -> Identity {
        let start =
            probes.iter().find(|probe| is_start(probe)).and_then(|probe| probe.object("data"));
        let id = start.and_then(|start| start.text("sessionId")).map(str::to_owned);
        let folder = start.and_then(|start| start.object("context")?.text("cwd"));
        Identity {
            session_id: id.or_else(|| sessions::id_of(path?)),
            folder: folder.map(str::to_owned),
            sub_agent: false,
        }
    }

    fn newest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        lines::newest_first(&mut facts::Lines, transcript.source(), see)
    }

    fn oldest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        lines::oldest_first(&mut facts::Lines, transcript.source(), see)
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

impl Driver for Copilot {
    fn invocation(&self, run: &Run) -> io::Result<Invocation> {
        command::invocation(run)
    }

    /// What a hook answers ends no run.
    fn stops_by_hook(&self) -> bool {
        false
    }

    fn denies_by_hook(&self) -> bool {
        false
    }

    fn transcript_lags(&self) -> bool {
        true
    }

    fn line(&self, line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
        stream::line(line, see)
    }
}

fn is_start(probe: &Probe) -> bool {
    probe.text("type") == Some("session.start")
}
