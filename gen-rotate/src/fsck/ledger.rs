//! The ledger and the history in themselves.

use std::collections::BTreeSet;

use terminal::Failure;

use super::{Finding, Kind, Scene, Standing};
use crate::generation::State;
use crate::resume::undelivered;
use crate::row::Row;
use crate::{Home, Step, locked, recover};

/// A manifest that stops every other call.
pub(super) fn unreadable(home: &Home, failure: &Failure) -> Result<Finding, Failure> {
    let manifest = home.manifest();
    let found = durable::uninterrupted(|| fs_err::symlink_metadata(&manifest));
    // What is no file is in somebody's way for a reason of theirs.
    let is_file = found.map_err(|error| Failure::reading(&manifest, &error))?.is_file();
    let path = home.relative(&manifest);
    let named = format!("'{}' ", manifest.display());
    let what = failure.message.strip_prefix(&named);
    let what = what.map_or_else(|| failure.message.clone(), |what| format!("it {what}"));
    let state = if is_file { Standing::Repairable } else { Standing::Person };
    Ok(Finding::new(Kind::LedgerUnreadable, state, what).at(&path))
}

pub(super) fn look(scene: &mut Scene<'_>, unreadable: &[usize]) -> Result<(), Failure> {
    for line in unreadable {
        let message = format!("line {line} of the history is no row");
        let finding = Finding::new(Kind::HistoryLine, Standing::Repairable, message);
        scene.find(finding.at(&scene.home.relative(&scene.home.history())));
    }
    let mut runs = BTreeSet::new();
    for row in scene.rows {
        if !runs.insert((&row.run, &row.step)) {
            let message = format!("run '{}' is twice in the ledger", row.run);
            scene.find(Finding::new(Kind::RunTwice, Standing::Person, message).of(row, None));
        }
        if row.intent.is_some() {
            let message = format!("a rotation of run '{}' was cut short", row.run);
            let finding = Finding::new(Kind::Interrupted, Standing::Repairable, message);
            scene.find(finding.of(row, None));
        }
        if let Some(session) = row.session_id.as_ref().filter(|id| row.has_retired(id)) {
            let message = format!("session '{session}' is retired and the last one of its run");
            scene.find(Finding::new(Kind::RetiredSession, Standing::Person, message).of(row, None));
        }
    }
    for step in steps(scene.rows) {
        look_at_step(scene, &step)?;
    }
    for path in recover::remains(scene.home)? {
        let path = scene.home.relative(&path);
        let message = "left behind by a call that was cut short";
        scene.find(Finding::new(Kind::Remains, Standing::Repairable, message).at(&path));
    }
    Ok(())
}

fn steps(rows: &[Row]) -> BTreeSet<String> {
    rows.iter().map(|row| row.step.clone()).collect()
}

fn look_at_step(scene: &mut Scene<'_>, step: &str) -> Result<(), Failure> {
    let rows = scene.rows;
    let open: Vec<&Row> = rows.iter().filter(|row| row.step == step && row.is_open()).collect();
    for row in open.iter().rev().skip(1) {
        let message = format!("run '{}' goes on, and a newer one as well", row.run);
        scene.find(Finding::new(Kind::RunsOpen, Standing::Repairable, message).of(row, None));
    }
    let Some(index) = undelivered(rows, step) else { return Ok(()) };
    let (row, number) = (&rows[index], rows[index].generations.len().saturating_sub(1));
    let what = match row.last().map(|last| last.state) {
        Some(State::Pending) => "waits for its successor",
        Some(State::Launched) if locked::is_alive(scene.home, &Step::named(step))? => return Ok(()),
        Some(State::Launched) => "was given to a successor whose supervisor is gone",
        _ => "was given to a successor that ended without a sign of life",
    };
    let message = format!("the document {what}; 'gen-rotate --resume' delivers it");
    scene.find(Finding::new(Kind::Undelivered, Standing::Note, message).of(row, Some(number)));
    Ok(())
}
