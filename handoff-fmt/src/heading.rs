//! Whether one line, by itself, is the heading of a section.
//!
//! It is when it carries an explicit mark (`#` to `######`, bold, brackets of the
//! `【】` kind, numbering that is no list, a colon) *and* its whole text is a name.
//! What the line means in its place, inside a fence or a list, is the reader's
//! business.

use crate::block::{indent, is_invisible, list_item};
use crate::label::{Fit, section_named, unnumbered};
use crate::{Refusal, Section, title};

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A heading; `rest` is the text that follows on the same line.
    Heading { section: Section, rest: &'a str, mark: Mark },
    /// Our own title.
    Title,
    /// Something that looks like a heading and is none.
    Refused(Refusal),
    /// Anything else.
    Text,
}

/// What makes a line a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// So many `#`.
    Hashes(usize),
    /// Bold or brackets.
    Bold,
    /// A colon, or numbering.
    Colon,
}

/// Reads one line.
pub(crate) fn read(line: &str) -> Line<'_> {
    let text = line.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
    let found = if text.starts_with('#') { hashes(text) } else { unhashed(text) };
    match found {
        Line::Heading { .. } if indent(line) > 3 => Line::Refused(Refusal::Indented),
        Line::Title | Line::Refused(_) if indent(line) > 3 => Line::Text,
        found => found,
    }
}

fn hashes(text: &str) -> Line<'_> {
    let words = text.trim_start_matches('#');
    let level = text.len() - words.len();
    // `#1` and `#!` are no attempt at a heading.
    let spaced = words.starts_with(is_space);
    let words = words.trim_matches(is_space).trim_end_matches('#').trim_end_matches(is_space);
    if title::is_title(words) && level < 7 {
        return Line::Title;
    }
    let mark = Mark::Hashes(level);
    let found = match section_named(words, Fit::Loose) {
        Some(section) => Line::Heading { section, rest: "", mark },
        None => with_text(words, mark),
    };
    match found {
        Line::Heading { .. } if level > 6 => Line::Refused(Refusal::TooDeep),
        Line::Text if spaced && level < 3 && text.len() < 160 && !words.is_empty() => {
            Line::Refused(Refusal::Unknown)
        }
        found => found,
    }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// `label: text`, in bold or not.
fn with_text(words: &str, mark: Mark) -> Line<'_> {
    match bold(words) {
        Line::Heading { section, rest, .. } => Line::Heading { section, rest, mark },
        _ => match colon(words, Fit::Loose) {
            Line::Heading { section, rest, .. } => Line::Heading { section, rest, mark },
            _ => Line::Text,
        },
    }
}

fn unhashed(text: &str) -> Line<'_> {
    if let Some(quoted) = text.strip_prefix('>') {
        return refused_if_heading(quoted.trim_start_matches(['>', ' ']), Refusal::Quote);
    }
    let item = list_item(text);
    let ordered = text.starts_with(|c: char| c.is_ascii_digit());
    if let Some((_, item)) = item.filter(|_| !ordered) {
        return refused_if_heading(item, Refusal::List);
    }
    let plain = undecorated(text);
    let numbered = unnumbered(plain);
    let words = numbered.map_or(plain, undecorated);
    for found in [bold(words), bracketed(words), colon(words, Fit::Exact)] {
        match found {
            // `1. Files: a.rs` is an item of a list.
            Line::Heading { mark: Mark::Colon, rest, .. } if item.is_some() && !rest.is_empty() => {
                return Line::Refused(Refusal::List);
            }
            Line::Text => {}
            found => return found,
        }
    }
    match section_named(words, Fit::Exact) {
        Some(section) if numbered.is_some() && item.is_none() => {
            Line::Heading { section, rest: "", mark: Mark::Colon }
        }
        Some(_) if item.is_some() => Line::Refused(Refusal::List),
        Some(_) => Line::Refused(Refusal::Unmarked),
        None => Line::Text,
    }
}

fn refused_if_heading(text: &str, why: Refusal) -> Line<'_> {
    let found = if text.starts_with('#') { hashes(text) } else { with_text(text, Mark::Bold) };
    match found {
        Line::Heading { .. } => Line::Refused(why),
        _ => Line::Text,
    }
}

/// Emoji and the like taken off the front.
fn undecorated(text: &str) -> &str {
    text.trim_start_matches(|c: char| {
        !(c.is_alphanumeric() || c.is_ascii_punctuation() || "【「『《〔（“‘—…".contains(c))
    })
}

/// `**label**`, `**label:**`, `**label:** text`, and the same with `__`, `*`, `_`.
fn bold(text: &str) -> Line<'_> {
    let Some((inner, after)) = ["**", "__", "*", "_"].iter().find_map(|mark| {
        let inner = text.strip_prefix(mark)?;
        let inner = inner.trim_start_matches(['*', '_']);
        let (inner, after) = inner.split_once(mark)?;
        Some((inner, after.trim_start_matches(['*', '_'])))
    }) else {
        return Line::Text;
    };
    enclosed(inner, after)
}

/// `【label】`, `【label】 text`.
fn bracketed(text: &str) -> Line<'_> {
    let Some((inner, after)) = text.strip_prefix('【').and_then(|t| t.split_once('】')) else {
        return Line::Text;
    };
    let after = after.trim_matches(is_space);
    let after = after.strip_prefix([':', '：']).unwrap_or(after);
    match section_named(inner, Fit::Loose) {
        Some(section) => {
            Line::Heading { section, rest: after.trim_matches(is_space), mark: Mark::Bold }
        }
        None => Line::Text,
    }
}

fn enclosed<'a>(inner: &'a str, after: &'a str) -> Line<'a> {
    let after = after.trim_matches(is_space);
    let colon = |c| matches!(c, ':' | '：');
    let inside = inner.trim_end_matches(is_space).ends_with(colon);
    let rest = match after.strip_prefix(colon) {
        Some(rest) => rest.trim_matches(is_space),
        None if inside || after.is_empty() => after,
        None => return Line::Text,
    };
    match section_named(inner, Fit::Loose) {
        Some(section) => Line::Heading { section, rest, mark: Mark::Bold },
        None => Line::Text,
    }
}

/// `label:` alone, or `label: text`, where small words around the label are
/// allowed only as far as `fit` says.
fn colon(text: &str, fit: Fit) -> Line<'_> {
    let Some(at) = text.char_indices().take(80).find(|&(_, c)| matches!(c, ':' | '：')) else {
        return Line::Text;
    };
    let (label, after) = text.split_at(at.0);
    // A quoted or bracketed word is the key of some data, or a link.
    if label.starts_with(|c: char| c.is_ascii_punctuation()) {
        return Line::Text;
    }
    let rest = after.trim_start_matches([':', '：']).trim_matches(is_space);
    let fit = if rest.is_empty() { Fit::Loose } else { fit };
    match section_named(label, fit) {
        Some(section) => Line::Heading { section, rest, mark: Mark::Colon },
        None => Line::Text,
    }
}
