//! Gemini CLI (facts measured on 0.61.0).
//!
//! A session is a log of JSON lines in
//! `~/.gemini/tmp/<slug>/chats/session-<minute>-<first 8 of the id>.jsonl`;
//! `GEMINI_CLI_HOME` stands for the home folder. `tmp/<slug>/.project_root` names
//! the folder. Counts include the cached part. A sub-agent has a log of its own, a
//! folder deeper. A resume leaves a second file of the same id that holds nothing, and
//! the next start takes that for a broken session and deletes all files of the id.

mod command;
mod compaction;
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

pub(crate) struct Gemini;

impl Agent for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn recognises(&self, probe: &Probe) -> bool {
        is_header(probe) || probe.has("$set") || probe.has("$rewindTo")
    }

    fn is_identified_by(&self, probes: &[Probe]) -> bool {
        probes.iter().any(is_header)
    }

    fn identity(&self, probes: &[Probe], path: Option<&Path>) -> Identity {
        let header = probes.iter().find(|probe| is_header(probe));
        let text = |key| header.and_then(|header| header.text(key));
        Identity {
            session_id: text("sessionId").map(str::to_owned),
            folder: path.and_then(sessions::folder_of),
            sub_agent: text("kind") == Some("subagent"),
        }
    }

    fn newest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        lines::newest_first(&mut facts::Lines::new(true), transcript.source(), see)
    }

    fn oldest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        lines::oldest_first(&mut facts::Lines::new(false), transcript.source(), see)
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

impl Driver for Gemini {
    fn invocation(&self, run: &Run) -> io::Result<Invocation> {
        command::invocation(run)
    }

    fn stops_by_hook(&self) -> bool {
        false
    }

    fn denies_by_hook(&self) -> bool {
        false
    }

    fn resume_endangers(&self) -> bool {
        true
    }

    fn tidy(&self, session_id: &str) -> io::Result<()> {
        sessions::remove_stubs(session_id)
    }

    fn room(&self, folder: &Path) -> Option<u64> {
        Some(compaction::room(folder))
    }

    fn line(&self, line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
        stream::line(line, see)
    }
}

fn is_header(probe: &Probe) -> bool {
    probe.has("sessionId") && probe.has("projectHash")
}
