//! Copilot's hooks: its own payload, which does not say what it is about, and Claude's,
//! of the same events where they are spelled Claude's way.
//!
//! Measured traps: its own is told apart by what it holds alone; the transcript is named
//! at few events, and lies where the session's id says; a sub-agent's tools are told
//! under an id of its own; a tool is refused by an object of its own form, whatever the
//! event's spelling, and Claude's form is passed over; no answer ends a run.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::sessions;
use crate::hook::{self, HookEvent, Hooks, Payload};
use crate::scalar::Text;

pub(super) struct Dialect;

#[derive(Deserialize)]
struct Told<'p> {
    #[serde(borrow)]
    hook_event_name: Option<Text<'p>>,
    #[serde(borrow)]
    session_id: Option<Text<'p>>,
    #[serde(borrow)]
    transcript_path: Option<Text<'p>>,
    #[serde(borrow)]
    agent_id: Option<Text<'p>>,
    #[serde(rename = "sessionId", borrow)]
    own_session_id: Option<Text<'p>>,
    #[serde(rename = "transcriptPath", borrow)]
    own_transcript_path: Option<Text<'p>>,
    #[serde(rename = "agentId", borrow)]
    own_agent_id: Option<Text<'p>>,
    #[serde(rename = "toolName")]
    tool: Option<IgnoredAny>,
    #[serde(rename = "toolResult")]
    result: Option<IgnoredAny>,
    /// Of a tool that failed, and of other failures.
    error: Option<IgnoredAny>,
    prompt: Option<IgnoredAny>,
    #[serde(rename = "stopReason")]
    stop_reason: Option<IgnoredAny>,
}

impl Told<'_> {
    fn event(&self) -> HookEvent {
        if let Some(name) = &self.hook_event_name {
            return match name.0.as_ref() {
                "UserPromptSubmit" => HookEvent::UserPromptSubmit,
                "PreToolUse" => HookEvent::PreToolUse,
                "PostToolUse" => HookEvent::PostToolUse,
                "Stop" => HookEvent::Stop,
                _ => HookEvent::Other,
            };
        }
        let is_over = self.result.is_some() || self.error.is_some();
        match (self.tool.is_some(), self.prompt.is_some(), self.stop_reason.is_some()) {
            (true, ..) if is_over => HookEvent::PostToolUse,
            (true, ..) => HookEvent::PreToolUse,
            (_, true, _) => HookEvent::UserPromptSubmit,
            (.., true) => HookEvent::Stop,
            _ => HookEvent::Other,
        }
    }
}

impl Hooks for Dialect {
    fn read<'p>(&self, payload: &'p [u8]) -> Result<Payload<'p>, serde_json::Error> {
        let told: Told<'p> = serde_json::from_slice(payload)?;
        let event = told.event();
        let session_id = told.session_id.or(told.own_session_id).unwrap_or_default().0;
        let named = hook::transcript(told.transcript_path.or(told.own_transcript_path));
        let transcript = named.or_else(|| sessions::place_of(&session_id).map(Cow::Owned));
        Ok(Payload {
            event,
            session_id,
            transcript,
            agent_id: told.agent_id.or(told.own_agent_id).map(|id| id.0),
            answered: Vec::new(),
        })
    }

    fn deny(&self, reason: &str) -> String {
        json!({"permissionDecision": "deny", "permissionDecisionReason": reason}).to_string()
    }
}
