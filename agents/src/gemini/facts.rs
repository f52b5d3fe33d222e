//! From a log's lines to facts.
//!
//! - A message may be recorded again under its id; the last record counts. An
//!   answer with tools always is.
//! - `$rewindTo` makes the named message and all behind it void.
//! - `$set.messages` replaces the list of messages. At a start it holds the setting
//!   alone, at a resume the old messages without their figures: neither changes
//!   what the model saw last, so that the records in front of it still tell.
//!   After a compression it holds a `<state_snapshot>`, and there is no other mark
//!   of one. After a failed request it lacks the prompt, which is then void.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::See;
use crate::fact::{Answer, Compaction, ErrorText, Fact, Input, InputKind, Size, ToolCall};
use crate::lines::{Format, Huge};
use crate::parts;
use crate::probe::Probe;
use crate::scalar::{Count, Text};

const SNAPSHOT: &[u8] = b"<state_snapshot>";

/// The lines of a log.
pub(super) struct Lines {
    newest_first: bool,
    /// Messages that were met; from the end, each is met first as it came to be.
    met: HashSet<String>,
    /// From the end: all up to this message is void.
    rewound_to: Option<String>,
    /// From the end: the ids in the newest list of messages.
    listed: Option<HashSet<String>>,
}

impl Lines {
    /// To be read in that direction.
    pub(super) fn new(newest_first: bool) -> Lines {
        Lines { newest_first, met: HashSet::new(), rewound_to: None, listed: None }
    }
}

#[derive(Deserialize)]
struct Set<'l> {
    #[serde(borrow)]
    messages: Option<&'l RawValue>,
}

/// A line, or a message in a list.
#[derive(Deserialize)]
pub(super) struct Message<'l> {
    #[serde(rename = "$set", borrow)]
    set: Option<Set<'l>>,
    #[serde(rename = "$rewindTo", borrow)]
    rewind_to: Option<Text<'l>>,
    #[serde(borrow)]
    id: Option<Text<'l>>,
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(borrow)]
    timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    content: Option<&'l RawValue>,
    tokens: Option<Tokens>,
    #[serde(borrow)]
    model: Option<Text<'l>>,
    #[serde(rename = "toolCalls", borrow)]
    tool_calls: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input: Count,
    #[serde(default)]
    output: Count,
}

#[derive(Deserialize)]
struct Call<'l> {
    #[serde(borrow, default)]
    name: Text<'l>,
    #[serde(borrow)]
    args: Option<&'l RawValue>,
}

impl Format for Lines {
    type Record<'l> = Message<'l>;
    const COPIES: &'static [u8] = b"";

    fn facts(&mut self, record: Message<'_>, see: See<'_>) -> ControlFlow<()> {
        if let Some(id) = record.rewind_to {
            // Forward it is history that an answer was given and taken back.
            if self.newest_first && self.rewound_to.is_none() {
                self.rewound_to = Some(id.0.into_owned());
            }
            return ControlFlow::Continue(());
        }
        if let Some(rewound) = &self.rewound_to {
            let id = record.id.as_ref().map(|id| id.0.as_ref());
            if id == Some(rewound.as_str()) {
                self.rewound_to = None;
            }
            return ControlFlow::Continue(());
        }
        match &record.set {
            Some(Set { messages: Some(messages) }) => self.of_list(messages, see),
            Some(_) => ControlFlow::Continue(()),
            None => self.of_message(&record, see),
        }
    }

    fn facts_of_huge(&mut self, huge: &Huge<'_>, see: See<'_>) -> ControlFlow<()> {
        if self.rewound_to.is_some() {
            return ControlFlow::Continue(());
        }
        let probe = Probe::new(huge.head);
        if probe.has("$set") {
            // The snapshot is the first message but for the setting.
            let is_compressed = memchr::memmem::find(huge.head, SNAPSHOT).is_some();
            return match is_compressed {
                true => see(Fact::Compaction(Compaction { estimate: Some(huge.length / 4) })),
                false => ControlFlow::Continue(()),
            };
        }
        match probe.text("type") {
            Some("user") => {
                see(Fact::Input(Input::unread(InputKind::ToolResult, Size::Text(huge.length))))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Lines {
    fn of_message(&mut self, message: &Message<'_>, see: See<'_>) -> ControlFlow<()> {
        let id = message.id.as_ref().map(|id| id.0.as_ref());
        let is_first = id.is_none_or(|id| self.met.insert(id.to_owned()));
        // An answer is recorded with its figures, and again with its tools.
        if !is_first && self.newest_first {
            return ControlFlow::Continue(());
        }
        match message.kind.0.as_ref() {
            "gemini" => {
                if is_first {
                    of_answer(message, see)?;
                }
                of_tool_calls(message.tool_calls, see)
            }
            "user" if is_first && self.is_listed(id) => {
                parts::inputs(message.content, InputKind::Prompt, see)
            }
            "error" if is_first => {
                let content = message.content.map(|raw| serde_json::from_str::<Text>(raw.get()));
                match content.and_then(Result::ok) {
                    Some(text) => see(Fact::Error(ErrorText { text: text.0, details: None })),
                    None => ControlFlow::Continue(()),
                }
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn is_listed(&self, id: Option<&str>) -> bool {
        match (&self.listed, id) {
            (Some(listed), Some(id)) => listed.contains(id),
            _ => true,
        }
    }

    fn of_list(&mut self, raw: &RawValue, see: See<'_>) -> ControlFlow<()> {
        let messages: Vec<Message> = serde_json::from_str(raw.get()).unwrap_or_default();
        let answered = |message: &Message| {
            message.tokens.as_ref().and_then(|tokens| tokens.input.known()).is_some_and(|n| n > 0)
        };
        if memchr::memmem::find(raw.get().as_bytes(), SNAPSHOT).is_some() {
            return self.of_compression(&messages, see);
        }
        if self.newest_first && messages.iter().any(answered) {
            for message in messages.iter().rev() {
                self.of_message(message, see)?;
            }
            // What stands in front was replaced.
            return ControlFlow::Break(());
        }
        if self.newest_first && self.listed.is_none() {
            let ids = messages.iter().filter_map(|message| message.id.as_ref());
            self.listed = Some(ids.map(|id| id.0.as_ref().to_owned()).collect());
        }
        ControlFlow::Continue(())
    }

    fn of_compression(&self, messages: &[Message<'_>], see: See<'_>) -> ControlFlow<()> {
        let left = |see: See<'_>| {
            let kind = InputKind::Summary;
            messages.iter().try_for_each(|message| parts::inputs(message.content, kind, see))
        };
        if self.newest_first {
            left(see)?;
        }
        see(Fact::Compaction(Compaction { estimate: None }))?;
        if self.newest_first { ControlFlow::Continue(()) } else { left(see) }
    }
}

fn of_answer(message: &Message<'_>, see: See<'_>) -> ControlFlow<()> {
    let Some(tokens) = &message.tokens else {
        return parts::inputs(message.content, InputKind::Unmetered, see);
    };
    see(Fact::Answer(Answer {
        id: message.id.as_ref().map(|id| Cow::Borrowed(id.0.as_ref())),
        model: message.model.as_ref().map(|model| Cow::Borrowed(model.0.as_ref())),
        context: tokens.input.known().filter(|&context| context > 0),
        output: tokens.output.or_zero(),
        timestamp: message.timestamp.as_ref().map(|time| Cow::Borrowed(time.0.as_ref())),
    }))
}

fn of_tool_calls(raw: Option<&RawValue>, see: See<'_>) -> ControlFlow<()> {
    let calls = raw.and_then(|raw| serde_json::from_str::<Vec<Call>>(raw.get()).ok());
    for call in calls.unwrap_or_default() {
        let input = Cow::Borrowed(call.args.map_or("{}", RawValue::get));
        see(Fact::ToolCall(ToolCall { name: call.name.0, input }))?;
    }
    ControlFlow::Continue(())
}
