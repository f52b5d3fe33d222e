//! What the next wake finds: how far the work on a step has come, and which
//! session it should join.

use std::time::Duration;

use terminal::Failure;

use crate::generation::State;
use crate::ledger::Ledger;
use crate::locked::LockedLedger;
use crate::resume::{undelivered, was_kept};
use crate::{Home, Step};

/// How far the work on a step has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// No run is known.
    None,
    /// A successor runs under its supervisor.
    Running,
    /// A document reached nobody: to be resumed.
    Pending,
    /// The newest run has no end.
    Unfinished,
    /// The newest run has ended.
    Finished,
}

impl Progress {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Progress::None => "none",
            Progress::Running => "running",
            Progress::Pending => "pending",
            Progress::Unfinished => "unfinished",
            Progress::Finished => "finished",
        }
    }
}

/// How far the work on a step has come; what a wake has to see to first wins.
///
/// # Errors
/// Exit 65 or 74 where the ledger cannot be read, 75 where its lock is taken.
pub fn progress(home: &Home, step: &Step, patience: Duration) -> Result<Progress, Failure> {
    if Ledger::load(&home.manifest())?.is_new() {
        return Ok(Progress::None);
    }
    let locked = LockedLedger::open(home, patience)?;
    if locked.is_alive(step)? {
        return Ok(Progress::Running);
    }
    let rows = &locked.ledger.rows;
    // One that was not kept would be pending for ever.
    if undelivered(rows, step.name()).is_some_and(|index| was_kept(&rows[index])) {
        return Ok(Progress::Pending);
    }
    let newest = locked.ledger.rows_of(step.name()).next_back();
    Ok(match newest.map(crate::Row::is_open) {
        None => Progress::None,
        Some(true) => Progress::Unfinished,
        Some(false) => Progress::Finished,
    })
}

/// The session that the next wake should join: that of the newest run's last
/// generation, if such a session exists and its document, if it got one, reached
/// it. `None`: there is none.
///
/// # Errors
/// Exit 75 where it is alive, which nobody may join.
pub fn session(home: &Home, step: &Step, patience: Duration) -> Result<Option<String>, Failure> {
    if Ledger::load(&home.manifest())?.is_new() {
        return Ok(None);
    }
    let locked = LockedLedger::open(home, patience)?;
    locked.refuse_alive(step)?;
    let row = locked.ledger.rows_of(step.name()).next_back();
    let Some((row, last)) = row.and_then(|row| Some((row, row.last()?))) else {
        return Ok(None);
    };
    let was_given = row.generations.len() > 1 || last.given.is_some();
    let exists = match last.state {
        State::Delivered => true,
        State::Launched | State::Failed => !was_given,
        State::Pending | State::Superseded => false,
    };
    let id = last.session_id.clone().filter(|id| !row.has_retired(id));
    Ok(id.filter(|_| exists && last.is_told()))
}
