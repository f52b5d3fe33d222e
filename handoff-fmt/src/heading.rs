//! Whether one line, by itself, is the heading of a section.
//!
//! It is when it carries an explicit mark (`#` to `######`, bold, brackets of the
//! `【】` kind, an ornament such as `■`, numbering that is no list) *and* its text is
//! a name, or a name set off from a few words; or when a colon follows the bare name.
//! What the line means in its place, inside a fence or a list, is the reader's
//! business.

use crate::block::{indent, is_invisible, list_item};
use crate::label::{Fit, section_named, unnumbered};
use crate::named::{Named, named, set_off};
use crate::{Refusal, Section, title};

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A heading; `note` is what it says beside the name, `rest` the text that
    /// follows on the same line.
    Heading { section: Section, note: &'a str, rest: &'a str, mark: Mark },
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
    /// A colon, numbering, or an ornament.
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
    let found = heading(beside(words), Mark::Hashes(level));
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

fn heading(found: Option<Named<'_>>, mark: Mark) -> Line<'_> {
    found.map_or(Line::Text, |Named { section, note, rest }| Line::Heading {
        section,
        note,
        rest,
        mark,
    })
}

/// A name and the words beside it, in bold or not.
fn beside(words: &str) -> Option<Named<'_>> {
    bold(words, Fit::Loose).or_else(|| named(words))
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
    // `1. **Files** — a.rs` is an item of a list, and so is `1. Files: a.rs`.
    let fit = if item.is_some() { Fit::Exact } else { Fit::Loose };
    if let Some(found) = bold(words, fit).or_else(|| bracketed(words)) {
        return heading(Some(found), Mark::Bold);
    }
    if item.is_none() && (numbered.is_some() || text.starts_with(ORNAMENTS)) {
        return heading(named(words), Mark::Colon);
    }
    match colon(words, Fit::Exact) {
        Some(Named { rest, .. }) if item.is_some() && !rest.is_empty() => {
            Line::Refused(Refusal::List)
        }
        found @ Some(_) => heading(found, Mark::Colon),
        None if section_named(words, Fit::Exact).is_none() => Line::Text,
        None if item.is_some() => Line::Refused(Refusal::List),
        None => Line::Refused(Refusal::Unmarked),
    }
}

/// Bullets that Markdown does not know, and that people set in front of headings.
const ORNAMENTS: &[char] = &[
    '■', '□', '▪', '▫', '◼', '◻', '◾', '◽', '⬛', '⬜', '◆', '◇', '❖', '●', '○', '◉', '◎', '▶',
    '►', '▷', '▸', '▹', '➤', '★', '☆', '✦', '✧', '▲', '△', '▼', '▽',
];

/// What a line would be in a document whose headings have no mark but a list's, or
/// none at all: `- **Doing now:** x`, `2. Next step`. The ask prompt names the
/// headings as `- ## ...`; echoed, it is no document.
pub(crate) fn unmarked(line: &str) -> Line<'_> {
    let text = line.trim_matches(is_space);
    let found = match list_item(text) {
        Some((_, item)) if item.starts_with(['#', '`', '>']) => None,
        Some((_, item)) => beside(undecorated(item)),
        None if read(line) == Line::Refused(Refusal::Unmarked) => named(text),
        None => None,
    };
    heading(found, Mark::Colon)
}

fn refused_if_heading(text: &str, why: Refusal) -> Line<'_> {
    let heading = if text.starts_with('#') {
        matches!(hashes(text), Line::Heading { .. })
    } else {
        bold(text, Fit::Loose).is_some()
            || section_named(text, Fit::Loose).is_some()
            || colon(text, Fit::Loose).is_some()
    };
    if heading { Line::Refused(why) } else { Line::Text }
}

/// Emoji and the like taken off the front.
fn undecorated(text: &str) -> &str {
    text.trim_start_matches(|c: char| {
        !(c.is_alphanumeric() || c.is_ascii_punctuation() || "【「『《〔（“‘—…".contains(c))
    })
}

/// `**label**`, `**label:**`, `**label:** text`, and the same with `__`, `*`, `_`.
/// A loose fit has words beside the label too, within the bold or after it.
fn bold(text: &str, fit: Fit) -> Option<Named<'_>> {
    let (inner, after) = ["**", "__", "*", "_"].iter().find_map(|mark| {
        let inner = text.strip_prefix(mark)?;
        let inner = inner.trim_start_matches(['*', '_']);
        let (inner, after) = inner.split_once(mark)?;
        Some((inner, after.trim_start_matches(['*', '_'])))
    })?;
    let (inner, after) = (inner.trim_matches(is_space), after.trim_matches(is_space));
    let label = inner.trim_end_matches(COLONS);
    let loose = fit == Fit::Loose;
    let found = match section_named(inner, Fit::Loose) {
        Some(section) => Named { section, note: "", rest: "" },
        None => named(label).filter(|_| loose)?,
    };
    match after.strip_prefix(COLONS) {
        Some(rest) => found.followed_by(rest.trim_matches(is_space)),
        None if after.is_empty() || label.len() < inner.len() => found.followed_by(after),
        None if !after.contains(char::is_alphanumeric) => Some(found),
        None if found.note.is_empty() && found.rest.is_empty() => {
            let emphasis = after.starts_with(['*', '_']);
            let after = if emphasis { after.trim_matches(['*', '_']) } else { after };
            set_off(found.section, after).filter(|found| loose || found.note.is_empty())
        }
        None => None,
    }
}

const COLONS: [char; 2] = [':', '：'];

/// `【label】`, `【label】 text`.
fn bracketed(text: &str) -> Option<Named<'_>> {
    let pairs = [('【', '】'), ('〖', '〗'), ('［', '］'), ('〔', '〕')];
    let (inner, after) = pairs
        .iter()
        .find_map(|&(open, close)| text.strip_prefix(open).and_then(|t| t.split_once(close)))?;
    let after = after.trim_matches(is_space);
    let after = after.strip_prefix(COLONS).unwrap_or(after);
    named(inner)?.followed_by(after.trim_matches(is_space))
}

/// `label:` alone, or `label: text`, where small words around the label are
/// allowed only as far as `fit` says.
fn colon(text: &str, fit: Fit) -> Option<Named<'_>> {
    let at = text.char_indices().take(80).find(|&(_, c)| COLONS.contains(&c))?;
    let (label, after) = text.split_at(at.0);
    // A quoted or bracketed word is the key of some data, or a link.
    if label.starts_with(|c: char| c.is_ascii_punctuation()) {
        return None;
    }
    let rest = after.trim_start_matches(COLONS).trim_matches(is_space);
    let fit = if rest.is_empty() { Fit::Loose } else { fit };
    section_named(label, fit).map(|section| Named { section, note: "", rest })
}
