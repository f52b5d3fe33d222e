//! agent-run with a program that plays Qwen Code: it tells what its answers saw before
//! their tools run, and writes its transcript a little later.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod player;

use player::Place;
use serde_json::Value;

/// What the script of a player may say: a session that has begun, an answer of so many
/// tokens that uses a tool, a tool that has ended, both in the transcript, the end.
const WORDS: &str = r#"
chat="$HOME/.qwen/projects/p/chats/made.jsonl" last=null
note() { # type, the rest of the record
    echo "{\"uuid\":\"$1$2\",\"parentUuid\":$last,\"sessionId\":\"made\",\"cwd\":\"$PWD\",\"type\":\"$1\",$3}" >>"$chat"
    last="\"$1$2\""
}
begin() {
    mkdir -p "${chat%/*}"
    note user 0 '"message":{"role":"user","parts":[{"text":"do it"}]}'
    echo '{"type":"system","subtype":"init","session_id":"made","model":"m"}'
}
uses() { echo "{\"type\":\"assistant\",\"parent_tool_use_id\":null,\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"$1\",\"name\":\"t\",\"input\":{}}],\"usage\":{\"input_tokens\":$2}}}"; }
ended() { echo "{\"type\":\"user\",\"parent_tool_use_id\":null,\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"$1\"}]}}"; }
kept() { # tool, tokens, its result
    note assistant "$1" "\"message\":{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"id\":\"$1\",\"name\":\"t\",\"args\":{}}}]},\"usageMetadata\":{\"promptTokenCount\":$2,\"candidatesTokenCount\":5}"
    note tool_result "$1" "\"message\":{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"id\":\"$1\",\"name\":\"t\",\"response\":{\"output\":\"$3\"}}}]}"
}
says() { echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":2,\"result\":\"$1\",\"usage\":{\"input_tokens\":9}}"; }
trap 'echo cut >cut; exit 130' INT
# A shell hears a signal between two commands alone.
linger() { for _ in 1 2 3 4 5 6 7 8 9; do sleep 0.2; sleep 0.2; done; }
"#;

#[track_caller]
fn run(script: &str, words: &str, code: i32, stdout: &str) -> (Place, Value) {
    let place = Place::new("qwen", WORDS, script);
    let outcome = place.run(words, code, stdout);
    (place, outcome)
}

#[test]
fn the_tools_of_an_answer_beyond_the_line_are_let_run() {
    let (place, outcome) = run(
        "begin; uses a 90000; sleep 0.3; sleep 0.1; [ ! -e cut ] || echo early >early
         kept a 90000 ok; ended a; linger; says late",
        "start --session made --stop-at 80000",
        0,
        "",
    );
    assert_eq!((&outcome["verdict"], &outcome["context"]), (&"stopped".into(), &90_000.into()));
    assert!(fs_err::exists(place.path("cut")).unwrap());
    assert!(!fs_err::exists(place.path("early")).unwrap());
}

/// Forty thousand characters take the session across the line.
#[test]
fn a_transcript_that_lags_is_waited_for() {
    let long = "word ".repeat(8_000);
    let (_, outcome) = run(
        &format!(
            "begin; uses a 70000; kept a 70000 ok; ended a; sleep 0.5
             uses b 75000; ended b; sleep 0.1; kept b 75000 '{long}'; linger; says late"
        ),
        "start --session made --stop-at 80000",
        0,
        "",
    );
    assert_eq!((&outcome["verdict"], &outcome["context"]), (&"stopped".into(), &75_000.into()));
}

/// One that failed prints a result of its own.
#[test]
fn the_end_of_a_sub_agent_is_not_that_of_the_run() {
    let (_, outcome) = run(
        "begin; uses a 70000; says failed; kept a 70000 ok; ended a; sleep 0.1
         uses b 90000; kept b 90000 ok; ended b; linger; says late",
        "start --session made --stop-at 80000",
        0,
        "",
    );
    assert_eq!((&outcome["verdict"], &outcome["context"]), (&"stopped".into(), &90_000.into()));
}

const START: &str = "start --session made";

#[test]
fn an_error_that_calls_itself_a_success_is_none() {
    let (_, outcome) = run("begin; says 'All is done.'", START, 0, "All is done.\n");
    assert_eq!((&outcome["verdict"], &outcome["num_turns"]), (&"done".into(), &2.into()));
    let (_, outcome) =
        run("begin; says '[API Error: 401 Incorrect API key provided]'", START, 77, "");
    assert_eq!(outcome["verdict"], "credentials");
    let (_, outcome) = run("begin; says ''", START, 1, "");
    assert_eq!(outcome["verdict"], "empty");
}
