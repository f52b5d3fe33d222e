//! What a sentence with a word of excess says: that the prompt does not fit, that
//! the output does not, that too much was asked for in a span of time, or nothing
//! that is known.

use memchr::memmem;

use crate::Class;
use crate::view::View;

use super::pairs::{Pairs, has};
use super::{Word, remark, words};

/// How many small words may stand between a subject and its excess.
const FILLERS: usize = 2;

/// Whether the sentence around `start..end` of the view, listed as a short
/// wording of an overflow, speaks of something else.
pub(crate) fn is_of_other(view: &View<'_>, start: usize, end: usize) -> bool {
    let range = super::sentence(view, start, end);
    let sentence = Pairs::of(view.text(range));
    is_of_other_world(&sentence)
        || is_of_span(view, range, &sentence)
        || remark::is_remark(view, range, end)
}

/// What the sentence at `range` says, and whether it says little. `measured`: its
/// numbers show the excess.
pub(super) fn of(
    view: &View<'_>,
    range: (usize, usize),
    word: Word,
    measured: bool,
) -> Option<(Class, bool)> {
    let text = &Pairs::of(view.text(range));
    let tokens = text.has(words::TOKENS);
    let ours = text.has(words::OURS);
    let room_word = has_word(view, range, text, words::ROOM_WORDS);
    let room =
        room_word || text.has(words::ROOM) || (tokens || ours) && text.has(words::ROOM_OF_MODEL);
    let model = text.has(words::MODEL);
    let adjacent = is_adjacent(view, word.start, word.end, tokens || model);
    let said_output = !room && is_of_output(text, word.start - range.0);
    let span = is_of_span(view, range, text);
    if !(tokens || room || adjacent || said_output || span || model || ours)
        || is_of_other_world(text)
    {
        return None;
    }
    if span {
        return Some((Class::Rate, true));
    }
    if said_output {
        return Some((Class::OutputCap, !word.limiting)).filter(|_| !text.has(words::TOOLS));
    }
    let subject = text.has(words::SUBJECT);
    let cap = text.has(words::CAP);
    let excess = &view.text[word.start..word.end];
    let too_long = has(excess, words::TOO_LONG);
    let weak = has(excess, words::WEAK);
    let long = (room && (subject || tokens || cap || adjacent || measured || (model && !weak)))
        || (tokens && subject && cap)
        || (too_long && subject && model)
        || (!weak && (model || tokens && measured) && text.has(words::PROMPTS))
        || (!weak
            && has(view.text((range.0, word.start)), words::PROMPT)
            && text.has(words::LIMITS))
        || (!weak && tokens && model && text.has(words::LIMITS) && !text.has(words::WRITTEN));
    let understood = (long || adjacent || room_word)
        && !text.has(words::FOREIGN)
        && (room || tokens || !remark::is_remark(view, range, word.end));
    understood.then_some((Class::Overflow, !long))
}

/// Whether a sentence speaks of what the model writes, and of nothing it reads.
/// `excess` is where its word of excess stands.
fn is_of_output(sentence: &Pairs<'_>, excess: usize) -> bool {
    let text = sentence.text;
    let parameter = text
        .match_indices(words::OUTPUT_PARAMETER)
        .any(|(at, _)| (at < excess || text[..at].ends_with("by")) && !text[..at].ends_with('+'));
    (parameter || sentence.has(words::OUTPUT)) && !sentence.has(words::INPUT)
}

fn is_of_other_world(text: &Pairs<'_>) -> bool {
    text.has(words::WORLDS) && !text.has(words::OURS)
}

/// Whether a sentence speaks of what may be used in a span of time.
fn is_of_span(view: &View<'_>, range: (usize, usize), text: &Pairs<'_>) -> bool {
    text.has(words::COUNTED)
        && (text.has(words::SPANS)
            || has_word(view, range, text, words::SPAN_WORDS)
            || words::each(words::SPAN_ADJECTIVES)
                .filter(|span| text.may_hold(span))
                .any(|span| is_beside_counted(text.text, span)))
}

fn is_beside_counted(text: &str, span: &str) -> bool {
    memmem::find_iter(text.as_bytes(), span).any(|at| {
        let (before, after) = (&text[..at], &text[at + span.len()..]);
        words::each(words::COUNTED)
            .any(|counted| before.ends_with(counted) || after.starts_with(counted))
    })
}

/// Whether one of these stands in the sentence as a whole word.
pub(super) fn has_word(
    view: &View<'_>,
    range: (usize, usize),
    sentence: &Pairs<'_>,
    words: &'static str,
) -> bool {
    let text = sentence.text.as_bytes();
    words::each(words).filter(|word| sentence.may_hold(word)).any(|word| {
        memmem::find_iter(text, word).any(|at| {
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
