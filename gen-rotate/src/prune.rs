//! Archived documents go when a person says so, and only then.
//!
//! Of each step the newest ones stay, with the copies that successors were given
//! of them. Only what the ledger or the history names as archived is ever removed.
//! They say so first, so that no cut leaves them speaking of a document that is
//! gone; one that was to go and is still there goes with the next call.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use terminal::Failure;

use crate::archived::Archived;
use crate::generation::Generation;
use crate::ledger::Ledger;
use crate::locked::LockedLedger;
use crate::row::Row;
use crate::{Home, Step, copies, history, locked, log, publish};

/// What is to be pruned.
#[derive(Clone, Copy, Debug)]
pub struct Prune<'a> {
    /// Of which step; else of all.
    pub step: Option<&'a Step>,
    /// So many archived documents of a step stay.
    pub keep: usize,
    /// Nothing is removed; the paths are told.
    pub dry_run: bool,
}

/// Removes archived documents past the newest, and the copies of them; each path is
/// told once it is gone, oldest first.
///
/// # Errors
/// Exit 65 for a manifest that is no ledger, 75 where the lock is taken, 73 or 74
/// for what cannot be removed or written; and what `tell` returns.
pub fn prune(
    home: &Home,
    prune: Prune<'_>,
    patience: Duration,
    tell: &mut dyn FnMut(&Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if prune.dry_run || Ledger::load(&home.manifest())?.is_new() {
        let going = plan(home, &log(home)?.rows, prune)?;
        return going.files.iter().try_for_each(|path| tell(path));
    }
    let mut locked = LockedLedger::open(home, patience)?;
    let going = plan(home, &log(home)?.rows, prune)?;
    change(&mut locked, &mut |row| going.mark(row))?;
    for path in &going.files {
        durable::remove(path).map_err(|error| Failure::writing(path, &error))?;
        tell(path)?;
    }
    remove_empty_runs(home, &going.files);
    let archive = home.archive();
    if publish::is_there(&archive)? {
        durable::sync_folder(&archive).map_err(|error| Failure::writing(&archive, &error))?;
    }
    // Those of nobody have no mark, so that they are forgotten once they are gone.
    change(&mut locked, &mut |row| going.forget(row))
}

/// Changes rows of the history and of the ledger.
fn change(
    locked: &mut LockedLedger,
    change: &mut dyn FnMut(&mut Row) -> bool,
) -> Result<(), Failure> {
    history::rewrite(&locked.home.history(), change)?;
    let mut changed = false;
    for row in &mut locked.ledger.rows {
        changed |= change(row);
    }
    if changed { locked.save() } else { Ok(()) }
}

fn remove_empty_runs(home: &Home, files: &[PathBuf]) {
    let runs = home.runs();
    let folders = files.iter().filter_map(|path| path.parent());
    for run in folders.filter(|folder| folder.parent() == Some(&runs)) {
        // One in which there is something else stays.
        let _ = durable::uninterrupted(|| fs_err::remove_dir(run));
    }
}

/// What goes.
#[derive(Default)]
struct Going {
    /// Archived documents, as the ledger has them.
    archives: BTreeSet<String>,
    /// These and the copies of them, where they are.
    files: Vec<PathBuf>,
}

impl Going {
    fn mark(&self, row: &mut Row) -> bool {
        let mut marked = false;
        for generation in &mut row.generations {
            let goes = generation.archive.as_ref().is_some_and(|path| self.archives.contains(path));
            marked |= goes && !generation.pruned;
            generation.pruned |= goes;
        }
        marked
    }

    fn forget(&self, row: &mut Row) -> bool {
        let listed = row.unattributed.len();
        row.unattributed.retain(|path| !self.archives.contains(path));
        row.unattributed.len() != listed
    }
}

fn plan(home: &Home, rows: &[Row], prune: Prune<'_>) -> Result<Going, Failure> {
    let mut of_steps: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| prune.step.is_none_or(|step| step.name() == row.step)) {
        of_steps.entry(&row.step).or_default().push(row);
    }
    let mut going = Going::default();
    for (step, rows) in of_steps {
        let is_alive = locked::is_alive(home, &Step::named(step))?;
        plan_step(home, &rows, prune.keep, is_alive, &mut going)?;
    }
    Ok(going)
}

/// The order is that of the names: a ledger is in the order of the sessions, of
/// which an older one may write a document late.
fn plan_step(
    home: &Home,
    rows: &[&Row],
    keep: usize,
    is_alive: bool,
    going: &mut Going,
) -> Result<(), Failure> {
    let of_row = |(index, row): (usize, &&Row)| archived_of(index, row).collect::<Vec<_>>();
    let mut archived: Vec<Document> = rows.iter().enumerate().flat_map(of_row).collect();
    archived.sort_by(|one, other| other.when.cmp(&one.when));
    let mut kept = 0;
    let mut files = Vec::new();
    for Document { index, number, path, .. } in archived {
        let is_pruned = number.is_some_and(|number| rows[index].generations[number].pruned);
        let is_there = publish::is_there(&home.root().join(&path))?;
        // One that is missing keeps no other's place, and may come back.
        if !is_pruned && (!is_there || kept < keep) {
            kept += usize::from(is_there);
            continue;
        }
        let given = number.map(|number| copies::given_that_of(rows, index, number));
        // A successor that runs may not have read its copy yet.
        let is_read = |one: &&Generation| is_alive && one.ended_at.is_none();
        let given = given.into_iter().flatten().filter(|one| !is_read(one));
        let given = given.filter_map(|one| one.given.as_deref()).filter(|path| is_copy(path));
        for path in given.chain([path.as_str()]) {
            let path = home.root().join(path);
            if publish::is_there(&path)? {
                files.push(path);
            }
        }
        going.archives.insert(path);
    }
    files.reverse();
    going.files.append(&mut files);
    Ok(())
}

/// An archived document, and the generation that has it, if one has.
struct Document {
    /// Of its row, and of its generation there.
    index: usize,
    number: Option<usize>,
    path: String,
    when: Archived,
}

/// Those of a row. A person may have written any path into the ledger; ours lie in
/// the archive, under a name of the step's.
fn archived_of(index: usize, row: &Row) -> impl Iterator<Item = Document> + '_ {
    let step = Step::named(&row.step);
    row.archived().filter_map(move |(number, path)| {
        let name = path.strip_prefix("notes/archive/交接/").filter(|name| !name.contains('/'))?;
        let (stem, when) = Archived::parse(name)?;
        (stem == step.stem()).then(|| Document { index, number, path: path.to_owned(), when })
    })
}

/// Copies lie in the folder of a run.
fn is_copy(path: &str) -> bool {
    let Ok(path) = Path::new(path).strip_prefix("runs") else { return false };
    let mut names = path.components();
    names.clone().count() == 2 && names.all(|name| matches!(name, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_archive_and_the_copies_are_ours() {
        assert!(is_copy("runs/run/s.1.md"));
        for path in ["/etc/passwd", "runs/manifest.json", "runs/../manifest.json", "runs/a/b/c", ""]
        {
            assert!(!is_copy(path), "{path}");
        }
        let row = |path: &str| {
            let mut row = Row::open("s", None);
            row.last_mut().archive = Some(path.to_owned());
            row
        };
        let count = |path: &str| archived_of(0, &row(path)).count();
        assert_eq!(count("notes/archive/交接/s-20261130T200704Z.md"), 1);
        for path in [
            "notes/交接-s.md",
            "notes/archive/交接/t-20261130T200704Z.md",
            "notes/archive/交接/../s-20261130T200704Z.md",
            "notes/archive/交接/x/s-20261130T200704Z.md",
            "/notes/archive/交接/s-20261130T200704Z.md",
            "notes/archive/交接/mine.md",
        ] {
            assert_eq!(count(path), 0, "{path}");
        }
    }
}
