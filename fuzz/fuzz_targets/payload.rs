//! Any bytes as what a CLI tells a hook.
//!
//! Promised: nothing panics; a call is decided against only where the payload can be
//! read, is of the very session that the rules hold for, of its main thread, and of the
//! event that the rule is about; an answer is JSON.

#![no_main]

use agents::{HookEvent, Hooks, Payload};
use ctx_guard::{Decision, Rule, Rules, Stop, StopAt, decide};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// A session with an answer in it, and nothing that a hook waits for.
const SESSION: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/claude-code/plain-turn.jsonl");

fuzz_target!(|bytes: &[u8]| {
    for agent in agents::all() {
        if let Some(hooks) = agent.hooks() {
            is_judged(bytes, hooks);
        }
    }
});

fn is_judged(bytes: &[u8], hooks: &dyn Hooks) {
    let handoff = |session_id: &str| Rules { session_id: session_id.into(), rule: Rule::Handoff };
    let Ok(payload) = hooks.read(bytes) else {
        assert!(decide(bytes, hooks, &handoff("s")).is_err());
        return;
    };
    let other = format!("{}x", payload.session_id);
    assert_eq!(decide(bytes, hooks, &handoff(&other)), Ok(Decision::Pass));
    let decision = decide(bytes, hooks, &handoff(&payload.session_id));
    let denies = payload.agent_id.is_none() && payload.event == HookEvent::PreToolUse;
    is_as_expected(&decision, denies);
    is_stopped(bytes, &payload, hooks);
}

/// The payload with a transcript that is there: what the bytes name could be any
/// file. One that names calls would be waited for.
fn is_stopped(bytes: &[u8], payload: &Payload<'_>, hooks: &dyn Hooks) {
    let Ok(Value::Object(mut told)) = serde_json::from_slice(bytes) else { return };
    if !payload.answered.is_empty() {
        return;
    }
    told.insert("transcript_path".to_owned(), SESSION.into());
    let told = Value::Object(told).to_string();
    for (tokens, reached) in [(1, true), (u64::MAX, false)] {
        let rule = Rule::Stop(Stop { at: StopAt::Tokens(tokens), projected: false });
        let rules = Rules { session_id: payload.session_id.to_string(), rule };
        let decision = decide(told.as_bytes(), hooks, &rules);
        let acts = payload.agent_id.is_none() && hooks.stop_at(payload.event).is_some();
        is_as_expected(&decision, acts && reached);
    }
}

fn is_as_expected(decision: &Result<Decision, String>, answers: bool) {
    match decision {
        Ok(Decision::Answer(answer)) if answers => {
            serde_json::from_str::<Value>(answer).expect("an answer is JSON");
        }
        decision => assert_eq!((decision, answers), (&Ok(Decision::Pass), false)),
    }
}
