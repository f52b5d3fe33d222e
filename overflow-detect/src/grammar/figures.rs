//! Which number is which, in a sentence nobody listed.

use crate::numbers;
use crate::pattern::Figures;
use crate::view::{TORN, View};

use super::pairs::has;
use super::{Word, words};

/// Below this, a number is a status, a code or a count of messages.
const SMALLEST: u64 = 256;

/// Reads the numbers of the sentence at `range`, whose word of excess stands at
/// `excess`. Two numbers: the larger did not fit into the smaller. One: it is
/// the limit if a word for a limit stands before it and after the excess. More:
/// nobody can tell.
pub(super) fn read(view: &View<'_>, range: (usize, usize), excess: (usize, usize)) -> Figures {
    let found = numbers_in(view, range);
    match found.as_slice() {
        [(_, one), (_, two)] if one != two => {
            Figures { used: Some(*one.max(two)), limit: Some(*one.min(two)), ..Figures::default() }
        }
        [(at, only)] => single(view, range.0, excess, *at, *only),
        _ => Figures::default(),
    }
}

/// Whether, of the two numbers of the sentence, the one that the word sets as a
/// limit is the smaller: the one behind it, or, where none is, the one before it.
pub(super) fn show_excess(view: &View<'_>, range: (usize, usize), word: Word) -> bool {
    let [first, second] = numbers_in(view, range)[..] else { return false };
    match &view.text[word.start..word.end] {
        ">" => {
            let named = &view.text[view.floor(first.0.saturating_sub(24)).max(range.0)..first.0];
            let between = first.0 < word.start && word.end <= second.0;
            between && first.1 > second.1 && !has(named, words::HOLDERS)
        }
        _ if word.end <= first.0 => first.1 < second.1,
        _ => second.1 < first.1,
    }
}

fn single(view: &View<'_>, from: usize, excess: (usize, usize), at: usize, value: u64) -> Figures {
    let before = &view.text[from..at];
    let ends = |words: &[&str]| words.iter().any(|word| before.ends_with(word));
    if ends(&["by", "超出了", "超过了"]) {
        return Figures { over: Some(value), ..Figures::default() };
    }
    let near = &view.text[view.floor(at.saturating_sub(40)).max(from)..at];
    let capped =
        words::each(words::CAP).chain(words::each(words::ROOM)).any(|word| near.contains(word));
    if at > excess.0 && capped {
        Figures { limit: Some(value), ..Figures::default() }
    } else if at < excess.0 && !capped {
        Figures { used: Some(value), ..Figures::default() }
    } else {
        Figures::default()
    }
}

/// The numbers that may be counts of tokens, with their offsets.
fn numbers_in(view: &View<'_>, range: (usize, usize)) -> Vec<(usize, u64)> {
    let bytes = view.text.as_bytes();
    let mut found = Vec::new();
    let mut at = range.0;
    while at < range.1 {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let mut end = at;
        while end < range.1 && (bytes[end].is_ascii_digit() || is_separator(bytes, end)) {
            end += 1;
        }
        if !is_other(view, range.0, at, end)
            && let Some(value) = counted(view, at, end)
        {
            found.push((at, value));
        }
        at = end;
    }
    found
}

/// The number at `at..end` with its unit, if it may be a count of tokens.
fn counted(view: &View<'_>, at: usize, end: usize) -> Option<u64> {
    let value = numbers::value(&view.text[at..end])?;
    let (_, behind) = view.original(at, end);
    let value = numbers::scaled(value, view.raw.get(behind..).unwrap_or_default());
    let status = (400..600).contains(&value) && !view.text[end..].starts_with("token");
    (value >= SMALLEST && !status).then_some(value)
}

/// Whether the number is a part of a name, a date or a time, an error's code or
/// a process's id.
fn is_other(view: &View<'_>, from: usize, at: usize, end: usize) -> bool {
    let bytes = view.text.as_bytes();
    let before = at.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(end).copied();
    let digit_follows = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
    (before.is_some_and(|byte| byte.is_ascii_alphabetic()) && !view.is_gap(at))
        || matches!(before, Some(b'-' | b'#'))
        || (before, after) == (Some(b'['), Some(b']'))
        || (matches!(after, Some(b'-' | b':' | b'/')) && digit_follows)
        || view.text[from..at].ends_with("code:")
}

/// A mark between groups of three digits.
fn is_separator(bytes: &[u8], at: usize) -> bool {
    let group =
        |from: usize| bytes.get(from..from + 3).is_some_and(|g| g.iter().all(u8::is_ascii_digit));
    match bytes[at] {
        b',' | b'.' | b' ' => group(at + 1) && !bytes.get(at + 4).is_some_and(u8::is_ascii_digit),
        byte => char::from(byte) == TORN,
    }
}
