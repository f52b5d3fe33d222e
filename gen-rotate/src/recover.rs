//! What the next run does about one that was cut short.
//!
//! A rotation whose intent is in the manifest happened: it is carried to its end,
//! always forward. One whose intent is not never happened: its remains go.

use std::path::{Path, PathBuf};

use terminal::Failure;

use crate::Home;
use crate::generation::State;
use crate::locked::LockedLedger;
use crate::publish::carry_out;
use crate::{history, ledger};

/// Finishes every decided rotation and sweeps what undecided ones left.
pub(crate) fn finish(locked: &mut LockedLedger) -> Result<(), Failure> {
    let mut decided = false;
    for index in 0..locked.ledger.rows.len() {
        if locked.ledger.rows[index].intent.is_some() {
            carry_out(locked, index)?;
            locked.row(index).intent = None;
            decided = true;
        }
    }
    if decided {
        locked.save()?;
    }
    sweep(locked)
}

/// Removes temporaries, and copies for successors that the ledger does not call
/// launched.
pub(crate) fn sweep(locked: &LockedLedger) -> Result<(), Failure> {
    let home = &locked.home;
    // Of these there may be as many as there were runs, so they are not listed.
    let of_runs = REMAINS_OF_RUNS.map(|name| home.runs().join(name));
    for path in remains_of_notes(home)?.into_iter().chain(of_runs) {
        durable::remove(&path).map_err(|error| Failure::writing(&path, &error))?;
    }
    for row in &locked.ledger.rows {
        if row.last().is_some_and(|last| last.state == State::Pending) {
            let number = row.generations.len() - 1;
            let copy = home.delivered(&row.run, &crate::Step::named(&row.step), number);
            durable::remove(&copy).map_err(|error| Failure::writing(&copy, &error))?;
        }
    }
    Ok(())
}

const REMAINS_OF_RUNS: [&str; 2] = [ledger::TEMPORARY, history::TEMPORARY];

/// Temporaries, which belong to nobody while the lock is ours. Those of the
/// archive are swept by whoever carries an intent on, and are otherwise of a
/// ledger that is lost.
pub(crate) fn remains(home: &Home) -> Result<Vec<PathBuf>, Failure> {
    let of_archive = |name: &str| name.starts_with('.') && name.ends_with(".md.new");
    let mut found = remains_of_notes(home)?;
    found.extend(remains_in(&home.archive(), of_archive)?);
    found.extend(remains_in(&home.runs(), |name| REMAINS_OF_RUNS.contains(&name))?);
    Ok(found)
}

fn remains_of_notes(home: &Home) -> Result<Vec<PathBuf>, Failure> {
    remains_in(&home.notes(), |name| name.starts_with(".交接-") && name.contains(".new-"))
}

fn remains_in(folder: &Path, is_it: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Failure> {
    let names = durable::names_in(folder).map_err(|error| Failure::reading(folder, &error))?;
    let found = names.iter().filter(|name| name.to_str().is_some_and(&is_it));
    Ok(found.map(|name| folder.join(name)).collect())
}
