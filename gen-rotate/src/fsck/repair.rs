//! What a repair does about each kind of fault.
//!
//! First a ledger that is none is kept under another name, and what can be read of
//! it takes its place; then the usual recovery runs; then the ledger says what is
//! there. No document is removed, and none is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use durable::Access;
use terminal::Failure;

use super::{Finding, Kind, Standing, salvage};
use crate::history::{self, History};
use crate::ledger::Ledger;
use crate::locked::LockedLedger;
use crate::row::Row;
use crate::{Home, Step, locked, publish, recover, stamp};

pub(super) fn repair(home: &Home, findings: &[Finding], patience: Duration) -> Result<(), Failure> {
    let of = |kind: Kind| {
        findings.iter().filter(move |one| one.kind == kind && one.state == Standing::Repairable)
    };
    if of(Kind::LedgerUnreadable).next().is_some() {
        replace_ledger(home, patience)?;
    } else if findings.iter().any(|one| one.kind == Kind::LedgerUnreadable) {
        // Nothing can be written down.
        return Ok(());
    }
    let mut locked = LockedLedger::open(home, patience)?;
    for path in recover::remains(home)? {
        durable::remove(&path).map_err(|error| Failure::writing(&path, &error))?;
    }
    if of(Kind::HistoryLine).next().is_some() {
        set_lines_aside(home)?;
    }
    for step in of(Kind::RunsOpen).filter_map(|finding| finding.step.as_deref()) {
        close_older(&mut locked.ledger, step);
    }
    let paths = |kind| of(kind).filter_map(|one| one.path.as_deref()).collect::<BTreeSet<_>>();
    let truth = Truth {
        missing: paths(Kind::ArchiveMissing),
        there: paths(Kind::PrunedThere).union(&paths(Kind::ArchiveBack)).copied().collect(),
        lost_copies: paths(Kind::CopyMissing),
    };
    history::rewrite(&home.history(), &mut |row| truth.tell(row))?;
    for row in &mut locked.ledger.rows {
        truth.tell(row);
    }
    adopt(&mut locked, of(Kind::ArchiveUnknown))?;
    locked.save()?;
    for finding in of(Kind::ArchiveShared) {
        part(home, finding)?;
    }
    Ok(())
}

/// Nobody but us may have written to it since it was looked at: under the lock.
fn replace_ledger(home: &Home, patience: Duration) -> Result<(), Failure> {
    let manifest = home.manifest();
    let lock = durable::lock(&home.lock(), patience);
    let _lock = lock
        .map_err(|error| Failure::writing(&home.lock(), &error))?
        .ok_or_else(|| locked::held(home))?;
    let bytes = durable::read_regular(&manifest);
    let bytes = bytes.map_err(|error| Failure::reading(&manifest, &error))?;
    keep(&manifest, &bytes)?;
    Ledger::of(&manifest, salvage::rows(&bytes)).save()
}

/// Bytes that a repair takes out of a file stay beside it, under a name of their
/// own.
fn keep(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = durable::folder_of(path);
    let aside = aside(path);
    durable::create(&aside, bytes, Access::AsFolder)
        .and_then(|()| durable::sync_folder(folder))
        .map_err(|error| Failure::writing(&aside, &error))
}

fn aside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".broken-{}", stamp::run_id()));
    path.with_file_name(name)
}

fn set_lines_aside(home: &Home) -> Result<(), Failure> {
    let path = home.history();
    let bytes = durable::read_regular(&path);
    let bytes = bytes.map_err(|error| Failure::reading(&path, &error))?;
    let unreadable = History::parse(&bytes).unreadable;
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let to = if unreadable.contains(&(index + 1)) { &mut bad } else { &mut good };
        to.extend_from_slice(line);
    }
    keep(&path, &bad)?;
    durable::replace(&path, &path.with_file_name(history::TEMPORARY), &good, Access::AsFolder)
        .map_err(|error| Failure::writing(&path, &error))
}

/// Of the runs that go on, the newest may.
fn close_older(ledger: &mut Ledger, step: &str) {
    let newest = ledger.open_row(step);
    let rows = ledger.rows.iter_mut().enumerate();
    for (index, row) in rows.filter(|(_, row)| row.step == step && row.is_open()) {
        if Some(index) != newest {
            row.errors.push("ended without a record".to_owned());
            row.close(None);
        }
    }
}

/// What the ledger is to say of files.
struct Truth<'a> {
    missing: BTreeSet<&'a str>,
    there: BTreeSet<&'a str>,
    lost_copies: BTreeSet<&'a str>,
}

impl Truth<'_> {
    /// Whether the row said otherwise.
    fn tell(&self, row: &mut Row) -> bool {
        let said = row.unattributed.len();
        row.unattributed.retain(|path| !self.missing.contains(path.as_str()));
        let mut changed = row.unattributed.len() != said;
        for generation in &mut row.generations {
            let is = |set: &BTreeSet<&str>, path: &Option<String>| {
                path.as_deref().is_some_and(|path| set.contains(path))
            };
            let is_gone = is(&self.missing, &generation.archive);
            if is_gone || is(&self.there, &generation.archive) {
                (generation.pruned, generation.missing) = (false, is_gone);
                changed = true;
            }
            if is(&self.lost_copies, &generation.given) {
                (generation.given, changed) = (None, true);
            }
        }
        changed
    }
}

/// A run of the past takes the documents that no run knows, for each step one.
fn adopt<'a>(
    locked: &mut LockedLedger,
    findings: impl Iterator<Item = &'a Finding>,
) -> Result<(), Failure> {
    let home = locked.home.clone();
    let past = History::load(&home.history())?;
    let rows = locked.ledger.rows.iter().chain(&past.rows);
    let known: BTreeSet<String> =
        rows.flat_map(Row::archived).map(|(_, path)| path.to_owned()).collect();
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for finding in findings {
        let (Some(step), Some(path)) = (&finding.step, &finding.path) else { continue };
        if !known.contains(path) && publish::is_there(&home.root().join(path))? {
            found.entry(step).or_default().push(path.clone());
        }
    }
    for (step, unattributed) in found {
        let mut row = Row { unattributed, ..Row::open(step, None) };
        row.generations.clear();
        row.attempts = 0;
        row.errors.push("found by fsck, of no run that is known".to_owned());
        row.close(None);
        locked.ledger.rows.insert(0, row);
    }
    Ok(())
}

/// The current document becomes a file of its own.
fn part(home: &Home, finding: &Finding) -> Result<(), Failure> {
    let Some(step) = finding.step.as_deref().map(Step::named) else { return Ok(()) };
    let path = home.document(&step);
    let temporary = home.notes().join(publish::temporary_name(&step, 0));
    durable::read_regular(&path)
        .and_then(|bytes| durable::replace(&path, &temporary, &bytes, Access::AsFolder))
        .map_err(|error| Failure::writing(&path, &error))
}
