//! What the next run does about one that was cut short.
//!
//! A rotation whose intent is in the manifest happened: it is carried to its end,
//! always forward. One whose intent is not never happened: its remains go.

use std::ffi::OsStr;
use std::path::Path;

use terminal::Failure;

use crate::generation::State;
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
    sweep_folder(&home.notes(), |name| name.starts_with(".交接-") && name.contains(".new-"))?;
    sweep_folder(&home.archive(), |name| name.starts_with('.') && name.ends_with(".md.new"))?;
    sweep_folder(&home.runs(), |name| name == ".manifest.json.new")?;
    for row in &locked.ledger.rows {
        if row.last().is_some_and(|last| last.state == State::Pending) {
            let number = row.generations.len() - 1;
            let copy = home.delivered(&row.run, &crate::Step::named(&row.step), number);
            durable::remove(&copy).map_err(|error| Failure::writing(&copy, &error))?;
        }
    }
    Ok(())
}

fn sweep_folder(folder: &Path, is_remains: impl Fn(&str) -> bool) -> Result<(), Failure> {
    let names = durable::names_in(folder).map_err(|error| Failure::reading(folder, &error))?;
    for name in names.iter().filter(|name| name.to_str().is_some_and(&is_remains)) {
        let path = folder.join::<&OsStr>(name);
        durable::remove(&path).map_err(|error| Failure::writing(&path, &error))?;
    }
    Ok(())
}
