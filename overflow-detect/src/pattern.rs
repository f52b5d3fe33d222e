//! The patterns of the catalogue, matched against a [`View`].
//!
//! A pattern begins with one of its family's literals and is written as the
//! message reads. Blanks, quotes, underscores and hyphens in it mean nothing, as in
//! the view. `{used}`, `{limit}`, `{output}`, `{total}` (prompt and output together)
//! and `{over}` are numbers, `{n}` is a number that is none of these, `...` is
//! anything; the rest is a regex.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use regex_lite::{Captures, Regex};

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
    /// Whether it is the reservation for the output that does not fit: the prompt
    /// takes less than half of the limit, or, where the text does not say what it
    /// takes, the output more than half.
    pub(crate) fn reservation(&self) -> bool {
        match (self.used, self.output, self.limit) {
            (Some(used), Some(output), Some(limit)) => {
                used < limit / 2 && used.saturating_add(output) > limit
            }
            (None, Some(output), Some(limit)) => output > limit / 2,
            _ => false,
        }
    }
}

/// The match of a pattern that begins at `start` of the view and ends before
/// `end`: where it ends, and its numbers.
pub(crate) fn find(
    pattern: &'static str,
    view: &View<'_>,
    start: usize,
    end: usize,
) -> Option<(usize, Figures)> {
    let captures = compiled(pattern)?.captures(&view.text[start..end])?;
    let length = captures.get(0)?.len();
    Some((start + length, figures(&captures, view, start)))
}

fn figures(captures: &Captures<'_>, view: &View<'_>, base: usize) -> Figures {
    let number = |name: &str| {
        let group = captures.name(name)?;
        let value = numbers::value(group.as_str())?;
        let (_, end) = view.original(base + group.start(), base + group.end());
        Some(numbers::scaled(value, view.raw.get(end..).unwrap_or_default()))
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

/// The regex of a pattern, compiled when first needed and kept. None where it is
/// no regex, which the catalogue's tests rule out.
fn compiled(pattern: &'static str) -> Option<&'static Regex> {
    static COMPILED: Mutex<BTreeMap<&str, Option<&'static Regex>>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    // Kept for the life of the process: at most one for each pattern there is.
    *compiled.entry(pattern).or_insert_with(|| {
        let regex = Regex::new(&translated(pattern)).ok()?;
        Some(Box::leak(Box::new(regex)))
    })
}

fn translated(pattern: &str) -> String {
    let mut regex = format!("^(?:{})", pattern.to_lowercase().replace("...", ".*?"));
    regex.retain(|c| !matches!(c, ' ' | '_' | '"' | '\'' | '`'));
    // A hyphen between words goes, too; a minus and that of a class stay.
    while let Some(at) = hyphen(&regex) {
        regex.remove(at);
    }
    for name in ["used", "limit", "output", "total", "over"] {
        let group = format!("(?P<{name}>{})(?:[km])??", numbers::PATTERN);
        regex = regex.replace(&format!("{{{name}}}"), &group);
    }
    regex.replace("{n}", numbers::PATTERN)
}

fn hyphen(regex: &str) -> Option<usize> {
    let mut in_class = false;
    regex.char_indices().find_map(|(at, c)| {
        in_class = (in_class || c == '[') && c != ']';
        let number = regex[at + c.len_utf8()..].starts_with('{');
        (c == '-' && !in_class && !number).then_some(at)
    })
}
