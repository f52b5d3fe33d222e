//! A session while a run of it lasts: its transcript, its events, its hooks and
//! what it has used; and the lines that all parts of a run write.

use std::time::Instant;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::Refusal;
use crate::hooks::Hooks;
use crate::model::Model;
use crate::place::Place;
use crate::scenario::ToolCall;
use crate::stream::{Stream, extend};
use crate::transcript::Transcript;
use crate::usage::Usage;

/// A session while a run of it lasts.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) place: Place,
    pub(crate) model: Model,
    pub(crate) prompt: String,
    pub(crate) prompt_id: String,
    pub(crate) transcript: Transcript,
    pub(crate) stream: Stream,
    pub(crate) hooks: Hooks,
    pub(crate) tally: Tally,
}

/// What a run has used and met.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) started: Instant,
    /// Sum over the main session's whole answers.
    pub(crate) usage: Usage,
    /// The same with sub-agents and broken answers.
    pub(crate) billed: Usage,
    /// Answers of this run.
    pub(crate) answers: u64,
    /// Tool calls that hooks denied.
    pub(crate) denials: Vec<Value>,
}

impl Tally {
    /// Nothing yet; the clock runs.
    pub(crate) fn new() -> Tally {
        Tally {
            started: Instant::now(),
            usage: Usage::default(),
            billed: Usage::default(),
            answers: 0,
            denials: Vec::new(),
        }
    }
}

/// An answer of the model, its tool calls numbered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) thinking: Option<String>,
    pub(crate) text: Option<String>,
    /// Id and call.
    pub(crate) calls: Vec<(String, ToolCall)>,
    pub(crate) usage: Usage,
}

/// The lines of an answer, printed but not yet in the transcript.
#[derive(Debug)]
pub(crate) struct Pending {
    lines: Vec<Value>,
}

/// A fresh id in the API's style.
pub(crate) fn api_id(prefix: &str) -> String {
    let hex = Uuid::new_v4().simple().to_string();
    format!("{prefix}_{}", hex.get(..24).unwrap_or(&hex))
}

impl Session {
    /// Prints an answer, block by block, and counts it. Its lines reach the
    /// transcript by [`Session::write`]: the CLI writes them in batches, so that
    /// a PreToolUse hook mostly sees the file without them.
    pub(crate) fn print(&mut self, answer: &Answer) -> Pending {
        let mut blocks = Vec::new();
        if let Some(thinking) = &answer.thinking {
            blocks.push(json!({"type": "thinking", "thinking": thinking, "signature": "ZGVtbw=="}));
        }
        if let Some(text) = &answer.text {
            blocks.push(json!({"type": "text", "text": text}));
        }
        for (id, call) in &answer.calls {
            blocks.push(
                json!({"name": call.name, "input": call.input, "type": "tool_use", "id": id}),
            );
        }
        let stop_reason = if answer.calls.is_empty() { "end_turn" } else { "tool_use" };
        let (message_id, request_id) = (api_id("msg"), api_id("req"));
        let mut lines = Vec::new();
        for block in blocks {
            let message = |usage: Value, stop_reason: Value, more: Value| {
                let mut message = json!({
                    "id": message_id, "type": "message", "role": "assistant",
                    "model": self.model.recorded(), "content": [block],
                    "stop_reason": stop_reason, "stop_sequence": null, "usage": usage,
                });
                extend(&mut message, more);
                message
            };
            let uuid = Uuid::new_v4().to_string();
            let started = message(
                answer.usage.to_started_json(),
                Value::Null,
                json!({"context_management": null}),
            );
            let whole =
                message(answer.usage.to_json(), json!(stop_reason), json!({"stop_details": null}));
            self.stream.assistant(&started, &uuid, None, json!({"request_id": request_id}));
            lines.push(json!({
                "message": whole, "requestId": request_id, "type": "assistant", "uuid": uuid,
            }));
        }
        self.tally.usage.add(&answer.usage);
        self.tally.billed.add(&answer.usage);
        self.tally.answers += 1;
        Pending { lines }
    }

    /// Writes an answer's lines; returns the ids of those that call a tool.
    pub(crate) fn write(&mut self, pending: Pending) -> Result<Vec<String>, Refusal> {
        let mut calls = Vec::new();
        for line in pending.lines {
            let is_call = line["message"]["content"][0]["type"] == "tool_use";
            let uuid = self.transcript.say(line)?;
            if is_call {
                calls.push(uuid);
            }
        }
        Ok(calls)
    }

    /// Writes the traces that hooks left.
    pub(crate) fn attach(&mut self, attachments: Vec<Value>) -> Result<(), Refusal> {
        for attachment in attachments {
            self.transcript.say(json!({"attachment": attachment, "type": "attachment"}))?;
        }
        Ok(())
    }

    /// Says something to the model and prints it; returns the line's id.
    pub(crate) fn tell(
        &mut self,
        parent: Option<&str>,
        content: &Value,
        in_line: Value,
        in_event: Value,
    ) -> Result<String, Refusal> {
        let mut line = json!({
            "promptId": self.prompt_id, "type": "user",
            "message": {"role": "user", "content": content},
        });
        extend(&mut line, in_line);
        let leaf = self.transcript.conversation.leaf.clone();
        let uuid = self.transcript.say_after(parent.or(leaf.as_deref()), line)?;
        // Events carry a text as a block.
        let blocks = match content {
            Value::String(text) => json!([{"type": "text", "text": text}]),
            blocks => blocks.clone(),
        };
        self.stream.user(&blocks, &uuid, None, in_event);
        Ok(uuid)
    }

    /// The bookkeeping line that a run's transcript ends with.
    pub(crate) fn close(&mut self, prompt: Option<&str>) -> Result<(), Refusal> {
        let mut line = json!({"type": "last-prompt"});
        if let Some(prompt) = prompt {
            extend(&mut line, json!({"lastPrompt": prompt}));
        }
        let leaf = self.transcript.conversation.leaf.clone();
        extend(&mut line, json!({"leafUuid": leaf, "sessionId": self.id}));
        self.transcript.note(&line)
    }
}
