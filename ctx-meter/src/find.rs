//! Which transcript is meant?
//!
//! An operand is a file, or else a session's id over all CLIs. Without an
//! operand: the newest main session of a folder, over all CLIs; where the folder
//! has none, of the folder above it, and so on, since a session is stored under
//! the folder it was started in.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use agents::{Agent, Session};

/// Why no transcript was found.
#[derive(Debug)]
pub enum FindError {
    /// There is neither such a file nor such a session.
    NoSuchSession,
    /// No session was started in this folder or above.
    NoneInFolder(PathBuf),
    /// A folder of sessions cannot be read.
    Io(io::Error),
}

impl From<io::Error> for FindError {
    fn from(error: io::Error) -> FindError {
        FindError::Io(error)
    }
}

/// The transcript that an operand names.
///
/// # Errors
/// There is none.
pub fn named(operand: &OsStr, agents: &[&dyn Agent]) -> Result<PathBuf, FindError> {
    let path = Path::new(operand);
    match fs_err::metadata(path) {
        Ok(_) => return Ok(path.to_owned()),
        // The reader will say what is wrong with a file that is there.
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Ok(path.to_owned()),
        Err(_) => {}
    }
    let id = operand.to_str().filter(|id| !id.is_empty() && !id.contains('/'));
    by_id(id.ok_or(FindError::NoSuchSession)?, agents)
}

/// The transcript of the session with this id. The same id in two stores: the one
/// written to last is alive.
///
/// # Errors
/// There is none.
pub fn by_id(id: &str, agents: &[&dyn Agent]) -> Result<PathBuf, FindError> {
    let mut found = Vec::new();
    let mut failed = None;
    for agent in agents {
        // A store that cannot be read does not hide what lies in another.
        match agent.by_id(id) {
            Ok(paths) => found.extend(paths),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if let Some(error) = failed.filter(|_| found.is_empty()) {
        return Err(error.into());
    }
    let modified = |path: &PathBuf| fs_err::metadata(path).and_then(|m| m.modified()).ok();
    found.into_iter().max_by_key(modified).ok_or(FindError::NoSuchSession)
}

/// The newest main session started in a folder or, failing that, above it.
///
/// # Errors
/// There is none.
pub fn newest(folder: &Path, agents: &[&dyn Agent]) -> Result<PathBuf, FindError> {
    let folder = fs_err::canonicalize(folder)?;
    for above in folder.ancestors() {
        let mut found: Vec<Session> = Vec::new();
        let mut failed = None;
        for agent in agents {
            match agent.by_folder(above) {
                Ok(sessions) => found.extend(sessions),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if let Some(error) = failed.filter(|_| found.is_empty()) {
            return Err(error.into());
        }
        if let Some(newest) = found.into_iter().max_by_key(|session| session.modified) {
            return Ok(newest.path);
        }
    }
    Err(FindError::NoneInFolder(folder))
}
