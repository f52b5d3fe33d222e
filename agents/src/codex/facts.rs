//! From a rollout's lines to facts.
//!
//! - An answer's usage stands in a `token_usage_record` in front of its tools'
//!   results and in a `token_count` behind them, which older versions repeat; the
//!   totals beside it are sums over the thread and never the context. The items
//!   the model wrote (message, reasoning, calls) mark where the answer really
//!   lies: from the end, they are shown as records of the answer whose usage was
//!   met last, so that a result between them counts as coming after it.
//! - A `token_count` of zero tokens is either the overflow marker (total = window)
//!   or an estimate of the context just after a compaction.
//! - `info` is null on failed streams and where only rate limits changed.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::record::{Info, Payload, Record, Usage};
use crate::See;
use crate::fact::{Answer, Compaction, ErrorText, Fact, Input, InputKind, Size, ToolCall};
use crate::lines::{Format, Huge};
use crate::probe::Probe;
use crate::scalar::{Count, Text};

/// The lines of a rollout.
pub(super) struct Lines {
    newest_first: bool,
    /// Of the answer met last.
    usage: Option<Usage>,
}

impl Format for Lines {
    type Record<'l> = Record<'l>;
    const COPIES: &'static [u8] = b"";

    fn facts(&mut self, record: Record<'_>, see: See<'_>) -> ControlFlow<()> {
        let Record { kind, timestamp, payload } = record;
        let timestamp = timestamp.map(|timestamp| timestamp.0);
        match (kind.0.as_ref(), payload.kind.0.as_ref()) {
            ("event_msg", "token_count") => match &payload.info {
                Some(info) => self.of_count(info, timestamp, see),
                None => ControlFlow::Continue(()),
            },
            ("token_usage_record", _) => match payload.usage {
                Some(usage) => self.of_usage(usage, timestamp, see),
                None => ControlFlow::Continue(()),
            },
            ("event_msg", "task_started") => match window_of(payload.model_context_window) {
                // No window is empty: 0 is one that Codex does not know.
                Some(window) => see(Fact::Window(window)),
                _ => ControlFlow::Continue(()),
            },
            ("event_msg", "task_complete") => of_error(payload.error, see),
            ("event_msg", "error") => of_error(payload.message, see),
            ("turn_context", _) => match payload.model {
                Some(model) => see(Fact::Model(model.0)),
                None => ControlFlow::Continue(()),
            },
            ("compacted", _) => see(Fact::Compaction(Compaction { estimate: None })),
            ("response_item", _) => self.of_item(&payload, see),
            _ => ControlFlow::Continue(()),
        }
    }

    /// A line too long to hold: a compaction carries the history that replaces
    /// the old one; anything else is an item with a long text or an image.
    fn facts_of_huge(&mut self, huge: &Huge<'_>, see: See<'_>) -> ControlFlow<()> {
        let probe = Probe::new(huge.head);
        match probe.text("type") {
            Some("compacted") => see(Fact::Compaction(Compaction { estimate: None })),
            Some("response_item") => {
                let is_media = memchr::memmem::find(huge.head, b"data:image/").is_some();
                let size = if is_media { Size::Media } else { Size::Text(huge.length) };
                see(Fact::Input(Input::unread(InputKind::ToolResult, size)))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Lines {
    /// To be read in that direction.
    pub(super) fn new(newest_first: bool) -> Lines {
        Lines { newest_first, usage: None }
    }

    fn of_count(
        &mut self,
        info: &Info,
        timestamp: Option<Cow<'_, str>>,
        see: See<'_>,
    ) -> ControlFlow<()> {
        let window = window_of(info.model_context_window);
        if let Some(window) = window {
            see(Fact::Window(window))?;
        }
        let (last, total) = (info.last_token_usage, info.total_token_usage);
        if last.input_tokens.known() != Some(0) || last.output_tokens.known() != Some(0) {
            return self.of_usage(last, timestamp, see);
        }
        if let Some(window) = window
            && total.input_tokens.known() == Some(0)
            && total.total_tokens.known() == Some(window)
        {
            return see(Fact::Full(window));
        }
        let estimate = last.total_tokens.known().filter(|&tokens| tokens > 0);
        see(Fact::Compaction(Compaction { estimate }))
    }

    fn of_usage(
        &mut self,
        usage: Usage,
        timestamp: Option<Cow<'_, str>>,
        see: See<'_>,
    ) -> ControlFlow<()> {
        // Forward, the same figures again are the same answer, told twice.
        if !self.newest_first && self.usage == Some(usage) {
            return ControlFlow::Continue(());
        }
        self.usage = Some(usage);
        see(Fact::Answer(Answer { timestamp, ..answer_of(usage) }))
    }

    fn of_item(&mut self, payload: &Payload<'_>, see: See<'_>) -> ControlFlow<()> {
        let by_model = payload.role.as_ref().is_some_and(|role| role.0 == "assistant");
        match payload.kind.0.as_ref() {
            "message" if !by_model => inputs(payload.content, InputKind::Prompt, see),
            name if name.ends_with("_output") => inputs(payload.output, InputKind::ToolResult, see),
            _ => {
                self.of_answered_item(payload, see)?;
                match &payload.name {
                    Some(name) => see(Fact::ToolCall(ToolCall {
                        name: Cow::Borrowed(&name.0),
                        input: payload
                            .arguments
                            .as_ref()
                            .map_or(Cow::Borrowed("{}"), |text| Cow::Borrowed(&text.0)),
                    })),
                    None => ControlFlow::Continue(()),
                }
            }
        }
    }

    /// An item that the model wrote.
    fn of_answered_item(&mut self, payload: &Payload<'_>, see: See<'_>) -> ControlFlow<()> {
        if !self.newest_first {
            return ControlFlow::Continue(());
        }
        match self.usage {
            Some(usage) => see(Fact::Answer(answer_of(usage))),
            // No usage behind it yet: what the model wrote is itself unmetered.
            None => {
                inputs(payload.content, InputKind::Unmetered, see)?;
                let arguments = payload.arguments.as_ref().map(|text| Cow::Borrowed(&*text.0));
                match arguments.and_then(|text| Input::text(InputKind::Unmetered, text)) {
                    Some(input) => see(Fact::Input(input)),
                    None => ControlFlow::Continue(()),
                }
            }
        }
    }
}

/// A window of 0, or of more tokens than anything holds, is none.
fn window_of(recorded: Option<Count>) -> Option<u64> {
    recorded.and_then(Count::known).filter(|&window| window > 0)
}

fn answer_of(usage: Usage) -> Answer<'static> {
    let (input, output) = (usage.input_tokens.known(), usage.output_tokens.or_zero());
    Answer {
        // The records of one answer share its figures and no id.
        id: Some(Cow::Owned(format!("{input:?}/{output}/{}", usage.total_tokens.or_zero()))),
        context: input.filter(|&input| input > 0),
        output,
        ..Answer::default()
    }
}

#[derive(Deserialize)]
struct Part<'l> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(borrow)]
    text: Option<Text<'l>>,
}

fn inputs(raw: Option<&RawValue>, kind: InputKind, see: See<'_>) -> ControlFlow<()> {
    let Some(json) = raw.map(RawValue::get) else { return ControlFlow::Continue(()) };
    if let Ok(text) = serde_json::from_str::<Text>(json) {
        return match Input::text(kind, text.0) {
            Some(input) => see(Fact::Input(input)),
            None => ControlFlow::Continue(()),
        };
    }
    for part in serde_json::from_str::<Vec<Part>>(json).unwrap_or_default() {
        if part.kind.0 == "input_image" {
            see(Fact::Input(Input::media(kind)))?;
        } else if let Some(input) = part.text.and_then(|text| Input::text(kind, text.0)) {
            see(Fact::Input(input))?;
        }
    }
    ControlFlow::Continue(())
}

/// An error is an object with a message and a code, or, in older events, a text.
fn of_error(raw: Option<&RawValue>, see: See<'_>) -> ControlFlow<()> {
    #[derive(Deserialize)]
    struct Told<'l> {
        #[serde(borrow, default)]
        message: Text<'l>,
        #[serde(borrow)]
        codex_error_info: Option<&'l RawValue>,
    }
    let Some(json) = raw.map(RawValue::get) else { return ControlFlow::Continue(()) };
    if let Ok(told) = serde_json::from_str::<Told>(json) {
        let details = told.codex_error_info.map(|info| info.get().trim_matches('"'));
        return see(Fact::Error(ErrorText {
            text: told.message.0,
            details: details.map(Cow::Borrowed),
        }));
    }
    match serde_json::from_str::<Text>(json) {
        Ok(text) => see(Fact::Error(ErrorText { text: text.0, details: None })),
        Err(_) => ControlFlow::Continue(()),
    }
}
