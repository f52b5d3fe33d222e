//! Archived documents and delivered copies against the ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use terminal::Failure;

use super::{Finding, Kind, Scene, Standing, documents};
use crate::archived::Archived;
use crate::generation::Generation;
use crate::row::Row;
use crate::{Step, copies};

/// Returns how many archived documents there are.
pub(super) fn look(scene: &mut Scene<'_>) -> Result<usize, Failure> {
    let mut named = BTreeSet::new();
    let pruned = pruned_copies(scene);
    for row in scene.rows() {
        for (number, path) in row.archived() {
            look_at_archived(scene, row, number, path, &mut named)?;
        }
        for number in 0..row.generations.len() {
            look_at_copy(scene, row, number, &pruned)?;
        }
    }
    look_for_copies(scene)?;
    look_for_archived(scene, &named)
}

fn look_at_archived(
    scene: &mut Scene<'_>,
    row: &Row,
    number: Option<usize>,
    path: &str,
    named: &mut BTreeSet<String>,
) -> Result<(), Failure> {
    let has = |is: fn(&Generation) -> bool| number.is_some_and(|n| is(&row.generations[n]));
    let (is_pruned, is_missing) = (has(|one| one.pruned), has(|one| one.missing));
    let name = path.strip_prefix("notes/archive/交接/");
    let found = metadata(&scene.home.root().join(path))?;
    let (kind, fate, message) = match found {
        _ if name.is_none_or(|name| name.is_empty() || name.contains('/')) => {
            let message = "this path of an archived document does not lead into the archive";
            (Kind::ArchiveElsewhere, Standing::Person, message)
        }
        _ if !named.insert(path.to_owned()) => {
            let message = "two generations name this archived document";
            (Kind::ArchiveTwice, Standing::Person, message)
        }
        Some(_) if is_pruned => (
            Kind::PrunedThere,
            Standing::Repairable,
            "the ledger says that this document was pruned",
        ),
        Some(_) if is_missing => {
            let message = "this archived document was missing, and is there again";
            (Kind::ArchiveBack, Standing::Repairable, message)
        }
        // A decided rotation puts it there when it goes on.
        None if is_pruned || is_missing || row.intent.is_some() => return Ok(()),
        None => (Kind::ArchiveMissing, Standing::Repairable, "this archived document is missing"),
        Some(found) if !found.is_file() => {
            (Kind::ArchiveUnusable, Standing::Person, "this archived document is no file")
        }
        Some(found) if found.len() == 0 => {
            (Kind::ArchiveUnusable, Standing::Person, "this archived document is empty")
        }
        Some(found) => match is_current(scene, row, &found)? && row.intent.is_none() {
            true => (
                Kind::ArchiveShared,
                Standing::Repairable,
                "this archived document and the current one are the same file",
            ),
            false => return Ok(()),
        },
    };
    scene.find(Finding::new(kind, fate, message).of(row, number).at(path));
    Ok(())
}

/// An edit of one would change the other.
fn is_current(scene: &Scene<'_>, row: &Row, found: &Metadata) -> Result<bool, Failure> {
    let current = metadata(&scene.home.document(&Step::named(&row.step)))?;
    Ok(current.is_some_and(|it| (it.dev(), it.ino()) == (found.dev(), found.ino())))
}

fn look_at_copy(
    scene: &mut Scene<'_>,
    row: &Row,
    number: usize,
    pruned: &BTreeSet<&str>,
) -> Result<(), Failure> {
    let Some(path) = &row.generations[number].given else { return Ok(()) };
    let is_pruned = pruned.contains(path.as_str());
    if !is_pruned && metadata(&scene.home.root().join(path))?.is_none() {
        let message = "the copy of what this generation was given is missing";
        let finding = Finding::new(Kind::CopyMissing, Standing::Repairable, message);
        scene.find(finding.of(row, Some(number)).at(path));
    }
    Ok(())
}

/// The copies of documents that were pruned.
fn pruned_copies<'a>(scene: &Scene<'a>) -> BTreeSet<&'a str> {
    let mut of_steps: BTreeMap<&str, Vec<&'a Row>> = BTreeMap::new();
    for row in scene.rows() {
        of_steps.entry(&row.step).or_default().push(row);
    }
    let mut pruned = BTreeSet::new();
    for rows in of_steps.values() {
        for (index, row) in rows.iter().enumerate() {
            for number in (0..row.generations.len()).filter(|&n| row.generations[n].pruned) {
                let given = copies::given_that_of(rows, index, number);
                pruned.extend(given.into_iter().filter_map(|one| one.given.as_deref()));
            }
        }
    }
    pruned
}

fn look_for_archived(scene: &mut Scene<'_>, named: &BTreeSet<String>) -> Result<usize, Failure> {
    let folder = scene.home.archive();
    let names = names_in(&folder)?;
    let steps: BTreeMap<String, String> = documents::stems(scene.rows())
        .into_iter()
        .map(|(stem, step)| (stem, step.to_owned()))
        .collect();
    let mut count = 0;
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        let path = scene.home.relative(&folder.join(name));
        count += 1;
        if named.contains(&path) {
            continue;
        }
        let is_file = metadata(&folder.join(name))?.is_some_and(|found| found.is_file());
        let step = Archived::parse(name).filter(|_| is_file);
        let step = step.and_then(|(stem, _)| step_of(stem, &steps));
        let (fate, message) = match step {
            Some(_) => (Standing::Repairable, "no run knows this archived document"),
            None => (Standing::Note, "this file in the archive is no step's"),
        };
        let finding = Finding::new(Kind::ArchiveUnknown, fate, message).at(&path);
        scene.find(match step {
            Some(step) => finding.of_step(&step),
            None => finding,
        });
    }
    Ok(count)
}

/// The name of a step from what it is called in file names. A cleaned name's is
/// in the ledger or lost.
pub(super) fn step_of(stem: &str, known: &BTreeMap<String, String>) -> Option<String> {
    let is_clean = Step::named(stem).stem() == stem;
    known.get(stem).cloned().or_else(|| is_clean.then(|| stem.to_owned()))
}

fn look_for_copies(scene: &mut Scene<'_>) -> Result<(), Failure> {
    let known: BTreeSet<&str> =
        scene.rows().flat_map(|row| &row.generations).filter_map(|g| g.given.as_deref()).collect();
    let runs = scene.home.runs();
    for run in names_in(&runs)? {
        let folder = runs.join(&run);
        if !metadata(&folder)?.is_some_and(|found| found.is_dir()) {
            continue;
        }
        for name in names_in(&folder)? {
            let path = scene.home.relative(&folder.join(name));
            if !known.contains(path.as_str()) {
                let message = "no generation was given this copy";
                scene.find(Finding::new(Kind::CopyUnknown, Standing::Note, message).at(&path));
            }
        }
    }
    Ok(())
}

fn names_in(folder: &Path) -> Result<Vec<String>, Failure> {
    let names = match durable::names_in(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Vec::new(),
        names => names.map_err(|error| Failure::reading(folder, &error))?,
    };
    let mut names: Vec<_> = names.iter().map(|n| n.to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// `None`: there is nothing of that name.
fn metadata(path: &Path) -> Result<Option<Metadata>, Failure> {
    match durable::uninterrupted(|| fs_err::symlink_metadata(path)) {
        Ok(found) => Ok(Some(found)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::InvalidInput
                    | io::ErrorKind::InvalidFilename
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(Failure::reading(path, &error)),
    }
}
