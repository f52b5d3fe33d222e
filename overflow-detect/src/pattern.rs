//! The patterns of the catalogue, matched against a [`View`].
//!
//! A pattern is written as the message reads. Blanks, quotes, underscores and
//! hyphens in it mean nothing, as in the view. `{used}`, `{limit}`, `{output}`,
//! `{total}` (prompt and output together) and `{over}` are numbers, `{n}` is a
//! number that is none of these, `...` is anything; the rest is a regex.

use std::sync::OnceLock;

use regex::{Captures, Regex, RegexBuilder};

use crate::numbers;
use crate::view::View;

/// The numbers of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) used: Option<u64>,
    pub(crate) limit: Option<u64>,
    pub(crate) output: Option<u64>,
    pub(crate) over: Option<u64>,
}

impl Figures {
    /// Whether the prompt would fit easily, were less reserved for the output.
    pub(crate) fn reservation(&self) -> bool {
        let (Some(used), Some(limit), Some(output)) = (self.used, self.limit, self.output) else {
            return false;
        };
        used < limit / 2 && used.saturating_add(output) > limit
    }
}

/// A pattern that is compiled when first needed.
pub(crate) struct Pattern {
    source: &'static str,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(crate) const fn new(source: &'static str) -> Pattern {
        Pattern { source, regex: OnceLock::new() }
    }

    /// The match in `range` of the view that covers the literal at `anchor`, as
    /// offsets of the view.
    pub(crate) fn find(
        &self,
        view: &View,
        raw: &[u8],
        range: (usize, usize),
        anchor: (usize, usize),
    ) -> Option<(usize, usize, Figures)> {
        let regex = self.regex.get_or_init(|| compile(self.source)).as_ref()?;
        let text = &view.text[..range.1];
        let mut from = range.0;
        loop {
            let captures = regex.captures_at(text, from)?;
            let whole = captures.get(0)?;
            if whole.start() > anchor.0 || whole.is_empty() {
                return None;
            }
            if whole.end() >= anchor.1 {
                return Some((whole.start(), whole.end(), figures(&captures, view, raw)));
            }
            from = whole.end();
        }
    }
}

fn figures(captures: &Captures<'_>, view: &View, raw: &[u8]) -> Figures {
    let number = |name: &str| {
        let group = captures.name(name)?;
        let value = numbers::value(group.as_str())?;
        let (_, end) = view.original(group.start(), group.end());
        Some(numbers::scaled(value, raw.get(end..).unwrap_or_default()))
    };
    let output = number("output");
    let total = number("total").map(|total| total.saturating_sub(output.unwrap_or(0)));
    Figures {
        used: number("used").or(total.filter(|&used| used > 0)),
        limit: number("limit"),
        output,
        over: number("over"),
    }
}

/// None where the pattern is no regex, which the catalogue's tests rule out.
fn compile(source: &str) -> Option<Regex> {
    RegexBuilder::new(&translated(source)).unicode(true).build().ok()
}

fn translated(source: &str) -> String {
    let mut regex = source.to_lowercase().replace("...", ".*?");
    for name in ["used", "limit", "output", "total", "over"] {
        let group = format!("(?P<{name}>{})(?:[km])??", numbers::PATTERN);
        regex = regex.replace(&format!("{{{name}}}"), &group.replace(' ', "\u{2}"));
    }
    regex = regex.replace("{n}", &numbers::PATTERN.replace(' ', "\u{2}"));
    regex.retain(|c| !matches!(c, ' ' | '_' | '"' | '\'' | '`'));
    regex.replace('\u{2}', " ")
}

/// The literal as it stands in a view.
pub(crate) fn squeezed(literal: &str) -> impl Iterator<Item = u8> + '_ {
    literal
        .bytes()
        .filter(|byte| !matches!(byte, b' ' | b'_' | b'-' | b'"' | b'\'' | b'`'))
        .map(|byte| byte.to_ascii_lowercase())
}
