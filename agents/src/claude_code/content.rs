//! The content of a message: a text, or a list of blocks, which a tool's result
//! nests once more.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::See;
use crate::fact::{Fact, Input, InputKind, Size, ToolCall};
use crate::scalar::{Text, decoded_length};

/// How much is told of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Sizes alone, which a meter wants: nothing is decoded.
    Sizes,
    /// Texts and tool calls too.
    All,
}

#[derive(Deserialize, Default)]
struct Block<'l> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(borrow)]
    text: Option<&'l RawValue>,
    #[serde(borrow)]
    content: Option<&'l RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<Text<'l>>,
    #[serde(borrow)]
    name: Option<Text<'l>>,
    #[serde(borrow)]
    input: Option<&'l RawValue>,
}

/// What a message carries into the next request.
pub(super) fn inputs(
    raw: &RawValue,
    kind: InputKind,
    detail: Detail,
    see: See<'_>,
) -> ControlFlow<()> {
    for block in blocks(raw) {
        match block.kind.0.as_ref() {
            "image" | "document" => see(Fact::Input(Input::media(kind)))?,
            // No CLI puts a result into a result, and a line has room for more levels of
            // it than a stack has.
            "tool_result" if kind != InputKind::ToolResult => tool_result(&block, detail, see)?,
            _ => {
                if let Some(input) = block.text.and_then(|raw| text(raw, kind, detail)) {
                    see(Fact::Input(input))?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

fn text(raw: &RawValue, kind: InputKind, detail: Detail) -> Option<Input<'_>> {
    match detail {
        Detail::All => Input::text(kind, serde_json::from_str::<Text>(raw.get()).ok()?.0),
        Detail::Sizes => {
            let size = Size::Text(decoded_length(raw.get()).filter(|&length| length > 0)?);
            Some(Input::unread(kind, size))
        }
    }
}

/// A result is told even if there is nothing in it: the call has been answered.
fn tool_result(block: &Block<'_>, detail: Detail, see: See<'_>) -> ControlFlow<()> {
    let id = block.tool_use_id.as_ref().map(|id| Cow::Borrowed(&*id.0));
    let mut told = false;
    if let Some(content) = block.content {
        inputs(content, InputKind::ToolResult, detail, &mut |fact| {
            told = true;
            match fact {
                Fact::Input(input) => see(Fact::Input(Input { tool_use_id: id.clone(), ..input })),
                other => see(other),
            }
        })?;
    }
    if told {
        return ControlFlow::Continue(());
    }
    let (kind, size) = (InputKind::ToolResult, Size::Text(0));
    see(Fact::Input(Input { kind, size, text: None, tool_use_id: id }))
}

/// The tools that an answer's record asks for.
pub(super) fn tool_calls(raw: &RawValue, see: See<'_>) -> ControlFlow<()> {
    for block in blocks(raw) {
        if let (Some(name), Some(input)) = (block.name, block.input) {
            see(Fact::ToolCall(ToolCall { name: name.0, input: Cow::Borrowed(input.get()) }))?;
        }
    }
    ControlFlow::Continue(())
}

/// The words of a record, its text blocks one after the other.
pub(super) fn words(raw: &RawValue) -> Option<Cow<'_, str>> {
    let texts = blocks(raw).into_iter().filter_map(|block| block.text);
    let mut texts = texts.filter_map(|raw| Some(serde_json::from_str::<Text>(raw.get()).ok()?.0));
    let first = texts.next()?;
    Some(texts.fold(first, |all, text| Cow::Owned(format!("{all}\n{text}"))))
}

fn blocks(raw: &RawValue) -> Vec<Block<'_>> {
    let json = raw.get();
    match json.as_bytes().first() {
        Some(b'"') => vec![Block { text: Some(raw), ..Block::default() }],
        Some(b'[') => serde_json::from_str(json).unwrap_or_else(|_| sound_blocks(json)),
        _ => serde_json::from_str(json).into_iter().collect(),
    }
}

/// One odd block must not hide the others.
fn sound_blocks(json: &str) -> Vec<Block<'_>> {
    let each: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
    each.into_iter().filter_map(|raw| serde_json::from_str(raw.get()).ok()).collect()
}
