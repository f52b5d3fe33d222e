//! What is recorded without a rotation, and what the ledger then answers.

mod place;

use gen_rotate::Ledger;
use place::Place;
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn a_run_is_recorded_from_start_to_end() {
    let place = Place::new();
    let run = place.run("record start --step s --session A --window 200000");
    assert_eq!(place.row()["run"], run.trim_end());
    place.run("record attempt --step s --why overloaded");
    place.run("record generation --step s --session A --context 100 --cost 0.5 --turns 2");
    place.run("record generation --step s --session A --context 120 --cost 0.25 --turns 1 --add");
    let row = place.row();
    assert_eq!(
        json!([row["attempts"], row["errors"], row["context"], row["cost_usd"], row["num_turns"]]),
        json!([2, ["overloaded"], 120, 0.75, 3])
    );
    place.run("record generation --step s --session A --cost 0.1 --turns 7 --why slow");
    assert_eq!(json!([place.row()["cost_usd"], place.row()["num_turns"]]), json!([0.1, 7]));
    assert_eq!(place.last()["why"], "slow");
    assert_eq!(place.row()["ended_at"], Value::Null);
    place.run("record end --step s --ok --session A");
    let row = place.row();
    assert_eq!(json!([row["ok"], row["session_id"], row["retired"]]), json!([true, "A", []]));
    assert!(row["ended_at"].is_string());
}

#[test]
fn ends_say_what_is_known() {
    for (words, ok, errors) in [
        ("--ok", json!(true), json!([])),
        ("--failed", json!(false), json!([])),
        ("", json!(null), json!([])),
        ("--error broken", json!(false), json!(["broken"])),
        ("--failed --error broken", json!(false), json!(["broken"])),
    ] {
        let place = Place::new();
        place.run("record start --step s");
        place.check(&format!("record end --step s {words}"), 0, "", "");
        assert_eq!((&place.row()["ok"], &place.row()["errors"]), (&ok, &errors), "{words}");
    }
}

#[test]
fn a_record_needs_a_run_that_goes_on() {
    let place = Place::new();
    let stderr =
        "gen-rotate: step 's' has no run that goes on\n'gen-rotate record start' opens one\n";
    for words in
        ["record attempt --step s", "record end --step s --ok", "record generation --step s"]
    {
        place.check(words, 65, "", stderr);
    }
    assert!(place.files().is_empty());
    place.run("record start --step s");
    place.run("record end --step s --ok");
    place.check("record attempt --step s", 65, "", stderr);
    place.check("record end --step s", 65, "", stderr);
    // Figures may come late.
    place.run("record generation --step s --cost 1");
    assert_eq!(place.row()["cost_usd"], 1.0);
}

#[test]
fn the_id_that_a_successor_chose_itself_is_learned() {
    let place = Place::new();
    place.run("--step s --retired A 1.md -- true");
    let made = place.last()["session_id"].clone();
    place.check("session --step s", 1, "", "");
    place.run("record generation --step s --session B --context 5");
    assert_eq!(place.each("session_id"), ["A", "B"]);
    assert_eq!(place.row()["session_id"], "B");
    assert_ne!(made, "B");
    place.check("session --step s", 0, "B\n", "");
}

/// Some CLIs choose the id themselves, whatever they are given.
#[test]
fn an_id_that_was_only_given_gives_way_to_the_real_one() {
    let place = Place::new();
    place.run("record start --step s --session made --given");
    place.run("record generation --step s --session real --context 5");
    assert_eq!(place.each("session_id"), ["real"]);
    assert_eq!(place.each("session_source"), ["reported"]);
    place.run("record start --step s --session told");
    place.run("record generation --step s --session other --context 5");
    assert_eq!(place.each("session_id"), ["told", "other"]);
    let output = place.tool().args(["record", "start", "--step", "s", "--given"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_successor_that_a_person_started_is_no_longer_pending() {
    let place = Place::new();
    place.run("--step s --retired A 1.md");
    place.run("record generation --step s --session B --context 5");
    assert_eq!(place.each("session_id"), ["A", "B"]);
    assert_eq!(place.each("state"), ["delivered", "delivered"]);
    place.check("session --step s", 0, "B\n", "");
}

#[test]
fn a_run_goes_on_until_its_end_is_recorded() {
    let place = Place::new();
    place.run("--step s 1.md -- true");
    place.run("--step s 2.md -- true");
    assert_eq!(place.ledger().as_array().unwrap().len(), 1);
    place.run("record end --step s --ok");
    place.run("--step s 3.md -- true");
    assert_eq!(place.ledger().as_array().unwrap().len(), 2);
    // The document of the first run was archived by the second.
    let archive = place.ledger()[0]["generations"][1]["archive"].as_str().unwrap().to_owned();
    assert_eq!(place.read(format!(".handoff/{archive}")), place::document(2));
    place.run("record start --step s");
    let rows = place.ledger();
    assert_eq!(rows[1]["errors"], json!(["ended without a record"]));
    assert!(rows[1]["ended_at"].is_string());
    assert_eq!(rows[2]["ended_at"], Value::Null);
}

#[test]
fn the_next_wake_joins_the_last_successor_and_no_other() {
    let place = Place::new();
    place.check("session --step s", 1, "", "");
    assert!(place.files().is_empty());
    place.run("record start --step s --session A");
    place.check("session --step s", 0, "A\n", "");
    place.run("--step s 1.md");
    // Its document waits: that is for --resume.
    place.check("session --step s", 1, "", "");
    place.run("--step s --resume -- true {session}");
    let successor = place.row()["session_id"].as_str().unwrap().to_owned();
    assert_ne!(successor, "A");
    place.check("session --step s", 0, &format!("{successor}\n"), "");
    place.run("record end --step s --ok");
    place.check("session --step s", 0, &format!("{successor}\n"), "");
    place.check("session --step other", 1, "", "");
    place.check(
        "record start --step s --session A",
        65,
        "",
        "gen-rotate: session 'A' is retired\n'gen-rotate session' prints the one that goes on\n",
    );
    place.run(&format!("record start --step s --session {successor}"));
}

#[test]
fn the_next_wake_learns_how_far_the_work_has_come() {
    let place = Place::new();
    place.check("state --step s", 0, "none\n", "");
    assert!(place.files().is_empty());
    for (words, codes, state) in [
        ("record start --step s --session A", 0, "unfinished"),
        ("--step s 1.md", 0, "pending"),
        ("record end --step s --failed", 0, "pending"),
        ("--step s --resume -- false", 1, "pending"),
        ("--step s --resume -- true", 0, "unfinished"),
        ("record end --step s --ok", 0, "finished"),
        ("record start --step s", 0, "unfinished"),
    ] {
        let output = place.tool().args(words.split(' ')).output().unwrap();
        assert_eq!(output.status.code(), Some(codes), "{words}: {output:?}");
        place.check("state --step s", 0, &format!("{state}\n"), "");
    }
    place.check("state --step other", 0, "none\n", "");
}

#[test]
fn a_session_retires_once() {
    let place = Place::new();
    place.run("--step s --retired A 1.md -- true");
    place.check(
        "--step s --retired A 2.md -- true",
        65,
        "",
        "gen-rotate: session 'A' is retired already\nits successor goes on; see 'gen-rotate log'\n",
    );
    assert_eq!(place.read(".handoff/notes/交接-s.md"), place::document(1));
    // Unless nobody took over yet: then its newer document counts.
    place.run("--step s --retired B 2.md");
    place.run("--step s --retired B 3.md -- true");
    assert_eq!(place.row()["retired"], json!(["A", "B"]));
    assert_eq!(place.each("state"), ["delivered", "delivered", "superseded", "delivered"]);
}

#[test]
fn a_successor_is_no_session_that_an_earlier_run_retired() {
    let place = Place::new();
    place.run("--step s --retired A-1 1.md -- true");
    place.run("record end --step s --ok");
    place.run("record start --step s --session B-1");
    let stderr = "gen-rotate: the successor would be session 'A-1', which is retired\n\
                  a successor is a fresh session: {session} is its id\n";
    let words = "--step s --retired B-1 2.md -- echo --resume A-1";
    place.check(words, 2, "", stderr);
    // Of another step it is another session.
    place.run("--step t --retired B-1 2.md -- echo --resume A-1");
}

#[test]
fn a_person_may_write_null_for_what_is_not_known() {
    let place = Place::new();
    place.run("--step s --retired A 1.md -- true");
    let mut ledger = place.ledger();
    for key in ["attempts", "errors", "unattributed"] {
        ledger[0][key] = json!(null);
    }
    for key in ["pruned", "missing"] {
        ledger[0]["generations"][0][key] = json!(null);
    }
    place.write(".handoff/runs/manifest.json", &ledger.to_string());
    place.run("fsck");
    place.run("--step s 2.md -- true");
    assert_eq!(place.row()["retired"][0], "A");
}

#[test]
fn an_intent_that_is_not_of_its_step_is_refused() {
    for (temporary, archive) in [
        (".交接-t.new-1", json!(null)),
        ("交接-s.md", json!(null)),
        (".交接-s.new-x", json!(null)),
        (".交接-s.new-1", json!("t-20260101T000000Z.md")),
    ] {
        let place = Place::new();
        place.run("--step s 1.md");
        let mut ledger = place.ledger();
        ledger[0]["intent"] = json!({ "temporary": temporary, "archive": archive });
        place.write(".handoff/runs/manifest.json", &ledger.to_string());
        let output = place.tool().args(["--step", "s", "2.md"]).output().unwrap();
        assert_eq!(output.status.code(), Some(65), "{temporary}: {output:?}");
        assert_eq!(place.read(".handoff/notes/交接-s.md"), place::document(1));
    }
}

#[test]
fn a_successor_is_never_a_retired_session() {
    let place = Place::new();
    let stderr = "gen-rotate: the successor would be session 'A-1', which is retired\n\
                  a successor is a fresh session: {session} is its id\n";
    place.check("--step s --retired A-1 1.md -- echo --resume A-1", 2, "", stderr);
    assert!(place.files().is_empty());
    place.run("--step s --retired A-1 1.md");
    place.check("--step s --resume -- echo --resume=A-1", 2, "", stderr);
    place.run("--step s --resume -- echo BA-1");
    place.check("--step s --again -- echo A-1", 2, "", stderr);
}

fn breaker(message: &str, hint: &str) -> String {
    format!("gen-rotate: {message}\n{hint}\n")
}

#[test]
fn exactly_so_many_sessions_may_retire() {
    let place = Place::new();
    place.check("check --step s", 0, "", "");
    place.run("--step s --max-generations 2 1.md -- true");
    place.check("check --step s --max-generations 2", 0, "", "");
    place.run("--step s --max-generations 2 --window 90000 2.md -- true");
    let message = |retired| {
        format!(
            "{retired} sessions of this run are retired, and the limit is 2: most likely the \
             handoff line lies below this role's startup floor (the window is 90000)"
        )
    };
    let hint = "raise --window, or --no-handoff; --max-generations allows more";
    place.check("check --step s --max-generations 2", 3, "", &breaker(&message(2), hint));
    place.check("check --step s --max-generations 3", 0, "", "");
    // A document that is written already is not lost.
    let pending = format!("{hint}; the document is published and pending");
    place.check(
        "--step s --max-generations 2 3.md -- true",
        3,
        "",
        &breaker(&message(3), &pending),
    );
    assert_eq!(place.read(".handoff/notes/交接-s.md"), place::document(3));
    assert_eq!(place.last()["state"], "pending");
    place.check(
        "--step s --max-generations 2 --resume -- true",
        3,
        "",
        &breaker(&message(3), &pending),
    );
    let prompt = place.run("--step s --max-generations 3 --resume -- cat");
    assert!(prompt.contains("document 3"));
    // A new wake is a new run.
    place.run("record end --step s --failed");
    place.check("check --step s --max-generations 1", 0, "", "");
    place.run("record start --step s");
    place.check("check --step s --max-generations 1", 0, "", "");
}

#[test]
fn two_degraded_documents_in_a_row_stop_the_run() {
    let place = Place::new();
    place.run("--step s degraded.md -- true");
    place.check("check --step s", 0, "", "");
    let message = "two documents in a row are degraded: there is no room left to write one";
    let pending = "lower --window or raise --headroom, or --no-handoff; the document is published and pending";
    place.check("--step s degraded.md -- true", 3, "", &breaker(message, pending));
    assert_eq!(place.each("state"), ["delivered", "delivered", "pending"]);
    let hint = "lower --window or raise --headroom, or --no-handoff";
    place.check("check --step s", 3, "", &breaker(message, hint));
    // A person writes what the session could not.
    place.write(".handoff/notes/交接-s.md", &place::document(5));
    assert!(place.run("--step s --resume -- cat").contains("document 5"));
}

#[test]
fn a_successor_that_starts_at_the_line_stops_the_run() {
    let place = Place::new();
    place.run("record start --step s --session A");
    // The first session's own start tells nothing: it is no successor.
    place.run("record generation --step s --first-context 34000 --at 30000");
    place.check("check --step s", 0, "", "");
    place.run("--step s 1.md -- true");
    place.run("record generation --step s --first-context 34000 --at 30000 --window 80000");
    let message = "the first answer of generation 1 already saw 34000 tokens, with the handoff line \
                   at 30000: the line lies below this role's startup floor (the window is 80000)";
    place.check("check --step s", 3, "", &breaker(message, "raise --window, or --no-handoff"));
    place.check("check --step s --at 40000", 0, "", "");
    place.check("check --step s --window 200000", 0, "", "");
    let pending = "raise --window, or --no-handoff; the document is published and pending";
    place.check("--step s 2.md -- true", 3, "", &breaker(message, pending));
    place.run("--step s --resume --window 200000 -- true");
    // What the ledger does not know yet may be told to the check itself.
    place.check("check --step s", 0, "", "");
    let message = "the first answer of generation 2 already saw 160000 tokens, with the handoff line \
                   at 150000: the line lies below this role's startup floor (the window is 200000)";
    place.check(
        "check --step s --first-context 160000 --window 200000",
        3,
        "",
        &breaker(message, "raise --window, or --no-handoff"),
    );
}

#[test]
fn events_are_lines_of_json() {
    let place = Place::new();
    let near = "event near --step s --context 131000 --window 200000 --events e";
    let writing = "event writing --step s --context 152000 --window 200000 --events e";
    let done =
        "--step s --retired A --context 152000 --window 200000 --events e 1.md -- true {session}";
    for words in [near, near, writing, done, near] {
        place.check(words, 0, "", "");
    }
    let events = place.read("e");
    let events: Vec<Value> =
        events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let near = json!({
        "v": 1, "phase": "near", "step": "s", "context": 131000, "window": 200000, "at": 150000,
    });
    assert_eq!(
        events,
        [
            near.clone(),
            json!({
                "v": 1, "phase": "writing", "step": "s", "context": 152000, "window": 200000,
            }),
            json!({
                "v": 1, "phase": "done", "step": "s", "context": 152000, "window": 200000,
                "degraded": false, "path": ".handoff/notes/交接-s.md",
                "sections": {
                    "doing": "document 1", "decided": "", "deadends": "", "next": "go on 1",
                    "scene": "",
                },
                "session_id": place.row()["session_id"], "generation": 1,
            }),
            near,
        ]
    );
    place.check(
        "event near --step t --context 5 --window 100000 --at 10 --events -",
        0,
        "{\"v\":1,\"phase\":\"near\",\"step\":\"t\",\"context\":5,\"window\":100000,\"at\":10}\n",
        "",
    );
    let done = place.run("--step s --no-document --events - 2.md -- true");
    assert!(done.contains("\"path\":null") && done.contains("\"generation\":2"), "{done}");
}

#[test]
fn the_log_shows_runs_and_generations() {
    let place = Place::new();
    place.check(
        "log",
        66,
        "",
        "gen-rotate: cannot read '.handoff/runs/manifest.json': no such file or directory\n",
    );
    place.run("record start --step s --session A");
    place
        .run("--step s --context 152000 --window 200000 --cost 1.5 --turns 12 --why x degraded.md");
    place.check_words(&["--step", "a\u{1b}[2J\nb", "1.md", "--", "true"], 0, "", "");
    let log = place.run("log --step s");
    let lines: Vec<_> = log.lines().collect();
    assert!(
        lines[0].contains("step s  running  attempts 1  retired 1  cost $1.50  turns 12"),
        "{log}"
    );
    assert_eq!(lines[2], "  0  A  delivered  152000/200000  $1.50  turns 12");
    assert_eq!(lines[3..5], ["     degraded notes/交接-s.md", "     x"]);
    assert!(lines[5].ends_with("  pending  -/-  -  turns -"), "{log}");
    assert_eq!(lines[6], "  ! 交接降级(x)");
    assert!(!place.run("log").contains(['\u{1b}', '\r']));
    let row: Value = serde_json::from_str(&place.run("log --json --step s")).unwrap();
    assert_eq!((&row["v"], &row["step"]), (&json!(1), &json!("s")));
    place.check("log --step none", 1, "", "");
}

proptest! {
    /// The ledger is written whole each time: a number that changed a little whenever
    /// it was read would wander off.
    #[test]
    fn numbers_are_written_as_they_were_read(
        number in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL,
        digits in 0..30usize,
    ) {
        for number in [format!("{number:e}"), format!("{number:.digits$e}")] {
            let number = number.parse::<f64>().unwrap();
            prop_assume!(number.is_finite());
            let text = json!([{"run": "r", "step": "s", "cost_usd": number, "mine": [number]}]);
            let rows = Ledger::parse(text.to_string().as_bytes()).unwrap();
            prop_assert_eq!(rows[0].cost_usd.map(f64::to_bits), Some(number.to_bits()));
            let again = serde_json::to_string(&rows).unwrap();
            let again = Ledger::parse(again.as_bytes()).unwrap();
            prop_assert_eq!(&again[0].other["mine"], &json!([number]));
        }
    }
}
