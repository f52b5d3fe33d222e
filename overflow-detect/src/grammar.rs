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
mod remark;
mod words;

use memchr::memmem;

use crate::Class;
use crate::pattern::Figures;
use crate::view::View;

pub(crate) use words::{EXCESS, LIMITING};

/// How far the rest of the sentence may be from the word of excess, in bytes
/// of the view.
const REACH: usize = 170;

/// How many small words may stand between a subject and its excess.
const FILLERS: usize = 2;

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
    let (class, short) = meaning(view, range, word, measured)?;
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

/// Whether the sentence around `start..end` of the view, listed as a short
/// wording of an overflow, speaks of something else.
pub(crate) fn is_of_other(view: &View<'_>, start: usize, end: usize) -> bool {
    let range = sentence(view, start, end);
    is_of_other_world(view.text(range))
        || is_of_span(view, range)
        || remark::is_remark(view, range, end)
}

/// What the sentence at `range` says, and whether it says little. `measured`: its
/// numbers show the excess.
fn meaning(
    view: &View<'_>,
    range: (usize, usize),
    word: Word,
    measured: bool,
) -> Option<(Class, bool)> {
    let text = view.text(range);
    let tokens = has(text, words::TOKENS);
    let ours = has(text, words::OURS);
    let room_word = has_word(view, range, words::ROOM_WORDS);
    let room =
        room_word || has(text, words::ROOM) || (tokens || ours) && has(text, words::ROOM_OF_MODEL);
    let model = has(text, words::MODEL);
    let adjacent = is_adjacent(view, word.start, word.end, tokens || model);
    let said_output = !room && is_of_output(text, word.start - range.0);
    let span = is_of_span(view, range);
    if !(tokens || room || adjacent || said_output || span || model) || is_of_other_world(text) {
        return None;
    }
    if span {
        return Some((Class::Rate, true));
    }
    if said_output {
        return Some((Class::OutputCap, !word.limiting)).filter(|_| !has(text, words::TOOLS));
    }
    let subject = has(text, words::SUBJECT);
    let cap = has(text, words::CAP);
    let excess = &view.text[word.start..word.end];
    let too_long = has(excess, words::TOO_LONG);
    let weak = has(excess, words::WEAK);
    let long = (room && (subject || tokens || cap || adjacent))
        || (tokens && subject && cap)
        || (too_long && subject && model)
        || (!weak && (model || tokens && measured) && has(text, words::PROMPTS))
        || (!weak && tokens && model && has(text, words::LIMITS) && !has(text, words::WRITTEN));
    let understood = (long || adjacent || room_word)
        && !has(text, words::FOREIGN)
        && (room || tokens || !remark::is_remark(view, range, word.end));
    understood.then_some((Class::Overflow, !long))
}

/// Whether a sentence speaks of what the model writes, and of nothing it reads.
/// `excess` is where its word of excess stands.
fn is_of_output(text: &str, excess: usize) -> bool {
    let parameter = text
        .match_indices(words::OUTPUT_PARAMETER)
        .any(|(at, _)| (at < excess || text[..at].ends_with("by")) && !text[..at].ends_with('+'));
    (parameter || has(text, words::OUTPUT)) && !has(text, words::INPUT)
}

fn is_of_other_world(text: &str) -> bool {
    has(text, words::WORLDS) && !has(text, words::OURS)
}

/// Whether a sentence speaks of what may be used in a span of time.
fn is_of_span(view: &View<'_>, range: (usize, usize)) -> bool {
    let text = view.text(range);
    has(text, words::COUNTED)
        && (has(text, words::SPANS)
            || has_word(view, range, words::SPAN_WORDS)
            || words::each(words::SPAN_ADJECTIVES).any(|span| is_beside_counted(text, span)))
}

fn is_beside_counted(text: &str, span: &str) -> bool {
    memmem::find_iter(text.as_bytes(), span).any(|at| {
        let (before, after) = (&text[..at], &text[at + span.len()..]);
        words::each(words::COUNTED)
            .any(|counted| before.ends_with(counted) || after.starts_with(counted))
    })
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

/// The same for whole words.
fn has_word(view: &View<'_>, range: (usize, usize), words: &'static str) -> bool {
    let text = view.text(range);
    words::each(words).any(|word| {
        memmem::find_iter(text.as_bytes(), word).any(|at| {
            let at = range.0 + at;
            view.is_word_edge(at) && view.is_word_edge(at + word.len())
        })
    })
}

/// Whether what is in excess stands right beside the word: `prompt (is) too
/// long`, `context window overflow`.
fn is_adjacent(view: &View<'_>, start: usize, end: usize, of_model: bool) -> bool {
    if has(&view.text[start..end], words::ROOM) {
        return true;
    }
    let after = &view.text[end..];
    let after = after.strip_prefix(words::ARTICLE).unwrap_or(after);
    if words::each(words::ROOM).any(|word| after.starts_with(word)) {
        return true;
    }
    let too_long = has(&view.text[start..end], words::TOO_LONG);
    let full = has(&view.text[start..end], words::FULL);
    let mut before = &view.text[..start];
    for _ in 0..=FILLERS {
        let ends = |words| words::each(words).any(|word| before.ends_with(word));
        if ends(words::ROOM)
            || full && ends(words::LONG_ALONE)
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
