//! Claude Code's hooks. The answers are the smallest that it takes.

use serde_json::json;

use crate::hook::{HookEvent, Hooks, Payload, Told};

pub(crate) struct Dialect;

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
        Ok(told.payload(event))
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
