//! From the words of a heading to the section they name.
//!
//! The *whole* text must be a name: "Next we should rest" begins with one and is
//! prose. What may surround a name is decoration: numbering, emoji, emphasis,
//! brackets, a colon, a remark such as `(required)`; a second name of the same
//! section, as in `Next step / 下一步` or `Dead ends & failed attempts`. In
//! English, case, plurals and small words do not count: "The next steps".

use crate::names::{EASTERN, ENGLISH, SMALL, WORDINGS};
use crate::{Section, placeholder};

/// Longer texts cost nothing: no name comes near.
const LONGEST: usize = 160;

/// How many small words a text may have around a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// A heading by its mark: `What I'm doing now` is a name.
    Loose,
    /// A line whose text goes on after the colon: only the names themselves.
    Exact,
}

/// The section that a text names, if that is all it does.
pub(crate) fn section_named(text: &str, fit: Fit) -> Option<Section> {
    if text.len() > LONGEST {
        return None;
    }
    let text = undecorated(text);
    if text.is_empty() {
        return None;
    }
    name(text, fit).or_else(|| with_remark(text, fit))
}

/// `Name (remark)`, the remark being a placeholder, a word on whether it must be
/// filled in, or another name of the section.
fn with_remark(text: &str, fit: Fit) -> Option<Section> {
    let open = text.rfind(OPENING)?;
    let (outer, remark) = (text.get(..open)?, text.get(open..)?);
    let section = name(undecorated(outer), fit)?;
    is_remark(remark, section).then_some(section)
}

/// Whether words beside a section's name say nothing but that it must be filled in,
/// that there is nothing in it, or its name again.
pub(crate) fn is_remark(words: &str, section: Section) -> bool {
    let words = undecorated(words);
    placeholder::is_placeholder(words)
        || REMARKS.iter().any(|known| words.eq_ignore_ascii_case(known))
        || words.len() <= LONGEST && name(words, Fit::Loose) == Some(section)
}

/// What encloses a remark.
pub(crate) const OPENING: [char; 4] = ['(', '（', '[', '【'];
pub(crate) const CLOSING: [char; 4] = [')', '）', ']', '】'];

const REMARKS: &[&str] = &[
    "s",
    "required",
    "optional",
    "if any",
    "with why",
    "and why",
    "must",
    "mandatory",
    "必填",
    "必填项",
    "选填",
    "選填",
    "可选",
    "可選",
    "必需",
    "必须",
    "필수",
    "필수 항목",
    "선택",
    "선택 사항",
    "必須",
    "任意",
    "省略可",
];

/// Decoration taken off: whatever is no letter or digit at both ends, and
/// numbering in front.
fn undecorated(text: &str) -> &str {
    let bare = |c: char| !c.is_alphanumeric();
    let text = text.trim_matches(bare);
    unnumbered(text).map_or(text, |rest| rest.trim_matches(bare))
}

/// What follows `2.` `2)` `2、` `二、` `（二）` `②` or a keycap.
pub(crate) fn unnumbered(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    if let Some(inner) = text.strip_prefix(['(', '（']) {
        let rest = inner.trim_start_matches(is_eastern_digit);
        return rest.strip_prefix([')', '）']).filter(|_| rest.len() < inner.len());
    }
    if matches!(first, '①'..='⑳' | '❶'..='❿' | '⓪') {
        return text.get(first.len_utf8()..);
    }
    let digit = |c: char| c.is_ascii_digit() || ('０'..='９').contains(&c);
    let rest = text.trim_start_matches(digit);
    let rest = if rest.len() == text.len() {
        text.trim_start_matches(is_eastern_digit)
    } else {
        rest.strip_prefix("\u{fe0f}\u{20e3}").unwrap_or(rest)
    };
    if rest.len() == text.len() {
        return None;
    }
    let keycap = text.get(..text.len() - rest.len()).is_some_and(|n| n.ends_with('\u{20e3}'));
    let mark = rest.chars().next()?;
    if matches!(mark, '.' | ')' | '、' | '．' | '）' | ':' | '：') {
        rest.get(mark.len_utf8()..)
    } else {
        keycap.then_some(rest)
    }
}

fn is_eastern_digit(c: char) -> bool {
    "一二三四五六七八九十".contains(c)
}

fn name(text: &str, fit: Fit) -> Option<Section> {
    if text.is_ascii() {
        return english(text, fit);
    }
    let mut found = None;
    for part in text.split(['/', '／', '|', '｜', '&', '＆', '・', '·', '—', '–']) {
        let section = one_name(part, fit)?;
        if *found.get_or_insert(section) != section {
            return None;
        }
    }
    found
}

/// One name, or an English and another one side by side.
fn one_name(text: &str, fit: Fit) -> Option<Section> {
    let text = undecorated(text);
    if let Some(section) = eastern(text) {
        return Some(section);
    }
    let foreign = |c: char| c.is_alphanumeric() && !c.is_ascii();
    let Some(start) = text.find(foreign) else {
        return english(&text.replace('’', "'"), fit);
    };
    let end = text.rfind(foreign)?;
    let (before, rest) = text.split_at(start);
    let (middle, after) =
        rest.split_at(end - start + rest.get(end - start..)?.chars().next()?.len_utf8());
    let outer = match [before, after].map(|side| side.contains(char::is_alphanumeric)) {
        [true, false] => before,
        [false, true] => after,
        _ => return None,
    };
    eastern(middle).filter(|&section| english(outer, fit) == Some(section))
}

fn eastern(text: &str) -> Option<Section> {
    let key: String = text.chars().filter(|c| c.is_alphanumeric()).map(narrow).collect();
    known(EASTERN, &key)
}

/// Full-width letters and digits in their plain form.
fn narrow(c: char) -> char {
    match c {
        '！'..='～' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c).to_ascii_lowercase(),
        _ => c.to_ascii_lowercase(),
    }
}

/// English names, one or several that agree, joined by `and` or a sign for it.
fn english(text: &str, fit: Fit) -> Option<Section> {
    let sign = ['&', '/', '+'];
    let within = |c: char| c.is_ascii_alphabetic() || c.is_whitespace() || "'-_,|;:&/+".contains(c);
    if !text.chars().all(within) {
        return None;
    }
    let text = text.to_ascii_lowercase();
    if let Some(section) = known(WORDINGS, text.trim()) {
        return Some(section);
    }
    let mut names = Names::default();
    for part in text.split_inclusive(sign) {
        for word in part.split(|c: char| !c.is_ascii_alphabetic() && c != '\'') {
            if word == "and" {
                names.next()?;
            } else if !word.is_empty() {
                names.word(word, fit)?;
            }
        }
        if part.ends_with(sign) {
            names.next()?;
        }
    }
    if names.key.is_empty() {
        return names.found;
    }
    names.agree(known(ENGLISH, &names.key)?)?;
    names.found
}

/// Names gathered word by word. `None` from a method: the text is none.
#[derive(Default)]
struct Names {
    found: Option<Section>,
    key: String,
}

impl Names {
    fn word(&mut self, word: &str, fit: Fit) -> Option<()> {
        let one = singular(word);
        if SMALL.contains(&word) || SMALL.contains(&one) {
            let exact = matches!(word, "the" | "my" | "our" | "now");
            return (exact || fit == Fit::Loose).then_some(());
        }
        if !self.key.is_empty() {
            self.key.push(' ');
        }
        self.key.push_str(one);
        // Most prose ends here, at its first word.
        let begun = |key: &&str| key.starts_with(self.key.as_str());
        ENGLISH.iter().any(|(_, keys)| keys.iter().any(begun)).then_some(())
    }

    /// "Tried and failed" is one name, "Dead ends and failed attempts" are two.
    fn next(&mut self) -> Option<()> {
        let Some(section) = known(ENGLISH, &self.key) else { return Some(()) };
        self.key.clear();
        self.agree(section)
    }

    /// All names in a text are of the same section.
    fn agree(&mut self, section: Section) -> Option<()> {
        (*self.found.get_or_insert(section) == section).then_some(())
    }
}

fn known(names: &[(Section, &[&str])], key: &str) -> Option<Section> {
    names.iter().find(|(_, keys)| keys.contains(&key)).map(|&(section, _)| section)
}

fn singular(word: &str) -> &str {
    let kept = word.len() < 4 || ["ss", "us", "'s"].iter().any(|end| word.ends_with(end));
    if kept { word } else { word.strip_suffix('s').unwrap_or(word) }
}
