//! Kimi CLI (read in the source of 1.52.0; no real session was at hand).
//!
//! A session is a folder `~/.kimi/sessions/<MD5 of the folder>/<id>/`, of which
//! `context.jsonl` is the context itself; `KIMI_SHARE_DIR` stands for `~/.kimi`. A
//! compaction puts a new file in its place. A sub-agent has a folder of its own
//! below. Counts include the cached part; no window is recorded.

mod facts;
mod sessions;

use std::io;
use std::path::{Path, PathBuf};

use crate::See;
use crate::agent::{Agent, Session};
use crate::lines;
use crate::probe::Probe;
use crate::transcript::{Identity, Transcript};

pub(crate) struct Kimi;

impl Agent for Kimi {
    fn name(&self) -> &'static str {
        "kimi"
    }

    fn recognises(&self, probe: &Probe) -> bool {
        let is_ours = |role: &str| matches!(role, "_system_prompt" | "_checkpoint" | "_usage");
        !probe.has("type") && probe.text("role").is_some_and(is_ours)
    }

    fn is_identified_by(&self, _: &[Probe]) -> bool {
        true
    }

    /// The records say nothing of the session; the names of its folders do.
    fn identity(&self, _: &[Probe], path: Option<&Path>) -> Identity {
        let folder = path.and_then(Path::parent);
        let name = folder.and_then(Path::file_name).and_then(|name| name.to_str());
        let above = folder.and_then(Path::parent).and_then(Path::file_name);
        Identity {
            session_id: name.map(str::to_owned),
            folder: None,
            sub_agent: above.is_some_and(|above| above == "subagents"),
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
}
