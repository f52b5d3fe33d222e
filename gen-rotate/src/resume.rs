//! Another successor from the document on disk: after a launch that failed, a
//! supervisor that is gone, a silent successor, or because a person wants one.

use terminal::{Exit, Failure};
use uuid::Uuid;

use crate::breaker::check_launch;
use crate::deliver::{Delivery, Ended};
use crate::generation::{Generation, Source, State};
use crate::ledger::Ledger;
use crate::locked::LockedLedger;
use crate::rotate::{Order, add_successor, refuse_retired, with_pending};
use crate::row::Row;
use crate::{Step, document};

/// Starts a successor from the document on disk once more.
///
/// Without `again` the last one must not have been delivered: pending, or
/// launched by a supervisor that is gone, or ended without a sign of life. With
/// `again` the last successor, however far it got, is superseded. A run that has
/// ended is not reopened: the successor then belongs to the open run, or to a
/// new one. `say` is told what a person should know before the successor speaks.
///
/// # Errors
/// As [`crate::rotate`]; exit 1 where there is nothing to deliver.
pub fn relaunch(
    mut order: Order<'_>,
    again: bool,
    say: &mut dyn FnMut(&str),
) -> Result<Ended, Failure> {
    let Some(launch) = order.launch.take() else {
        return Err(Failure::usage("--resume and --again need a successor after '--'"));
    };
    let (home, step) = (order.home, order.step);
    if again {
        document::read(home, step)?;
    } else if Ledger::load(&home.manifest())?.is_new() {
        // No folder is made for that.
        return Err(nothing(step));
    }
    let (mut locked, life) = LockedLedger::open_to_launch(home, step, order.patience)?;
    let undelivered = undelivered(&locked.ledger.rows, step.name());
    if undelivered.is_none() && !again {
        return Err(nothing(step));
    }
    if let Some(from) = undelivered {
        let row = &locked.ledger.rows[from];
        refuse_unkept(row, step)?;
        tell(row, step, say);
    }
    let document = document::read(home, step)?;
    let index = match undelivered {
        Some(from) => take_up(&mut locked.ledger, from),
        None => supersede(&mut locked.ledger, step.name()),
    };
    let row = locked.row(index);
    if let Some(writer) = row.generations.iter_mut().rfind(|g| g.degraded.is_some()) {
        // A person may have written what the session could not.
        writer.degraded = Some(document.degraded());
    }
    refuse_retired(&locked.ledger.rows, step, &launch)?;
    check_launch(locked.row(index), &order.limits).map_err(|failure| match undelivered {
        Some(_) => with_pending(failure),
        None => failure,
    })?;
    let events = &mut order.events;
    let delivery = Delivery { home, step, launch: &launch, loose: None, events };
    delivery.make(locked, life, index)
}

fn nothing(step: &Step) -> Failure {
    let message = format!("nothing to deliver for step '{}'", step.name());
    Failure::new(Exit::No, message)
        .hint("--again starts another successor from the current document")
}

/// The row whose newest document reached nobody. Rows older than the newest that
/// had a successor do not count: their documents are archived.
pub(crate) fn undelivered(rows: &[Row], step: &str) -> Option<usize> {
    for (index, row) in rows.iter().enumerate().rev().filter(|(_, row)| row.step == step) {
        let Some(last) = row.last() else { continue };
        let had_successor = row.generations.len() > 1 || last.given.is_some();
        let unreported = last.session_source != Some(Source::Reported);
        match last.state {
            State::Pending => return Some(index),
            State::Failed if had_successor => return Some(index),
            State::Launched if had_successor && unreported => return Some(index),
            _ if had_successor => return None,
            _ => {}
        }
    }
    None
}

/// Whether the newest document of the row was put down, so that it can be delivered.
pub(crate) fn was_kept(row: &Row) -> bool {
    let newest = row.generations.iter().rfind(|generation| generation.degraded.is_some());
    !matches!(newest, Some(Generation { document: None, .. }))
}

fn refuse_unkept(row: &Row, step: &Step) -> Result<(), Failure> {
    if was_kept(row) {
        return Ok(());
    }
    let message = format!("the document of step '{}' was not kept (--no-document)", step.name());
    Err(Failure::new(Exit::NoInput, message))
}

fn tell(row: &Row, step: &Step, say: &mut dyn FnMut(&str)) {
    let (number, step) = (row.generations.len() - 1, step.name());
    match row.last().map(|last| last.state) {
        Some(State::Launched) => say(&format!(
            "successor {number} of step '{step}' was launched, and its supervisor is gone; \
             delivering again"
        )),
        Some(State::Failed) => say(&format!(
            "successor {number} of step '{step}' ended without a sign of life; delivering again"
        )),
        _ => {}
    }
}

/// Readies the newest generation for its launch, in the open run.
fn take_up(ledger: &mut Ledger, from: usize) -> usize {
    let step = ledger.rows[from].step.clone();
    let goes_on = ledger.rows[from].is_open() && ledger.open_row(&step) == Some(from);
    let row = &mut ledger.rows[from];
    let last = row.last_mut();
    if last.state == State::Launched {
        last.state = State::Failed;
        last.why = Some("supervisor gone".to_owned());
    }
    if goes_on {
        if last.state == State::Pending {
            // A command that failed to deliver may have used the old id.
            let session = Uuid::new_v4().to_string();
            last.session_id = Some(session.clone());
            row.session_id = Some(session);
        } else {
            add_successor(row);
        }
        return from;
    }
    if last.state == State::Pending {
        last.state = State::Superseded;
    }
    let open = ledger.open_row(&step).filter(|&open| open > from);
    let new = Row::open(&step, None);
    let run = open.map_or(&new.run, |open| &ledger.rows[open].run).clone();
    let last = ledger.rows[from].last_mut();
    last.why = last.why.take().or(Some(format!("resumed in {run}")));
    let index = open.unwrap_or_else(|| ledger.add(new));
    enter(&mut ledger.rows[index]);
    index
}

/// Adds a successor to the open run in the place of its newest session.
fn supersede(ledger: &mut Ledger, step: &str) -> usize {
    let index = ledger.open_row_or_new(step);
    let row = &mut ledger.rows[index];
    let last = row.last_mut();
    if last.state != State::Failed {
        last.state = State::Superseded;
    }
    enter(row);
    index
}

/// A run of which no session is known yet starts with the successor.
fn enter(row: &mut Row) {
    if row.is_fresh() {
        row.generations.clear();
    }
    add_successor(row);
}
