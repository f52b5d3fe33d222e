//! From a session's messages to facts.
//!
//! - An answer's figures are `tokens`: all zero while it is not finished, and where
//!   it failed. An answer with `summary: true` is a compaction's, and its figures
//!   are those of the request in front of it; a user's message has a `summary` too,
//!   which is another thing.
//! - What tools returned stands in the answer that called them, behind its figures.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::See;
use crate::fact::{Answer, Compaction, ErrorText, Fact, Input, InputKind, ToolCall};
use crate::scalar::{Count, Text};

#[derive(Deserialize)]
struct Message<'l> {
    #[serde(borrow)]
    info: Info<'l>,
    #[serde(borrow, default)]
    parts: Vec<Part<'l>>,
}

#[derive(Deserialize)]
struct Info<'l> {
    #[serde(borrow)]
    id: Option<Text<'l>>,
    #[serde(borrow, default)]
    role: Text<'l>,
    #[serde(rename = "modelID", borrow)]
    model: Option<Text<'l>>,
    #[serde(borrow)]
    summary: Option<&'l RawValue>,
    tokens: Option<Tokens>,
    #[serde(borrow)]
    error: Option<Failed<'l>>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input: Count,
    #[serde(default)]
    output: Count,
    #[serde(default)]
    cache: Cache,
}

#[derive(Default, Deserialize)]
struct Cache {
    #[serde(default)]
    read: Count,
    #[serde(default)]
    write: Count,
}

impl Tokens {
    fn context(&self) -> Option<u64> {
        let parts = [self.input, self.cache.read, self.cache.write];
        parts.into_iter().map(Count::known).sum::<Option<u64>>().filter(|&context| context > 0)
    }
}

#[derive(Deserialize)]
struct Failed<'l> {
    #[serde(borrow)]
    name: Option<Text<'l>>,
    #[serde(borrow)]
    data: Option<ErrorData<'l>>,
}

#[derive(Deserialize)]
struct ErrorData<'l> {
    #[serde(borrow)]
    message: Option<Text<'l>>,
}

#[derive(Deserialize)]
struct Part<'l> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(borrow)]
    text: Option<Text<'l>>,
    #[serde(borrow)]
    tool: Option<Text<'l>>,
    #[serde(rename = "callID", borrow)]
    call: Option<Text<'l>>,
    #[serde(borrow)]
    state: Option<ToolState<'l>>,
}

#[derive(Deserialize)]
struct ToolState<'l> {
    #[serde(borrow)]
    input: Option<&'l RawValue>,
    #[serde(borrow)]
    output: Option<Text<'l>>,
    #[serde(borrow)]
    error: Option<Text<'l>>,
}

/// The facts of a message whose later ones were shown.
pub(super) fn newest_first(message: &RawValue, see: See<'_>) -> ControlFlow<()> {
    let Ok(message) = serde_json::from_str::<Message>(message.get()) else {
        return ControlFlow::Continue(());
    };
    match message.info.role.0.as_ref() {
        "assistant" if is_summary(&message.info) => {
            of_texts(&message.parts, InputKind::Summary, see)?;
            see(Fact::Compaction(Compaction { estimate: None }))
        }
        "assistant" => {
            of_results(&message.parts, see)?;
            of_answer(&message, see)?;
            of_error(&message.info, see)
        }
        _ => of_texts(&message.parts, InputKind::Prompt, see),
    }
}

/// The facts of a message whose earlier ones were shown.
pub(super) fn oldest_first(message: &RawValue, see: See<'_>) -> ControlFlow<()> {
    let Ok(message) = serde_json::from_str::<Message>(message.get()) else {
        return ControlFlow::Continue(());
    };
    match message.info.role.0.as_ref() {
        "assistant" if is_summary(&message.info) => {
            see(Fact::Compaction(Compaction { estimate: None }))?;
            of_texts(&message.parts, InputKind::Summary, see)
        }
        "assistant" => {
            of_error(&message.info, see)?;
            of_answer(&message, see)?;
            for part in &message.parts {
                of_tool_call(part, see)?;
            }
            of_results(&message.parts, see)
        }
        _ => of_texts(&message.parts, InputKind::Prompt, see),
    }
}

fn is_summary(info: &Info<'_>) -> bool {
    info.summary.is_some_and(|summary| summary.get() == "true")
}

fn of_answer(message: &Message<'_>, see: See<'_>) -> ControlFlow<()> {
    let info = &message.info;
    let Some(tokens) = &info.tokens else { return ControlFlow::Continue(()) };
    let context = tokens.context();
    // One that failed, or is still to come, saw nothing and says nothing.
    if context.is_none() && tokens.output.or_zero() == 0 {
        return ControlFlow::Continue(());
    }
    see(Fact::Answer(Answer {
        id: info.id.as_ref().map(|id| Cow::Borrowed(id.0.as_ref())),
        model: info.model.as_ref().map(|model| Cow::Borrowed(model.0.as_ref())),
        context,
        output: tokens.output.or_zero(),
        timestamp: None,
    }))
}

fn of_error(info: &Info<'_>, see: See<'_>) -> ControlFlow<()> {
    let Some(error) = &info.error else { return ControlFlow::Continue(()) };
    let message = error.data.as_ref().and_then(|data| data.message.as_ref());
    see(Fact::Error(ErrorText {
        text: message.map_or(Cow::Borrowed(""), |text| Cow::Borrowed(text.0.as_ref())),
        details: error.name.as_ref().map(|name| Cow::Borrowed(name.0.as_ref())),
    }))
}

fn of_texts(parts: &[Part<'_>], kind: InputKind, see: See<'_>) -> ControlFlow<()> {
    for part in parts {
        let input = match part.kind.0.as_ref() {
            "file" => Some(Input::media(kind)),
            "text" => part
                .text
                .as_ref()
                .and_then(|text| Input::text(kind, Cow::Borrowed(text.0.as_ref()))),
            _ => None,
        };
        if let Some(input) = input {
            see(Fact::Input(input))?;
        }
    }
    ControlFlow::Continue(())
}

fn of_results(parts: &[Part<'_>], see: See<'_>) -> ControlFlow<()> {
    for part in parts {
        let Some(state) = &part.state else { continue };
        let Some(text) = state.output.as_ref().or(state.error.as_ref()) else { continue };
        let text = Cow::Borrowed(text.0.as_ref());
        if let Some(mut input) = Input::text(InputKind::ToolResult, text) {
            input.tool_use_id = part.call.as_ref().map(|call| Cow::Borrowed(call.0.as_ref()));
            see(Fact::Input(input))?;
        }
    }
    ControlFlow::Continue(())
}

fn of_tool_call(part: &Part<'_>, see: See<'_>) -> ControlFlow<()> {
    let Some(name) = &part.tool else { return ControlFlow::Continue(()) };
    let input = part.state.as_ref().and_then(|state| state.input).map_or("{}", RawValue::get);
    let name = Cow::Borrowed(name.0.as_ref());
    see(Fact::ToolCall(ToolCall { name, input: Cow::Borrowed(input) }))
}
