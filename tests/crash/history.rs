//! The oldest row leaves the ledger for the history: killed at every system call,
//! with every file call failing, and with the power cut anywhere.

use std::collections::BTreeSet;
use std::ffi::OsString;

use serde_json::{Value, json};

use crate::errors::{ERRORS, FILE_CALLS, fits};
use crate::fixture::{Place, STEP, ensure, words};
use crate::model::{Disk, Step};
use crate::power::{lay_out, watch};
use crate::strace::{calls, in_parallel, inject, is_usable};

const RUNS: usize = 102;

/// A HOME whose ledger has two rows more than stay, and one in the history.
fn full() -> Place {
    let place = Place::new(1);
    let row = |number: usize| {
        json!({ "run": format!("run-{number}"), "step": STEP, "ended_at": "x",
                "note": "of a person", "generations": [{ "state": "delivered" }] })
    };
    let rows: Value = (1..=RUNS).map(row).collect();
    fs_err::write(place.home().join("runs/manifest.json"), rows.to_string()).unwrap();
    let history = format!("{}\n", row(0));
    fs_err::write(place.home().join("runs/history.jsonl"), history).unwrap();
    place
}

fn start(place: &Place) -> Vec<OsString> {
    let words: [OsString; 6] = [
        "record".into(),
        "start".into(),
        "--step".into(),
        STEP.into(),
        "--home".into(),
        place.home().into(),
    ];
    words.into()
}

/// The runs that the log tells.
fn logged(place: &Place) -> Result<Vec<String>, String> {
    let output = place
        .command(&["log".into(), "--json".into(), "--home".into(), place.home().into()])
        .output()
        .unwrap();
    ensure(output.status.success(), || format!("no log: {}", words(&output)))?;
    let rows = String::from_utf8_lossy(&output.stdout).into_owned();
    rows.lines()
        .map(|line| {
            let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
            Ok(row["run"].as_str().unwrap_or_default().to_owned())
        })
        .collect()
}

/// Every run there was is told once, in its place, before the new ones.
fn check_log(place: &Place, new: usize) -> Result<(), String> {
    let runs = logged(place)?;
    let old: Vec<_> = (0..=RUNS).map(|number| format!("run-{number}")).collect();
    ensure(runs.starts_with(&old), || format!("the log lost rows: {runs:?}"))?;
    ensure(runs.len() <= old.len() + new, || format!("{} rows", runs.len()))?;
    let unique: BTreeSet<_> = runs.iter().collect();
    ensure(unique.len() == runs.len(), || "a row is told twice".to_owned())
}

/// Now, and after the next run, which leaves no torn line and no row in two
/// places.
fn check(place: &Place) -> Result<(), String> {
    check_log(place, 1)?;
    let output = place.command(&start(place)).output().unwrap();
    ensure(output.status.success(), || format!("the next run fails: {}", words(&output)))?;
    check_log(place, 2)?;
    let ledger = fs_err::read(place.home().join("runs/manifest.json")).unwrap();
    let ledger: Vec<Value> = serde_json::from_slice(&ledger).map_err(|error| error.to_string())?;
    ensure(ledger.len() == 100, || format!("{} rows in the ledger", ledger.len()))?;
    let history = fs_err::read_to_string(place.home().join("runs/history.jsonl")).unwrap();
    let rows: Result<Vec<Value>, _> = history.lines().map(serde_json::from_str).collect();
    let rows = rows.map_err(|error| format!("a torn line is left: {error}"))?;
    let unique: BTreeSet<_> = rows.iter().map(|row| row["run"].to_string()).collect();
    ensure(unique.len() == rows.len(), || "a row is there twice".to_owned())
}

#[test]
fn a_row_that_moves_survives_kills() {
    if !is_usable() {
        return;
    }
    let before = full();
    let dry = before.again();
    let points = calls(&dry, &start(&dry));
    assert!(points.iter().any(|point| point.line.contains("history.jsonl")), "nothing moved");
    let faults = in_parallel(&points, |point| {
        let place = before.again();
        inject(&place, &start(&place), point, "signal=KILL");
        check(&place).map_err(|fault| format!("killed at {point:?}: {fault}"))
    });
    assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), points.len());
}

#[test]
fn a_row_that_moves_survives_errors() {
    if !is_usable() {
        return;
    }
    let before = full();
    let dry = before.again();
    let points: Vec<_> = calls(&dry, &start(&dry))
        .into_iter()
        .filter(|call| FILE_CALLS.contains(&call.name.as_str()))
        .flat_map(|call| ERRORS.map(|error| (call.clone(), error)))
        .filter(|(call, error)| fits(call, error))
        .collect();
    let faults = in_parallel(&points, |(call, error)| {
        let place = before.again();
        let output = inject(&place, &start(&place), call, &format!("error={error}")).unwrap();
        let said = words(&output);
        let clear = match output.status.code() {
            Some(0) => Ok(()),
            Some(66 | 73 | 74) => ensure(said.contains("gen-rotate: cannot "), || said.clone()),
            _ => Err(said),
        };
        clear.and_then(|()| check(&place)).map_err(|fault| format!("{error} at {call:?}: {fault}"))
    });
    assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), points.len());
}

/// The rows reach the history before they leave the ledger, and no sync of their
/// bytes may be missing.
#[test]
fn a_row_that_moves_survives_power_cuts_and_needs_its_sync() {
    if !is_usable() {
        return;
    }
    let before = full();
    let place = before.again();
    let mut disk = Disk::of(&place.path(""));
    watch(&mut disk, &place, &start(&place));
    let states = |without| -> BTreeSet<_> {
        (0..=disk.steps.len()).flat_map(|cut| disk.states(cut, without)).collect()
    };
    let try_one = |state: &_| {
        let place = before.again();
        lay_out(&place.path(""), state);
        check(&place)
    };
    let all: Vec<_> = states(None).into_iter().collect();
    assert!(all.len() > 5, "only {} states", all.len());
    let faults = in_parallel(&all, try_one);
    assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), all.len());
    let wrote = |at: usize, file| {
        let mut before = disk.steps[..at].iter();
        before.any(|step| matches!(step, Step::Write { file: written, .. } if *written == file))
    };
    let syncs: Vec<_> = (0..disk.steps.len())
        .filter(|&at| matches!(disk.steps[at], Step::Sync { node } if wrote(at, node)))
        .collect();
    assert_eq!(syncs.len(), 2, "that of the history and that of the ledger");
    for sync in syncs {
        let mut torn = states(Some(sync)).into_iter();
        assert!(torn.any(|state| try_one(&state).is_err()), "step {sync} is not needed");
    }
}
