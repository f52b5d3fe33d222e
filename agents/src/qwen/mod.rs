//! Qwen Code (facts measured on 0.15.10).
//!
//! A session is JSON lines in `~/.qwen/projects/<folder>/chats/<id>.jsonl`, where
//! all of the folder that is no ASCII letter or digit is a dash; `QWEN_RUNTIME_DIR`
//! or `QWEN_HOME` move `~/.qwen`. The records are a tree. Counts include the cached
//! part. A sub-agent has no file; what it used stands in telemetry records alone,
//! which are no answers of the main thread.

mod command;
mod facts;
mod sessions;
mod settings;
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

pub(crate) struct Qwen;

impl Agent for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    /// The records look like Claude Code's but for what they hold.
    fn recognises(&self, probe: &Probe) -> bool {
        let has_parts = probe.object("message").is_some_and(|message| message.has("parts"));
        probe.has("uuid") && probe.has("sessionId") && (has_parts || probe.has("systemPayload"))
    }

    fn is_identified_by(&self, probes: &[Probe]) -> bool {
        probes.iter().any(|probe| self.recognises(probe))
    }

    fn identity(&self, probes: &[Probe], _: Option<&Path>) -> Identity {
        let first = probes.iter().find(|probe| self.recognises(probe));
        let text = |key| first.and_then(|first| first.text(key)).map(str::to_owned);
        Identity { session_id: text("sessionId"), folder: text("cwd"), sub_agent: false }
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

    /// Claude Code's names, payload and refusal. No event tells which sub-agent acts, but
    /// those of its start and end; no answer ends a run; the id of a tool call is not the
    /// one that the transcript has.
    fn hooks(&self) -> Option<&'static dyn Hooks> {
        Some(&claude_code::hooks::CannotStop)
    }
}

impl Driver for Qwen {
    fn invocation(&self, run: &Run) -> io::Result<Invocation> {
        command::invocation(run)
    }

    fn stops_by_hook(&self) -> bool {
        false
    }

    fn line(&self, line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
        stream::line(line, see)
    }
}
