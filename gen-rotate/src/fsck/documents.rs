//! The current documents against the ledger.

use std::collections::BTreeMap;
use std::io;

use terminal::{Exit, Failure};

use super::{Finding, Kind, Scene, Standing};
use crate::row::Row;
use crate::{Step, document};

/// The steps of a ledger by what they are called in file names.
pub(super) fn stems<'a>(rows: impl Iterator<Item = &'a Row>) -> BTreeMap<String, &'a str> {
    rows.map(|row| (Step::named(&row.step).stem().to_owned(), row.step.as_str())).collect()
}

/// Returns how many there are.
pub(super) fn look(scene: &mut Scene<'_>) -> Result<usize, Failure> {
    let found = current(scene)?;
    let known: Vec<Step> = stems(scene.rows()).values().map(|name| Step::named(name)).collect();
    for step in &known {
        match found.contains(&step.stem().to_owned()) {
            true => look_at(scene, step)?,
            false => look_for(scene, step),
        }
    }
    for stem in found.iter().filter(|stem| !known.iter().any(|step| step.stem() == *stem)) {
        let path = format!("notes/交接-{stem}.md");
        let message = "no run knows this document: a person wrote it, or the ledger is gone";
        scene.find(Finding::new(Kind::DocumentUnknown, Standing::Note, message).at(&path));
    }
    Ok(found.len())
}

fn current(scene: &Scene<'_>) -> Result<Vec<String>, Failure> {
    let notes = scene.home.notes();
    let names = match durable::names_in(&notes) {
        Err(error) if error.kind() != io::ErrorKind::NotADirectory => {
            return Err(Failure::reading(&notes, &error));
        }
        names => names.unwrap_or_default(),
    };
    let stem = |name: &str| Some(name.strip_prefix("交接-")?.strip_suffix(".md")?.to_owned());
    Ok(names.iter().filter_map(|name| name.to_str().and_then(stem)).collect())
}

fn look_at(scene: &mut Scene<'_>, step: &Step) -> Result<(), Failure> {
    let path = scene.home.document(step);
    let link = durable::uninterrupted(|| fs_err::symlink_metadata(&path));
    let link = link.map_err(|error| Failure::reading(&path, &error))?;
    let fault = match document::read(scene.home, step) {
        _ if !link.is_file() => {
            "it is no regular file, and the next rotation stops at it".to_owned()
        }
        Ok(_) => return Ok(()),
        Err(failure) if failure.exit == Exit::Io => return Err(failure),
        Err(failure) => failure.message,
    };
    let message = format!("the current document cannot be handed over: {fault}");
    let finding = Finding::new(Kind::DocumentUnusable, Standing::Person, message);
    scene.find(finding.of_step(step.name()).at(&scene.home.relative(&path)));
    Ok(())
}

/// A published document that nothing took the place of should be there.
fn look_for(scene: &mut Scene<'_>, step: &Step) {
    let mut rows = scene.rows().filter(|row| row.step == step.name());
    let newest = rows.rfind(|row| row.generations.iter().any(|g| g.document.is_some()));
    let Some(row) = newest else { return };
    let writer = row.generations.iter().rposition(|g| g.document.is_some() && g.archive.is_none());
    let Some(number) = writer else { return };
    let message = "the current document is missing; the newest earlier one is in the archive";
    let path = scene.home.relative(&scene.home.document(step));
    let finding = Finding::new(Kind::DocumentMissing, Standing::Person, message);
    scene.find(finding.of(row, Some(number)).at(&path));
}
