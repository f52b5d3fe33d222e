//! Content as Google's API has it, a list of parts, which Gemini CLI and Qwen Code
//! record as it is.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::See;
use crate::fact::{Fact, Input, InputKind, ToolCall};
use crate::scalar::Text;

#[derive(Deserialize)]
struct Part<'l> {
    #[serde(borrow)]
    text: Option<Text<'l>>,
    /// Whether the text is the model's own thought, which is not sent again.
    #[serde(default)]
    thought: bool,
    #[serde(rename = "functionResponse", borrow)]
    response: Option<Response<'l>>,
    #[serde(rename = "functionCall", borrow)]
    call: Option<Call<'l>>,
    #[serde(rename = "inlineData", borrow)]
    inline: Option<&'l RawValue>,
    #[serde(rename = "fileData", borrow)]
    file: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Response<'l> {
    #[serde(borrow)]
    id: Option<Text<'l>>,
    #[serde(borrow)]
    response: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Call<'l> {
    #[serde(borrow, default)]
    name: Text<'l>,
    #[serde(borrow)]
    args: Option<&'l RawValue>,
}

/// What a tool returned, in the form that most tools use.
#[derive(Deserialize)]
struct Output<'l> {
    #[serde(borrow)]
    output: Option<Text<'l>>,
}

fn parts<'l>(content: Option<&'l RawValue>) -> Vec<Part<'l>> {
    content.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// Shows what goes into the next request: words of this kind, and what tools
/// returned. Content is a list of parts or a text.
pub(crate) fn inputs(content: Option<&RawValue>, kind: InputKind, see: See<'_>) -> ControlFlow<()> {
    if let Some(text) = content.and_then(|raw| serde_json::from_str::<Text>(raw.get()).ok()) {
        return show(Input::text(kind, text.0), see);
    }
    for part in parts(content) {
        if part.inline.is_some() || part.file.is_some() {
            see(Fact::Input(Input::media(kind)))?;
        }
        if let Some(text) = part.text.filter(|_| !part.thought) {
            show(Input::text(kind, text.0), see)?;
        }
        if let Some(response) = part.response {
            let mut input = result(response.response);
            if let Some(input) = &mut input {
                input.tool_use_id = response.id.map(|id| id.0);
            }
            show(input, see)?;
        }
    }
    ControlFlow::Continue(())
}

fn result<'l>(response: Option<&'l RawValue>) -> Option<Input<'l>> {
    let json = response?.get();
    let output = serde_json::from_str::<Output>(json).ok().and_then(|output| output.output);
    Input::text(InputKind::ToolResult, output.map_or(Cow::Borrowed(json), |output| output.0))
}

fn show(input: Option<Input<'_>>, see: See<'_>) -> ControlFlow<()> {
    match input {
        Some(input) => see(Fact::Input(input)),
        None => ControlFlow::Continue(()),
    }
}

/// Shows the tools that the model asked for.
pub(crate) fn tool_calls(content: Option<&RawValue>, see: See<'_>) -> ControlFlow<()> {
    for call in parts(content).into_iter().filter_map(|part| part.call) {
        let input = Cow::Borrowed(call.args.map_or("{}", RawValue::get));
        see(Fact::ToolCall(ToolCall { name: call.name.0, input }))?;
    }
    ControlFlow::Continue(())
}
