//! From a session's messages to facts.
//!
//! An answer's figures are `metrics`; a message without any that is only displayed
//! tells an error, and is not sent.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::See;
use crate::fact::{Answer, ErrorText, Fact, Input, InputKind, ToolCall};
use crate::scalar::{Count, Text};

#[derive(Deserialize)]
struct Message<'l> {
    #[serde(borrow)]
    id: Option<Text<'l>>,
    #[serde(borrow, default)]
    role: Text<'l>,
    #[serde(borrow)]
    content: Option<&'l RawValue>,
    metrics: Option<Metrics>,
    #[serde(rename = "modelInfo", borrow)]
    model: Option<Model<'l>>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Metrics {
    #[serde(rename = "inputTokens", default)]
    input: Count,
    #[serde(rename = "outputTokens", default)]
    output: Count,
}

#[derive(Deserialize)]
struct Model<'l> {
    #[serde(borrow)]
    id: Option<Text<'l>>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "displayOnly", default)]
    display_only: bool,
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
    input: Option<&'l RawValue>,
    /// Of a tool's result.
    #[serde(borrow)]
    content: Option<&'l RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<Text<'l>>,
}

/// The facts of a message, which are the same in either direction.
pub(super) fn of_message(message: &RawValue, see: See<'_>) -> ControlFlow<()> {
    let Ok(message) = serde_json::from_str::<Message>(message.get()) else {
        return ControlFlow::Continue(());
    };
    let parts = parts(message.content);
    if message.metadata.as_ref().is_some_and(|metadata| metadata.display_only) {
        let text = parts.into_iter().find_map(|part| part.text).unwrap_or_default();
        return see(Fact::Error(ErrorText { text: text.0, details: None }));
    }
    match (message.role.0.as_ref(), &message.metrics) {
        ("assistant", Some(metrics)) => {
            see(Fact::Answer(Answer {
                id: message.id.map(|id| id.0),
                model: message.model.and_then(|model| model.id).map(|id| id.0),
                context: metrics.input.known().filter(|&context| context > 0),
                output: metrics.output.or_zero(),
                timestamp: None,
            }))?;
            parts.into_iter().try_for_each(|part| of_tool_call(part, see))
        }
        ("assistant", None) => inputs(parts, InputKind::Unmetered, see),
        _ => inputs(parts, InputKind::Prompt, see),
    }
}

/// Content is a list of parts or a text.
fn parts<'l>(content: Option<&'l RawValue>) -> Vec<Part<'l>> {
    let Some(json) = content.map(RawValue::get) else { return Vec::new() };
    serde_json::from_str(json).unwrap_or_else(|_| {
        let text = serde_json::from_str::<Text>(json).ok();
        let part = |text| Part {
            kind: Text(Cow::Borrowed("text")),
            text: Some(text),
            name: None,
            input: None,
            content: None,
            tool_use_id: None,
        };
        text.map(part).into_iter().collect()
    })
}

fn of_tool_call(part: Part<'_>, see: See<'_>) -> ControlFlow<()> {
    match part.name.filter(|_| part.kind.0 == "tool_use") {
        Some(name) => {
            let input = Cow::Borrowed(part.input.map_or("{}", RawValue::get));
            see(Fact::ToolCall(ToolCall { name: name.0, input }))
        }
        None => ControlFlow::Continue(()),
    }
}

fn inputs(parts: Vec<Part<'_>>, kind: InputKind, see: See<'_>) -> ControlFlow<()> {
    for part in parts {
        let input = match part.kind.0.as_ref() {
            "image" => Some(Input::media(kind)),
            "tool_result" => {
                let text = part.content.map(|raw| Cow::Borrowed(raw.get()));
                let mut input = text.and_then(|text| Input::text(InputKind::ToolResult, text));
                if let Some(input) = &mut input {
                    input.tool_use_id = part.tool_use_id.map(|id| id.0);
                }
                input
            }
            _ => part.text.and_then(|text| Input::text(kind, text.0)),
        };
        if let Some(input) = input {
            see(Fact::Input(input))?;
        }
    }
    ControlFlow::Continue(())
}
