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
    fn stop_at(&self, event: HookEvent) -> Option<fn(&str) -> String> {
        (event == HookEvent::PostToolBatch).then_some(stop)
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

fn stop(reason: &str) -> String {
    json!({"continue": false, "stopReason": reason}).to_string()
}

/// The same of CLIs that took it over and that no answer ends.
pub(crate) struct CannotStop;

impl Hooks for CannotStop {
    fn read<'p>(&self, payload: &'p [u8]) -> Result<Payload<'p>, serde_json::Error> {
        Dialect.read(payload)
    }

    fn deny(&self, reason: &str) -> String {
        Dialect.deny(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Qwen Code tells of them so.
    #[test]
    fn results_of_tools_are_no_prompt() {
        for (prompt, event) in [("go on", HookEvent::UserPromptSubmit), ("", HookEvent::Other)] {
            let told = json!({"hook_event_name": "UserPromptSubmit", "session_id": "id",
                "transcript_path": "", "prompt": prompt})
            .to_string();
            let payload = CannotStop.read(told.as_bytes()).unwrap();
            assert_eq!((payload.event, payload.transcript), (event, None), "{prompt}");
            assert_eq!(payload.session_id, "id");
        }
    }
}
