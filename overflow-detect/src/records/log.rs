//! Plain text: stderr, terminal output, logs.
//!
//! The last thing said decides here too. A wording may be wrapped over lines, so
//! the text is judged in blocks; a line that begins with another error (`Error:
//! ENOENT ...`) ends what an earlier one meant, unless it only says that
//! something went wrong, as programs do on their way out.

use memchr::memmem;

use super::Failure;
use crate::colour::without_colours;
use crate::judge::{self, Stretch};

/// How much text is judged at once, and how much of it again with the next.
const BLOCK: usize = 64 << 10;
const OVERLAP: usize = 4 << 10;

/// The longest record that is kept, in bytes.
const RECORD: usize = 8 << 10;

/// Text that was not judged yet.
#[derive(Default)]
pub(super) struct Log {
    text: Vec<u8>,
}

impl Log {
    /// Adds text, and judges as much as makes a block.
    pub(super) fn push(&mut self, text: &[u8], last: &mut Option<Failure>) {
        for piece in text.chunks(BLOCK) {
            self.text.extend_from_slice(piece);
            if self.text.len() >= BLOCK + OVERLAP {
                judge_block(&self.text, last);
                let keep = overlap(&self.text);
                self.text.drain(..keep);
            }
        }
    }

    /// Judges what is left.
    pub(super) fn flush(&mut self, last: &mut Option<Failure>) {
        if !self.text.is_empty() {
            judge_block(&self.text, last);
            self.text.clear();
        }
    }
}

/// Where the overlap begins: at a line, if there is one.
fn overlap(text: &[u8]) -> usize {
    let from = text.len() - OVERLAP;
    memchr::memchr(b'\n', &text[from..]).map_or(from, |at| from + at + 1)
}

fn judge_block(text: &[u8], last: &mut Option<Failure>) {
    let heads = heads(text);
    match judge::last_of(text, &heads) {
        Stretch::Nothing => {}
        Stretch::Other(at) => {
            let (from, to) = lines_around(text, at, at);
            *last = Some(Failure { record: text[from..to].to_vec(), verdict: None });
        }
        Stretch::Known(mut verdict) => {
            let (from, to) = lines_around(text, verdict.start, verdict.end);
            verdict.start -= from;
            verdict.end = verdict.end.min(to) - from;
            *last = Some(Failure { record: text[from..to].to_vec(), verdict: Some(verdict) });
        }
    }
}

/// The lines that a range stands in, bounded.
fn lines_around(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let from = memchr::memrchr(b'\n', &text[..start]).map_or(0, |at| at + 1);
    let to = memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |at| end + at);
    (from.max(start.saturating_sub(RECORD)), to.min(end.saturating_add(RECORD)))
}

/// What a line has that begins with an error.
const SIGNS: [&[u8]; 6] = [b"rror", b"RROR", b"xception", b"atal", b"ATAL", b"anic"];

/// The offsets of lines that begin with an error of their own.
fn heads(text: &[u8]) -> Vec<usize> {
    let mut lines: Vec<usize> = SIGNS
        .iter()
        .flat_map(|sign| memmem::find_iter(text, sign))
        .map(|at| memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines.retain(|&at| {
        let line = &text[at..text.len().min(at + 400)];
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        is_head(&String::from_utf8_lossy(line))
    });
    lines
}

/// What programs say on their way out.
const ECHOES: [&str; 16] = [
    "error occurred",
    "exited",
    "exit code",
    "exit status",
    "aborting",
    "giving up",
    "task failed",
    "run failed",
    "command failed",
    "process ",
    "reconnecting",
    "[object object]",
    "see ",
    "non-zero",
    "stopped",
    "unknown",
];

fn is_head(line: &str) -> bool {
    let plain = without_colours(line);
    if plain.starts_with("    ") || plain.trim_start().starts_with("at ") {
        return false;
    }
    let mut words = plain.split_whitespace().skip_while(|word| is_decoration(word)).peekable();
    let Some(first) = words.next() else { return false };
    let first = match (first, words.peek()) {
        ("API" | "Uncaught", Some(_)) => words.next().unwrap_or(first),
        _ => first,
    };
    let name = first.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    let level = matches!(name.as_str(), "error" | "fatal" | "critical" | "panic" | "err");
    let named = (name.ends_with("error") || name.ends_with("exception")) && first.contains(':');
    let rest: Vec<&str> = words.collect();
    let rest = rest.join(" ").to_ascii_lowercase();
    (level || named) && !rest.is_empty() && !ECHOES.iter().any(|echo| rest.contains(echo))
}

/// A timestamp, a bullet, a line number, a tag: no letters in front of an error.
fn is_decoration(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = word.chars().filter(char::is_ascii_digit).count();
    letters == 0 || (digits >= 4 && letters <= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_begin_lines() {
        for (line, head) in [
            ("Error: ENOSPC: no space left on device, write", true),
            ("2026-08-28T16:24:42-07:00 ERROR [agent::thread] it broke", true),
            ("[ERROR] it broke", true),
            ("\u{1b}[31merror:\u{1b}[0m it broke", true),
            ("API Error: 529 Overloaded", true),
            ("openai.BadRequestError: Error code: 400", true),
            ("    at Error.generate (x.js:1)", false),
            ("error: process exited with 1", false),
            ("An unexpected critical error occurred:[object Object]", false),
            ("no errors found", false),
            ("Traceback (most recent call last):", false),
        ] {
            assert_eq!(is_head(line), head, "{line}");
        }
    }
}
