//! OpenCode, and Kilo, which is made from it (facts measured on opencode 1.18.33
//! and kilo 7.7.9).
//!
//! Sessions lie in a SQLite database, which the CLI alone reads: `opencode db` is
//! asked for a session by its id. What `opencode export ID` and `kilo export ID`
//! print, one JSON document, is read as a file. By folder none is looked for, since
//! to ask takes a second.
//! Cached tokens stand beside `input`; no window is recorded; a sub-agent has a
//! session of its own, which names its parent.

mod command;
mod database;
mod facts;
mod stream;

use std::io;
use std::path::{Path, PathBuf};

use crate::See;
use crate::agent::{Agent, Session};
use crate::claude_code::hooks;
use crate::document;
use crate::hook::Hooks;
use crate::probe::Probe;
use crate::run::{Driver, Event, Invocation, Run};
use crate::source::Source;
use crate::transcript::{Identity, Transcript};

pub(crate) struct OpenCode;

impl Agent for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn recognises(&self, _: &Probe) -> bool {
        false
    }

    fn recognises_document(&self, probe: &Probe) -> bool {
        probe.object("info").is_some_and(|info| info.has("projectID") && info.has("directory"))
    }

    fn is_identified_by(&self, _: &[Probe]) -> bool {
        true
    }

    fn identity(&self, probes: &[Probe], _: Option<&Path>) -> Identity {
        let info = probes.first().and_then(|document| document.object("info"));
        let text = |key| info.and_then(|info| info.text(key)).map(str::to_owned);
        Identity {
            session_id: text("id"),
            folder: text("directory"),
            sub_agent: text("parentID").is_some(),
        }
    }

    fn newest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        let mut of = |message: &_, see: See<'_>| facts::newest_first(message, see);
        document::newest_first(transcript.source(), &mut of, see)
    }

    fn oldest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        let mut of = |message: &_, see: See<'_>| facts::oldest_first(message, see);
        document::oldest_first(transcript.source(), &mut of, see)
    }

    fn by_id(&self, _: &str) -> io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    fn fetch(&self, id: &str) -> io::Result<Option<Source>> {
        database::session(id)
    }

    fn by_folder(&self, _: &Path) -> io::Result<Vec<Session>> {
        Ok(Vec::new())
    }

    /// Our plugin speaks Claude Code's.
    fn hooks(&self) -> Option<&'static dyn Hooks> {
        Some(&hooks::Dialect)
    }
}

impl Driver for OpenCode {
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
