//! Wordings nobody listed.
//!
//! Whatever the language, such a sentence says that a SUBJECT (the prompt, the
//! input, the conversation, its tokens) is in EXCESS (exceeds, is too long, does
//! not fit) of some ROOM (the context window, the maximum length). The grammar
//! looks for the three near each other within one sentence. Where the excess is
//! one of the OUTPUT or of what may be used in a SPAN of time, it says so.
//! Sentences about other limits (files, images, timeouts, language runtimes),
//! about the tokens, contexts and windows of other WORLDS (JWT, TCP, Docker), and
//! remarks about lengths (`too long for my taste`) are refused.

mod figures;
mod meaning;
mod pairs;
mod remark;
mod words;

use memchr::memmem;

use crate::Class;
use crate::pattern::Figures;
use crate::view::View;

pub(crate) use meaning::is_of_other;
pub(crate) use words::{EXCESS, LIMITING};

/// How far the rest of the sentence may be from the word of excess, in bytes
/// of the view.
const REACH: usize = 170;

/// A word at which the grammar looks at a sentence.
#[derive(Clone, Copy)]
pub(crate) struct Word {
    /// Where, in the view.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// It sets a limit only: that something is beyond it, numbers must show.
    pub(crate) limiting: bool,
}

/// A sentence the grammar understood.
pub(crate) struct Sentence {
    /// Where, in the view.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Overflow, or the near miss that it speaks of.
    pub(crate) class: Class,
    pub(crate) figures: Figures,
    /// It says little (`the conversation is too long`) and so needs an error
    /// around it.
    pub(crate) short: bool,
    /// Its numbers show the excess: it is no rule (`must not exceed`).
    pub(crate) measured: bool,
}

/// Reads the sentence around a word of the view.
pub(crate) fn read(view: &View<'_>, word: Word) -> Option<Sentence> {
    let range = sentence(view, word.start, word.end);
    if word.limiting && !figures::show_excess(view, range, word) {
        return None;
    }
    let read = figures::read(view, range, (word.start, word.end));
    let measured = read.used.is_some() && read.limit.is_some();
    let (class, short) = meaning::of(view, range, word, measured)?;
    if is_code(view, range.0, range.1) {
        return None;
    }
    let figures = match class {
        Class::Overflow => read,
        Class::OutputCap => Figures { output: read.used, ..Figures::default() },
        _ => Figures::default(),
    };
    Some(Sentence { start: range.0, end: range.1, class, figures, short, measured })
}

/// Whether the sentence is a piece of a program that spells these words.
fn is_code(view: &View<'_>, from: usize, to: usize) -> bool {
    let (start, end) = view.original(from, to);
    let raw = &view.raw[start..end];
    ["self.", "!=", " == ", "&&", ");\n", "_t ", "()"]
        .iter()
        .any(|mark| memmem::find(raw, mark.as_bytes()).is_some())
}

/// The sentence around a range: up to a full stop, a brace of JSON, a blank line,
/// or REACH.
fn sentence(view: &View<'_>, start: usize, end: usize) -> (usize, usize) {
    let low = view.floor(start.saturating_sub(REACH));
    let high = view.floor(end.saturating_add(REACH));
    let mut from = start;
    for (at, c) in view.text[low..start].char_indices().rev() {
        if ends(view, low + at, c) || view.is_paragraph(from) {
            break;
        }
        from = low + at;
    }
    let mut to = end;
    for (at, c) in view.text[end..high].char_indices() {
        if ends(view, end + at, c) || view.is_paragraph(end + at) {
            break;
        }
        to = end + at + c.len_utf8();
    }
    (from, to)
}

/// Whether the character at an offset of the view ends a sentence.
fn ends(view: &View<'_>, at: usize, c: char) -> bool {
    match c {
        '{' | '}' => true,
        ';' => !goes_on(view, at),
        '!' | '?' | '.' => {
            let (_, end) = view.original(at, at + 1);
            let next = view.raw.get(end);
            c != '.' || next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        }
        _ => false,
    }
}

/// Whether a sentence goes on after the semicolon at an offset of the view, as
/// no program does.
fn goes_on(view: &View<'_>, at: usize) -> bool {
    let (_, end) = view.original(at, at + 1);
    let mut behind = view.raw.get(end..).unwrap_or_default().iter();
    behind.next() == Some(&b' ') && behind.next().is_some_and(u8::is_ascii_lowercase)
}
