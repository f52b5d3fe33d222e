//! Archived documents that a person lets go: cut short anywhere, what stays is
//! whole, and the next call removes the rest.

use std::ffi::OsString;

use serde_json::Value;

use crate::fixture::{Place, STEP, document, ensure, words};
use crate::strace::is_usable;
use crate::sweep::Sweep;

/// Documents 1 and 2 are archived, 3 is current; the run of the first is in the
/// history.
fn place() -> Place {
    let place = Place::new(3);
    let manifest = place.home().join("runs/manifest.json");
    let mut rows: Value = serde_json::from_slice(&fs_err::read(&manifest).unwrap()).unwrap();
    let mut first = rows[0].clone();
    (first["run"], first["ended_at"]) = ("first".into(), "x".into());
    first["generations"].as_array_mut().unwrap().truncate(1);
    fs_err::write(place.home().join("runs/history.jsonl"), format!("{first}\n")).unwrap();
    rows[0]["generations"][0]["archive"] = Value::Null;
    rows[0]["generations"][0]["document"] = Value::Null;
    fs_err::write(&manifest, rows.to_string()).unwrap();
    place
}

fn call(place: &Place) -> Vec<OsString> {
    ["prune", "--keep", "0", "--home"]
        .map(OsString::from)
        .into_iter()
        .chain([place.home().into()])
        .collect()
}

fn check(place: &Place) -> Result<(), String> {
    ensure(place.current() == Some(document(3)), || "the current document changed".to_owned())?;
    let archive = place.home().join("notes/archive/交接");
    for entry in fs_err::read_dir(&archive).unwrap() {
        let text = fs_err::read_to_string(entry.unwrap().path()).unwrap();
        ensure([document(1), document(2)].contains(&text), || "one is torn".to_owned())?;
    }
    let output = place.command(&call(place)).output().unwrap();
    ensure(output.status.success(), || format!("the next call fails: {}", words(&output)))?;
    let left = fs_err::read_dir(&archive).unwrap().count();
    ensure(left == 0, || format!("{left} are left"))?;
    place.check_agreement()?;
    let path = place.home().join(format!("notes/交接-{STEP}.md"));
    ensure(fs_err::read_to_string(path).is_ok(), || "the current document is gone".to_owned())
}

fn sweep() -> Sweep {
    Sweep { before: place(), call, check }
}

#[test]
fn pruning_survives_kills() {
    if is_usable() {
        sweep().kills();
    }
}

#[test]
fn pruning_survives_errors() {
    if is_usable() {
        sweep().errors();
    }
}

#[test]
fn pruning_survives_power_cuts() {
    if is_usable() {
        sweep().power_cuts();
    }
}
