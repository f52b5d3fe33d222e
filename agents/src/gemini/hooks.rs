//! Gemini CLI's hooks.
//!
//! Measured traps: no payload tells a sub-agent from the main thread, whose session and
//! transcript a sub-agent's tools come under; a refusal in Claude Code's form is passed
//! over; a call in front of each request, `BeforeModel`, is made for sub-agents as well,
//! so that a run that is ended there may be torn, and none is.

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
    prompt: Option<Text<'p>>,
}

impl Hooks for Dialect {
    fn read<'p>(&self, payload: &'p [u8]) -> Result<Payload<'p>, serde_json::Error> {
        let told: Told<'p> = serde_json::from_slice(payload)?;
        // An agent may begin without a prompt.
        let is_prompt = told.prompt.is_none_or(|prompt| !prompt.0.is_empty());
        let event = match told.hook_event_name.0.as_ref() {
            "BeforeAgent" if is_prompt => HookEvent::UserPromptSubmit,
            "BeforeTool" => HookEvent::PreToolUse,
            "AfterTool" => HookEvent::PostToolUse,
            "AfterAgent" => HookEvent::Stop,
            _ => HookEvent::Other,
        };
        Ok(Payload {
            event,
            session_id: told.session_id.0,
            transcript: hook::transcript(told.transcript_path),
            agent_id: None,
            answered: Vec::new(),
        })
    }

    fn can_stop_at(&self, _: HookEvent) -> bool {
        false
    }

    fn stop(&self, reason: &str) -> String {
        json!({"continue": false, "stopReason": reason}).to_string()
    }

    fn deny(&self, reason: &str) -> String {
        json!({"decision": "deny", "reason": reason}).to_string()
    }
}
