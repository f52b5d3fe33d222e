//! The window: the CLI's wall, the API's word, and compaction.

use serde_json::{Value, json};

use crate::room::{Ran, Room};

/// A job that runs into a window of 200,000 after seven answers.
fn long_job(auto_compact: &str) -> Value {
    json!({"model": "claude-sonnet-4-5", "auto_compact": auto_compact,
        "job": {"units": 12, "start": 30_000, "grow": 28_000, "dead_end": ""}})
}

fn boundaries(room: &Room) -> Vec<Value> {
    let lines = room.transcript().into_iter();
    lines.filter(|line| line["subtype"] == "compact_boundary").collect()
}

fn done(room: &Room) -> usize {
    fs_err::read_dir(room.work().join("chapters")).map_or(0, Iterator::count)
}

fn end(ran: &Ran) -> (i32, String) {
    (ran.code, ran.result()["terminal_reason"].as_str().unwrap().to_owned())
}

#[test]
fn without_compaction_the_cli_walls_itself_in() {
    let mut room = Room::with(&long_job("reactive"));
    room.set("DISABLE_AUTO_COMPACT", "1");
    let ran = room.start(&[]);
    assert_eq!(end(&ran), (1, "blocking_limit".to_owned()));
    assert_eq!(ran.result()["result"], "Prompt is too long");
    assert_eq!(ran.result()["api_error_status"], Value::Null);
    assert_eq!(done(&room), 7);
    assert_eq!(boundaries(&room), Vec::<Value>::new());
}

#[test]
fn the_wall_can_be_moved_and_then_the_api_refuses() {
    let mut room = Room::with(&long_job("reactive"));
    room.set("DISABLE_AUTO_COMPACT", "1");
    room.set("CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE", "199000");
    let ran = room.start(&[]);
    assert_eq!(end(&ran), (1, "prompt_too_long".to_owned()));
    assert_eq!(ran.result()["api_error_status"], 400);
    assert_eq!(done(&room), 7);
}

#[test]
fn with_compaction_the_job_comes_to_its_end() {
    for (mode, before) in [("reactive", 198_000..200_000), ("at_line", 170_000..171_000)] {
        let room = Room::with(&long_job(mode));
        let ran = room.start(&[]);
        assert_eq!(end(&ran), (0, "completed".to_owned()), "{mode}");
        assert_eq!(done(&room), 12);
        let found = boundaries(&room);
        let first = found[0]["compactMetadata"]["preTokens"].as_u64().unwrap();
        assert!(before.contains(&first), "{mode}: {first}");
        assert_eq!(found[0]["parentUuid"], Value::Null);
        let dropped: Vec<u64> = found
            .iter()
            .map(|b| b["compactMetadata"]["cumulativeDroppedTokens"].as_u64().unwrap())
            .collect();
        assert!(dropped.is_sorted(), "{dropped:?}");
        let events = |e: &&Value| e["subtype"] == "compact_boundary";
        assert_eq!(ran.events.iter().filter(events).count(), found.len());
    }
}

#[test]
fn compaction_off_by_scenario_or_settings() {
    let room = Room::with(&long_job("off"));
    assert_eq!(end(&room.start(&[])), (1, "prompt_too_long".to_owned()));
    let room = Room::with(&long_job("reactive"));
    let ran = room.start(&["--settings", r#"{"autoCompactEnabled": false}"#]);
    assert_eq!(end(&ran), (1, "blocking_limit".to_owned()));
}

#[test]
fn a_compaction_costs_no_step_of_the_script() {
    let call = json!([{"name": "Bash", "input": {"command": "true"}}]);
    let room = Room::with(&json!({"window": 200_000, "auto_compact": "at_line",
        "sessions": [{"steps": [
            {"text": "one", "context": 180_000, "tools": call},
            {"text": "two", "context": 40_000, "tools": call},
            {"error": "prompt_too_long"},
            {"text": "three"}]}]}));
    let ran = room.start(&[]);
    assert_eq!((ran.code, &ran.result()["result"]), (0, &json!("three")));
    assert_eq!(boundaries(&room).len(), 2);
    let said: Vec<Value> =
        ran.events.iter().map(|event| event["message"]["content"][0]["text"].clone()).collect();
    assert!(said.contains(&json!("two")), "{said:?}");
}

#[test]
fn a_context_that_the_scenario_gives_is_given_even_above_the_window() {
    let room = Room::with(&json!({"window": 100_000, "sessions": [{"steps": [
        {"text": "far above", "context": 150_000}]}]}));
    assert_eq!(room.start(&[]).result()["result"], "far above");
}
