//! The proof that a session runs. A session has one writer: what a second one
//! added would tear its transcript, and both would be paid for. It outlives a
//! script that started the run and was killed, as long as the run does.

use std::time::Duration;

use durable::Lock;
use terminal::{Exit, Failure};

/// Held until dropped; `None` where no state can be kept.
///
/// # Errors
/// The session runs: exit 75.
pub(crate) fn claim(session_id: &str) -> Result<Option<Lock>, Failure> {
    let Some(state) = durable::state_folder() else { return Ok(None) };
    let folder = state.join("running");
    if fs_err::create_dir_all(&folder).is_err() {
        return Ok(None);
    }
    let path = folder.join(durable::file_name(session_id));
    match durable::lock(&path, Duration::ZERO) {
        Ok(Some(lock)) => {
            // One that is held is younger than what is forgotten: its age counts
            // from its last run. Whoever cannot tidy up runs all the same.
            let now = std::time::SystemTime::now();
            let opened = fs_err::OpenOptions::new().append(true).open(&path);
            let _ = opened.and_then(|file| file.file().set_modified(now));
            durable::forget_older(&folder, durable::MONTH);
            Ok(Some(lock))
        }
        Ok(None) => {
            let failure = Failure::new(Exit::Busy, format!("session '{session_id}' still runs"));
            Err(failure.hint("try again when it has ended"))
        }
        Err(_) => Ok(None),
    }
}
