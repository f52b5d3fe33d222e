//! Archived documents stay until a person says that they may go.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod place;

use place::{Place, document};
use serde_json::{Value, json};

/// Three archived documents of the step `s`, one of `t`, all with copies.
fn place() -> Place {
    let place = Place::new();
    for number in 1..=4 {
        place.run(&format!("--step s --raw {number}.md -- true"));
    }
    place.run("--step t 5.md -- true");
    place.run("--step t 6.md -- true");
    place
}

/// What a call told of, without the HOME.
fn told(text: &str) -> Vec<String> {
    text.lines().map(|path| path.strip_prefix(".handoff/").unwrap().to_owned()).collect()
}

#[test]
fn the_newest_stay_and_the_rest_goes_with_its_copies() {
    let place = place();
    let before = place.exact_files();
    let would = place.run("prune --step s --keep 1 --dry-run");
    assert_eq!(place.exact_files(), before, "a dry run removes nothing");
    let gone = place.run("prune --step s --keep 1");
    assert_eq!(would, gone);
    let gone = told(&gone);
    assert_eq!(gone.len(), 4, "{gone:?}");
    let mut left = before;
    left.retain(|path| !gone.contains(path));
    assert_eq!(place.exact_files(), left);
    let archived: Vec<_> = left.iter().filter(|path| path.contains("archive/交接/s-")).collect();
    assert_eq!(place.read(format!(".handoff/{}", archived[0])), document(3));
    assert_eq!(archived.len(), 1);
    assert_eq!(place.ledger()[0]["generations"][0]["pruned"], true);
    assert_eq!(place.run("log --step s").matches(" (pruned)").count(), 2);
    assert_eq!(place.run("prune --step s --keep 1"), "", "once is enough");
    // The run goes on as if nothing had been.
    place.run("--step s 7.md -- true");
    assert_eq!(place.run("prune --keep 9"), "");
    // Of both steps all that is archived, and the folder of the run of nobody.
    assert_eq!(told(&place.run("prune --keep 0")).len(), 6);
    let current = ["notes/交接-s.md", "notes/交接-t.md", "runs/RUN/s.5.md", "runs/RUN/t.2.md"];
    assert_eq!(place.files(), [&current[..], &["runs/manifest.json"]].concat());
}

#[test]
fn what_is_left_of_a_cut_short_call_goes_with_the_next() {
    let place = place();
    let mut ledger = place.ledger();
    ledger[0]["generations"][0]["pruned"] = json!(true);
    place.write(".handoff/runs/manifest.json", &ledger.to_string());
    assert_eq!(told(&place.run("prune --step s --keep 2")).len(), 2);
    assert_eq!(place.run("prune --step s --keep 2"), "");
}

#[test]
fn rows_of_the_history_are_marked_too_and_other_lines_stay() {
    let place = place();
    place.run("record end --step s --ok");
    let row = place.ledger()[0].clone();
    let mut rows: Vec<Value> = place.ledger().as_array().unwrap()[1..].to_vec();
    // The current document is another run's.
    rows.push(json!({ "run": "r", "step": "s", "ended_at": "x",
        "generations": [{ "document": "notes/交接-s.md", "degraded": false }, {}] }));
    place.write(".handoff/runs/manifest.json", &Value::from(rows).to_string());
    place.write(".handoff/runs/history.jsonl", &format!("no row\n{row}\nnor this"));
    assert_eq!(told(&place.run("prune --step s --keep 0")).len(), 6);
    let history = place.read(".handoff/runs/history.jsonl");
    let lines: Vec<_> = history.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[2]), (3, "no row", "nor this"));
    assert_eq!(lines[1].matches("\"pruned\":true").count(), 3);
}

#[test]
fn the_copy_of_a_successor_that_runs_stays() {
    let place = Place::new();
    let tool = env!("CARGO_BIN_EXE_gen-rotate");
    let calls = format!("{tool} --step s 2.md && {tool} prune --step s --keep 0 >gone");
    place.program("agent", &format!(r#"{calls} && cat "$1""#));
    let given = place.run("--step s 1.md -- agent {file}");
    assert!(given.contains("\ndocument 1\n"), "{given}");
    assert_eq!(told(&place.read("gone")).len(), 1, "the archived document alone");
}

/// The ledger may be edited by a person, and by whoever may write to HOME.
#[test]
fn no_path_leads_out_of_the_archive() {
    let place = place();
    let mut ledger = place.ledger();
    for (number, path) in ["../1.md", "notes/交接-s.md"].into_iter().enumerate() {
        ledger[0]["generations"][number]["archive"] = json!(path);
        ledger[0]["generations"][number + 1]["given"] = json!(path);
    }
    place.write(".handoff/runs/manifest.json", &ledger.to_string());
    place.run("prune --step s --keep 0");
    assert_eq!(place.read("1.md"), document(1));
    assert_eq!(place.read(".handoff/notes/交接-s.md"), document(4));
}

#[test]
fn calls_that_make_no_sense_are_told() {
    let place = Place::new();
    assert_eq!(place.run("prune --keep 3"), "");
    assert!(place.files().is_empty(), "nothing is made for that");
    for words in ["prune", "prune --keep x", "prune --keep -1", "prune --keep 1 a"] {
        let output = place.tool().args(words.split(' ')).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}");
    }
    let place = self::place();
    let paths = place.run("prune --keep 0 -0 -n");
    assert_eq!(paths.matches('\0').count(), 8);
    assert!(!paths.contains('\n'));
}
