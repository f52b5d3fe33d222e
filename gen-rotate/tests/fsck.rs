//! What does not agree is found, told in plain words, and repaired where that can
//! be done without touching a document.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod place;

use std::collections::BTreeSet;

use place::{Place, document};
use serde_json::{Value, json};

const MANIFEST: &str = ".handoff/runs/manifest.json";
const CURRENT: &str = ".handoff/notes/交接-s.md";

/// Document 3 is current, 1 and 2 are archived.
fn place() -> Place {
    let place = Place::new();
    for number in 1..=3 {
        place.run(&format!("--step s --raw {number}.md -- true"));
    }
    place
}

fn archived(place: &Place, number: usize) -> String {
    place.ledger()[0]["generations"][number]["archive"].as_str().unwrap().to_owned()
}

/// Changes the ledger behind everybody's back.
fn edit(place: &Place, change: impl FnOnce(&mut Value)) {
    let mut ledger = place.ledger();
    change(&mut ledger);
    place.write(MANIFEST, &ledger.to_string());
}

/// The contents of all files that are documents.
fn documents(place: &Place) -> BTreeSet<String> {
    let files = place.exact_files();
    let documents = files.iter().filter(|path| path.ends_with(".md"));
    documents.map(|path| place.read(format!(".handoff/{path}"))).collect()
}

/// The kind and the standing of each finding.
#[track_caller]
fn found(place: &Place, words: &str, code: i32) -> Vec<(String, String)> {
    let output = place.tool().args(words.split(' ')).arg("--json").output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{words}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|finding| (word(&finding["kind"]), word(&finding["state"])))
        .collect()
}

/// A fault of this kind is found and repaired; no document is lost or changed,
/// and the work goes on.
#[track_caller]
fn is_repaired(place: &Place, kind: &str) {
    let wrong = |state: &str| vec![(kind.to_owned(), state.to_owned())];
    let before = documents(place);
    assert_eq!(found(place, "fsck", 1), wrong("repairable"));
    assert_eq!(found(place, "fsck --repair", 0), wrong("repaired"));
    assert_eq!(found(place, "fsck", 0), []);
    assert!(documents(place).is_superset(&before), "{kind}: a document is gone");
    place.run("--step s 4.md -- true");
    assert_eq!(found(place, "fsck", 0), [], "{kind}: after the next rotation");
}

/// One that only a person can answer is told, and left as it is.
#[track_caller]
fn is_left(place: &Place, kind: &str) {
    let wrong = [(kind.to_owned(), "person".to_owned())];
    let before = place.exact_files();
    assert_eq!(found(place, "fsck", 1), wrong);
    assert_eq!(found(place, "fsck --repair", 1), wrong);
    assert_eq!(place.exact_files(), before);
}

#[test]
fn what_agrees_is_told_in_a_line() {
    let place = place();
    place.check("fsck", 0, "1 run, 1 current document, 2 in the archive: no fault\n", "");
    place.check("fsck --json --repair", 0, "", "");
    let files = place.exact_files();
    place.run("fsck --repair");
    assert_eq!(place.exact_files(), files);
    let missing = "gen-rotate: cannot read 'none': no such file or directory\n";
    place.check("fsck --home none", 66, "", missing);
    fs_err::create_dir(place.path("empty")).unwrap();
    place.check(
        "fsck --home empty",
        0,
        "0 runs, 0 current documents, 0 in the archive: no fault\n",
        "",
    );
    assert_eq!(fs_err::read_dir(place.path("empty")).unwrap().count(), 0, "nothing is made");
}

#[test]
fn findings_are_told_in_plain_words() {
    let place = place();
    let (path, run) = (archived(&place, 0), place.row()["run"].clone());
    fs_err::remove_file(place.path(".handoff").join(&path)).unwrap();
    let run = run.as_str().unwrap();
    let told = |end| {
        format!("s: '{path}': this archived document is missing (run {run}, generation 0); {end}\n")
    };
    let total = "1 run, 1 current document, 1 in the archive: ";
    place.check("fsck", 1, &format!("{}{total}1 fault\n", told("--repair sees to it")), "");
    place.check("fsck --step t", 0, &format!("{total}no fault\n"), "");
    let before = place.read(MANIFEST);
    place.check("fsck --step t --repair", 0, &format!("{total}no fault\n"), "");
    assert_eq!(place.read(MANIFEST), before, "the fault of another step is not its business");
    place.check("fsck --repair", 0, &format!("{}{total}no fault\n", told("repaired")), "");
    assert_eq!(place.run("log").matches("(missing)").count(), 1);
    // It may come back, and counts again.
    place.write(&format!(".handoff/{path}"), &document(1));
    is_repaired(&place, "archive-back");
    assert_eq!(place.run("log").matches("(missing)").count(), 0);
}

#[test]
fn a_rotation_that_was_cut_short_is_finished() {
    let place = place();
    place.write(".handoff/notes/.交接-s.new-3", &document(9));
    edit(&place, |ledger| {
        ledger[0]["intent"] = json!({ "temporary": ".交接-s.new-3", "archive": null });
    });
    let kinds: Vec<_> = found(&place, "fsck", 1).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["interrupted", "remains"]);
    place.run("fsck --repair");
    assert_eq!(place.read(CURRENT), document(9));
}

#[test]
fn a_lock_that_cannot_be_taken_is_told() {
    let place = place();
    let lock = place.path(".handoff/runs/.lock");
    fs_err::remove_file(&lock).unwrap();
    std::os::unix::fs::symlink("nowhere/at/all", lock).unwrap();
    let output = place.tool().args(["fsck"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && told.contains("runs/.lock"), "{told}");
    assert!(output.stdout.is_empty(), "nothing is said of what was not looked at");
}

#[test]
fn remains_go() {
    for path in ["notes/.交接-s.new-7", "notes/archive/交接/.s.md.new", "runs/.manifest.json.new"]
    {
        let place = place();
        place.write(&format!(".handoff/{path}"), "torn");
        is_repaired(&place, "remains");
    }
}

#[test]
fn a_torn_ledger_gives_up_what_can_be_read_and_stays_aside() {
    let place = place();
    place.run("record end --step s --ok");
    place.run("record start --step s");
    let text = place.read(MANIFEST);
    let torn = &text[..text.len() - 20];
    place.write(MANIFEST, torn);
    place.check("--step s 4.md", 65, "", &{
        let output = place.tool().args(["fsck"]).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        let first = told.lines().next().unwrap();
        let fault = first.strip_prefix("'runs/manifest.json': it ").unwrap();
        let fault = fault.strip_suffix("; --repair sees to it").unwrap();
        format!("gen-rotate: '.handoff/runs/manifest.json' {fault}\nit is left as it is; 'gen-rotate fsck --repair' takes what can be read of it\n")
    });
    let before = documents(&place);
    place.run("fsck --repair");
    let aside: Vec<_> =
        place.exact_files().into_iter().filter(|path| path.contains("json.broken-")).collect();
    assert_eq!(place.read(format!(".handoff/{}", aside[0])), torn);
    assert_eq!(place.ledger().as_array().unwrap().len(), 1, "the first of two rows is whole");
    assert_eq!(documents(&place), before);
    place.run("--step s 4.md -- true");
    assert_eq!(found(&place, "fsck", 0), []);
}

/// The archive tells of what the ledger has forgotten.
#[test]
fn a_lost_ledger_finds_the_archived_documents_again() {
    for text in [None, Some(""), Some("{}"), Some("[")] {
        let place = place();
        fs_err::remove_file(place.path(MANIFEST)).unwrap();
        if let Some(text) = text {
            place.write(MANIFEST, text);
        }
        let before = documents(&place);
        assert_eq!(place.tool().args(["fsck"]).output().unwrap().status.code(), Some(1));
        place.run("fsck --repair");
        assert_eq!(place.row()["unattributed"].as_array().unwrap().len(), 2);
        assert!(documents(&place).is_superset(&before));
        place.run("--step s 4.md -- true");
        let notes = found(&place, "fsck", 0);
        assert!(notes.iter().all(|(kind, _)| kind == "copy-unknown"), "{notes:?}");
        assert_eq!(place.run("prune --step s --keep 0").lines().count(), 3);
        assert!(fs_err::read_dir(place.path(".handoff/notes/archive/交接")).unwrap().count() == 0);
    }
}

#[test]
fn lines_of_the_history_that_are_no_rows_go_aside() {
    let place = place();
    let row = json!({ "run": "r", "step": "s", "ended_at": "x" });
    let history = ".handoff/runs/history.jsonl";
    place.write(history, &format!("\0\0\n{row}\ntorn"));
    assert_eq!(found(&place, "fsck", 1).len(), 2);
    place.run("fsck --repair");
    assert_eq!(place.read(history), format!("{row}\n"));
    let files = place.exact_files();
    let aside = files.iter().find(|path| path.contains("jsonl.broken-")).unwrap();
    assert_eq!(place.read(format!(".handoff/{aside}")), "\0\0\ntorn");
}

#[test]
fn files_and_ledger_are_brought_together() {
    type Spoil = fn(&Place);
    let spoilt: [(&str, Spoil); 6] = [
        ("archive-missing", |place| {
            fs_err::remove_file(place.path(".handoff").join(archived(place, 1))).unwrap();
        }),
        ("pruned-there", |place| {
            edit(place, |ledger| ledger[0]["generations"][0]["pruned"] = json!(true));
        }),
        ("archive-unknown", |place| {
            place.write(".handoff/notes/archive/交接/s-20250101T000000Z.md", &document(8));
        }),
        ("archive-shared", |place| {
            let archived = place.path(".handoff").join(archived(place, 1));
            fs_err::remove_file(&archived).unwrap();
            fs_err::hard_link(place.path(CURRENT), archived).unwrap();
        }),
        ("copy-missing", |place| {
            let given = place.last()["given"].as_str().unwrap().to_owned();
            fs_err::remove_file(place.path(".handoff").join(given)).unwrap();
        }),
        ("runs-open", |place| {
            edit(place, |ledger| {
                let mut row = ledger[0].clone();
                (row["run"], row["generations"]) = (json!("older"), json!([]));
                ledger.as_array_mut().unwrap().insert(0, row);
            });
        }),
    ];
    for (kind, spoil) in spoilt {
        let place = place();
        spoil(&place);
        is_repaired(&place, kind);
    }
}

#[test]
fn of_runs_that_go_on_the_newest_does() {
    let place = place();
    edit(&place, |ledger| {
        for run in ["old", "older"] {
            let row = json!({ "run": run, "step": "s" });
            ledger.as_array_mut().unwrap().insert(0, row);
        }
    });
    place.run("fsck --repair");
    let ended = |row: &Value| !row["ended_at"].is_null();
    let ledger = place.ledger();
    assert_eq!(
        ledger.as_array().unwrap().iter().map(ended).collect::<Vec<_>>(),
        [true, true, false]
    );
}

#[test]
fn what_only_a_person_can_answer_is_told() {
    type Spoil = fn(&Place);
    let spoilt: [(&str, Spoil); 9] = [
        ("document-missing", |place| fs_err::remove_file(place.path(CURRENT)).unwrap()),
        ("document-unusable", |place| place.write(CURRENT, "## Doing now\n\nhalf\n")),
        ("document-unusable", |place| {
            fs_err::remove_file(place.path(CURRENT)).unwrap();
            fs_err::create_dir(place.path(CURRENT)).unwrap();
        }),
        ("archive-unusable", |place| {
            let path = place.path(".handoff").join(archived(place, 0));
            fs_err::remove_file(&path).unwrap();
            fs_err::create_dir(path).unwrap();
        }),
        ("archive-unusable", |place| place.write(&format!(".handoff/{}", archived(place, 0)), "")),
        ("archive-twice", |place| {
            let path = archived(place, 0);
            edit(place, |ledger| ledger[0]["unattributed"] = json!([path]));
        }),
        ("archive-elsewhere", |place| {
            edit(place, |ledger| ledger[0]["unattributed"] = json!(["notes/archive/../../1.md"]));
        }),
        ("run-twice", |place| {
            edit(place, |ledger| {
                let row = json!({ "run": ledger[0]["run"], "step": "s", "ended_at": "x" });
                ledger.as_array_mut().unwrap().insert(0, row);
            });
        }),
        ("retired-session", |place| {
            edit(place, |ledger| {
                let id = ledger[0]["session_id"].clone();
                ledger[0]["retired"].as_array_mut().unwrap().push(id);
            });
        }),
    ];
    for (kind, spoil) in spoilt {
        let place = place();
        spoil(&place);
        is_left(&place, kind);
    }
    let place = place();
    fs_err::remove_file(place.path(MANIFEST)).unwrap();
    fs_err::create_dir(place.path(MANIFEST)).unwrap();
    let kinds = found(&place, "fsck --repair", 1);
    assert_eq!(kinds, [("ledger-unreadable".to_owned(), "person".to_owned())]);
}

#[test]
fn what_waits_for_somebody_is_no_fault() {
    let place = place();
    place.run("--step s 4.md");
    assert_eq!(found(&place, "fsck", 0), [("undelivered".to_owned(), "note".to_owned())]);
    place.run("--step s --resume -- true");
    place.write(".handoff/notes/交接-mine.md", &document(5));
    place.write(".handoff/notes/archive/交接/letter.md", "by hand");
    let kinds: Vec<_> = found(&place, "fsck", 0).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["document-unknown", "archive-unknown"]);
    // A document that a person began with is archived and known.
    place.run("--step mine 6.md -- true");
    assert_eq!(found(&place, "fsck --step mine", 0).len(), 1);
}
