//! Is a wording said by a failing program, or is somebody talking about it?
//!
//! Source code, format strings, commit titles, changelogs, manuals and
//! conversation quote errors all the time; in plain text they are the main cause
//! of false alarms. What is judged here is the line around the match, as it was
//! written.

mod source;
mod talk;

use crate::colour::without_colours;

/// How much of the line is looked at on either side, in bytes.
const REACH: usize = 500;

/// A wording and the rest of its line, in lower case.
struct Line {
    before: String,
    inside: String,
    after: String,
    /// What the text before the line ends with.
    previous: Option<u8>,
    /// Whether something begins with the line: it does not go on from a line
    /// that ends in the middle of a sentence.
    is_start: bool,
}

/// Whether the bytes `start..end` are quoted in source code or in talk. What is
/// `measured` is a case, even where it is worded as a rule.
pub(crate) fn is_quoted(raw: &[u8], start: usize, end: usize, measured: bool) -> bool {
    let lower = |bytes: &[u8]| without_colours(&String::from_utf8_lossy(bytes)).to_lowercase();
    let (start, end) = whole_words(raw, start, end);
    let before = line_before(raw, start);
    let earlier = raw[..start - before.len()].iter().rev().find(|byte| !byte.is_ascii_whitespace());
    let line = Line {
        previous: earlier.copied(),
        is_start: !earlier.is_some_and(u8::is_ascii_alphanumeric),
        before: lower(before),
        inside: lower(&raw[start..end.max(start)]),
        after: lower(line_after(raw, end)),
    };
    source::is_source(&line) || talk::is_talk(&line, measured)
}

/// The range grown to whole words, so that a name is seen as a name.
fn whole_words(raw: &[u8], start: usize, end: usize) -> (usize, usize) {
    let within = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = raw[..start].iter().rev().take_while(|byte| within(byte)).count();
    let after = raw[end..].iter().take_while(|byte| within(byte)).count();
    (start - before, end + after)
}

fn line_before(raw: &[u8], start: usize) -> &[u8] {
    let reach = &raw[start.saturating_sub(REACH)..start];
    let from = memchr::memrchr(b'\n', reach).map_or(0, |at| at + 1);
    // A line end inside a JSON string is a line end as well.
    let escaped = reach.windows(2).rposition(|pair| pair == b"\\n").map_or(0, |at| at + 2);
    &reach[from.max(escaped)..]
}

fn line_after(raw: &[u8], end: usize) -> &[u8] {
    let reach = &raw[end.min(raw.len())..raw.len().min(end.saturating_add(REACH))];
    let to = memchr::memchr(b'\n', reach).unwrap_or(reach.len());
    let escaped = reach.windows(2).position(|pair| pair == b"\\n").unwrap_or(reach.len());
    &reach[..to.min(escaped)]
}

fn head(text: &str, length: usize) -> &str {
    let mut end = length.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn has(text: &str, marks: &[&str]) -> bool {
    marks.iter().any(|mark| text.contains(mark))
}

fn begins(text: &str, marks: &[&str]) -> bool {
    marks.iter().any(|mark| text.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> bool {
        let start = text.find('⟦').unwrap();
        let end = text.find('⟧').unwrap() - '⟦'.len_utf8();
        let text = text.replace(['⟦', '⟧'], "");
        is_quoted(text.as_bytes(), start, end, false)
    }

    #[test]
    fn source_code_is_no_error() {
        for text in [
            "  /⟦prompt is too long⟧/i, // Anthropic",
            "      case \"⟦context_length_exceeded⟧\":",
            "  if \"⟦context_length_exceeded⟧\" in str(error):",
            "  f\"⟦This model's maximum context length is ⟧\"",
            "fn ⟦context_length_exceeded⟧(text: &str) -> bool {",
            "sprintf(\"⟦request (%d tokens) exceeds the available context size⟧ (%d\"",
            "// ⟦prompt is too long⟧: see the vendor's manual",
            "+    message.includes('⟦prompt is too long⟧')",
        ] {
            assert!(quoted(text), "{text}");
        }
    }

    #[test]
    fn talk_is_no_error() {
        for text in [
            "fix(session): compact when the ⟦prompt is too long⟧",
            "- feat: retry on ⟦context_length_exceeded⟧",
            "We keep getting \"⟦prompt is too long⟧\" from the gateway",
            "the ⟦Prompt is too long⟧ error came back",
            "⟦Prompt is too long⟧ error when the session is resumed",
            "请问遇到 ⟦Range of input length should be [1, 30720]⟧ 怎么办",
        ] {
            assert!(quoted(text), "{text}");
        }
    }

    #[test]
    fn errors_are_said_by_programs() {
        for text in [
            "⟦Prompt is too long⟧",
            "⎿  Error: ⟦Prompt is too long⟧",
            "API Error: 400 {\"message\":\"⟦prompt is too long⟧\"}",
            "413 '⟦Prompt is too long⟧'",
            "The model returned the following errors: ⟦prompt is too long⟧",
            "Unable to submit request because the ⟦input token count is 5⟧ but",
            "Could not get a response because the ⟦prompt is too long⟧: 5 tokens > 4 maximum",
            "Traceback\nValueError: ⟦Requested tokens (516) exceed⟧ 512",
        ] {
            assert!(!quoted(text), "{text}");
        }
    }
}
