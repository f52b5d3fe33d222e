//! Qwen Code's hooks, which are Claude Code's but for what they tell and do.
//!
//! Measured traps: no event tells which sub-agent acts, but those of its start and end;
//! no answer ends a run; the id of a tool call is not the one that the transcript has;
//! a prompt is told of again, empty, whenever results of tools are sent.

use serde::Deserialize;
use serde_json::json;

use crate::hook::{self, HookEvent, Hooks, Payload};
use crate::scalar::Text;

pub(super) struct Dialect;

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
    #[serde(borrow)]
    prompt: Option<Text<'p>>,
}

impl Hooks for Dialect {
    fn read<'p>(&self, payload: &'p [u8]) -> Result<Payload<'p>, serde_json::Error> {
        let told: Told<'p> = serde_json::from_slice(payload)?;
        let is_prompt = told.prompt.is_none_or(|prompt| !prompt.0.is_empty());
        let event = match told.hook_event_name.0.as_ref() {
            "UserPromptSubmit" if is_prompt => HookEvent::UserPromptSubmit,
            "PreToolUse" => HookEvent::PreToolUse,
            "PostToolUse" => HookEvent::PostToolUse,
            "Stop" => HookEvent::Stop,
            _ => HookEvent::Other,
        };
        Ok(Payload {
            event,
            session_id: told.session_id.0,
            transcript: hook::transcript(told.transcript_path),
            agent_id: told.agent_id.map(|id| id.0),
            answered: Vec::new(),
        })
    }

    fn can_stop_at(&self, _: HookEvent) -> bool {
        false
    }

    /// It fails the tool, and the run goes on.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_tools_are_no_prompt() {
        for (prompt, event) in [("go on", HookEvent::UserPromptSubmit), ("", HookEvent::Other)] {
            let told = json!({"hook_event_name": "UserPromptSubmit", "session_id": "id",
                "transcript_path": "", "prompt": prompt})
            .to_string();
            let payload = Dialect.read(told.as_bytes()).unwrap();
            assert_eq!((payload.event, payload.transcript), (event, None), "{prompt}");
            assert_eq!(payload.session_id, "id");
        }
    }
}
