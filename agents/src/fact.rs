//! What a transcript states, one thing at a time.
//!
//! Every session reader, whatever its CLI's format, yields these facts and no
//! others; the tools judge them. Only the main thread speaks: what a sub-agent
//! did inside a main session is no fact of that session, while in a sub-agent's
//! own file the sub-agent is the main thread.

use std::borrow::Cow;

/// One thing a transcript states, in the order of the file (or its reverse).
#[derive(Clone, Debug, PartialEq)]
pub enum Fact<'t> {
    /// The model answered, and this is what it saw.
    Answer(Answer<'t>),
    /// The context was compacted: nothing before this goes into the next request.
    Compaction(Compaction),
    /// Something on its way into the next request.
    Input(Input<'t>),
    /// The agent asked for a tool.
    ToolCall(ToolCall<'t>),
    /// A request failed; the words are the CLI's.
    Error(ErrorText<'t>),
    /// The CLI recorded that the window is full, which is its size in tokens.
    Full(u64),
    /// The model that answers from here on.
    Model(Cow<'t, str>),
    /// The context window that the CLI recorded, in tokens.
    Window(u64),
}

/// One record of an answer. An answer may be split over several records, which
/// then share their id and, in most versions, their figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer<'t> {
    /// The same for all records of one answer.
    pub id: Option<Cow<'t, str>>,
    /// The model as recorded, without marks such as `[1m]`.
    pub model: Option<Cow<'t, str>>,
    /// Tokens of context that the model saw, cached ones included. `None` where
    /// the record's usage is all zero, as some gateways send it: unknown.
    pub context: Option<u64>,
    /// Tokens of the answer itself.
    pub output: u64,
    /// When it was recorded, as written (RFC 3339, UTC, in the CLIs known).
    pub timestamp: Option<Cow<'t, str>>,
}

/// A compaction boundary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compaction {
    /// The CLI's own estimate, in tokens, of the conversation that is left.
    pub estimate: Option<u64>,
}

/// What a piece of input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Words of a person, a coordinator or the harness.
    Prompt,
    /// What a tool returned.
    ToolResult,
    /// What the harness adds on its own.
    Attachment,
    /// The summary that a compaction left, which the boundary's estimate covers.
    Summary,
    /// Words of the model that no usage record covers yet.
    Unmetered,
}

/// A piece of the next request. Copies that a CLI keeps for its own display are
/// none.
#[derive(Clone, Debug, PartialEq)]
pub struct Input<'t> {
    /// What it is.
    pub kind: InputKind,
    /// How much of the window it takes.
    pub size: Size,
    /// The text itself; `None` for media, for lines too long to hold, and where
    /// facts are shown newest first.
    pub text: Option<Cow<'t, str>>,
    /// Of a tool's result: the id of the call that it answers.
    pub tool_use_id: Option<Cow<'t, str>>,
}

/// The size of an input, in the measure its cost follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Text of this many UTF-8 bytes.
    Text(u64),
    /// One image or document, whatever the length of its base64.
    Media,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall<'t> {
    /// The tool's name as the CLI spells it.
    pub name: Cow<'t, str>,
    /// Its arguments as JSON text.
    pub input: Cow<'t, str>,
}

/// An error as the transcript tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorText<'t> {
    /// What the CLI shows.
    pub text: Cow<'t, str>,
    /// The provider's own words or code, where kept.
    pub details: Option<Cow<'t, str>>,
}

impl<'t> Input<'t> {
    /// A text input; `None` when it is empty.
    pub(crate) fn text(kind: InputKind, text: Cow<'t, str>) -> Option<Input<'t>> {
        let size = Size::Text(text.len() as u64);
        (!text.is_empty()).then_some(Input { kind, size, text: Some(text), tool_use_id: None })
    }

    /// An image or document.
    pub(crate) fn media(kind: InputKind) -> Input<'t> {
        Input::unread(kind, Size::Media)
    }

    /// Content of which only the size was looked at.
    pub(crate) fn unread(kind: InputKind, size: Size) -> Input<'t> {
        Input { kind, size, text: None, tool_use_id: None }
    }
}
