//! The record of one line.
//!
//! A sound line holds one record. Damage seen in real transcripts that leaves the
//! record whole is undone: NUL runs and a BOM in front, raw control characters,
//! bytes that are no UTF-8, half a UTF-16 pair. A line torn by a kill, and one on
//! which two records run into each other, is passed over: whose figures would be
//! had from it cannot be told.

use std::ops::ControlFlow;

use super::Format;
use crate::See;

/// Shows the facts of a line's record.
pub(super) fn facts<F: Format>(format: &mut F, line: &[u8], see: See<'_>) -> ControlFlow<()> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return ControlFlow::Continue(());
    }
    if let Ok(record) = serde_json::from_slice(line) {
        return format.facts(record, see);
    }
    match serde_json::from_str(&repaired(line)) {
        Ok(record) => format.facts(record, see),
        Err(_) => ControlFlow::Continue(()),
    }
}

/// The line as text that JSON can be read from: no BOM, no raw control
/// characters, bad bytes replaced.
fn repaired(line: &[u8]) -> String {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let clean: Vec<u8> = line.iter().map(|&b| if b < b' ' { b' ' } else { b }).collect();
    without_lone_surrogates(&String::from_utf8_lossy(&clean))
}

/// CLIs cut text in the middle of a UTF-16 pair and escape the half that is
/// left, which no JSON reader takes for text.
pub(crate) fn without_lone_surrogates(text: &str) -> String {
    let unit = |at: usize| {
        let escape = text.as_bytes().get(at..at + 6)?;
        let digits = str::from_utf8(escape.strip_prefix(b"\\u")?).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        at += found;
        match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 12,
            (Some(0xd800..=0xdfff), _) => {
                out += &text[copied..at];
                out += "\\ufffd";
                at += 6;
                copied = at;
            }
            (Some(_), _) => at += 6,
            // Any other escape takes the character behind the backslash with it.
            (None, _) => at = (at + 2).min(text.len()),
        }
    }
    out + &text[copied..]
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::fact::Fact;
    use crate::lines::Huge;

    #[derive(Deserialize)]
    struct Numbered {
        n: u64,
        #[serde(rename = "text")]
        _text: Option<String>,
    }

    struct Numbers;

    impl Format for Numbers {
        type Record<'l> = Numbered;
        const COPIES: &'static [u8] = b"";

        fn facts(&mut self, record: Numbered, see: See<'_>) -> ControlFlow<()> {
            see(Fact::Window(record.n))
        }

        fn facts_of_huge(&mut self, _: &Huge<'_>, _: See<'_>) -> ControlFlow<()> {
            ControlFlow::Break(())
        }
    }

    fn numbers(line: &[u8]) -> Vec<u64> {
        let mut out = Vec::new();
        let _ = facts(&mut Numbers, line, &mut |fact| {
            if let Fact::Window(n) = fact {
                out.push(n);
            }
            ControlFlow::Continue(())
        });
        out
    }

    #[test]
    fn a_record_is_had_from_a_damaged_line_if_it_is_whole() {
        for (line, expected) in [
            (&b"{\"n\":1}"[..], vec![1]),
            (b"{\"n\":1}\r", vec![1]),
            (b"\xef\xbb\xbf{\"n\":1}", vec![1]),
            (br#"{"n":1,"text":"cut \ud83d"}"#, vec![1]),
            (br#"{"n":1,"text":"\ud83d\ude00 \\ud83d \ude00"}"#, vec![1]),
            (b"\0\0\0{\"n\":1}", vec![1]),
            (b"{\"n\":1}{\"n\":2}", vec![]),
            (b"{\"n\":1,\"text\":\"cut in the mid{\"n\":2}", vec![]),
            (b"{\"n\":1,\"text\":\"caf\xe9 \x1b[0m\"}", vec![1]),
            (b"{\"n\":1,\"text\":\"torn", vec![]),
            (b"{\"x\":\"{\\\"n\\\":9}", vec![]),
            (b"", vec![]),
            (b"\0\0", vec![]),
            (b"not json", vec![]),
        ] {
            assert_eq!(numbers(line), expected, "{}", String::from_utf8_lossy(line));
        }
    }
}
