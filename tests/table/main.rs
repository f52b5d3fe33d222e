//! What the README's table of agent CLIs says of sub-agents, shown by recorded sessions
//! and hook payloads.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on says so by panicking"
)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ctxutils_tests::program;
use ctxutils_tests::table::note;
use serde_json::{Value, json};

#[test]
fn claude_code() {
    let hooks = "claude-code/hooks/agent-main-with-subagent";
    let main = read(&format!("{hooks}.PreToolUse-Agent.json"));
    let sub_agent = read(&format!("{hooks}.PreToolUse-Bash-sub.json"));
    tells_apart("claude", "claude-code/subagent/main.jsonl", 21_307, &main, &sub_agent);
}

/// Its sub-agents name themselves at every event; none used a tool in this recording.
#[test]
fn codex() {
    let payloads = lines("codex/hook_payloads_subagent.jsonl");
    let told = |event: &str, is_sub_agent: bool| {
        let found = payloads.iter().map(|record| &record["in"]).find(|told| {
            told["hook_event_name"] == event && told["agent_id"].is_string() == is_sub_agent
        });
        found.unwrap().clone()
    };
    let main = told("PreToolUse", false);
    let mut sub_agent = main.clone();
    sub_agent["agent_id"] = told("UserPromptSubmit", true)["agent_id"].clone();
    tells_apart("codex", "codex/subagent_parent.jsonl", 51_000, &main, &sub_agent);
}

#[test]
fn gemini() {
    let payloads = lines("gemini/hook_payloads_subagent.jsonl");
    let [main, sub_agent] = ["invoke_agent", "read_file"].map(|tool| of(&payloads, tool));
    let session = "gemini/subagent_main-thread_ctx1000-after-15000.jsonl";
    tells_apart("gemini", session, 1_000, &main, &sub_agent);
}

#[test]
fn qwen() {
    let payloads = lines("qwen/hook_payloads_subagent.jsonl");
    let [main, sub_agent] = ["agent", "read_file"].map(|tool| of(&payloads, tool));
    let session = "qwen/session_tool-call_ctx13300.jsonl";
    tells_apart("qwen", session, 13_300, &main, &sub_agent);
}

#[test]
fn copilot() {
    let payloads = lines("copilot/hook_payloads_subagent.jsonl");
    let told = |tool: &str| {
        let found = payloads
            .iter()
            .map(|record| &record["in"])
            .find(|told| told["toolName"] == tool && told["toolResult"].is_null());
        found.unwrap().clone()
    };
    let session = "copilot/events_subagent_agentId_main-ctx1000.jsonl";
    tells_apart("copilot", session, 1_000, &told("task"), &told("view"));
}

/// What our plugin tells holds the session's id, and a sub-agent's session is its own.
#[test]
fn opencode() {
    let told = |session: &str| {
        let id = read(session)["info"]["id"].clone();
        json!({"hook_event_name": "PreToolUse", "session_id": id, "tool_name": "bash"})
    };
    let [main, child] = ["opencode/subagent.export.json", "opencode/subagent_child.export.json"];
    tells_apart("opencode", main, 51_000, &told(main), &told(child));
}

/// Notes where a CLI's sub-agents are told apart: in this session, whose main thread saw
/// so much last, and in these payloads of the tools of the two.
fn tells_apart(cli: &str, session: &str, context: u64, main: &Value, sub_agent: &Value) {
    let mut meter = Command::new(program("ctx-meter"));
    let output = meter.env_clear().arg(fixture(session)).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{context}\n"), "{session}");
    let mut shown = "in sessions".to_owned();
    let id = main.get("session_id").or(main.get("sessionId")).unwrap().as_str().unwrap();
    assert!(is_denied(cli, main, id));
    if !is_denied(cli, sub_agent, id) {
        shown += ", in hooks";
    }
    note(cli, "sub-agents told apart", &shown);
}

/// Whether the guard keeps this tool from being used while the session with this id
/// writes its document.
fn is_denied(cli: &str, payload: &Value, session_id: &str) -> bool {
    let mut guard = Command::new(program("ctx-guard"));
    guard.env_clear().args(["--agent", cli]).env("CTX_GUARD_SESSION", session_id);
    guard.env("CTX_GUARD_TURN", "handoff").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut guard = guard.spawn().unwrap();
    guard.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let output = guard.wait_with_output().unwrap();
    assert!(output.status.success());
    !output.stdout.is_empty()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn read(name: &str) -> Value {
    serde_json::from_slice(&fs_err::read(fixture(name)).unwrap()).unwrap()
}

fn lines(name: &str) -> Vec<Value> {
    let text = fs_err::read_to_string(fixture(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The payload in front of the use of this tool.
fn of(payloads: &[Value], tool: &str) -> Value {
    let found =
        payloads.iter().find(|told| told["tool_name"] == tool && told["tool_response"].is_null());
    found.unwrap().clone()
}
