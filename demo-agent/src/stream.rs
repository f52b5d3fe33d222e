//! stdout: the events as they come, or the end alone.
//!
//! An assistant event is printed when its block is complete but its message is
//! not, so it says 1 output token and no stop reason; the transcript has the
//! final counts.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::arguments::Format;
use crate::model::Model;
use crate::{VERSION, transcript};

/// What a run prints.
pub(crate) struct Stream {
    format: Format,
    out: Box<dyn Write>,
    session: String,
    /// The first write that failed; nothing is written after it.
    pub(crate) failed: Option<io::Error>,
    /// User events so far: the CLI counts them as turns.
    pub(crate) user_events: u64,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("format", &self.format).finish_non_exhaustive()
    }
}

const TOOLS: [&str; 6] = ["Task", "Bash", "Edit", "Read", "SendMessage", "Write"];

impl Stream {
    /// A stream in a format.
    pub(crate) fn new(format: Format, out: Box<dyn Write>, session: &str) -> Stream {
        Stream { format, out, session: session.to_owned(), failed: None, user_events: 0 }
    }

    /// The first event.
    pub(crate) fn init(&mut self, cwd: &Path, model: &Model, memory: &Path) {
        self.event(&json!({
            "type": "system", "subtype": "init", "cwd": cwd.to_string_lossy(),
            "session_id": self.session, "tools": TOOLS, "mcp_servers": [], "model": model.asked,
            "permissionMode": "default", "slash_commands": ["clear", "compact", "context"],
            "apiKeySource": "ANTHROPIC_API_KEY", "claude_code_version": VERSION,
            "output_style": "default", "agents": ["claude", "Explore", "general-purpose", "Plan"],
            "skills": [], "plugins": [], "analytics_disabled": true,
            "product_feedback_disabled": true, "uuid": Uuid::new_v4().to_string(),
            "memory_paths": {"auto": format!("{}/", memory.display())}, "fast_mode_state": "off",
        }));
    }

    /// A block of an answer. `parent` is the call that a sub-agent works for.
    pub(crate) fn assistant(
        &mut self,
        message: &Value,
        uuid: &str,
        parent: Option<&str>,
        more: Value,
    ) {
        let mut event = json!({
            "type": "assistant", "message": message, "parent_tool_use_id": parent,
            "session_id": self.session, "uuid": uuid,
        });
        extend(&mut event, more);
        self.event(&event);
    }

    /// Something said to the model: a tool's result, mostly.
    pub(crate) fn user(&mut self, content: &Value, uuid: &str, parent: Option<&str>, more: Value) {
        if parent.is_none() {
            self.user_events += 1;
        }
        let mut event = json!({
            "type": "user", "message": {"role": "user", "content": content},
            "parent_tool_use_id": parent, "session_id": self.session, "uuid": uuid,
            "timestamp": transcript::now(),
        });
        extend(&mut event, more);
        self.event(&event);
    }

    /// A system event.
    pub(crate) fn system(&mut self, subtype: &str, more: Value) {
        let mut event = json!({"type": "system", "subtype": subtype});
        extend(&mut event, more);
        let own = json!({"uuid": Uuid::new_v4().to_string(), "session_id": self.session});
        if event["uuid"].is_null() {
            extend(&mut event, own);
        } else {
            extend(&mut event, json!({"session_id": self.session}));
        }
        self.event(&event);
    }

    /// The end: the result itself, or its text where text is asked for. A
    /// result that has none says `broken`, without a newline.
    pub(crate) fn end(&mut self, result: &Value, broken: &str) {
        match (self.format, result["result"].as_str()) {
            (Format::Text, Some(text)) => self.line(text),
            (Format::Text, None) => self.write(broken),
            _ => self.line(&result.to_string()),
        }
    }

    fn event(&mut self, event: &Value) {
        if self.format == Format::StreamJson {
            self.line(&event.to_string());
        }
    }

    fn line(&mut self, line: &str) {
        self.write(&format!("{line}\n"));
    }

    fn write(&mut self, text: &str) {
        if self.failed.is_none() {
            let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
            self.failed = written.err();
        }
    }
}

/// Adds the keys of one object to another.
pub(crate) fn extend(value: &mut Value, more: Value) {
    if let (Value::Object(value), Value::Object(more)) = (value, more) {
        value.extend::<Map<String, Value>>(more);
    }
}
