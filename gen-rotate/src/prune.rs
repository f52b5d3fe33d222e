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
use crate::ledger::Ledger;
use crate::locked::LockedLedger;
use crate::row::Row;
use crate::{Home, Step, history, log, publish};

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

/// Removes archived documents past the newest, and the copies of them; returns
/// the paths, oldest first.
///
/// # Errors
/// Exit 65 for a manifest that is no ledger, 75 where the lock is taken, 73 or 74
/// for what cannot be removed or written.
pub fn prune(home: &Home, prune: Prune<'_>, patience: Duration) -> Result<Vec<PathBuf>, Failure> {
    if prune.dry_run || Ledger::load(&home.manifest())?.is_new() {
        return plan(home, &log(home)?.rows, prune).map(|going| going.files);
    }
    let mut locked = LockedLedger::open(home, patience)?;
    let going = plan(home, &log(home)?.rows, prune)?;
    let mut mark = |row: &mut Row| going.mark(row);
    history::rewrite(&home.history(), &mut mark)?;
    let mut marked = false;
    for row in &mut locked.ledger.rows {
        marked |= mark(row);
    }
    if marked {
        locked.save()?;
    }
    for path in &going.files {
        durable::remove(path).map_err(|error| Failure::writing(path, &error))?;
    }
    let runs = home.runs();
    let folders = going.files.iter().filter_map(|path| path.parent());
    for run in folders.filter(|folder| folder.parent() == Some(&runs)) {
        // One in which there is something else stays.
        let _ = durable::uninterrupted(|| fs_err::remove_dir(run));
    }
    let archive = home.archive();
    if publish::is_there(&archive)? {
        durable::sync_folder(&archive).map_err(|error| Failure::writing(&archive, &error))?;
    }
    Ok(going.files)
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
        let listed = row.unattributed.len();
        row.unattributed.retain(|path| !self.archives.contains(path));
        let mut marked = row.unattributed.len() != listed;
        for generation in &mut row.generations {
            let goes = generation.archive.as_ref().is_some_and(|path| self.archives.contains(path));
            marked |= goes && !generation.pruned;
            generation.pruned |= goes;
        }
        marked
    }
}

/// The order is that of the names: a ledger is in the order of the sessions, of
/// which an older one may write a document late.
fn plan(home: &Home, rows: &[Row], prune: Prune<'_>) -> Result<Going, Failure> {
    let mut archived: Vec<_> = rows.iter().flat_map(archived_of).collect();
    archived.retain(|one| prune.step.is_none_or(|step| step.name() == one.row.step));
    archived.sort_by(|one, other| other.when.cmp(&one.when));
    let mut kept = BTreeMap::new();
    let mut going = Going::default();
    for Document { row, number, path, .. } in archived {
        let kept = kept.entry(&row.step).or_insert(0);
        let is_pruned = number.is_some_and(|number| row.generations[number].pruned);
        if !is_pruned && *kept < prune.keep {
            *kept += 1;
            continue;
        }
        going.archives.insert(path.to_owned());
        let given = number.map(|number| row.given_that_of(number)).unwrap_or_default();
        let given = given.iter().filter_map(|one| one.given.as_deref());
        for path in given.filter(|path| is_copy(path)).chain([path]) {
            let path = home.root().join(path);
            if publish::is_there(&path)? {
                going.files.push(path);
            }
        }
    }
    going.files.reverse();
    Ok(going)
}

/// An archived document, and the generation that has it, if one has.
struct Document<'a> {
    row: &'a Row,
    number: Option<usize>,
    path: &'a str,
    when: Archived,
}

/// Those of a row. A person may have written any path into the ledger; ours lie in
/// the archive, under a name of the step's.
fn archived_of(row: &Row) -> impl Iterator<Item = Document<'_>> {
    let step = Step::named(&row.step);
    row.archived().filter_map(move |(number, path)| {
        let name = path.strip_prefix("notes/archive/交接/").filter(|name| !name.contains('/'))?;
        let (stem, when) = Archived::parse(name)?;
        (stem == step.stem()).then_some(Document { row, number, path, when })
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
        let count = |path: &str| archived_of(&row(path)).count();
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
