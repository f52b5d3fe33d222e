//! From lines to facts.
//!
//! Traps, each met in real sessions: the lines of one answer repeat its usage; an
//! error and some other notices are written as answers of the model
//! `<synthetic>` with zero usage, whatever `isApiErrorMessage` says; gateways and
//! old versions zero the usage of real answers; around a compaction old lines are
//! written again in front of the boundary; a sub-agent's boundary is none of the
//! main thread's.

use std::ops::ControlFlow;

use memchr::memmem;

use super::content::Detail;
use super::record::{Message, Record};
use super::{attachment, content};
use crate::See;
use crate::fact::{Answer, Compaction, ErrorText, Fact, Input, InputKind, Size};
use crate::lines::{Format, Huge};
use crate::probe::Probe;
use crate::scalar::Count;

/// The lines of a session.
pub(super) struct Lines {
    /// In a sub-agent's own file the sidechain is the thread that is read.
    with_sidechains: bool,
    detail: Detail,
}

impl Lines {
    pub(super) fn new(with_sidechains: bool, detail: Detail) -> Lines {
        Lines { with_sidechains, detail }
    }
}

impl Format for Lines {
    type Record<'l> = Record<'l>;
    const COPIES: &'static [u8] = b",\"toolUseResult\":";

    fn facts(&mut self, record: Record<'_>, see: See<'_>) -> ControlFlow<()> {
        let is_sidechain = record.is_sidechain == Some(true) || record.parent_tool_use_id.is_some();
        if is_sidechain && !self.with_sidechains {
            return ControlFlow::Continue(());
        }
        match record.kind.0.as_ref() {
            "assistant" => of_assistant(record, self.detail, see),
            "user" => of_user(&record, self.detail, see),
            "attachment" => match record.attachment {
                Some(raw) => attachment::inputs(raw, see),
                None => ControlFlow::Continue(()),
            },
            "system" if record.subtype.is_some_and(|name| name.0 == "compact_boundary") => {
                let estimate = record.compact_metadata.and_then(|metadata| metadata.post_tokens);
                see(Fact::Compaction(Compaction { estimate: estimate.and_then(Count::known) }))
            }
            _ => ControlFlow::Continue(()),
        }
    }

    /// A line too long to hold is a tool's result or a prompt: an image with its
    /// base64, or a text whose escaped length stands for its own.
    fn facts_of_huge(&mut self, huge: &Huge<'_>, see: See<'_>) -> ControlFlow<()> {
        let probe = Probe::new(huge.head);
        let sidechain = probe.bool("isSidechain") == Some(true) && !self.with_sidechains;
        let bookkeeping = !matches!(probe.text("type"), None | Some("user" | "attachment"));
        if sidechain || bookkeeping {
            return ControlFlow::Continue(());
        }
        let is_media = memmem::find(huge.head, b"\"base64\"").is_some();
        let size = if is_media { Size::Media } else { Size::Text(huge.length) };
        see(Fact::Input(Input::unread(InputKind::ToolResult, size)))
    }
}

fn of_assistant(record: Record<'_>, detail: Detail, see: See<'_>) -> ControlFlow<()> {
    let Some(message) = record.message else { return ControlFlow::Continue(()) };
    if record.is_api_error_message == Some(true) {
        let text = message.content.and_then(content::words).unwrap_or_default();
        let details = record.error_details.map(|details| details.0);
        return see(Fact::Error(ErrorText { text, details }));
    }
    let Message { id, model, usage, content: raw } = message;
    if model.as_ref().is_some_and(|model| model.0 == "<synthetic>") {
        return ControlFlow::Continue(());
    }
    if let Some(usage) = usage {
        see(Fact::Answer(Answer {
            id: id.map(|id| id.0),
            model: model.map(|model| model.0),
            context: usage.context(),
            output: usage.output(),
            timestamp: record.timestamp.map(|timestamp| timestamp.0),
        }))?;
    }
    match raw {
        Some(raw) if detail == Detail::All => content::tool_calls(raw, see),
        _ => ControlFlow::Continue(()),
    }
}

fn of_user(record: &Record<'_>, detail: Detail, see: See<'_>) -> ControlFlow<()> {
    let is_summary = record.is_compact_summary == Some(true);
    let kind = if is_summary { InputKind::Summary } else { InputKind::Prompt };
    // A line that only the transcript shows is in no request.
    let unsent = record.is_visible_in_transcript_only == Some(true) && !is_summary;
    match record.message.as_ref().and_then(|message| message.content) {
        Some(raw) if !unsent => content::inputs(raw, kind, detail, see),
        _ => ControlFlow::Continue(()),
    }
}
