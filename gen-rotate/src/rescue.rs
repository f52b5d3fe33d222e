//! A document that came by a pipe lies nowhere else. Where it could not be
//! published it is put down elsewhere, since a session was paid to write it and
//! may have no room to write it again.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use durable::Access;

use crate::{Home, Step, stamp};

/// Puts an unpublished document into the state folder, else into the folder for
/// temporary files. Returns its path; `None` where the document was published
/// after all.
///
/// # Errors
/// That of the last place: it could be put down nowhere.
pub fn put_aside(home: &Home, step: &Step, document: &[u8]) -> io::Result<Option<PathBuf>> {
    let current = durable::read_regular(&home.document(step));
    if current.is_ok_and(|current| current == document) {
        return Ok(None);
    }
    let places = durable::state_folder().map(|state| state.join("unpublished"));
    let mut outcome = Err(io::Error::from(io::ErrorKind::NotFound));
    for folder in places.into_iter().chain([env::temp_dir()]) {
        outcome = put(&folder, step, document);
        if outcome.is_ok() {
            break;
        }
    }
    outcome.map(Some)
}

fn put(folder: &Path, step: &Step, document: &[u8]) -> io::Result<PathBuf> {
    durable::create_folders(folder)?;
    let path = folder.join(format!("{}-{}.md", step.stem(), stamp::run_id()));
    durable::create(&path, document, Access::Owner)?;
    durable::sync_folder(folder)?;
    Ok(path)
}
