//! What became of a successor, written to its entry while others may write to the
//! ledger too.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use terminal::Failure;

use crate::generation::{Generation, State};
use crate::locked::LockedLedger;
use crate::supervise::End;
use crate::{Home, recover, stamp};

/// Where an entry stands. Rows and entries are only ever added.
pub(crate) struct Place {
    pub(crate) run: String,
    pub(crate) step: String,
    pub(crate) number: usize,
}

/// The end of a successor must not be lost to somebody's long turn.
const PATIENCE: Duration = Duration::from_secs(60);

/// Writes to a generation's entry while the lock is not ours.
pub(crate) fn update(
    home: &Home,
    place: &Place,
    change: impl FnOnce(&mut Generation),
) -> Result<(), Failure> {
    let mut locked = LockedLedger::open(home, PATIENCE)?;
    let mut rows = locked.ledger.rows.iter_mut();
    let row = rows.find(|row| row.run == place.run && row.step == place.step);
    match row.and_then(|row| row.generations.get_mut(place.number)) {
        Some(entry) => change(entry),
        None => return Err(Failure::data(format!("run '{}' left the ledger", place.run))),
    }
    locked.save()?;
    // A copy that nobody was given goes.
    recover::sweep(&locked)
}

pub(crate) fn record_end(entry: &mut Generation, end: &End, detach: bool) {
    if detach {
        match end.status.success() {
            true => entry.state = State::Delivered,
            false => undo(entry, true),
        }
        return;
    }
    // 126 and 127 are a shell's, or a wrapper's: the program did not start.
    let no_start = matches!(end.status.code(), Some(126 | 127));
    let lived = !end.timed_out && !no_start && (end.lived || end.status.success());
    entry.state = if lived { State::Delivered } else { State::Failed };
    entry.ended_at = Some(stamp::now());
    entry.exit_status = end.status.code();
    entry.signal = end.status.signal();
    if end.timed_out {
        entry.why = Some("start-timeout".to_owned());
    }
}

/// Back to where it was before the launch; a document that was not kept cannot
/// be delivered any more.
pub(crate) fn undo(entry: &mut Generation, kept: bool) {
    entry.state = if kept { State::Pending } else { State::Failed };
    entry.started_at = None;
    entry.given = None;
}
