//! What agents and servers leave behind, judged by its last failure.
//!
//! Transcripts, results, event streams, JSON logs and plain stderr may all be
//! read, mixed if need be. In JSON only error-shaped records speak: an error
//! type, flag, status or code. What a person, a model or a tool wrote is no
//! error, whatever it quotes. A normal answer, or another failure, ends what an
//! earlier failure meant.
//!
//! Memory is bounded however long the input or a line of it is: text is judged
//! in windows that overlap; a line of JSON above 4 MiB counts as text if
//! its head is error-shaped and as silence otherwise.

mod compose;
mod document;
mod evidence;
mod json;
mod lines;
mod log;
mod shapes;

use std::io::{self, Read};

use serde_json::Value;

use crate::Verdict;
use crate::judge::classify_bytes;
use crate::view::View;
use document::Document;
use lines::{Line, Lines};
use log::Log;
use shapes::Said;

/// The longest record that is parsed, in bytes.
const LONGEST: usize = 4 << 20;

/// A failure that nothing after it made obsolete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The record: a line, a JSON document, or the lines of text the wording
    /// stands in. The verdict's `start` and `end` are offsets in it.
    pub record: Vec<u8>,
    /// What it means; None where nothing in it is recognised.
    pub verdict: Option<Verdict>,
}

/// The last failure of an input. None: it holds none, or it went on normally.
///
/// # Errors
/// Those of reading.
pub fn last_failure(input: impl Read) -> io::Result<Option<Failure>> {
    let mut reader = Reader::default();
    let mut lines = Lines::of(input, LONGEST);
    while let Some(line) = lines.next()? {
        reader.take(&line);
    }
    reader.finish();
    Ok(reader.last)
}

#[derive(Default)]
struct Reader {
    last: Option<Failure>,
    log: Log,
    document: Document,
    /// Within a line too long to parse: whether its pieces count as text.
    long: bool,
}

impl Reader {
    fn take(&mut self, line: &Line<'_>) {
        match line {
            Line::Whole(bytes) => self.whole(bytes),
            Line::Begin(bytes) => {
                self.close_document();
                self.long = !json::looks_like(bytes) || json::has_error_mark(bytes);
                self.piece(bytes);
            }
            Line::More(bytes) => self.piece(bytes),
        }
    }

    fn piece(&mut self, bytes: &[u8]) {
        if self.long {
            self.log.push(bytes, &mut self.last);
        }
    }

    fn whole(&mut self, line: &[u8]) {
        if let Some(complete) = self.document.take(line) {
            match complete {
                document::Step::Collected => return,
                document::Step::Complete(text, values) => return self.records(&text, &values),
                document::Step::Text(text) => return self.log.push(&text, &mut self.last),
            }
        }
        match json::parse(line) {
            Some(values) => self.records(line, &values),
            None => self.log.push(line, &mut self.last),
        }
    }

    fn close_document(&mut self) {
        if let Some(text) = self.document.close() {
            self.log.push(&text, &mut self.last);
        }
    }

    fn finish(&mut self) {
        self.close_document();
        self.log.flush(&mut self.last);
    }

    fn records(&mut self, raw: &[u8], values: &[Value]) {
        for value in values {
            self.record(raw, value);
        }
    }

    fn record(&mut self, raw: &[u8], value: &Value) {
        match shapes::said(value) {
            Said::Nothing => {}
            Said::Success => {
                self.log.flush(&mut self.last);
                self.last = None;
            }
            Said::Failure(text) => {
                self.log.flush(&mut self.last);
                let verdict = classify_bytes(text.as_bytes())
                    .map(|verdict| located(verdict, text.as_bytes(), raw));
                self.last = Some(Failure { record: trimmed(raw).to_vec(), verdict });
            }
        }
    }
}

fn trimmed(line: &[u8]) -> &[u8] {
    line.trim_ascii()
}

/// The verdict with its offsets in the record, found again by its wording; the
/// whole record where the wording is made of several fields.
fn located(verdict: Verdict, text: &[u8], record: &[u8]) -> Verdict {
    let record = trimmed(record);
    let wording = View::of(text.get(verdict.start..verdict.end).unwrap_or_default()).text;
    let view = View::of(record);
    let (start, end) = match view.text.find(&wording) {
        Some(at) if !wording.is_empty() => view.original(at, at + wording.len()),
        _ => (0, record.len()),
    };
    Verdict { start, end, ..verdict }
}
