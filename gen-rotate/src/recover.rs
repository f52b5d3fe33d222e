//! What the next run does about one that was cut short.
//!
//! A rotation whose intent is in the manifest happened: it is carried to its end,
//! always forward. One whose intent is not never happened: its remains go.

use std::path::{Path, PathBuf};

use terminal::Failure;

use crate::Home;
use crate::generation::State;
use crate::history;
use crate::locked::LockedLedger;
use crate::publish::carry_out;

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
    for path in remains(home)? {
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

/// Temporaries, which belong to nobody while the lock is ours.
pub(crate) fn remains(home: &Home) -> Result<Vec<PathBuf>, Failure> {
    let of_notes = |name: &str| name.starts_with(".交接-") && name.contains(".new-");
    let of_archive = |name: &str| name.starts_with('.') && name.ends_with(".md.new");
    let of_runs = |name: &str| matches!(name, ".manifest.json.new" | history::TEMPORARY);
    let mut found = remains_in(&home.notes(), of_notes)?;
    found.extend(remains_in(&home.archive(), of_archive)?);
    found.extend(remains_in(&home.runs(), of_runs)?);
    Ok(found)
}

fn remains_in(folder: &Path, is_it: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Failure> {
    let names = durable::names_in(folder).map_err(|error| Failure::reading(folder, &error))?;
    let found = names.iter().filter(|name| name.to_str().is_some_and(&is_it));
    Ok(found.map(|name| folder.join(name)).collect())
}
