//! What a session leaves on disk, and how it is gone on with.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::room::{ID, Ran, Room, lines_of};

fn bash(command: &str) -> Value {
    json!([{"name": "Bash", "input": {"command": command}}])
}

/// Answers of the main session: message id to its usage.
fn answers(lines: &[Value]) -> BTreeMap<String, Value> {
    lines
        .iter()
        .filter(|l| l["type"] == "assistant" && l["message"]["model"] != "<synthetic>")
        .map(|l| (l["message"]["id"].as_str().unwrap().to_owned(), l["message"]["usage"].clone()))
        .collect()
}

fn context(usage: &Value) -> u64 {
    ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
        .iter()
        .map(|key| usage[*key].as_u64().unwrap())
        .sum()
}

fn last_context(room: &Room) -> u64 {
    let lines = room.transcript();
    let last = lines.iter().rev().find(|l| l["message"]["usage"].is_object()).unwrap();
    context(&last["message"]["usage"])
}

#[test]
fn lines_hang_together_and_are_private() {
    let room = Room::with(&json!({"sessions": [{"steps": [
        {"text": "a", "context": 30_000, "tools": bash("echo one")}, {"text": "b"}]}]}));
    room.start(&[]);
    let lines = room.transcript();
    let mut seen = BTreeSet::new();
    for line in lines.iter().filter(|line| line["uuid"].is_string()) {
        match line["parentUuid"].as_str() {
            None => assert!(seen.is_empty(), "a second beginning: {line}"),
            Some(parent) => assert!(seen.contains(parent), "an unknown parent: {line}"),
        }
        assert_eq!(line["sessionId"], ID);
        assert_eq!(line["cwd"], room.work().to_str().unwrap());
        assert!(seen.insert(line["uuid"].as_str().unwrap().to_owned()), "twice: {line}");
    }
    assert_eq!(lines.last().unwrap()["type"], "last-prompt");
    let mode = fs_err::metadata(room.transcript_path(ID)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_usage_adds_up() {
    let room = Room::with(&json!({"sessions": [{"steps": [
        {"text": "a", "thinking": "b", "context": 30_000, "output": 100, "tools": bash("true")},
        {"text": "c", "context": 45_000, "output": 50, "tools": bash("true")},
        {"text": "d", "output": 7}]}]}));
    let ran = room.start(&[]);
    let answers = answers(&room.transcript());
    assert_eq!(answers.len(), 3);
    let result = ran.result();
    for key in
        ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"]
    {
        let sum: u64 = answers.values().map(|usage| usage[key].as_u64().unwrap()).sum();
        assert_eq!(result["usage"][key], sum, "{key}");
    }
    let model = &result["modelUsage"]["claude-opus-4-8[1m]"];
    assert_eq!(model["outputTokens"], 157);
    assert_eq!(model["contextWindow"], 1_000_000);
    assert_eq!(model["costUSD"], result["total_cost_usd"]);
    assert_eq!(result["num_turns"], 3);
    let contexts: BTreeSet<u64> = answers.values().map(context).collect();
    assert!(contexts.contains(&30_000) && contexts.contains(&45_000), "{contexts:?}");
    assert!(contexts.last().unwrap() >= &45_050, "what came since is in it: {contexts:?}");
}

#[test]
fn a_resumed_session_goes_on_in_the_same_file_where_its_script_stopped() {
    let room = Room::with(&json!({"sessions": [{"steps": [
        {"text": "one", "context": 30_000}, {"text": "two"}]}, {"steps": [{"text": "other"}]}]}));
    assert_eq!(room.start(&[]).result()["result"], "one");
    let before = fs_err::read(room.transcript_path(ID)).unwrap();
    assert_eq!(room.run(&["a second session"]).result()["result"], "other");
    let ran = room.resume("more", &[]);
    assert_eq!(ran.result()["result"], "two");
    assert_eq!(ran.result()["session_id"], ID);
    let after = fs_err::read(room.transcript_path(ID)).unwrap();
    assert!(after.starts_with(&before) && after.len() > before.len());
    assert!(last_context(&room) > 30_000);
    assert_eq!(room.resume("more", &[]).result()["result"], "Done.");
}

#[test]
fn a_fork_copies_the_history_into_a_new_session() {
    let room = Room::with(&json!({"sessions": [{"steps": [{"text": "one"}, {"text": "two"}]}]}));
    room.start(&[]);
    let old = room.transcript();
    let ran = room.resume("more", &["--fork-session"]);
    let id = ran.result()["session_id"].as_str().unwrap().to_owned();
    assert_ne!(id, ID);
    assert_eq!(ran.result()["result"], "two");
    assert_eq!(room.transcript(), old);
    let new = lines_of(&room.transcript_path(&id));
    for (old, new) in old.iter().zip(&new) {
        assert_eq!((&old["uuid"], &new["sessionId"]), (&new["uuid"], &json!(id)));
    }
    assert!(new.len() > old.len());
    assert_eq!(room.run(&["--continue", "x"]).result()["session_id"], id);
}

#[test]
fn the_long_window_is_lost_on_a_resume_that_names_no_model() {
    let room = Room::with(&json!({}));
    let window =
        |ran: &Ran, model: &str| ran.result()["modelUsage"][model]["contextWindow"].clone();
    let ran = room.start(&[]);
    assert_eq!(ran.events[0]["model"], "claude-opus-4-8[1m]");
    assert_eq!(window(&ran, "claude-opus-4-8[1m]"), 1_000_000);
    let recorded = answers(&room.transcript()).len();
    assert_eq!(recorded, 1);
    assert!(room.transcript().iter().all(|l| l["message"]["model"] != "claude-opus-4-8[1m]"));
    assert_eq!(window(&room.resume("x", &[]), "claude-opus-4-8"), 200_000);
    let named = room.resume("x", &["--model", "claude-opus-4-8[1m]"]);
    assert_eq!(window(&named, "claude-opus-4-8[1m]"), 1_000_000);
}

#[test]
fn a_sub_agent_s_context_is_its_own() {
    let room = Room::with(&json!({"sessions": [{"steps": [
        {"text": "delegate", "context": 20_000, "sub_agent": {"context": 400_000, "command": "pwd > here"}},
        {"text": "done", "context": 21_000}]}]}));
    let ran = room.start(&[]);
    assert_eq!(last_context(&room), 21_000);
    assert!(room.work().join("here").metadata().is_ok());
    let own = ran.result()["usage"]["cache_creation_input_tokens"].as_u64().unwrap();
    let billed =
        ran.result()["modelUsage"]["claude-opus-4-8[1m]"]["cacheCreationInputTokens"].clone();
    assert!(own < 30_000 && billed.as_u64().unwrap() > 390_000);
    let inner = |event: &&Value| event["parent_tool_use_id"].is_string();
    assert_eq!(ran.events.iter().filter(inner).count(), 3);
    assert_eq!(ran.result()["num_turns"], 2);
}

#[test]
fn sessions_that_start_at_once_get_different_scripts() {
    let steps: Vec<Value> =
        (0..6).map(|n| json!({"steps": [{"text": format!("script {n}")}]})).collect();
    let room = Room::with(&json!({"sessions": steps}));
    let children: Vec<_> = (0..6)
        .map(|_| room.command(&["-p", "x"]).stdout(Stdio::piped()).spawn().unwrap())
        .collect();
    let said: BTreeSet<String> = children
        .into_iter()
        .map(|child| String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap())
        .collect();
    assert_eq!(said, (0..6).map(|n| format!("script {n}\n")).collect());
}

#[test]
fn tools_really_run() {
    let call = |name: &str, input: Value| json!({"name": name, "input": input});
    let room = Room::with(&json!({"sessions": [{"steps": [{"text": "a", "tools": [
        call("Write", json!({"file_path": "deep/er/a.txt", "content": "one\n"})),
        call("Edit", json!({"file_path": "deep/er/a.txt", "old_string": "one", "new_string": "two"})),
        call("Bash", json!({"command": "cat deep/er/a.txt; echo $CLAUDE_CODE_SESSION_ID"})),
        call("Read", json!({"file_path": "deep/er/a.txt"})),
        call("Bash", json!({"command": "sleep 100 & echo left behind"})),
        call("Bash", json!({"command": "sleep 100", "timeout": 30})),
        call("Grope", json!({})),
    ]}]}]}));
    room.start(&[]);
    let said: Vec<String> = room
        .transcript()
        .iter()
        .filter(|l| l["message"]["content"][0]["type"] == "tool_result")
        .map(|l| l["message"]["content"][0]["content"].as_str().unwrap().to_owned())
        .collect();
    assert!(said[0].starts_with("File created successfully at: "), "{said:?}");
    assert!(said[1].contains("has been updated"), "{said:?}");
    assert_eq!(said[2], format!("two\n{ID}"));
    assert_eq!(said[3], "1\ttwo\n2\t");
    assert_eq!(said[4], "left behind");
    assert!(said[5].starts_with("Command timed out"), "{said:?}");
    assert!(said[6].contains("No such tool available: Grope"), "{said:?}");
    assert_eq!(fs_err::read_to_string(room.work().join("deep/er/a.txt")).unwrap(), "two\n");
}

#[test]
fn the_configuration_folder_can_be_moved() {
    let mut room = Room::with(&json!({}));
    let moved = room.folder().join("moved");
    room.set("CLAUDE_CONFIG_DIR", moved.to_str().unwrap());
    room.start(&[]);
    assert_eq!(fs_err::read_dir(moved.join("projects")).unwrap().count(), 1);
    assert!(fs_err::metadata(room.transcript_path(ID)).is_err());
}
