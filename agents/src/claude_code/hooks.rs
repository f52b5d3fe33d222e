//! Claude Code's hooks. The answers are the smallest that it takes.

use serde::Deserialize;
use serde_json::json;

use crate::hook::{self, HookEvent, Hooks, Payload};
use crate::scalar::Text;

pub(crate) struct Dialect;

#[derive(Deserialize)]
struct Told<'p> {
    #[serde(borrow, default)]
    hook_event_name: Text<'p>,
    #[serde(borrow, default)]
    session_id: Text<'p>,
    #[serde(borrow)]
    transcript_path: Option<Text<'p>>,
    #[serde(borrow)]
    agent_id: Option<Text<'p>>,
    #[serde(borrow, default)]
    tool_calls: Vec<Call<'p>>,
}

#[derive(Deserialize)]
struct Call<'p> {
    #[serde(borrow, default)]
    tool_use_id: Text<'p>,
}

impl Hooks for Dialect {
    fn read<'p>(&self, payload: &'p [u8]) -> Result<Payload<'p>, serde_json::Error> {
        let told: Told<'p> = serde_json::from_slice(payload)?;
        let event = match told.hook_event_name.0.as_ref() {
            "UserPromptSubmit" => HookEvent::UserPromptSubmit,
            "PreToolUse" => HookEvent::PreToolUse,
            "PostToolUse" => HookEvent::PostToolUse,
            "PostToolBatch" => HookEvent::PostToolBatch,
            "Stop" => HookEvent::Stop,
            _ => HookEvent::Other,
        };
        Ok(Payload {
            event,
            session_id: told.session_id.0,
            transcript: hook::transcript(told.transcript_path),
            agent_id: told.agent_id.map(|id| id.0),
            answered: told.tool_calls.into_iter().map(|call| call.tool_use_id.0).collect(),
        })
    }

    /// At PreToolUse and PostToolUse the transcript is often one answer late,
    /// and other tools of the same answer may still run.
    fn can_stop_at(&self, event: HookEvent) -> bool {
        event == HookEvent::PostToolBatch
    }

    fn stop(&self, reason: &str) -> String {
        json!({"continue": false, "stopReason": reason}).to_string()
    }

    fn deny(&self, reason: &str) -> String {
        json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }})
        .to_string()
    }
}
