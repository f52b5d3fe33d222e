//! Cline CLI (facts measured on 3.0.65).
//!
//! A session is a folder `~/.cline/data/sessions/<id>/` with `<id>.json`, which
//! knows the folder it was started in, and `<id>.messages.json`, one JSON document
//! that is written anew each time. Counts include the cached part; no window is
//! recorded.

mod facts;
mod sessions;

use std::io;
use std::path::{Path, PathBuf};

use crate::See;
use crate::agent::{Agent, Session};
use crate::document;
use crate::probe::Probe;
use crate::transcript::{Identity, Transcript};

pub(crate) struct Cline;

impl Agent for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn recognises(&self, _: &Probe) -> bool {
        false
    }

    fn recognises_document(&self, probe: &Probe) -> bool {
        probe.has("sessionId") && probe.has("updated_at") && probe.object("origin").is_some()
    }

    fn is_identified_by(&self, _: &[Probe]) -> bool {
        true
    }

    fn identity(&self, probes: &[Probe], path: Option<&Path>) -> Identity {
        let document = probes.first();
        let id = document.and_then(|document| document.text("sessionId"));
        Identity {
            session_id: id.map(str::to_owned),
            folder: path.and_then(sessions::folder_of),
            sub_agent: false,
        }
    }

    fn newest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        document::newest_first(transcript.source(), &mut facts::of_message, see)
    }

    fn oldest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()> {
        document::oldest_first(transcript.source(), &mut facts::of_message, see)
    }

    fn by_id(&self, id: &str) -> io::Result<Vec<PathBuf>> {
        sessions::by_id(id)
    }

    fn by_folder(&self, folder: &Path) -> io::Result<Vec<Session>> {
        sessions::by_folder(folder)
    }
}
