//! The oldest row leaves the ledger for the history: killed at every system call,
//! with every file call failing, and with the power cut anywhere.

use std::collections::BTreeSet;
use std::ffi::OsString;

use serde_json::{Value, json};

use crate::fixture::{Place, STEP, ensure, words};
use crate::strace::is_usable;
use crate::sweep::Sweep;

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

fn sweep() -> Sweep {
    Sweep { before: full(), call: start, check }
}

#[test]
fn a_row_that_moves_survives_kills() {
    if is_usable() {
        sweep().kills();
    }
}

#[test]
fn a_row_that_moves_survives_errors() {
    if is_usable() {
        sweep().errors();
    }
}

/// The rows reach the history before they leave the ledger.
#[test]
fn a_row_that_moves_survives_power_cuts_and_needs_its_syncs() {
    if is_usable() {
        // That of the history and that of the ledger.
        sweep().power_cuts().need_every_sync_of_a_file(2);
    }
}
