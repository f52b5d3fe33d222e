//! A repair that is cut short: no document and no word of a spoilt ledger is lost,
//! and the next repair sees to the rest.

use std::ffi::OsString;

use crate::fixture::{Place, document, ensure, words};
use crate::strace::is_usable;
use crate::sweep::Sweep;

/// What the torn ledger's file holds.
const TORN: &str = "[\n  {\"run\": \"r\", \"step\": \"work\", \"ended_at\": \"x\"},\n  {\"run\"";

/// Documents 1 and 2 are archived, 3 is current; the ledger is torn, a line of the
/// history is none, a temporary is left.
fn place() -> Place {
    let place = Place::new(3);
    let runs = place.home().join("runs");
    fs_err::write(runs.join("manifest.json"), TORN).unwrap();
    fs_err::write(runs.join("history.jsonl"), "no row\n").unwrap();
    fs_err::write(place.home().join("notes/.交接-work.new-9"), "half").unwrap();
    place
}

fn call(place: &Place) -> Vec<OsString> {
    ["fsck", "--repair", "--home"]
        .map(OsString::from)
        .into_iter()
        .chain([place.home().into()])
        .collect()
}

fn check(place: &Place) -> Result<(), String> {
    let output = place.command(&call(place)).output().unwrap();
    ensure(output.status.success(), || format!("the next repair fails: {}", words(&output)))?;
    place.check_agreement()?;
    ensure(place.current() == Some(document(3)), || "the current document changed".to_owned())?;
    let texts = |folder: &str, part: &str| -> Vec<String> {
        let entries = fs_err::read_dir(place.home().join(folder)).unwrap().map(Result::unwrap);
        let named = entries.filter(|entry| entry.file_name().to_string_lossy().contains(part));
        named.filter_map(|entry| fs_err::read_to_string(entry.path()).ok()).collect()
    };
    let mut archived = texts("notes/archive/交接", "work-");
    archived.sort();
    ensure(archived == [document(1), document(2)], || "an archived document changed".to_owned())?;
    ensure(texts("runs", "manifest.json.broken-").iter().any(|text| text == TORN), || {
        "the torn ledger is gone".to_owned()
    })?;
    ensure(texts("runs", "history.jsonl.broken-").iter().any(|text| text == "no row\n"), || {
        "the line of the history is gone".to_owned()
    })?;
    let ledger = fs_err::read_to_string(place.home().join("runs/manifest.json")).unwrap();
    ensure(ledger.contains("\"run\": \"r\""), || "the row that was whole is gone".to_owned())
}

fn sweep() -> Sweep {
    Sweep { before: place(), call, check }
}

#[test]
fn a_repair_survives_kills() {
    if is_usable() {
        sweep().kills();
    }
}

#[test]
fn a_repair_survives_errors() {
    if is_usable() {
        sweep().errors();
    }
}

#[test]
fn a_repair_survives_power_cuts() {
    if is_usable() {
        sweep().power_cuts();
    }
}
