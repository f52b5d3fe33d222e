//! From a context's lines to facts.
//!
//! A `_usage` record tells the tokens of all that stands in front of it, the answer
//! included once that is there. The words of an answer come before it, what its
//! tools returned after it.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::See;
use crate::fact::{Answer, Fact, Input, InputKind, Size, ToolCall};
use crate::lines::{Format, Huge};
use crate::probe::Probe;
use crate::scalar::{Count, Text};

/// The lines of a context.
pub(super) struct Lines;

#[derive(Deserialize)]
pub(super) struct Record<'l> {
    #[serde(borrow, default)]
    role: Text<'l>,
    #[serde(borrow)]
    content: Option<&'l RawValue>,
    token_count: Option<Count>,
    #[serde(borrow)]
    tool_calls: Option<&'l RawValue>,
    #[serde(borrow)]
    tool_call_id: Option<Text<'l>>,
}

#[derive(Deserialize)]
struct Part<'l> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(borrow)]
    text: Option<Text<'l>>,
}

#[derive(Deserialize)]
struct Call<'l> {
    #[serde(borrow)]
    function: Function<'l>,
}

#[derive(Deserialize)]
struct Function<'l> {
    #[serde(borrow, default)]
    name: Text<'l>,
    #[serde(borrow)]
    arguments: Option<Text<'l>>,
}

impl Format for Lines {
    type Record<'l> = Record<'l>;
    const COPIES: &'static [u8] = b"";

    fn facts(&mut self, record: Record<'_>, see: See<'_>) -> ControlFlow<()> {
        match record.role.0.as_ref() {
            "_usage" => see(Fact::Answer(Answer {
                context: record.token_count.and_then(Count::known).filter(|&count| count > 0),
                ..Answer::default()
            })),
            "user" => inputs(&record, InputKind::Prompt, see),
            "tool" => inputs(&record, InputKind::ToolResult, see),
            "assistant" => {
                // Covered by the count behind it, if one is there.
                inputs(&record, InputKind::Unmetered, see)?;
                of_calls(record.tool_calls, see)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn facts_of_huge(&mut self, huge: &Huge<'_>, see: See<'_>) -> ControlFlow<()> {
        match Probe::new(huge.head).text("role") {
            Some("user" | "tool") => {
                see(Fact::Input(Input::unread(InputKind::ToolResult, Size::Text(huge.length))))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn of_calls(raw: Option<&RawValue>, see: See<'_>) -> ControlFlow<()> {
    let calls = raw.and_then(|raw| serde_json::from_str::<Vec<Call>>(raw.get()).ok());
    for Call { function } in calls.unwrap_or_default() {
        let input = function.arguments.map_or(Cow::Borrowed("{}"), |text| text.0);
        see(Fact::ToolCall(ToolCall { name: function.name.0, input }))?;
    }
    ControlFlow::Continue(())
}

/// Content is a text or a list of parts.
fn inputs(record: &Record<'_>, kind: InputKind, see: See<'_>) -> ControlFlow<()> {
    let Some(json) = record.content.map(RawValue::get) else {
        return ControlFlow::Continue(());
    };
    let whole = serde_json::from_str::<Text>(json).ok().and_then(|t| Input::text(kind, t.0));
    let parts = serde_json::from_str::<Vec<Part>>(json).unwrap_or_default();
    let parts = parts.into_iter().filter_map(|part| match part.text {
        Some(text) => Input::text(kind, text.0),
        None => (part.kind.0 == "image_url").then(|| Input::media(kind)),
    });
    for mut input in whole.into_iter().chain(parts) {
        input.tool_use_id = record.tool_call_id.as_ref().map(|id| Cow::Borrowed(id.0.as_ref()));
        see(Fact::Input(input))?;
    }
    ControlFlow::Continue(())
}
