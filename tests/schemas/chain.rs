//! Ledgers and events of handoff-loop on the scripted agent.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::place::{Place, wait_for};
use crate::schema::Schema;

/// What a run of the loop leaves.
#[derive(Default)]
pub(crate) struct Left {
    pub(crate) ledgers: Vec<Value>,
    pub(crate) logs: Vec<Value>,
    pub(crate) events: Vec<Value>,
}

impl Left {
    fn add(&mut self, place: &Place) {
        let ledger = fs_err::read(place.path(".handoff/runs/manifest.json")).unwrap();
        self.ledgers.push(serde_json::from_slice(&ledger).unwrap());
        self.logs.extend(place.tool("gen-rotate", ["log", "--json"]).prints(&[0]));
        self.events.extend(place.lines_of("events"));
    }
}

/// Of all runs below.
pub(crate) static LEFT: LazyLock<Left> = LazyLock::new(left);

fn left() -> Left {
    let tool = |context: u64, command: &str| {
        let tool = json!({ "name": "Bash", "input": { "command": command } });
        json!({ "text": "Working.", "context": context, "tools": [tool] })
    };
    let crossing = json!({ "steps": [tool(40_000, "true"), tool(160_000, "true")] });
    let error = |kind: &str| json!({ "steps": [tool(40_000, "true"), { "error": kind }] });
    let full = error("prompt_too_long");
    let waiting = "touch reached; exec sleep 60";
    let mut left = Left::default();
    for (sessions, options, code) in [
        (json!([crossing, crossing]), &[][..], 0),
        (json!([crossing, full]), &["--no-document"], 0),
        (json!([full, full]), &[], 3),
        (json!([error("overloaded")]), &["--max-attempts", "2"], 0),
        (json!([error("authentication")]), &[], 77),
        (json!([crossing]), &["--max-generations", "0"], 3),
    ] {
        let place = Place::playing(&json!({ "sessions": sessions }));
        let common = ["--window", "200000", "--events", "events"];
        place.handoff_loop(&[&common, options, &["the task"]].concat()).ends(&[code]);
        left.add(&place);
    }
    let successor = json!({ "steps": [tool(40_000, waiting)] });
    let place = Place::playing(&json!({ "sessions": [crossing, successor] }));
    let call = ["--window", "200000", "--events", "events", "the task"];
    let run = place.handoff_loop(&call).start();
    wait_for(&place.path("reached"));
    // While the successor runs, and after it was interrupted.
    left.add(&place);
    run.interrupt();
    run.ends(&[143]);
    left.add(&place);
    left
}

#[test]
fn every_ledger_and_every_event_is_as_described() {
    let [ledger, log, event] = ["gen-rotate-ledger", "gen-rotate-log", "event"].map(Schema::named);
    LEFT.ledgers.iter().for_each(|value| ledger.check(value));
    LEFT.logs.iter().for_each(|value| log.check(value));
    LEFT.events.iter().for_each(|value| event.check(value));
    for phase in ["near", "writing", "done"] {
        assert!(LEFT.events.iter().any(|event| event["phase"] == phase), "no event {phase}");
    }
    for ended in [json!(true), json!(false), json!(null)] {
        assert!(LEFT.logs.iter().any(|row| row["ok"] == ended), "no run ended with {ended}");
    }
    assert!(LEFT.events.iter().any(|event| event["degraded"] == true && event["path"].is_null()));
}
