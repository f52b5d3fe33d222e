//! What is written to the ledger and is no rotation: shell never edits JSON.

use std::time::Duration;

use terminal::Failure;

use crate::events::{Events, near};
use crate::figures::Figures;
use crate::generation::{Source, State};
use crate::ledger::Ledger;
use crate::locked::LockedLedger;
use crate::row::Row;
use crate::{Home, Step, breaker, history, stamp};

/// What there is to record.
#[derive(Debug)]
pub enum Record {
    /// A new run begins, at its first attempt.
    Start {
        /// Its first session, where that is known.
        session: Option<String>,
        /// The id was made up for it, and it may choose another.
        given: bool,
        /// The window it will be judged by.
        window: Option<u64>,
    },
    /// One more attempt.
    Attempt {
        /// What went wrong with the last.
        why: Option<String>,
    },
    /// Figures of one session.
    Generation {
        /// Which; else the newest.
        session: Option<String>,
        /// Its figures.
        figures: Figures,
        /// Costs and turns are added to what is there.
        add: bool,
        /// What there is to say about it.
        why: Option<String>,
    },
    /// The run ends.
    End {
        /// Whether it came to what it was for; unknown otherwise.
        ok: Option<bool>,
        /// Its last session.
        session: Option<String>,
        /// What it ended with.
        error: Option<String>,
    },
}

/// Records it. Returns the name of the run.
///
/// # Errors
/// Exit 65 where the step has no run that this belongs to, or where a retired
/// session would start; 75 where the lock is taken, or a run would start beside
/// a successor that still runs.
pub fn record(
    home: &Home,
    step: &Step,
    record: Record,
    patience: Duration,
) -> Result<String, Failure> {
    if !matches!(record, Record::Start { .. }) && Ledger::load(&home.manifest())?.is_new() {
        return Err(no_run(step));
    }
    let mut locked = LockedLedger::open(home, patience)?;
    if let Record::Start { session, .. } = &record {
        locked.refuse_alive(step)?;
        if let Some(session) = session {
            refuse_retired(&locked, step, session)?;
        }
    }
    let index = apply(&mut locked.ledger, step, record)?;
    let run = locked.ledger.rows[index].run.clone();
    locked.save()?;
    Ok(run)
}

fn apply(ledger: &mut Ledger, step: &Step, record: Record) -> Result<usize, Failure> {
    let open = |ledger: &Ledger| ledger.open_row(step.name()).ok_or_else(|| no_run(step));
    match record {
        Record::Start { session, given, window } => {
            let index = start(ledger, step, session.as_deref(), window);
            if given {
                ledger.rows[index].last_mut().session_source = Some(Source::Given);
            }
            Ok(index)
        }
        Record::Attempt { why } => {
            let index = open(ledger)?;
            let row = &mut ledger.rows[index];
            row.attempts = row.attempts.saturating_add(1);
            row.errors.extend(why);
            Ok(index)
        }
        Record::Generation { session, figures, add, why } => {
            let index = ledger.row_of_session(step.name(), session.as_deref());
            let index = index.ok_or_else(|| no_run(step))?;
            let row = &mut ledger.rows[index];
            let number = row.note(session.as_deref(), &figures, add);
            let entry = &mut row.generations[number];
            entry.why = why.or(entry.why.take());
            if matches!(entry.state, State::Launched | State::Pending) {
                entry.state = State::Delivered;
            }
            Ok(index)
        }
        Record::End { ok, session, error } => {
            let index = open(ledger)?;
            end(&mut ledger.rows[index], ok, session.as_deref(), error);
            Ok(index)
        }
    }
}

/// However long ago it retired.
fn refuse_retired(locked: &LockedLedger, step: &Step, session: &str) -> Result<(), Failure> {
    let mut rows = locked.ledger.rows_of(step.name());
    let is_retired = rows.any(|row| row.has_retired(session))
        || history::has_retired(&locked.home.history(), step.name(), session)?;
    if is_retired {
        return Err(Failure::data(format!("session '{session}' is retired"))
            .hint("'gen-rotate session' prints the one that goes on"));
    }
    Ok(())
}

fn start(ledger: &mut Ledger, step: &Step, session: Option<&str>, window: Option<u64>) -> usize {
    // A run whose end nobody recorded was cut short.
    for row in ledger.rows.iter_mut().filter(|row| row.step == step.name() && row.is_open()) {
        row.errors.push("ended without a record".to_owned());
        row.close(None);
    }
    let mut row = Row::open(step.name(), session);
    row.window = window;
    row.last_mut().window = window;
    ledger.add(row)
}

fn end(row: &mut Row, ok: Option<bool>, session: Option<&str>, error: Option<String>) {
    let number = match session {
        Some(session) => row.generation_of(session),
        None => row.newest_session(),
    };
    let entry = &mut row.generations[number];
    if matches!(entry.state, State::Launched | State::Pending) {
        entry.state = if ok == Some(false) { State::Failed } else { State::Delivered };
    }
    if entry.ended_at.is_none() {
        entry.ended_at = Some(stamp::now());
    }
    row.errors.extend(error);
    row.close(ok);
}

fn no_run(step: &Step) -> Failure {
    Failure::data(format!("step '{}' has no run that goes on", step.name()))
        .hint("'gen-rotate record start' opens one")
}

/// Announces that the handoff line comes near, at most once a generation.
///
/// # Errors
/// As [`record`]; 73 or 74 where the event cannot be written.
pub fn announce_near(
    home: &Home,
    step: &Step,
    (context, window, at): (u64, u64, Option<u64>),
    events: &mut Events,
    patience: Duration,
) -> Result<(), Failure> {
    let mut locked = LockedLedger::open(home, patience)?;
    let index = locked.ledger.open_row_or_new(step.name());
    let row = locked.row(index);
    let newest = row.newest_session();
    if row.generations[newest].near {
        return Ok(());
    }
    row.generations[newest].near = true;
    locked.save()?;
    let at = at.unwrap_or_else(|| breaker::line_of(window));
    events.emit(&near(step.name(), context, window, at))
}

/// Whether the step's open run may change its generation once more.
///
/// # Errors
/// Exit 3 where a breaker holds; 65 or 74 where the ledger cannot be read.
pub fn check(home: &Home, step: &Step, limits: &breaker::Limits) -> Result<(), Failure> {
    let ledger = Ledger::load(&home.manifest())?;
    match ledger.open_row(step.name()) {
        Some(index) => breaker::check(&ledger.rows[index], limits),
        // A new wake is a new run.
        None if limits.max_generations == 0 => {
            breaker::check(&Row::open(step.name(), None), limits)
        }
        None => Ok(()),
    }
}
