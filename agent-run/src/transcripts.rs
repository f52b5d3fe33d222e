//! Copies of transcripts that a resume may cost their CLI: below the state folder, a
//! folder for each session. They are a person's to go back to; nothing here reads them.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use agents::Agent;
use terminal::Failure;

/// Copies what there is of a session. Where no state can be kept, nothing is.
///
/// # Errors
/// It could not be copied: the session is then not to be resumed.
pub(crate) fn copy(agent: &dyn Agent, session_id: &str) -> Result<(), Failure> {
    let Some(state) = durable::state_folder() else { return Ok(()) };
    let kept = state.join("transcripts");
    let folder = kept.join(durable::file_name(session_id));
    let copied = agent.by_id(session_id).and_then(|paths| {
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        paths.iter().try_for_each(|path| copy_into(&folder, path))
    });
    copied.map_err(|error| {
        Failure::writing(&folder, &error)
            .hint("the transcript is copied first, since a resume may cost the agent its own")
    })?;
    forget_older(&kept);
    Ok(())
}

/// A copy that was whole stays whole until the next one is.
fn copy_into(folder: &Path, transcript: &Path) -> io::Result<()> {
    let Some(name) = transcript.file_name() else { return Ok(()) };
    let temporary = folder.join(format!(".new-{}", std::process::id()));
    fs_err::copy(transcript, &temporary)?;
    fs_err::rename(&temporary, folder.join(name))
}

fn forget_older(kept: &Path) {
    for session in fs_err::read_dir(kept).into_iter().flatten().flatten() {
        durable::forget_older(&session.path(), durable::MONTH);
        // One that still holds something stays, and one that somebody has just made.
        let age = session.metadata().and_then(|metadata| metadata.modified());
        if age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > durable::MONTH)) {
            let _ = fs_err::remove_dir(session.path());
        }
    }
}
