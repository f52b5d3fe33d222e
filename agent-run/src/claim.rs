//! The proof that a session runs. A session has one writer: what a second one
//! added would tear its transcript, and both would be paid for.
//!
//! A lock holds as long as the run does, and so outlives a script that started the run
//! and was killed. The agent's process is noted beside it: it may outlive the run, if
//! that is killed.

use std::path::PathBuf;
use std::time::Duration;

use durable::Lock;
use processes::Running;
use terminal::{Exit, Failure};

/// Held until dropped.
pub(crate) struct Claim {
    path: PathBuf,
    _lock: Lock,
}

impl Claim {
    /// Notes the process that works at the session.
    pub(crate) fn note(&self, process: &Running) {
        // Who cannot note it runs all the same.
        let _ = fs_err::write(&self.path, format!("{process}\n"));
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // If it stays, the process that it names has ended.
        let _ = fs_err::write(&self.path, "");
    }
}

/// `None` where no state can be kept.
///
/// # Errors
/// The session runs: exit 75.
pub(crate) fn claim(session_id: &str) -> Result<Option<Claim>, Failure> {
    let Some(state) = durable::state_folder() else { return Ok(None) };
    let folder = state.join("running");
    if fs_err::create_dir_all(&folder).is_err() {
        return Ok(None);
    }
    let path = folder.join(durable::file_name(session_id));
    let busy = || Failure::new(Exit::Busy, format!("session '{session_id}' still runs"));
    match durable::lock(&path, Duration::ZERO) {
        Ok(Some(lock)) => {
            let noted = fs_err::read_to_string(&path).ok().and_then(|text| text.parse().ok());
            if let Some(process) = noted.filter(Running::lives) {
                return Err(busy().hint(left_behind(&process)));
            }
            // One that is held is younger than what is forgotten: its age counts
            // from its last run. Whoever cannot tidy up runs all the same.
            let now = std::time::SystemTime::now();
            let opened = fs_err::OpenOptions::new().append(true).open(&path);
            let _ = opened.and_then(|file| file.file().set_modified(now));
            durable::forget_older(&folder, durable::MONTH);
            Ok(Some(Claim { path, _lock: lock }))
        }
        Ok(None) => Err(busy().hint("try again when it has ended")),
        Err(_) => Ok(None),
    }
}

fn left_behind(process: &Running) -> String {
    let Running { number, is_group, .. } = process;
    let (what, target) = match is_group {
        true => ("process group", format!("-- -{number}")),
        false => ("process", number.to_string()),
    };
    format!(
        "its agent, {what} {number}, was left behind: wait for it, or end it with 'kill {target}'"
    )
}
