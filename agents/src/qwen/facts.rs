//! From a session's lines to facts.
//!
//! - The figures of an answer are `usageMetadata`, absent where the server sent
//!   none. A window stands beside it where one was configured.
//! - `chat_compression` tells how many tokens it left.
//! - An error is told by telemetry alone; one of a sub-agent names it.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::See;
use crate::fact::{Answer, Compaction, ErrorText, Fact, Input, InputKind, Size};
use crate::lines::{Branch, Format, Huge, OfBranch};
use crate::parts;
use crate::probe::Probe;
use crate::scalar::{Count, Text};

/// The lines of a session.
pub(super) struct Lines {
    branch: Branch,
}

impl Lines {
    /// Of one branch; in either direction the facts are the same.
    pub(super) fn new(_: bool, branch: Branch) -> Lines {
        Lines { branch }
    }
}

#[derive(Deserialize)]
pub(super) struct Record<'l> {
    #[serde(borrow)]
    uuid: Option<Text<'l>>,
    #[serde(rename = "parentUuid", borrow)]
    parent: Option<Text<'l>>,
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(borrow, default)]
    subtype: Option<Text<'l>>,
    #[serde(borrow)]
    timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    model: Option<Text<'l>>,
    #[serde(borrow)]
    message: Option<Message<'l>>,
    #[serde(rename = "usageMetadata")]
    usage: Option<Usage>,
    #[serde(rename = "contextWindowSize")]
    window: Option<Count>,
    #[serde(rename = "systemPayload", borrow)]
    payload: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Message<'l> {
    #[serde(borrow)]
    parts: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(rename = "promptTokenCount", default)]
    prompt: Count,
    #[serde(rename = "candidatesTokenCount", default)]
    candidates: Count,
}

#[derive(Deserialize)]
struct Compression {
    info: Info,
}

#[derive(Deserialize)]
struct Info {
    #[serde(rename = "newTokenCount")]
    left: Option<Count>,
}

#[derive(Deserialize)]
struct Telemetry<'l> {
    #[serde(rename = "uiEvent", borrow)]
    event: Event<'l>,
}

#[derive(Deserialize)]
struct Event<'l> {
    #[serde(rename = "event.name", borrow, default)]
    name: Text<'l>,
    #[serde(borrow)]
    error_message: Option<Text<'l>>,
    #[serde(borrow)]
    subagent_name: Option<Text<'l>>,
}

impl OfBranch for Lines {
    const KEYS: (&'static str, &'static str) = ("uuid", "parentUuid");

    fn branch(&self) -> &Branch {
        &self.branch
    }

    fn link<'r>(record: &'r Record<'_>) -> (Option<&'r str>, Option<&'r str>) {
        let text = |text: &'r Option<Text<'_>>| text.as_ref().map(|text| text.0.as_ref());
        (text(&record.uuid), text(&record.parent))
    }
}

impl Format for Lines {
    type Record<'l> = Record<'l>;
    /// What the terminal shows of a tool's result.
    const COPIES: &'static [u8] = b",\"toolCallResult\":";

    fn facts(&mut self, record: Record<'_>, see: See<'_>) -> ControlFlow<()> {
        let (id, parent) = Lines::link(&record);
        if !self.branch.has(id, parent) {
            return ControlFlow::Continue(());
        }
        let content = record.message.as_ref().and_then(|message| message.parts);
        let subtype = record.subtype.as_ref().map_or("", |subtype| subtype.0.as_ref());
        match (record.kind.0.as_ref(), subtype) {
            ("assistant", _) => of_answer(record, see),
            ("user" | "tool_result", _) => parts::inputs(content, InputKind::Prompt, see),
            ("system", "chat_compression") => {
                let payload = record.payload.map(|raw| serde_json::from_str(raw.get()));
                let left = payload.and_then(Result::ok).map(|told: Compression| told.info.left);
                let estimate = left.flatten().and_then(Count::known);
                see(Fact::Compaction(Compaction { estimate }))
            }
            ("system", "ui_telemetry") => of_telemetry(record.payload, see),
            _ => ControlFlow::Continue(()),
        }
    }

    fn facts_of_huge(&mut self, huge: &Huge<'_>, see: See<'_>) -> ControlFlow<()> {
        let probe = Probe::new(huge.head);
        if !self.branch.has(probe.text(Lines::KEYS.0), probe.text(Lines::KEYS.1)) {
            return ControlFlow::Continue(());
        }
        match (probe.text("type"), probe.text("subtype")) {
            // It carries the history that it left.
            (_, Some("chat_compression")) => see(Fact::Compaction(Compaction { estimate: None })),
            (Some("user" | "tool_result"), _) => {
                see(Fact::Input(Input::unread(InputKind::ToolResult, Size::Text(huge.length))))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn of_answer(record: Record<'_>, see: See<'_>) -> ControlFlow<()> {
    let content = record.message.as_ref().and_then(|message| message.parts);
    if let Some(window) = record.window.and_then(Count::known).filter(|&window| window > 0) {
        see(Fact::Window(window))?;
    }
    let Some(usage) = record.usage else {
        return parts::inputs(content, InputKind::Unmetered, see);
    };
    see(Fact::Answer(Answer {
        id: None,
        model: record.model.map(|model| model.0),
        context: usage.prompt.known().filter(|&context| context > 0),
        output: usage.candidates.or_zero(),
        timestamp: record.timestamp.map(|timestamp| timestamp.0),
    }))?;
    parts::tool_calls(content, see)
}

fn of_telemetry(payload: Option<&RawValue>, see: See<'_>) -> ControlFlow<()> {
    let told = payload.and_then(|raw| serde_json::from_str::<Telemetry>(raw.get()).ok());
    match told.map(|told| told.event) {
        Some(Event { name, error_message: Some(message), subagent_name: None })
            if name.0 == "qwen-code.api_error" =>
        {
            let text = Cow::Borrowed(message.0.as_ref());
            see(Fact::Error(ErrorText { text, details: None }))
        }
        _ => ControlFlow::Continue(()),
    }
}
