//! `agent-run --outcome`.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::place::{Place, files, fixtures, wait_for};
use crate::schema::Schema;

/// Where a run ends, whatever it comes to.
const ENDS: [i32; 6] = [0, 1, 75, 77, 124, 143];

fn outcome(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let common = ["--outcome", "outcome", "-q", "start"];
    place.tool("agent-run", common.iter().chain(arguments)).input("do it").ends(&ENDS);
    place.lines_of("outcome")
}

/// Runs that the real CLI recorded, and runs of the scripted one.
pub(crate) static PRINTED: LazyLock<Vec<Value>> = LazyLock::new(print);

fn print() -> Vec<Value> {
    let mut printed = Vec::new();
    for result in files(&fixtures().join("claude-code/results"), ".json") {
        let name = result.to_string_lossy().into_owned();
        let code = name.strip_suffix(".json").and_then(|name| name.rsplit_once(".rc")).unwrap().1;
        let script = format!("cat >/dev/null; cat '{name}'; exit {code}");
        printed.extend(outcome(&Place::with_claude(&script), &[]));
    }
    for script in [
        "exit 0",
        "echo text",
        "exit 3",
        "kill -9 $$",
        "echo try again in 5 s; exit 1",
        "echo 'input length and `max_tokens` exceed context limit: 5000 + 198000 > 200000'; exit 1",
    ] {
        printed.extend(outcome(&Place::with_claude(&format!("cat >/dev/null; {script}")), &[]));
    }
    let bash = |command| json!([{ "name": "Bash", "input": { "command": command } }]);
    let working = json!({ "text": "x", "context": 160_000, "tools": bash("true") });
    let waiting = json!({ "text": "x", "context": 40_000,
        "tools": bash("touch reached; exec sleep 60") });
    let demo = ["--agent", "demo", "--window", "200000"];
    let playing =
        |step: &Value| Place::playing(&json!({ "sessions": [{ "steps": [step, working] }] }));
    for (step, options) in [
        (&working, ["--stop-at", "due"]),
        (&working, ["--text", "answer"]),
        (&json!({ "error": "prompt_too_long" }), ["--text", "answer"]),
        (&json!({ "silent": true }), ["--timeout", "0.5"]),
    ] {
        printed.extend(outcome(&playing(step), &[&demo[..], &options].concat()));
    }
    printed.push(interrupted(&playing(&waiting)));
    printed
}

fn interrupted(place: &Place) -> Value {
    let call = ["--outcome", "outcome", "--agent", "demo", "start"];
    let run = place.tool("agent-run", call).input("x").start();
    wait_for(&place.path("reached"));
    run.interrupt();
    run.ends(&[143]);
    place.lines_of("outcome").remove(0)
}

#[test]
fn every_line_is_as_described() {
    let schema = Schema::named("agent-run-outcome");
    let printed = &*PRINTED;
    printed.iter().for_each(|line| schema.check(line));
    schema.was_exhausted("verdict", printed);
    for field in ["near", "reservation"] {
        let seen = |value| printed.iter().any(|line| line[field] == value);
        assert!(seen(true) && seen(false), "{field} is always the same");
    }
    for (field, value) in printed[0].as_object().unwrap() {
        let known = printed.iter().any(|line| !line[field].is_null());
        assert!(known, "{field} is always {value}");
    }
}
