//! A change of generation: the old session retires, its document becomes the
//! current one, a successor starts from it.

use std::time::Duration;

use durable::Lock;
use handoff_fmt::Document;
use terminal::Failure;
use uuid::Uuid;

use crate::breaker::{Limits, check_launch};
use crate::deliver::{Delivery, Ended, Launch};
use crate::events::Events;
use crate::generation::{Generation, Source, State};
use crate::locked::LockedLedger;
use crate::row::Row;
use crate::{Home, Step, document, publish};

/// What is common to everything that launches.
#[derive(Debug)]
pub struct Order<'a> {
    /// Where.
    pub home: &'a Home,
    /// Of which step.
    pub step: &'a Step,
    /// What the breakers are judged by, and the retiring session's figures.
    pub limits: Limits,
    /// How long to wait for the lock, and for a successor that still runs.
    pub patience: Duration,
    /// The successor; without one the document is published and left pending.
    pub launch: Option<Launch>,
    /// Who is told.
    pub events: Events,
}

/// A session's document, and what is known of the session.
#[derive(Debug)]
pub struct Handoff {
    /// As it is to be published, byte for byte.
    pub document: Vec<u8>,
    /// The session that retires; else the one that the ledger knows.
    pub retired: Option<String>,
    /// Why the document is degraded.
    pub why: Option<String>,
    /// The document goes to disk, and not just into the prompt.
    pub keep: bool,
}

/// Rotates. `None`: published, and no successor was to be launched.
///
/// # Errors
/// Exit 1 for a document that is not complete, before anything is written; 3
/// where a breaker holds (the document is published and pending); 65 for a
/// manifest that is no ledger or a session that retired before; 73 and 74 for
/// what cannot be written; 75 where the lock is taken or a successor runs; 126
/// and 127 for a successor that cannot be launched.
pub fn rotate(mut order: Order<'_>, handoff: &Handoff) -> Result<Option<Ended>, Failure> {
    let document = document::complete(&handoff.document)?;
    refuse_loose(&order, handoff)?;
    let (mut locked, life) = open(&order)?;
    let index = locked.ledger.open_row_or_new(order.step.name());
    retire(locked.row(index), handoff, &document, &order)?;
    let mut breaker = Ok(());
    if let Some(launch) = &order.launch {
        refuse_retired(&locked.ledger.rows, order.step, launch)?;
        breaker = check_launch(&locked.ledger.rows[index], &order.limits);
    }
    if handoff.keep {
        publish::publish(&mut locked, index, &handoff.document)?;
    } else if breaker.is_err() {
        // Nothing could be left pending, so nothing is changed.
        return breaker.map(|()| None);
    }
    match (order.launch.take(), life, breaker) {
        (Some(launch), Some(life), Ok(())) => {
            let loose = (!handoff.keep).then_some(handoff.document.as_slice());
            let Order { home, step, mut events, .. } = order;
            let delivery = Delivery { home, step, launch: &launch, loose, events: &mut events };
            delivery.make(locked, life, index).map(Some)
        }
        (_, _, breaker) => {
            locked.row(index).intent = None;
            locked.save()?;
            breaker.map_err(with_pending).map(|()| None)
        }
    }
}

fn refuse_loose(order: &Order<'_>, handoff: &Handoff) -> Result<(), Failure> {
    match &order.launch {
        _ if handoff.keep => Ok(()),
        None => Err(Failure::usage("--no-document needs a successor: the document would be lost")),
        Some(launch) if launch.successor.uses("{file}") => {
            Err(Failure::usage("{file} needs the document on disk, and --no-document keeps it off"))
        }
        Some(_) => Ok(()),
    }
}

/// A successor that is told a retired session would take up a context that is
/// full.
pub(crate) fn refuse_retired(rows: &[Row], step: &Step, launch: &Launch) -> Result<(), Failure> {
    let of_step = rows.iter().filter(|row| row.step == step.name());
    let mut retired = of_step.flat_map(|row| &row.retired);
    match retired.find(|session| launch.successor.names(session)) {
        Some(session) => {
            let message = format!("the successor would be session '{session}', which is retired");
            Err(Failure::usage(message).hint("a successor is a fresh session: {session} is its id"))
        }
        None => Ok(()),
    }
}

fn open(order: &Order<'_>) -> Result<(LockedLedger, Option<Lock>), Failure> {
    if order.launch.is_none() {
        return LockedLedger::open(order.home, order.patience).map(|locked| (locked, None));
    }
    let opened = LockedLedger::open_to_launch(order.home, order.step, order.patience);
    opened.map(|(locked, life)| (locked, Some(life)))
}

pub(crate) fn with_pending(failure: Failure) -> Failure {
    let hint = failure.hint.clone().unwrap_or_default();
    failure.hint(format!("{hint}; the document is published and pending"))
}

/// Brings the row into the form that it has after the rotation: the writer of
/// the document retires, a generation more waits for it.
fn retire(
    row: &mut Row,
    handoff: &Handoff,
    document: &Document,
    order: &Order<'_>,
) -> Result<(), Failure> {
    let superseded = row.last_mut().state == State::Pending;
    if superseded {
        row.last_mut().state = State::Superseded;
    }
    let writer = match &handoff.retired {
        Some(session) if row.has_retired(session) && !superseded => {
            let message = format!("session '{session}' is retired already");
            return Err(Failure::data(message).hint("its successor goes on; see 'gen-rotate log'"));
        }
        Some(session) => row.generation_of(session),
        None => row.newest_session(),
    };
    let entry = &mut row.generations[writer];
    entry.note(&order.limits.figures, false);
    entry.degraded = Some(document.degraded());
    entry.document = handoff.keep.then(|| order.home.relative(&order.home.document(order.step)));
    entry.why = handoff.why.clone().or(entry.why.take());
    if entry.state == State::Launched {
        // It wrote a document, so it lived.
        entry.state = State::Delivered;
    }
    let gone = entry.session_id.clone();
    if let Some(gone) = gone.filter(|gone| !row.has_retired(gone)) {
        row.retired.push(gone);
    }
    match &handoff.why {
        Some(why) => row.errors.push(format!("交接降级({why})")),
        None if document.degraded() => row.errors.push("交接降级(unknown)".to_owned()),
        None => {}
    }
    add_successor(row);
    row.count();
    Ok(())
}

/// A generation more, which waits for its launch.
pub(crate) fn add_successor(row: &mut Row) {
    let session = Uuid::new_v4().to_string();
    row.generations.push(Generation::of(&session, Source::Made, State::Pending));
    row.session_id = Some(session);
}
