//! What is remembered of a session between its runs: the model with its marks,
//! which no transcript records, and the folder it was started in, from which
//! alone some CLIs find it again. Without a state folder nothing is remembered.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// One session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Remembered {
    v: u32,
    /// The model as the CLI named it.
    pub(crate) model: Option<String>,
    /// The folder's name in bytes.
    folder: Vec<u8>,
}

impl Remembered {
    pub(crate) fn new(model: Option<String>, folder: &Path) -> Remembered {
        Remembered { v: 1, model, folder: folder.as_os_str().as_bytes().to_vec() }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        OsString::from_vec(self.folder.clone()).into()
    }
}

/// What is remembered of a session. An entry that cannot be read is none.
pub(crate) fn recall(session_id: &str) -> Option<Remembered> {
    serde_json::from_slice(&fs_err::read(path(session_id)?).ok()?).ok()
}

pub(crate) fn remember(session_id: &str, remembered: &Remembered) -> io::Result<()> {
    let Some(path) = path(session_id) else { return Ok(()) };
    durable::write_entry(&path, &serde_json::to_vec(remembered)?)
}

fn path(session_id: &str) -> Option<PathBuf> {
    Some(durable::state_folder()?.join("sessions").join(durable::file_name(session_id)))
}
