//! From a session's lines to facts.
//!
//! - The figures of an answer are `message.usage`, whose cached parts are added; an
//!   answer that ended in an error or was aborted has none, and tells the error.
//! - A `compaction` leaves its summary and, of what came before, as much as fits
//!   into 20,000 tokens, which is not recorded.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::See;
use crate::fact::{Answer, Compaction, ErrorText, Fact, Input, InputKind, Size, ToolCall};
use crate::lines::{Branch, Format, Huge, OfBranch};
use crate::probe::Probe;
use crate::scalar::{Count, Text};

/// The lines of a session.
pub(super) struct Lines {
    newest_first: bool,
    branch: Branch,
}

impl OfBranch for Lines {
    const KEYS: (&'static str, &'static str) = ("id", "parentId");

    fn branch(&self) -> &Branch {
        &self.branch
    }

    fn link<'r>(record: &'r Record<'_>) -> (Option<&'r str>, Option<&'r str>) {
        let text = |text: &'r Option<Text<'_>>| text.as_ref().map(|text| text.0.as_ref());
        (text(&record.id), text(&record.parent))
    }
}

impl Lines {
    /// Of one branch, to be read in that direction.
    pub(super) fn new(newest_first: bool, branch: Branch) -> Lines {
        Lines { newest_first, branch }
    }
}

#[derive(Deserialize)]
pub(super) struct Record<'l> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(borrow)]
    id: Option<Text<'l>>,
    #[serde(rename = "parentId", borrow)]
    parent: Option<Text<'l>>,
    #[serde(borrow)]
    timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    message: Option<Message<'l>>,
    #[serde(borrow)]
    summary: Option<Text<'l>>,
    /// Of a message that an extension adds.
    #[serde(borrow)]
    content: Option<&'l RawValue>,
    #[serde(rename = "modelId", borrow)]
    model: Option<Text<'l>>,
}

#[derive(Deserialize)]
struct Message<'l> {
    #[serde(borrow, default)]
    role: Text<'l>,
    #[serde(borrow)]
    content: Option<&'l RawValue>,
    #[serde(borrow)]
    model: Option<Text<'l>>,
    usage: Option<Usage>,
    #[serde(rename = "stopReason", borrow)]
    stop_reason: Option<Text<'l>>,
    #[serde(rename = "errorMessage", borrow)]
    error: Option<Text<'l>>,
    #[serde(rename = "toolCallId", borrow)]
    tool_call_id: Option<Text<'l>>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    input: Count,
    #[serde(default)]
    output: Count,
    #[serde(rename = "cacheRead", default)]
    cache_read: Count,
    #[serde(rename = "cacheWrite", default)]
    cache_write: Count,
}

impl Usage {
    fn context(&self) -> Option<u64> {
        let parts = [self.input, self.cache_read, self.cache_write];
        let sum = parts.into_iter().map(Count::known).sum::<Option<u64>>();
        sum.filter(|&context| context > 0)
    }
}

#[derive(Deserialize)]
struct Part<'l> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(borrow)]
    text: Option<Text<'l>>,
    #[serde(borrow)]
    name: Option<Text<'l>>,
    #[serde(borrow)]
    arguments: Option<&'l RawValue>,
}

impl Format for Lines {
    type Record<'l> = Record<'l>;
    const COPIES: &'static [u8] = b"";

    fn facts(&mut self, record: Record<'_>, see: See<'_>) -> ControlFlow<()> {
        let (id, parent) = Lines::link(&record);
        if !self.branch.has(id, parent) {
            return ControlFlow::Continue(());
        }
        match (record.kind.0.as_ref(), record.message) {
            ("message", Some(message)) => self.of_message(&message, record.timestamp, see),
            ("compaction", _) => {
                let summary = |see: See<'_>| match &record.summary {
                    Some(summary) => of_text(InputKind::Summary, &summary.0, see),
                    None => ControlFlow::Continue(()),
                };
                if self.newest_first {
                    summary(see)?;
                }
                see(Fact::Compaction(Compaction { estimate: None }))?;
                if self.newest_first { ControlFlow::Continue(()) } else { summary(see) }
            }
            ("branch_summary", _) => match &record.summary {
                Some(summary) => of_text(InputKind::Attachment, &summary.0, see),
                None => ControlFlow::Continue(()),
            },
            ("custom_message", _) => inputs(record.content, InputKind::Attachment, None, see),
            ("model_change", _) => match record.model {
                Some(model) => see(Fact::Model(model.0)),
                None => ControlFlow::Continue(()),
            },
            _ => ControlFlow::Continue(()),
        }
    }

    fn facts_of_huge(&mut self, huge: &Huge<'_>, see: See<'_>) -> ControlFlow<()> {
        let probe = Probe::new(huge.head);
        if !self.branch.has(probe.text(Lines::KEYS.0), probe.text(Lines::KEYS.1)) {
            return ControlFlow::Continue(());
        }
        let is_media = memchr::memmem::find(huge.head, b"\"type\":\"image\"").is_some();
        let size = if is_media { Size::Media } else { Size::Text(huge.length) };
        match probe.text("type") {
            Some("compaction") => {
                see(Fact::Compaction(Compaction { estimate: Some(huge.length.div_ceil(4)) }))
            }
            Some("message") => see(Fact::Input(Input::unread(InputKind::ToolResult, size))),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Lines {
    fn of_message(
        &self,
        message: &Message<'_>,
        timestamp: Option<Text<'_>>,
        see: See<'_>,
    ) -> ControlFlow<()> {
        match message.role.0.as_ref() {
            "assistant" => of_assistant(message, timestamp, see),
            "toolResult" => {
                let id = message.tool_call_id.as_ref().map(|id| id.0.as_ref());
                inputs(message.content, InputKind::ToolResult, id, see)
            }
            // Newer versions record the system prompt.
            "system" => ControlFlow::Continue(()),
            _ => inputs(message.content, InputKind::Prompt, None, see),
        }
    }
}

fn of_assistant(
    message: &Message<'_>,
    timestamp: Option<Text<'_>>,
    see: See<'_>,
) -> ControlFlow<()> {
    let ended = message.stop_reason.as_ref().map(|reason| reason.0.as_ref());
    if matches!(ended, Some("error" | "aborted")) {
        let Some(error) = &message.error else { return ControlFlow::Continue(()) };
        let text = Cow::Borrowed(error.0.as_ref());
        return see(Fact::Error(ErrorText { text, details: None }));
    }
    let Some(usage) = &message.usage else {
        return inputs(message.content, InputKind::Unmetered, None, see);
    };
    see(Fact::Answer(Answer {
        id: None,
        model: message.model.as_ref().map(|model| Cow::Borrowed(model.0.as_ref())),
        context: usage.context(),
        output: usage.output.or_zero(),
        timestamp: timestamp.map(|timestamp| timestamp.0),
    }))?;
    for part in parts(message.content) {
        if part.kind.0 == "toolCall"
            && let Some(name) = part.name
        {
            let input = part.arguments.map_or("{}", RawValue::get);
            see(Fact::ToolCall(ToolCall { name: name.0, input: Cow::Borrowed(input) }))?;
        }
    }
    ControlFlow::Continue(())
}

fn parts<'l>(content: Option<&'l RawValue>) -> Vec<Part<'l>> {
    content.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

fn of_text(kind: InputKind, text: &str, see: See<'_>) -> ControlFlow<()> {
    match Input::text(kind, Cow::Borrowed(text)) {
        Some(input) => see(Fact::Input(input)),
        None => ControlFlow::Continue(()),
    }
}

/// Content is a text or a list of parts.
fn inputs(
    content: Option<&RawValue>,
    kind: InputKind,
    tool_use_id: Option<&str>,
    see: See<'_>,
) -> ControlFlow<()> {
    if let Some(text) = content.and_then(|raw| serde_json::from_str::<Text>(raw.get()).ok()) {
        return of_text(kind, &text.0, see);
    }
    for part in parts(content) {
        let input = match part.text {
            Some(text) => Input::text(kind, text.0),
            None if part.kind.0 == "image" => Some(Input::media(kind)),
            None => None,
        };
        if let Some(mut input) = input {
            input.tool_use_id = tool_use_id.map(Cow::Borrowed);
            see(Fact::Input(input))?;
        }
    }
    ControlFlow::Continue(())
}
