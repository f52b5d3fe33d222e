//! Wordings nobody listed.
//!
//! Whatever the language, such a sentence says that a SUBJECT (the prompt, the
//! input, the conversation, its tokens) is in EXCESS (exceeds, is too long, does
//! not fit) of some ROOM (the context window, the maximum length). The grammar
//! looks for the three near each other within one sentence. Sentences about
//! other limits (quotas, output, files, images, timeouts, language runtimes) are
//! refused by [`words::FOREIGN`] and by the catalogue's near misses.

mod figures;
mod words;

use memchr::memmem;

use crate::pattern::Figures;
use crate::view::View;

pub(crate) use words::EXCESS;

/// How far the rest of the sentence may be from the word of excess, in bytes
/// of the view.
const REACH: usize = 170;

/// How many small words may stand between a subject and its excess.
const FILLERS: usize = 2;

/// A sentence the grammar understood.
pub(crate) struct Sentence {
    /// Where, in the view.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Its word of excess: what stands beside that may be talk.
    pub(crate) excess: (usize, usize),
    pub(crate) figures: Figures,
    /// It names no room (`the conversation is too long`) and so needs an error
    /// around it.
    pub(crate) short: bool,
}

/// Reads the sentence around a word of excess at `start..end` of the view.
pub(crate) fn read(view: &View<'_>, start: usize, end: usize) -> Option<Sentence> {
    let (from, to) = sentence(view, start, end);
    let text = &view.text[from..to];
    // In the order of what most texts lack.
    let tokens = has(text, words::TOKENS);
    let room = has(text, words::ROOM);
    let of_model = tokens || has(text, words::MODEL);
    let adjacent = is_adjacent(view, start, end, of_model);
    if !(tokens || room || adjacent) {
        return None;
    }
    let subject = has(text, words::SUBJECT);
    let cap = has(text, words::CAP);
    let long = (room && (subject || tokens || cap || adjacent)) || (tokens && subject && cap);
    if !(long || adjacent) || has(text, words::FOREIGN) || is_code(view, from, to) {
        return None;
    }
    let figures = figures::read(view, (from, to), (start, end));
    Some(Sentence { start: from, end: to, excess: (start, end), figures, short: !long })
}

/// Whether the sentence is a piece of a program that spells these words.
fn is_code(view: &View<'_>, from: usize, to: usize) -> bool {
    let (start, end) = view.original(from, to);
    let raw = &view.raw[start..end];
    ["self.", "!=", " == ", "&&", ");\n", "_t ", "()"]
        .iter()
        .any(|mark| memmem::find(raw, mark.as_bytes()).is_some())
}

fn has(text: &str, words: &'static str) -> bool {
    words::each(words).any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// Whether what is in excess stands right beside the word: `prompt (is) too
/// long`, `context window overflow`.
fn is_adjacent(view: &View<'_>, start: usize, end: usize, of_model: bool) -> bool {
    let after = &view.text[end..];
    let after = after.strip_prefix(words::ARTICLE).unwrap_or(after);
    if words::each(words::ROOM).any(|word| after.starts_with(word)) {
        return true;
    }
    let too_long = has(&view.text[start..end], words::TOO_LONG);
    let mut before = &view.text[..start];
    for _ in 0..=FILLERS {
        let ends = |words| words::each(words).any(|word| before.ends_with(word));
        if ends(words::ROOM)
            || too_long && (ends(words::LONG_ALONE) || of_model && ends(words::LONG_OF_MODEL))
        {
            return true;
        }
        let Some(rest) = words::each(words::FILLERS).find_map(|word| before.strip_suffix(word))
        else {
            return false;
        };
        before = rest;
    }
    false
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
        '{' | '}' | ';' => true,
        '!' | '?' | '.' => {
            let (_, end) = view.original(at, at + 1);
            let next = view.raw.get(end);
            c != '.' || next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        }
        _ => false,
    }
}
