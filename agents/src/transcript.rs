//! A session's transcript, opened and recognised.
//!
//! The CLI is told by content, never by path or name: from the first records
//! that parse within the first few KiB, or from the keys of one document. A record cut by that bound still counts
//! as far as it was read.

use std::fmt;
use std::io;
use std::path::Path;

use crate::See;
use crate::agent::{self, Agent};
use crate::probe::Probe;
use crate::source::Source;

/// Read first; a first record of any CLI tells its kind within so many bytes.
const GLANCE: usize = 4 << 10;

/// Read when the glance told nothing, as where the file begins with damage.
const LOOK: usize = 64 << 10;

/// A transcript of a known CLI.
pub struct Transcript {
    agent: &'static dyn Agent,
    source: Source,
    identity: Identity,
}

/// What a transcript says of itself in its first records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The session's id.
    pub session_id: Option<String>,
    /// The folder it was started in.
    pub folder: Option<String>,
    /// Whether it is a sub-agent's own file.
    pub sub_agent: bool,
}

/// Why a transcript could not be opened.
#[derive(Debug)]
pub enum OpenError {
    /// The file cannot be read.
    Io(io::Error),
    /// There is nothing in it.
    Empty,
    /// It is a database of SQLite, which may hold sessions: their CLI exports one.
    Database,
    /// No CLI that is known writes such files.
    NotRecognised,
}

impl Transcript {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be read, is empty, or no known CLI's.
    pub fn open(path: &Path) -> Result<Transcript, OpenError> {
        Transcript::recognise(Source::open(path).map_err(OpenError::Io)?, Some(path))
    }

    /// Recognises what has been opened; the path, if any, helps to name the
    /// session.
    ///
    /// # Errors
    /// It cannot be read, is empty, or no known CLI's.
    pub fn recognise(mut source: Source, path: Option<&Path>) -> Result<Transcript, OpenError> {
        let mut whole = usize::try_from(source.length()).unwrap_or(usize::MAX);
        for size in [GLANCE, LOOK] {
            let mut head = Vec::new();
            source.read(0, size.min(whole), &mut head).map_err(OpenError::Io)?;
            if let Some(plain) = source.decompressed(&head).map_err(OpenError::Io)? {
                source = plain;
                whole = usize::try_from(source.length()).unwrap_or(usize::MAX);
                head.clear();
                source.read(0, size.min(whole), &mut head).map_err(OpenError::Io)?;
            }
            if head.starts_with(b"SQLite format 3\0") {
                return Err(OpenError::Database);
            }
            if let Some((agent, identity)) = recognise(&head, path) {
                return Ok(Transcript { agent, source, identity });
            }
            if head.len() == whole && head.iter().all(|&b| b.is_ascii_whitespace() || b == 0) {
                return Err(OpenError::Empty);
            }
        }
        Err(OpenError::NotRecognised)
    }

    /// The CLI whose session it is.
    pub fn agent(&self) -> &'static dyn Agent {
        self.agent
    }

    /// What it says of itself.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Shows the main thread's facts, newest first, until told to stop.
    ///
    /// # Errors
    /// Reading failed.
    pub fn newest_first(&self, see: See<'_>) -> io::Result<()> {
        self.agent.newest_first(self, see)
    }

    /// Shows the main thread's facts in the order they were written.
    ///
    /// # Errors
    /// Reading failed.
    pub fn oldest_first(&self, see: See<'_>) -> io::Result<()> {
        self.agent.oldest_first(self, see)
    }
}

/// The CLI whose records the lines are, with what the first of them say: records
/// are looked at until the identity is known, or there are no more.
fn recognise(head: &[u8], path: Option<&Path>) -> Option<(&'static dyn Agent, Identity)> {
    let mut probes = Vec::new();
    let mut found: Option<&'static dyn Agent> = None;
    for line in head.split(|&b| b == b'\n') {
        let probe = Probe::new(line);
        found = found.or_else(|| agent::all().iter().copied().find(|a| a.recognises(&probe)));
        probes.push(probe);
        if found.is_some_and(|agent| agent.is_identified_by(&probes)) {
            break;
        }
    }
    found.map(|agent| (agent, agent.identity(&probes, path))).or_else(|| {
        let document = Probe::new(head);
        let is_his = |agent: &&&'static dyn Agent| agent.recognises_document(&document);
        let agent = agent::all().iter().find(is_his).copied()?;
        Some((agent, agent.identity(&[document], path)))
    })
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transcript")
            .field("agent", &self.agent.name())
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io(error) => error.fmt(f),
            OpenError::Empty => f.write_str("empty"),
            OpenError::Database => f.write_str("a database, not a transcript"),
            OpenError::NotRecognised => f.write_str("not a transcript of a known agent CLI"),
        }
    }
}

impl std::error::Error for OpenError {}
