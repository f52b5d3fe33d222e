//! agent-run with a program that plays Gemini CLI: what it says comes in pieces, and a
//! resume may cost it the transcript.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod player;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

use player::Place;

const ID: &str = "5f0c3a52-8c1e-4f0e-9d5b-7f3f5f1f2a10";

/// What the script of a player may say: a session that has begun, an answer of so many
/// tokens in its transcript, a tool that ran, a piece of the agent's words, the end.
const WORDS: &str = r#"
id=5f0c3a52-8c1e-4f0e-9d5b-7f3f5f1f2a10
chats="$HOME/.gemini/tmp/project/chats"
chat="$chats/session-2026-11-30T01-01-5f0c3a52.jsonl"
header="{\"sessionId\":\"$id\",\"projectHash\":\"x\",\"kind\":\"main\"}"
begin() {
    mkdir -p "$chats"
    [ -e "$chat" ] || echo "$header" >"$chat"
    echo "{\"type\":\"init\",\"session_id\":\"$id\",\"model\":\"gemini-2.5-pro\"}"
}
answer() { echo "{\"id\":\"m$1\",\"type\":\"gemini\",\"content\":\"x\",\"tokens\":{\"input\":$1,\"output\":5},\"model\":\"gemini-2.5-pro\"}" >>"$chat"; }
stub() { echo "$header" >"$chats/session-2026-11-30T02-02-5f0c3a52.jsonl"; }
start() { echo "{\"type\":\"tool_use\",\"tool_name\":\"run_shell_command\",\"parameters\":{\"command\":\"$1\"}}"; }
end() { echo '{"type":"tool_result","status":"success"}'; }
piece() { echo "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"$1\",\"delta\":true}"; }
done_() { echo '{"type":"result","status":"success","stats":{}}'; }
"#;

fn place(script: &str) -> Place {
    Place::new("gemini", WORDS, script)
}

#[test]
fn the_answer_is_what_was_said_since_the_last_tool() {
    let start = format!("start --session {ID}");
    let begun = "begin; answer 500; piece 'let me '; piece look; start a; end a";
    let place = place(&format!("{begun}; piece 'all '; piece done; done_"));
    assert_eq!(place.run(&start, 0, "all done\n")["verdict"], "done");
}

/// Whatever the exit code: an answer that never came is none, and where the context is
/// full that is why.
#[test]
fn a_silent_end_is_no_answer() {
    let start = format!("start --session {ID}");
    for (context, verdict) in [(500, "empty"), (1_020_000, "overflow")] {
        let place = place(&format!("begin; answer {context}; piece look; start a; end a; done_"));
        assert_eq!(place.run(&start, 1, "")["verdict"], verdict);
    }
}

#[test]
fn a_resume_copies_the_transcript_and_leaves_no_stub() {
    let place = place("begin; answer 500; case $* in *--resume*) stub ;; esac; piece ok; done_");
    place.run(&format!("start --session {ID}"), 0, "ok\n");
    place.run(&format!("resume {ID}"), 0, "ok\n");
    let chats = place.path(".gemini/tmp/project/chats");
    assert_eq!(fs_err::read_dir(&chats).unwrap().count(), 1);
    let kept = place.path(".local/state/ctxutils/transcripts");
    let session = fs_err::read_dir(kept).unwrap().next().unwrap().unwrap().path();
    let copies: Vec<_> = fs_err::read_dir(session).unwrap().map(|copy| copy.unwrap()).collect();
    assert_eq!(copies.len(), 1);
    let text = fs_err::read_to_string(copies[0].path()).unwrap();
    assert!(text.starts_with("{\"sessionId\"") && text.contains("\"input\":500"));
}

#[test]
fn what_cannot_be_copied_is_not_resumed() {
    let place = place("begin; answer 500; piece ok; done_; echo ran >>ran");
    place.run(&format!("start --session {ID}"), 0, "ok\n");
    fs_err::write(place.path(".local/state/ctxutils/transcripts"), "no folder").unwrap();
    let refused = place.command(&format!("resume {ID}")).assert().failure();
    refused.stderr(contains("cannot write").and(contains("the transcript is copied first")));
    assert_eq!(fs_err::read_to_string(place.path("ran")).unwrap(), "ran\n");
}
