//! The ledger and its log where a person works with gen-rotate by hand.

use serde_json::{Value, json};

use crate::chain::LEFT;
use crate::document::WHOLE;
use crate::place::Place;
use crate::schema::Schema;

const MANIFEST: &str = ".handoff/runs/manifest.json";

struct Hand(Place);

impl Hand {
    /// gen-rotate on the step, with a document where it takes one.
    fn rotate(&self, arguments: &str, code: i32) -> Vec<Value> {
        let arguments = ["--step", "s"].into_iter().chain(arguments.split_whitespace());
        self.0.tool("gen-rotate", arguments).input(WHOLE).ends(&[code]);
        let ledger: Value =
            serde_json::from_slice(&fs_err::read(self.0.path(MANIFEST)).unwrap()).unwrap();
        vec![ledger]
    }

    fn log(&self) -> Vec<Value> {
        self.0.tool("gen-rotate", ["log", "--json"]).prints(&[0])
    }
}

#[test]
fn every_state_of_a_generation_is_as_described() {
    let [ledger, log, event] = ["gen-rotate-ledger", "gen-rotate-log", "event"].map(Schema::named);
    let hand = Hand(Place::new());
    let mut ledgers = Vec::new();
    for (call, code) in [
        ("record start", 0),
        ("record generation --first-context 9 --at 150000 --window 200000", 0),
        ("--retired a --context 150000 --cost 0.5 --turns 3", 0),
        ("--retired b", 0),
        ("--events events --resume -- sh -c true {session}", 0),
        ("--events events --again -- sh -c exit(", 2),
        ("--events events --again -- cat", 0),
        ("--again --start-timeout 0.3 -- sleep 60", 124),
        ("record attempt --why network", 0),
        ("record end --error failed", 0),
        ("record start --session c", 0),
        ("record start", 0),
        ("record end", 0),
    ] {
        ledgers.extend(hand.rotate(call, code));
        hand.log().iter().for_each(|row| log.check(row));
    }
    ledgers.iter().for_each(|value| ledger.check(value));
    hand.0.lines_of("events").iter().for_each(|value| event.check(value));
    ledgers.extend(LEFT.ledgers.iter().cloned());
    for field in ["state", "session_source"] {
        ledger.was_exhausted(field, &ledgers);
    }
    let signal = |row: &Value| row["generations"].to_string().contains("\"signal\":");
    assert!(hand.log().iter().any(signal), "no successor was ended by a signal");
}

/// A rotation that was cut short, and a person's own fields.
#[test]
fn what_stands_in_the_ledger_is_logged_as_described() {
    let hand = Hand(Place::new());
    let mut rows = hand.rotate("--retired a", 0).remove(0);
    rows[0]["intent"] = json!({ "temporary": ".交接-s.new-1", "archive": null });
    hand.0.write(MANIFEST, &rows.to_string());
    let [ledger, log] = ["gen-rotate-ledger", "gen-rotate-log"].map(Schema::named);
    ledger.check(&rows);
    let logged = hand.log();
    log.check(&logged[0]);
    assert_eq!(logged[0]["intent"], rows[0]["intent"]);

    rows[0]["note"] = json!([1]);
    rows[0]["v"] = json!("mine");
    hand.0.write(MANIFEST, &rows.to_string());
    let logged = hand.log();
    assert!(ledger.accepts(&rows) && log.accepts(&logged[0]), "{logged:#?}");
    assert_eq!((&logged[0]["v"], &logged[0]["note"]), (&json!(1), &json!([1])));
}

/// One finding of each standing.
#[test]
fn what_does_not_agree_is_told_as_described() {
    let hand = Hand(Place::new());
    let findings = Schema::named("gen-rotate-fsck");
    hand.rotate("--retired a", 0);
    hand.rotate("--retired b", 0);
    hand.0.write(".handoff/notes/archive/交接/s-20261130T200704Z.md", WHOLE);
    hand.0.write(".handoff/notes/交接-s.md", "half");
    let mut all = Vec::new();
    for arguments in [&["fsck", "--json"][..], &["fsck", "--json", "--repair"]] {
        all.extend(hand.0.tool("gen-rotate", arguments).prints(&[1]));
    }
    all.iter().for_each(|finding| findings.check(finding));
    findings.was_exhausted("state", &all);
    let [ledger, log] = ["gen-rotate-ledger", "gen-rotate-log"].map(Schema::named);
    let rows: Value =
        serde_json::from_slice(&fs_err::read(hand.0.path(MANIFEST)).unwrap()).unwrap();
    ledger.check(&rows);
    assert_eq!(rows[0]["unattributed"].as_array().map(Vec::len), Some(1));
    hand.log().iter().for_each(|row| log.check(row));
}
