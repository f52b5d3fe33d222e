//! ctx-guard as a hook.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::*;
use serde_json::{Value, json};

const SESSION: &str = "3ed4e088-7d19-41aa-abf9-42ad946d12ce";

/// The tool call that the batch payload is about.
const CALL: &str = "toolu_c0314a8c872f4a11aa6d51de";

struct Place {
    home: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { home: tempfile::tempdir().unwrap() }
    }

    fn guard(&self) -> Command {
        let mut guard = Command::new(cargo_bin!("ctx-guard"));
        guard.env_clear().env("HOME", self.home.path()).env("LC_ALL", "C");
        guard.env("CTX_GUARD_SESSION", SESSION);
        guard
    }

    /// A transcript whose last answer saw so many tokens and wrote 1,000.
    fn transcript(&self, tokens: u64) -> PathBuf {
        let usage = json!({"input_tokens": tokens, "output_tokens": 1000});
        let result = json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": CALL, "content": ""}]}});
        let line = json!({"type": "assistant", "isSidechain": false, "sessionId": SESSION,
            "message": {"id": "m", "model": "claude-haiku-4-5", "usage": usage, "content": []}});
        let path = self.home.path().join("session.jsonl");
        fs_err::write(&path, format!("{line}\n{result}\n")).unwrap();
        path
    }
}

/// A payload that the real Claude Code wrote, about our transcript.
fn payload(name: &str, transcript: &Path) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/claude-code/hooks");
    let mut payload: Value =
        serde_json::from_slice(&fs_err::read(folder.join(name)).unwrap()).unwrap();
    payload["session_id"] = SESSION.into();
    payload["transcript_path"] = transcript.to_string_lossy().into();
    payload
}

#[test]
fn a_run_is_stopped_at_its_line() {
    let place = Place::new();
    let batch = "main-with-agent.PostToolBatch.json";
    for (tokens, at, judge, stops) in [
        (150_000, "150000", "", true),
        (149_000, "150000", "", true),
        (148_999, "150000", "", false),
        (149_000, "150000", "context", false),
        (150_000, "150000", "context", true),
        // A haiku has 200,000, and its line is at 150,000.
        (149_000, "due", "", true),
        (148_999, "due", "", false),
    ] {
        let payload = payload(batch, &place.transcript(tokens));
        let run = place
            .guard()
            .env("CTX_GUARD_STOP_AT", at)
            .env("CTX_GUARD_JUDGE", judge)
            .write_stdin(payload.to_string())
            .assert()
            .success()
            .stderr("");
        let stdout = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        if stops {
            let answer: Value = serde_json::from_str(&stdout).unwrap();
            assert_eq!(answer["continue"], false);
            assert!(answer["stopReason"].as_str().unwrap().contains("tokens of context"));
            assert_eq!(answer.as_object().unwrap().len(), 2);
        } else {
            assert_eq!(stdout, "", "{tokens} {at} {judge}");
        }
    }
}

#[test]
fn a_transcript_that_lags_is_waited_for() {
    let place = Place::new();
    let transcript = place.transcript(160_000);
    let whole = fs_err::read(&transcript).unwrap();
    // As a fast hook finds it: the answer that asked for the tools is not there yet.
    let before = String::from_utf8_lossy(&whole).replace("160000", "1000").replace(CALL, "earlier");
    fs_err::write(&transcript, &before).unwrap();
    let payload = payload("main-with-agent.PostToolBatch.json", &transcript).to_string();
    let writer = std::thread::spawn({
        let (transcript, whole) = (transcript.clone(), whole.clone());
        move || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            fs_err::write(&transcript, [before.as_bytes(), &whole].concat()).unwrap();
        }
    });
    place
        .guard()
        .env("CTX_GUARD_STOP_AT", "150000")
        .write_stdin(payload.clone())
        .assert()
        .success()
        .stdout(predicate::str::contains("\"continue\":false"));
    writer.join().unwrap();
    // One that never catches up is judged as it is; one that never comes is a fault.
    fs_err::write(&transcript, &whole).unwrap();
    let late = payload.replace(CALL, "toolu_never");
    let judged = |payload: &str| {
        let mut guard = place.guard();
        guard.env("CTX_GUARD_STOP_AT", "150000").write_stdin(payload.to_owned());
        guard.assert()
    };
    judged(&late).success().stdout(predicate::str::contains("\"continue\":false"));
    fs_err::write(&transcript, "").unwrap();
    judged(&payload).code(1).stdout("").stderr(predicate::str::contains("empty"));
}

#[test]
fn whoever_is_not_meant_passes() {
    let place = Place::new();
    let transcript = place.transcript(900_000);
    let mut other = payload("main-with-agent.PostToolBatch.json", &transcript);
    other["session_id"] = "another".into();
    let mut unnamed = other.clone();
    unnamed["session_id"] = "".into();
    for payload in [
        other,
        unnamed,
        payload("with-subagent.PostToolBatch-sub.json", &transcript),
        payload("main-with-agent.PreToolUse-Bash.json", &transcript),
        payload("main-with-agent.PostToolUse-Bash.json", &transcript),
        payload("main-with-agent.UserPromptSubmit.json", &transcript),
        payload("main-with-agent.Stop.json", &transcript),
        payload("main-with-agent.SessionEnd.json", &transcript),
    ] {
        place
            .guard()
            .env("CTX_GUARD_STOP_AT", "1000")
            .write_stdin(payload.to_string())
            .assert()
            .success()
            .stdout("")
            .stderr("");
    }
    let batch = payload("main-with-agent.PostToolBatch.json", &transcript).to_string();
    for (name, value) in
        [("CTX_GUARD", "off"), ("CTX_GUARD_SESSION", ""), ("CTX_GUARD_STOP_AT", "")]
    {
        place
            .guard()
            .env("CTX_GUARD_STOP_AT", "1000")
            .env(name, value)
            .write_stdin(batch.clone())
            .assert()
            .success()
            .stdout("")
            .stderr("");
    }
}

#[test]
fn the_turn_that_writes_the_document_has_no_tools_and_no_limit() {
    let place = Place::new();
    let transcript = place.transcript(900_000);
    for (lang, words) in [
        ("en", "write the handoff document as your answer"),
        ("zh", "把交接书直接写成你的回答"),
        ("ko", "인계서를 답변에 바로 써라"),
        ("ja", "引き継ぎ書を回答として"),
    ] {
        let tool = payload("main-no-agent.PreToolUse-Read.json", &transcript);
        let run = place
            .guard()
            .env("CTX_GUARD_TURN", "handoff")
            .env("CTX_GUARD_STOP_AT", "1000")
            .env("HANDOFF_LANG", lang)
            .write_stdin(tool.to_string())
            .assert()
            .success()
            .stderr("");
        let answer: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "PreToolUse");
        assert_eq!(output["permissionDecision"], "deny");
        assert!(output["permissionDecisionReason"].as_str().unwrap().contains(words));
    }
    for other in
        ["main-with-agent.PostToolBatch.json", "agent-main-with-subagent.PreToolUse-Bash-sub.json"]
    {
        place
            .guard()
            .env("CTX_GUARD_TURN", "handoff")
            .write_stdin(payload(other, &transcript).to_string())
            .assert()
            .success()
            .stdout("")
            .stderr("");
    }
}

#[test]
fn what_goes_wrong_lets_the_call_through_and_is_said_once() {
    let place = Place::new();
    let text = place.home.path().join("notes.txt");
    fs_err::write(&text, "no transcript").unwrap();
    let fifo = place.home.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let about = |path: &Path| payload("main-with-agent.PostToolBatch.json", path).to_string();
    for (stdin, at, why) in [
        (String::new(), "1000", "bad payload: it is empty or cut short"),
        ("{\"session_id\":".to_owned(), "1000", "bad payload"),
        ("[1,2]".to_owned(), "1000", "bad payload: it is no JSON object of a hook"),
        ("nonsense".to_owned(), "1000", "bad payload: it is not JSON"),
        (about(&text), "1000", "not a transcript"),
        (about(Path::new("/nonexistent/s.jsonl")), "1000", "no such file or directory"),
        (about(Path::new("")), "1000", "the payload names no transcript"),
        (about(&text), "0", "CTX_GUARD_STOP_AT: a line at 0 tokens stops everything"),
        (about(&fifo), "1000", "not a regular file"),
        (about(place.home.path()), "1000", "is a directory"),
        (about(&text), "due", "not a transcript"),
        (about(&text), "lots", "CTX_GUARD_STOP_AT: 'lots' is not a number of tokens"),
    ] {
        let state = tempfile::tempdir().unwrap();
        let guard = || {
            let mut guard = place.guard();
            guard
                .env("CTXUTILS_STATE", state.path())
                .env("CTX_GUARD_STOP_AT", at)
                .write_stdin(stdin.clone());
            guard
        };
        guard().assert().code(1).stdout("").stderr(
            predicate::str::is_match("^ctx-guard: [^\n]*\n$")
                .unwrap()
                .and(predicate::str::contains(why)),
        );
        guard().assert().success().stdout("").stderr("");
        guard()
            .arg("--fail-closed")
            .assert()
            .code(2)
            .stdout("")
            .stderr(predicate::str::contains(why));
    }
    // Without a memory it is said every time, and still lets the call through.
    for _ in 0..2 {
        place
            .guard()
            .env_remove("HOME")
            .env("CTX_GUARD_STOP_AT", "1000")
            .write_stdin("")
            .assert()
            .code(1);
    }
    place
        .guard()
        .arg("--windw")
        .assert()
        .code(1)
        .stdout("")
        .stderr("ctx-guard: unexpected argument '--windw'\n");
}

#[test]
fn a_stdin_that_is_never_closed_ends_at_the_deadline() {
    let place = Place::new();
    let mut guard = std::process::Command::new(cargo_bin!("ctx-guard"));
    guard
        .env_clear()
        .env("HOME", place.home.path())
        .env("CTX_GUARD_SESSION", SESSION)
        .env("CTX_GUARD_STOP_AT", "1");
    let (reader, _writer) = std::io::pipe().unwrap();
    let started = std::time::Instant::now();
    let output = guard.stdin(reader).output().unwrap();
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "ctx-guard: no answer within 500 ms\n");
}
