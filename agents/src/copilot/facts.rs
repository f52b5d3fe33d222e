//! From a session's events to facts.
//!
//! - `session.usage_record` comes in front of the answer's words and of its tools.
//!   Of a sub-agent's, and of every other line of one, the `agentId` tells.
//! - A compaction runs beside the work and may be cancelled: only a
//!   `session.compaction_complete` that succeeded is one. Its figures are an
//!   estimate on another basis than the provider's.
//! - `toolTelemetry` and `session.shutdown` hold local estimates, which are none of
//!   the provider's figures.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::See;
use crate::fact::{Answer, Compaction, ErrorText, Fact, Input, InputKind, Size, ToolCall};
use crate::lines::{Format, Huge};
use crate::probe::Probe;
use crate::scalar::{Count, Text};

/// The lines of a session.
pub(super) struct Lines;

#[derive(Deserialize)]
pub(super) struct Record<'l> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(rename = "agentId", borrow)]
    agent: Option<&'l RawValue>,
    #[serde(borrow)]
    timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    data: Data<'l>,
}

#[derive(Deserialize)]
struct Data<'l> {
    usage: Option<&'l RawValue>,
    #[serde(borrow)]
    content: Option<Text<'l>>,
    /// What of a prompt is really sent.
    #[serde(rename = "transformedContent", borrow)]
    transformed: Option<Text<'l>>,
    #[serde(rename = "toolRequests", borrow)]
    requests: Option<&'l RawValue>,
    #[serde(rename = "toolCallId", borrow)]
    tool_call_id: Option<Text<'l>>,
    #[serde(borrow)]
    result: Option<&'l RawValue>,
    #[serde(borrow)]
    message: Option<Text<'l>>,
    #[serde(rename = "errorType", borrow)]
    error_type: Option<Text<'l>>,
    success: Option<bool>,
    #[serde(rename = "postCompactionTokens")]
    left: Option<Count>,
    #[serde(rename = "newModel", borrow)]
    new_model: Option<Text<'l>>,
    #[serde(rename = "selectedModel", borrow)]
    selected_model: Option<Text<'l>>,
}

#[derive(Deserialize)]
struct Usage<'l> {
    #[serde(borrow)]
    model: Option<Text<'l>>,
    #[serde(rename = "inputTokens", default)]
    input: Count,
    #[serde(rename = "outputTokens", default)]
    output: Count,
    #[serde(rename = "maxPromptTokens")]
    window: Option<Count>,
}

#[derive(Deserialize)]
struct Request<'l> {
    #[serde(borrow, default)]
    name: Text<'l>,
    #[serde(borrow)]
    arguments: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Returned<'l> {
    #[serde(borrow)]
    content: Option<Text<'l>>,
}

impl Format for Lines {
    type Record<'l> = Record<'l>;
    /// What tools measure of themselves.
    const COPIES: &'static [u8] = b",\"toolTelemetry\":";

    fn facts(&mut self, record: Record<'_>, see: See<'_>) -> ControlFlow<()> {
        if record.agent.is_some_and(|agent| agent.get() != "null") {
            return ControlFlow::Continue(());
        }
        let data = record.data;
        match record.kind.0.as_ref() {
            "session.usage_record" => of_usage(data.usage, record.timestamp, see),
            "user.message" => {
                let sent = data.transformed.or(data.content);
                show(sent.and_then(|text| Input::text(InputKind::Prompt, text.0)), see)
            }
            "assistant.message" => of_requests(data.requests, see),
            "tool.execution_complete" => of_result(data.result, data.tool_call_id, see),
            "session.error" => {
                let text = data.message.map(|message| message.0).unwrap_or_default();
                let details = data.error_type.map(|kind| kind.0);
                see(Fact::Error(ErrorText { text, details }))
            }
            "session.compaction_complete" if data.success == Some(true) => {
                let estimate = data.left.and_then(Count::known);
                see(Fact::Compaction(Compaction { estimate }))
            }
            "session.start" | "session.resume" | "session.model_change" => {
                match data.new_model.or(data.selected_model) {
                    Some(model) => see(Fact::Model(model.0)),
                    None => ControlFlow::Continue(()),
                }
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn facts_of_huge(&mut self, huge: &Huge<'_>, see: See<'_>) -> ControlFlow<()> {
        let probe = Probe::new(huge.head);
        // The id of a sub-agent stands behind the data, out of sight; a result of
        // its tools that is so long is taken for one of the main thread's.
        match probe.text("type") {
            Some("user.message" | "tool.execution_complete") => {
                see(Fact::Input(Input::unread(InputKind::ToolResult, Size::Text(huge.length))))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn of_usage(
    usage: Option<&RawValue>,
    timestamp: Option<Text<'_>>,
    see: See<'_>,
) -> ControlFlow<()> {
    let Some(usage) = usage.and_then(|raw| serde_json::from_str::<Usage>(raw.get()).ok()) else {
        return ControlFlow::Continue(());
    };
    if let Some(window) = usage.window.and_then(Count::known).filter(|&window| window > 0) {
        see(Fact::Window(window))?;
    }
    see(Fact::Answer(Answer {
        id: None,
        model: usage.model.map(|model| model.0),
        context: usage.input.known().filter(|&context| context > 0),
        output: usage.output.or_zero(),
        timestamp: timestamp.map(|timestamp| timestamp.0),
    }))
}

fn of_requests(requests: Option<&RawValue>, see: See<'_>) -> ControlFlow<()> {
    let requests = requests.and_then(|raw| serde_json::from_str::<Vec<Request>>(raw.get()).ok());
    for request in requests.unwrap_or_default() {
        let input = Cow::Borrowed(request.arguments.map_or("{}", RawValue::get));
        see(Fact::ToolCall(ToolCall { name: request.name.0, input }))?;
    }
    ControlFlow::Continue(())
}

fn of_result(result: Option<&RawValue>, id: Option<Text<'_>>, see: See<'_>) -> ControlFlow<()> {
    let returned = result.and_then(|raw| serde_json::from_str::<Returned>(raw.get()).ok());
    let content = returned.and_then(|returned| returned.content);
    let mut input = content.and_then(|text| Input::text(InputKind::ToolResult, text.0));
    if let Some(input) = &mut input {
        input.tool_use_id = id.map(|id| id.0);
    }
    show(input, see)
}

fn show(input: Option<Input<'_>>, see: See<'_>) -> ControlFlow<()> {
    match input {
        Some(input) => see(Fact::Input(input)),
        None => ControlFlow::Continue(()),
    }
}
