//! Gemini CLI's hooks.
//!
//! Measured traps: no payload tells a sub-agent from the main thread, whose session and
//! transcript a sub-agent's tools come under; a refusal in Claude Code's form is passed
//! over; a call in front of each request, `BeforeModel`, is made for sub-agents as well,
//! so that a run that is ended there may be torn, and none is.

use serde_json::json;

use crate::hook::{HookEvent, Hooks, Payload, Told};

pub(super) struct Dialect;

impl Hooks for Dialect {
    fn read<'p>(&self, payload: &'p [u8]) -> Result<Payload<'p>, serde_json::Error> {
        let told: Told<'p> = serde_json::from_slice(payload)?;
        let event = match told.hook_event_name.0.as_ref() {
            "BeforeAgent" => HookEvent::UserPromptSubmit,
            "BeforeTool" => HookEvent::PreToolUse,
            "AfterTool" => HookEvent::PostToolUse,
            "AfterAgent" => HookEvent::Stop,
            _ => HookEvent::Other,
        };
        Ok(told.payload(event))
    }

    fn deny(&self, reason: &str) -> String {
        json!({"decision": "deny", "reason": reason}).to_string()
    }
}
