//! The ledger stays small, and nothing that left it is forgotten.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod place;

use place::Place;
use serde_json::{Value, json};

const MANIFEST: &str = ".handoff/runs/manifest.json";
const HISTORY: &str = ".handoff/runs/history.jsonl";

/// A ledger of so many ended runs of the step, `run-0` and so on.
fn ended(place: &Place, step: &str, count: usize) -> Vec<Value> {
    let row = |number: usize| {
        json!({
            "run": format!("run-{number}"), "step": step, "retired": [format!("old-{number}")],
            "ended_at": "2026-11-30T20:07:04Z", "note": number,
            "generations": [{ "state": "delivered", "session_id": format!("s-{number}") }],
        })
    };
    let rows: Vec<_> = (0..count).map(row).collect();
    save(place, &rows);
    rows
}

fn save(place: &Place, rows: &[Value]) {
    fs_err::create_dir_all(place.path(".handoff/runs")).unwrap();
    place.write(MANIFEST, &Value::from(rows).to_string());
}

fn runs(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["run"].as_str().unwrap()).collect()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_newest_hundred_runs_of_a_step_stay() {
    let place = Place::new();
    let mut rows = ended(&place, "s", 100);
    rows.insert(50, json!({ "run": "other", "step": "t", "ended_at": "x" }));
    save(&place, &rows);
    let new = place.run("record start --step s");
    let ledger = place.ledger();
    assert_eq!(ledger.as_array().unwrap().len(), 101);
    assert_eq!(ledger[0]["run"], "run-1");
    assert_eq!(runs(&lines(&place.read(HISTORY))), ["run-0"]);
    assert_eq!(lines(&place.read(HISTORY))[0]["note"], 0, "a person's own keys go along");
    let mut wanted: Vec<_> = runs(&rows).into_iter().map(str::to_owned).collect();
    wanted.push(new.trim_end().to_owned());
    assert_eq!(runs(&lines(&place.run("log --json"))), wanted);
    // A rotation and a resume open a run as well.
    place.run("record end --step s --ok");
    place.run("--step s 1.md -- true");
    place.run("record end --step s --ok");
    place.run("--step s --again -- true");
    assert_eq!(runs(&lines(&place.read(HISTORY))), ["run-0", "run-1", "run-2"]);
    assert_eq!(lines(&place.run("log --json --step s")).len(), 103);
    assert!(place.run("log --step s").starts_with("run-0  step s  ended"));
}

#[test]
fn a_ledger_of_an_older_kind_gives_all_its_old_rows_at_once() {
    let place = Place::new();
    ended(&place, "s", 250);
    place.run("record start --step s");
    assert_eq!(place.ledger().as_array().unwrap().len(), 100);
    assert_eq!(lines(&place.read(HISTORY)).len(), 151);
    assert_eq!(lines(&place.run("log --json")).len(), 251);
}

/// What is still to be done, or to be archived, is not history.
#[test]
fn a_row_that_is_still_needed_stays_however_old() {
    for (key, value, what) in [
        ("state", "pending", "its document reached nobody"),
        ("document", "notes/交接-s.md", "its document is the current one"),
    ] {
        let place = Place::new();
        let mut rows = ended(&place, "s", 100);
        rows[0]["generations"][0][key] = json!(value);
        save(&place, &rows);
        place.run("record start --step s");
        let ledger = place.ledger();
        assert_eq!(ledger[0]["run"], "run-0", "{what}");
        assert_eq!(ledger.as_array().unwrap().len(), 101, "{what}");
    }
}

#[test]
fn a_session_that_retired_long_ago_is_not_started_again() {
    let place = Place::new();
    ended(&place, "s", 120);
    place.run("record start --step s");
    let stderr = "gen-rotate: session 'old-3' is retired\n\
                  'gen-rotate session' prints the one that goes on\n";
    place.check("record start --step s --session old-3", 65, "", stderr);
    place.run("record start --step t --session old-3");
    place.run("record start --step s --session old");
}

#[test]
fn a_history_behind_a_link_is_not_cut_off() {
    let place = Place::new();
    ended(&place, "s", 101);
    place.write("history", "");
    fs_err::os::unix::fs::symlink(place.path("history"), place.path(HISTORY)).unwrap();
    let before = place.ledger();
    let stderr = "gen-rotate: '.handoff/runs/history.jsonl' is a symbolic link\n\
                  a ledger is replaced whole: link its folder instead\n";
    place.check("record start --step s", 65, "", stderr);
    assert_eq!(place.ledger(), before);
    assert_eq!(place.read("history"), "");
}

#[test]
fn what_is_no_row_is_passed_over() {
    let place = Place::new();
    ended(&place, "s", 101);
    place.run("record start --step s");
    let history = place.read(HISTORY);
    let torn = format!("{{\"run\":\n{history}{{\"torn");
    place.write(HISTORY, &torn);
    let passed_over = |line| {
        format!("gen-rotate: '.handoff/runs/history.jsonl', line {line}: no row, passed over\n")
    };
    let output = place.tool().args(["log", "--json"]).output().unwrap();
    assert_eq!(lines(&String::from_utf8(output.stdout).unwrap()).len(), 102);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), passed_over(1) + &passed_over(4));
    place.run("record start --step s");
    let history = place.read(HISTORY);
    assert!(history.starts_with(&format!("{torn}\n")), "nothing of it is lost");
    fs_err::remove_file(place.path(HISTORY)).unwrap();
    fs_err::create_dir(place.path(HISTORY)).unwrap();
    let ledger = place.read(MANIFEST);
    place.check(
        "record start --step s",
        73,
        "",
        "gen-rotate: cannot write '.handoff/runs/history.jsonl': is a directory\n",
    );
    assert_eq!(place.read(MANIFEST), ledger);
}
