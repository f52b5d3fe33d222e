//! The protocol by which a new document takes the place of the current one.
//!
//! temporary, synced -> intent in the manifest (the commit point) -> a further
//! name for the current document in the archive -> rename of the temporary over
//! it -> folders synced -> intent taken out of the manifest. docs/PROTOCOL.md
//! says what a crash at each point leaves, and which test shows it.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use durable::Access;
use terminal::{Exit, Failure};

use crate::archived::Archived;
use crate::generation::State;
use crate::ledger::Ledger;
use crate::locked::LockedLedger;
use crate::row::{Intent, Row};
use crate::{Home, Step, stamp};

/// Publishes a document for a row that is already in its final form. The intent
/// is still in the row when this returns, and the ledger on disk still has it:
/// the caller's next save takes it out.
pub(crate) fn publish(
    locked: &mut LockedLedger,
    index: usize,
    document: &[u8],
) -> Result<(), Failure> {
    let home = locked.home.clone();
    let row = &locked.ledger.rows[index];
    let step = Step::named(&row.step);
    let temporary = temporary_name(&step, row.generations.len());
    prepare(&home)?;
    let archive = free_name(&locked.ledger, &home, &step)?;
    if archive.is_none() {
        // The folders may be new, made just now or by a run that was cut short.
        locked.sync_before_saving([home.root().to_owned(), home.notes().join("archive")]);
    }
    write_temporary(&home, &temporary, document)?;
    if let Some(name) = &archive {
        place_archive(&mut locked.ledger, index, home.relative(&home.archive().join(name)));
    }
    locked.row(index).intent = Some(Intent { temporary, archive });
    locked.save()?;
    carry_out(locked, index)
}

/// Makes the moves that an intent names, of which some may be made already.
pub(crate) fn carry_out(locked: &mut LockedLedger, index: usize) -> Result<(), Failure> {
    let home = locked.home.clone();
    let row = locked.row(index);
    let Some(intent) = row.intent.clone() else { return Ok(()) };
    let temporary = home.notes().join(&intent.temporary);
    prepare(&home)?;
    // The temporary is synced before the intent is, so its absence means that it
    // was renamed, and the current document was archived before that.
    if is_there(&temporary)? {
        let document = home.document(&Step::named(&row.step));
        if let Some(name) = &intent.archive {
            archive(locked, index, &document, name)?;
        }
        durable::uninterrupted(|| fs_err::rename(&temporary, &document))
            .map_err(|error| Failure::writing(&document, &error))?;
    }
    sync(&home.notes())
}

/// The name of a new document that is not yet the current one.
pub(crate) fn temporary_name(step: &Step, generations: usize) -> String {
    format!("{}{generations}", temporary_front(step))
}

/// What such a name of the step begins with.
pub(crate) fn temporary_front(step: &Step) -> String {
    format!(".交接-{}.new-", step.stem())
}

fn write_temporary(home: &Home, name: &str, document: &[u8]) -> Result<(), Failure> {
    let path = home.notes().join(name);
    durable::create(&path, document, Access::AsFolder)
        .map_err(|error| Failure::writing(&path, &error))?;
    sync(&home.notes())
}

/// A name in the archive that nobody has, for the current document; `None` where
/// there is no current document.
fn free_name(ledger: &Ledger, home: &Home, step: &Step) -> Result<Option<String>, Failure> {
    let current = home.document(step);
    let found = durable::uninterrupted(|| fs_err::symlink_metadata(&current));
    match found {
        Ok(metadata) if metadata.is_file() => {
            refuse_namesake(ledger, home, step, &metadata)?;
            next_free_name(ledger, home, step).map(Some)
        }
        Ok(_) => {
            let message = format!("'{}' is no regular file", current.display());
            Err(Failure::new(Exit::CannotCreate, message)
                .hint("move it away: a rotation would replace it"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::reading(&current, &error)),
    }
}

/// Some file systems take names that differ in case for one, and the document of
/// one step would take the place of another's.
fn refuse_namesake(
    ledger: &Ledger,
    home: &Home,
    step: &Step,
    current: &Metadata,
) -> Result<(), Failure> {
    let folded = step.stem().to_lowercase();
    let others: BTreeSet<&str> = ledger.rows.iter().map(|row| row.step.as_str()).collect();
    for other in others.into_iter().map(Step::named) {
        if other.stem() == step.stem() || other.stem().to_lowercase() != folded {
            continue;
        }
        let path = home.document(&other);
        let found = match durable::uninterrupted(|| fs_err::symlink_metadata(&path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            found => found.map_err(|error| Failure::reading(&path, &error))?,
        };
        if (found.dev(), found.ino()) == (current.dev(), current.ino()) {
            let (one, other) = (step.name(), other.name());
            let message = format!("the documents of steps '{one}' and '{other}' are one file here");
            return Err(Failure::new(Exit::CannotCreate, message)
                .hint("give one of the steps another name"));
        }
    }
    Ok(())
}

/// Free is what is neither there nor was there, as that of a pruned document.
fn next_free_name(ledger: &Ledger, home: &Home, step: &Step) -> Result<String, Failure> {
    let names = |path: &str| {
        let mut archived = ledger.rows.iter().flat_map(Row::archived);
        archived.any(|(_, archived)| archived == path)
    };
    let mut archived = Archived::at(stamp::for_names());
    loop {
        let name = archived.name(step);
        let path = home.archive().join(&name);
        if !is_there(&path)? && !names(&home.relative(&path)) {
            return Ok(name);
        }
        archived = archived.next();
    }
}

/// Gives the current document its name in the archive. If that name was taken
/// after it was chosen, another is chosen, and the ledger is told first.
fn archive(
    locked: &mut LockedLedger,
    index: usize,
    document: &Path,
    name: &str,
) -> Result<(), Failure> {
    let home = locked.home.clone();
    let mut target = home.archive().join(name);
    loop {
        match durable::keep_as(document, &target) {
            Ok(()) => break,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let same = durable::same_file(document, &target);
                if same.map_err(|error| Failure::reading(&target, &error))? {
                    break;
                }
                let step = Step::named(&locked.row(index).step);
                let name = next_free_name(&locked.ledger, &home, &step)?;
                target = home.archive().join(&name);
                choose(locked, index, Some(name))?;
            }
            // Somebody removed it since the intent: nothing is left to archive.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_there(document)? => {
                choose(locked, index, None)?;
                break;
            }
            Err(error) => return Err(Failure::writing(&target, &error)),
        }
    }
    // Every recovery passes here, so the archive is never listed for remains.
    durable::sweep_beside(&target).map_err(|error| Failure::writing(&target, &error))?;
    sync(&home.archive())
}

/// Writes another name for the archived document into the intent, and into the
/// entry that has the old one.
fn choose(locked: &mut LockedLedger, index: usize, name: Option<String>) -> Result<(), Failure> {
    let home = locked.home.clone();
    let place = |name: String| home.relative(&home.archive().join(name));
    if let Some(intent) = &mut locked.row(index).intent {
        let old = std::mem::replace(&mut intent.archive, name.clone()).map(&place);
        let unattributed = &mut locked.row(index).unattributed;
        if let Some(at) = unattributed.iter().position(|path| Some(path) == old.as_ref()) {
            unattributed.splice(at..=at, name.clone().map(&place));
        }
        let mut generations = locked.ledger.rows.iter_mut().flat_map(|row| &mut row.generations);
        if let Some(entry) = generations.find(|g| g.archive.is_some() && g.archive == old) {
            entry.archive = name.map(&place);
        }
    }
    locked.save()
}

/// Notes where the document that is current until now will lie: with the
/// generation that would have been given it, if that one is superseded, else
/// with the one that wrote it, in this run or an earlier one; one that nobody
/// wrote, with the run.
fn place_archive(ledger: &mut Ledger, index: usize, place: String) {
    let (earlier, rest) = ledger.rows.split_at_mut(index);
    let Some(row) = rest.first_mut() else { return };
    // The last generation is the one that the new document is for, the one
    // before it wrote that document or is superseded by it.
    let Some((_, before)) = row.generations.split_last_mut() else { return };
    let entry = match before.split_last_mut() {
        Some((newest, _)) if newest.state == State::Superseded => Some(newest),
        Some((_, before)) => {
            let earlier = earlier.iter_mut().filter(|other| other.step == row.step);
            let generations = earlier.flat_map(|other| &mut other.generations).chain(before);
            generations.rev().find(|g| g.document.is_some() && g.archive.is_none())
        }
        None => None,
    };
    match entry {
        Some(entry) => entry.archive = Some(place),
        None => row.unattributed.push(place),
    }
}

fn prepare(home: &Home) -> Result<(), Failure> {
    let archive = home.archive();
    durable::create_folders(&archive).map_err(|error| Failure::writing(&archive, &error))?;
    Ok(())
}

pub(crate) fn is_there(path: &Path) -> Result<bool, Failure> {
    match durable::uninterrupted(|| fs_err::symlink_metadata(path)) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Failure::reading(path, &error)),
    }
}

fn sync(folder: &Path) -> Result<(), Failure> {
    durable::sync_folder(folder).map_err(|error| Failure::writing(folder, &error))
}
