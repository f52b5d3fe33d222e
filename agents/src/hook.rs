//! Hooks: what a CLI asks of an outside program at its events, and the answers
//! it takes.

use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;

use crate::scalar::Text;

/// An event at which a hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// A prompt is about to be sent.
    UserPromptSubmit,
    /// A tool is about to be used.
    PreToolUse,
    /// A tool has been used.
    PostToolUse,
    /// All tools that one answer asked for have been used.
    PostToolBatch,
    /// The agent is about to end its turn.
    Stop,
    /// One that no tool here acts on.
    Other,
}

/// What a hook is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload<'p> {
    /// Why it is called.
    pub event: HookEvent,
    /// The main session's id, sub-agents' calls included; empty if not told.
    pub session_id: Cow<'p, str>,
    /// The transcript, which may not exist yet.
    pub transcript: Option<Cow<'p, Path>>,
    /// The id of the sub-agent that acts; `None` for the main thread.
    pub agent_id: Option<Cow<'p, str>>,
    /// The ids of the tool calls that have been made, at the events after them.
    pub answered: Vec<Cow<'p, str>>,
}

/// The transcript as payloads name it, which may be by nothing.
pub(crate) fn transcript(named: Option<Text<'_>>) -> Option<Cow<'_, Path>> {
    match named?.0 {
        path if path.is_empty() => None,
        Cow::Borrowed(path) => Some(Cow::Borrowed(Path::new(path))),
        Cow::Owned(path) => Some(Cow::Owned(path.into())),
    }
}

/// What Claude Code, and CLIs that took after it, tell a hook.
#[derive(Deserialize)]
pub(crate) struct Told<'p> {
    #[serde(borrow, default)]
    pub(crate) hook_event_name: Text<'p>,
    #[serde(borrow, default)]
    session_id: Text<'p>,
    #[serde(borrow)]
    transcript_path: Option<Text<'p>>,
    #[serde(borrow)]
    agent_id: Option<Text<'p>>,
    #[serde(borrow)]
    prompt: Option<Text<'p>>,
    #[serde(borrow, default)]
    tool_calls: Vec<Call<'p>>,
}

#[derive(Deserialize)]
struct Call<'p> {
    #[serde(borrow, default)]
    tool_use_id: Text<'p>,
}

impl<'p> Told<'p> {
    /// The same, of that event.
    pub(crate) fn payload(self, event: HookEvent) -> Payload<'p> {
        // Some tell of results of tools as of a prompt, an empty one, which is none.
        let is_prompt = self.prompt.is_none_or(|prompt| !prompt.0.is_empty());
        let is_none = event == HookEvent::UserPromptSubmit && !is_prompt;
        Payload {
            event: if is_none { HookEvent::Other } else { event },
            session_id: self.session_id.0,
            transcript: transcript(self.transcript_path),
            agent_id: self.agent_id.map(|id| id.0),
            answered: self.tool_calls.into_iter().map(|call| call.tool_use_id.0).collect(),
        }
    }
}

/// A CLI's way of speaking with hooks.
pub trait Hooks: Sync {
    /// Reads a payload.
    ///
    /// # Errors
    /// It is no JSON object of the expected form.
    fn read<'p>(&self, payload: &'p [u8]) -> Result<Payload<'p>, serde_json::Error>;

    /// The answer, for a reason, that ends a run at this event with nothing torn: after
    /// all tools of an answer, in front of the next request. `None` where none does.
    fn stop_at(&self, _event: HookEvent) -> Option<fn(&str) -> String> {
        None
    }

    /// The answer to [`HookEvent::PreToolUse`] that keeps a tool from being used;
    /// the model reads the reason.
    fn deny(&self, reason: &str) -> String;
}
