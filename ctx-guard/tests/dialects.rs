//! ctx-guard as a hook of other CLIs than Claude Code, with what these really told it.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

/// The payloads of a recording, by event.
fn payloads(fixture: &str, event: &str) -> Vec<(String, Value)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(fixture);
    let text = fs_err::read_to_string(path).unwrap();
    let records = text.lines().filter(|line| !line.is_empty());
    let told = records.map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        let name = if record["argv"].is_array() { &record["argv"][0] } else { &record[event] };
        (name.as_str().unwrap().to_owned(), record["in"].take())
    });
    told.collect()
}

/// What the guard answers to a payload in the turn that writes the document.
fn answer(agent: &str, session: &str, payload: &Value) -> String {
    let mut guard = Command::new(cargo_bin!("ctx-guard"));
    guard.env_clear().env("LC_ALL", "C").env("CTX_GUARD_SESSION", session);
    guard.env("CTX_GUARD_TURN", "handoff").args(["--agent", agent]);
    let run = guard.write_stdin(payload.to_string()).assert().success().stderr("");
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

/// The events of a recording at which a tool is denied.
fn denied(agent: &str, session: &str, payloads: &[(String, Value)]) -> Vec<String> {
    let denied = payloads.iter().filter(|(_, told)| !answer(agent, session, told).is_empty());
    denied.map(|(name, _)| name.clone()).collect()
}

#[test]
fn copilot_is_answered_in_its_own_form_however_the_event_is_spelled() {
    let session = "b52a5574-f49f-48a2-9236-e4be76faf0a4";
    let payloads = payloads("copilot/hook_payloads.jsonl", "ev");
    assert_eq!(denied("copilot", session, &payloads), ["preToolUse", "PreToolUse-pascal"]);
    let answer = answer("copilot", session, &payloads[2].1);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["permissionDecision"], "deny");
    assert!(answer["permissionDecisionReason"].as_str().unwrap().contains("handoff document"));
    assert_eq!(answer.as_object().unwrap().len(), 2);
}

/// They come under ids of their own.
#[test]
fn sub_agents_of_copilot_pass() {
    let session = "acdd4e0b-c878-45f1-b6b9-a7292a75df05";
    let payloads = payloads("copilot/hook_payloads_subagent.jsonl", "argv");
    assert_eq!(denied("copilot", session, &payloads), ["preToolUse"]);
    let of_sub_agent = payloads.iter().find(|(name, told)| {
        name == "preToolUse" && told["sessionId"] != session && told["agentId"].is_string()
    });
    let (_, of_sub_agent) = of_sub_agent.unwrap();
    let id = of_sub_agent["sessionId"].as_str().unwrap();
    assert_eq!(answer("copilot", id, of_sub_agent), "");
}

#[test]
fn codex_is_answered_as_claude_code_is() {
    let session = "01a22d8f-a0d8-70a1-8636-02591a17a2e4";
    let payloads = payloads("codex/hook_payloads_plain.jsonl", "argv");
    let of_it: Vec<_> =
        payloads.into_iter().filter(|(_, told)| told["session_id"] == session).collect();
    assert_eq!(denied("codex", session, &of_it), ["PreToolUse", "PreToolUse"]);
    let tool = of_it.iter().find(|(name, _)| name == "PreToolUse").unwrap();
    let answer: Value = serde_json::from_str(&answer("codex", session, &tool.1)).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
}

/// A sub-agent's calls come under the session of its parent.
#[test]
fn sub_agents_of_codex_pass() {
    let payloads = payloads("codex/hook_payloads_subagent.jsonl", "argv");
    let is_of_sub_agent = |told: &Value| told["agent_id"].is_string();
    let (of_sub_agents, of_main): (Vec<_>, Vec<_>) =
        payloads.into_iter().partition(|(_, told)| is_of_sub_agent(told));
    let session = of_main[0].1["session_id"].as_str().unwrap();
    assert!(of_sub_agents.iter().any(|(_, told)| told["session_id"] == session));
    assert_eq!(denied("codex", session, &of_sub_agents), <[String; 0]>::default());
    assert_eq!(denied("codex", session, &of_main), ["PreToolUse", "PreToolUse"]);
}

/// No answer would end their runs, so that none is given.
#[test]
fn neither_can_be_stopped() {
    for (agent, event, fixture) in [
        ("copilot", "ev", "copilot/hook_payloads.jsonl"),
        ("codex", "argv", "codex/hook_payloads_plain.jsonl"),
    ] {
        for (_, told) in payloads(fixture, event) {
            let id = told.get("sessionId").or(told.get("session_id")).cloned();
            let mut guard = Command::new(cargo_bin!("ctx-guard"));
            guard.env_clear().env("CTX_GUARD_SESSION", id.unwrap_or(json!("")).as_str().unwrap());
            guard.env("CTX_GUARD_STOP_AT", "1").args(["--agent", agent]);
            guard.write_stdin(told.to_string()).assert().success().stdout("").stderr("");
        }
    }
}
