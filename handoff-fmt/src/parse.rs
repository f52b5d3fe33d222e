//! From any text to the five sections, in one pass.
//!
//! Nothing is lost: a line is a heading, our own title, or content of where it
//! stands. What a section is given here reads back as the same when it is written
//! under its heading again, so no escaping is needed: every block is closed in the
//! section that opened it, and each line finds the neighbours it had.

mod reader;

use std::borrow::Cow;

use crate::block;
use crate::document::Document;
use reader::Reader;

/// Reads any text that a model or a person wrote.
///
/// A model may put its whole answer into one fence. That fence is opened where
/// the text read as it stands lacks a required section. If that does not help
/// either, the headings may have no mark but a list's, or none at all: they are
/// taken for headings where that makes the document complete.
pub fn parse(text: &str) -> Document {
    let text = text.trim_start_matches('\u{feff}');
    let text = if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    };
    let plain = Reader::new(&text, Reading::Plain).read();
    if plain.complete() || plain.titled {
        return plain;
    }
    let fenced = text.contains("```") || text.contains("~~~");
    let unwrapped = fenced.then(|| Reader::new(&text, Reading::Unwrapped).read());
    let best = unwrapped.filter(|other| other.filled() > plain.filled()).unwrap_or(plain);
    if best.complete() {
        return best;
    }
    let unmarked = Reader::new(&text, Reading::Unmarked).read();
    if unmarked.complete() { unmarked } else { best }
}

/// How much the reader takes for granted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Nothing.
    Plain,
    /// A fence with headings in it is there to hold the document.
    Unwrapped,
    /// Headings may be items of a list, or lines of their own without a mark.
    Unmarked,
}

/// The lines not yet read; a copy looks ahead.
#[derive(Clone, Copy)]
struct Lines<'a>(&'a str);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let (line, rest) = self.0.split_once('\n').unwrap_or((self.0, ""));
        self.0 = rest;
        Some(line)
    }
}

/// Without blank lines and rules at both ends: rules there only set sections
/// apart. Odd space within the last line stays, since it may be what keeps the line
/// from being a fence or an underline.
fn trimmed(text: &str) -> &str {
    let mut text = text;
    while let Some(line) = text.split('\n').next().filter(|_| !text.is_empty()) {
        if !(block::is_blank(line) || block::is_rule(line)) {
            break;
        }
        text = text.get(line.len() + 1..).unwrap_or_default();
    }
    loop {
        text = text.trim_end_matches([' ', '\t', '\n']);
        let (before, line) = text.rsplit_once('\n').unwrap_or(("", text));
        let apart = before.rsplit('\n').next().is_none_or(block::is_blank);
        if text.is_empty() || !(block::is_blank(line) || block::is_rule(line) && apart) {
            return text;
        }
        text = before;
    }
}
