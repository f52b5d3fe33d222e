//! A name and the words beside it, in a heading that has an explicit mark.
//!
//! `Next step — start here`, `Next step (half-way)`, `Next steps & open questions`,
//! `Risks / next steps`: something that no sentence has there sets the name off.
//! "Files changed in this session" has nothing of the kind and stays a phrase: it
//! may as well be about one file of the section it stands in.
//!
//! No word is dropped: what stands beside the name begins the section, unless it
//! only says that the section must be filled in, or names it again.

use crate::Section;
use crate::label::{CLOSING, Fit, OPENING, is_remark, section_named, unnumbered};

/// No name goes further.
const LONGEST: usize = 80;

/// What a heading says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a> {
    pub(crate) section: Section,
    /// Words of the heading beside the name.
    pub(crate) note: &'a str,
    /// Text that follows the heading on its line.
    pub(crate) rest: &'a str,
}

impl<'a> Named<'a> {
    fn new(section: Section, note: &'a str, rest: &'a str) -> Named<'a> {
        let note = if is_remark(note, section) { "" } else { note };
        Named { section, note, rest }
    }

    /// With text that follows outside of the heading's bold or brackets. None: more
    /// parts than a heading has.
    pub(crate) fn followed_by(self, rest: &'a str) -> Option<Named<'a>> {
        match self {
            _ if rest.is_empty() => Some(self),
            Named { rest: "", .. } => Some(Named { rest, ..self }),
            Named { note: "", .. } => Some(Named { note: self.rest, rest, ..self }),
            _ => None,
        }
    }
}

/// What sets a name off from the words beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Parenthesis,
    Dash,
    Colon,
    Join,
}

/// A place where a name may be set off.
struct Cut<'a> {
    before: &'a str,
    /// The mark and all that follows.
    from: &'a str,
    /// What follows the mark.
    after: &'a str,
    mark: Mark,
}

/// The name that the words of a heading hold, with what stands beside it.
pub(crate) fn named(text: &str) -> Option<Named<'_>> {
    plainly_named(text).or_else(|| plainly_named(unlisted(text)?))
}

fn plainly_named<'a>(text: &'a str) -> Option<Named<'a>> {
    if let Some(section) = section_named(text, Fit::Loose) {
        return Some(Named::new(section, "", ""));
    }
    let cuts = cuts(text);
    let first = |cut: &Cut<'a>| {
        let section = section_named(cut.before, Fit::Loose)?;
        beside(section, cut)
    };
    let second = |cut: &Cut<'a>| {
        let joined = cut.mark == Mark::Join && !is_path(cut.from, cut.after);
        let section = section_named(cut.after, Fit::Loose).filter(|_| joined)?;
        Some(Named::new(section, bare(cut.before), ""))
    };
    // The longest name first: `Doing now / current state — half-way`.
    cuts.iter().rev().find_map(first).or_else(|| cuts.iter().find_map(second))
}

/// The places, outside of parentheses, where a name may be set off.
fn cuts(text: &str) -> Vec<Cut<'_>> {
    let mut cuts = Vec::new();
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().take(LONGEST) {
        let (before, from) = text.split_at(at);
        if let Some(cut) = Cut::at(before, from).filter(|_| depth == 0) {
            cuts.push(cut);
        }
        match c {
            _ if OPENING.contains(&c) => depth += 1,
            _ if CLOSING.contains(&c) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    cuts
}

/// The words after a name in bold: `**Next step** — do x`. None: they go on with a
/// sentence.
pub(crate) fn set_off(section: Section, after: &str) -> Option<Named<'_>> {
    beside(section, &Cut::at("", after)?)
}

/// A name with the words on the other side of the mark.
fn beside<'a>(section: Section, cut: &Cut<'a>) -> Option<Named<'a>> {
    let after = cut.after.trim();
    match cut.mark {
        Mark::Colon => Some(Named { section, note: "", rest: after }),
        Mark::Dash => Some(Named::new(section, after, "")),
        Mark::Parenthesis => parenthesis(section, cut.from),
        Mark::Join if is_path(cut.from, cut.before) => None,
        // Of two sections the one that must not be missing is meant.
        Mark::Join => match section_named(after, Fit::Loose) {
            Some(other) if required(other) && !required(section) => {
                Some(Named::new(other, bare(cut.before), ""))
            }
            _ => Some(Named::new(section, bare(after), "")),
        },
    }
}

/// What follows `Section 4:`, `IV.`, `[4]`, `d)` or `第四节：`, numbering that
/// counts only where a mark makes the line a heading.
fn unlisted(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['[', ' ']);
    let mark = |&(_, c): &(usize, char)| ".)]:：、—–-".contains(c);
    let (at, c) = text.char_indices().take(14).find(mark)?;
    let (before, rest) = text.split_at(at);
    let words: String = before.split_whitespace().collect::<String>().to_ascii_lowercase();
    let part = ["section", "part", "step", "第"].iter().find_map(|part| words.strip_prefix(part));
    let number = part.unwrap_or(&words).trim_end_matches(['节', '節', '章', '절', '장', '부']);
    let all = |digits: &str| !number.is_empty() && number.chars().all(|c| digits.contains(c));
    let letter = number.len() == 1 && number.chars().all(|c| c.is_ascii_lowercase());
    let counts = all("0123456789") || all("ivx") || all("一二三四五六七八九十") || letter;
    counts.then(|| rest.get(c.len_utf8()..))?
}

fn required(section: Section) -> bool {
    Section::REQUIRED.contains(&section)
}

/// `(words)`, `(words): text`, `(words) — more`.
fn parenthesis(section: Section, from: &str) -> Option<Named<'_>> {
    let mut depth = 0_usize;
    let close = from.char_indices().find(|(_, c)| {
        depth += usize::from(OPENING.contains(c));
        depth -= usize::from(depth > 0 && CLOSING.contains(c));
        depth == 0
    });
    let Some((close, c)) = close else {
        return Some(Named::new(section, from.trim(), ""));
    };
    let (note, after) = from.split_at(close + c.len_utf8());
    let after = after.trim();
    match Cut::at("", after) {
        Some(Cut { mark: Mark::Colon, after, .. }) => Some(Named::new(section, note, after.trim())),
        Some(_) => Some(Named::new(section, from.trim(), "")),
        None if after.contains(char::is_alphanumeric) => None,
        None => Some(Named::new(section, note, "")),
    }
}

impl<'a> Cut<'a> {
    /// The mark that stands between two texts, if one does. Nothing before it counts
    /// as a space.
    fn at(before: &'a str, from: &'a str) -> Option<Cut<'a>> {
        let c = from.chars().next()?;
        let spaced = before.chars().next_back().is_none_or(char::is_whitespace);
        let run = || from.len() - from.trim_start_matches(c).len();
        let word = |word: &str| {
            let same = from.get(..word.len())?.eq_ignore_ascii_case(word);
            let next = from.get(word.len()..)?.chars().next()?;
            (spaced && same && next.is_whitespace()).then_some(word.len())
        };
        let (mark, length) = match c {
            _ if OPENING.contains(&c) => (Mark::Parenthesis, 0),
            ':' | '：' => (Mark::Colon, run()),
            '—' | '–' | '―' | '─' | '～' | '〜' | '→' | '⇒' | '…' => {
                (Mark::Dash, run())
            }
            '-' if from.starts_with("->") => (Mark::Dash, 2),
            '=' if from.starts_with("=>") => (Mark::Dash, 2),
            '-' if from.starts_with("--") => (Mark::Dash, run()),
            '-' => (Mark::Dash, word("-")?),
            '+' => (Mark::Join, word("+")?),
            'a' | 'A' => (Mark::Join, word("and")?),
            '와' | '과' if !from.chars().nth(1).is_some_and(char::is_whitespace) => return None,
            _ if JOINS.contains(&c) => (Mark::Join, c.len_utf8()),
            _ => return None,
        };
        Some(Cut { before, from, after: from.get(length..)?, mark })
    }
}

const JOINS: &[char] = &[
    '/', '／', '&', '＆', '|', '｜', '·', '・', '、', '和', '与', '與', '及', '및', '와', '과',
    'と',
];

/// Whether a slash stands in a path, `next/router`, not between two names.
fn is_path(after: &str, name: &str) -> bool {
    let tight = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
    let name = name.trim_end_matches(['*', '_']);
    after.starts_with('/')
        && tight(after.chars().nth(1))
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii() && !c.is_whitespace())
}

/// Without what would make a heading of it again.
fn bare(text: &str) -> &str {
    let marks = |c: char| c.is_whitespace() || "*_:：【】〖〗〔〕［］".contains(c);
    let text = text.trim_matches(marks);
    unnumbered(text).map_or(text, |rest| rest.trim_matches(marks))
}
