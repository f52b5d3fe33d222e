//! Codex CLI (facts measured on 0.171.0 and 0.118.0).
//!
//! A thread is a rollout: JSON lines in
//! `$CODEX_HOME/sessions/Y/M/D/rollout-<time>-<id>.jsonl`, with
//! `$CODEX_HOME` = `~/.codex` by default. Counts include the cached part. The
//! window is recorded. A sub-agent has a rollout of its own, and so has a fork, which
//! may hold no more than what came after it. Old rollouts may be compressed
//! (`.jsonl.zst`), archived ones lie in `$CODEX_HOME/archived_sessions`.

mod base;
mod boundary;
mod command;
mod facts;
mod record;
mod sessions;
mod stream;

use std::io;
use std::path::{Path, PathBuf};

use crate::See;
use crate::agent::{Agent, Session};
use crate::claude_code;
use crate::hook::Hooks;
use crate::probe::Probe;
use crate::run::{Boundary, Driver, Event, Invocation, Run};
use crate::transcript::{Identity, Transcript};

pub(crate) struct Codex;

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn recognises(&self, probe: &Probe) -> bool {
        probe.has("type") && probe.object("payload").is_some()
    }

    fn is_identified_by(&self, probes: &[Probe]) -> bool {
        probes.iter().any(|probe| probe.text("type") == Some("session_meta"))
    }

    fn identity(&self, probes: &[Probe], path: Option<&Path>) -> Identity {
        // A fork of older versions copies its parent's records, session_meta
        // included: the first is the file's own.
        let meta = probes
            .iter()
            .filter(|probe| probe.text("type") == Some("session_meta"))
            .find_map(|probe| probe.object("payload"));
        let text = |key| meta.and_then(|meta| meta.text(key)).map(str::to_owned);
        let name = path.and_then(Path::file_name).and_then(|name| name.to_str());
        Identity {
            session_id: text("id").or_else(|| sessions::id_of(name?).map(str::to_owned)),
            folder: text("cwd"),
            sub_agent: meta.is_some_and(is_sub_agent),
        }
    }

    fn newest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        base::newest_first(transcript.source(), see)
    }

    fn oldest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        base::oldest_first(transcript.source(), see)
    }

    fn by_id(&self, id: &str) -> io::Result<Vec<PathBuf>> {
        sessions::by_id(id)
    }

    fn by_folder(&self, folder: &Path) -> io::Result<Vec<Session>> {
        sessions::by_folder(folder)
    }

    /// Claude Code's names, payload and refusal. A sub-agent's calls come under its
    /// parent's session, with an id and a rollout of their own. No answer ends a run:
    /// at `PostToolUse` its reason stands in the place of the tool's result.
    fn hooks(&self) -> Option<&'static dyn Hooks> {
        Some(&claude_code::hooks::CannotStop)
    }
}

impl Driver for Codex {
    fn invocation(&self, run: &Run) -> io::Result<Invocation> {
        command::invocation(run)
    }

    fn stops_by_hook(&self) -> bool {
        false
    }

    fn denies_by_hook(&self) -> bool {
        false
    }

    fn boundary(&self) -> Option<Boundary> {
        Some(|transcript| boundary::is_at_boundary(transcript.source()))
    }

    fn line(&self, line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
        stream::line(line, see)
    }
}

fn is_sub_agent(meta: &Probe) -> bool {
    meta.text("thread_source") == Some("subagent")
        || meta.object("source").is_some_and(|source| source.has("subagent"))
}
