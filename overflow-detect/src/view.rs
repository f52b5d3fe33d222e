//! The text as it was before terminals, logs and JSON got hold of it.
//!
//! Error texts are met wrapped at any column (even inside a word), boxed,
//! coloured, escaped up to three times, HTML-encoded and re-quoted. All of that
//! is undone by throwing away what varies: the view holds the text's letters in
//! lower case, digits and the punctuation that carries meaning, and no blanks,
//! quotes, underscores, hyphens, box drawing, escapes or colours. So `context⏎
//! window`, `context_window` and `ContextWindow` are one thing. Every byte of
//! the view knows where in the text it came from.
//!
//! Two numbers that a blank kept apart stay apart: a space is kept between
//! digits, and [`TORN`] where a line ends right between two digits, since nobody
//! can tell one broken number from two.

mod decode;

use decode::Step;

/// Stands between two digits that only a line end separates.
pub(crate) const TORN: char = '\u{1}';

/// A squeezed text with the way back.
#[derive(Debug)]
pub(crate) struct View<'a> {
    /// The text as it was.
    pub(crate) raw: &'a [u8],
    /// The squeezed text.
    pub(crate) text: String,
    /// For every byte of `text`, the offset in `raw` of what it came from.
    origin: Vec<u32>,
}

/// What stood between the last character kept and the next.
#[derive(Clone, Copy, PartialEq)]
enum Between {
    Nothing,
    LineEnd,
    Blank,
}

impl<'a> View<'a> {
    /// Squeezes a text, of which the first 4 GB count; bytes that are no UTF-8
    /// are dropped.
    pub(crate) fn of(raw: &'a [u8]) -> View<'a> {
        let raw = &raw[..raw.len().min(u32::MAX as usize)];
        // In bytes, since most are plain: what is pushed is ASCII or a whole char.
        let mut text = Vec::with_capacity(raw.len() + 8);
        let mut origin = Vec::with_capacity(raw.len() + 8);
        let mut between = Between::Nothing;
        let mut at = 0;
        while let Some(&byte) = raw.get(at) {
            let plain = decode::PLAIN[usize::from(byte)];
            if plain > decode::BLANK {
                if between != Between::Nothing {
                    if byte.is_ascii_digit() && text.last().is_some_and(u8::is_ascii_digit) {
                        text.push(if between == Between::LineEnd { TORN as u8 } else { b' ' });
                        origin.push(at as u32);
                    }
                    between = Between::Nothing;
                }
                text.push(plain);
                origin.push(at as u32);
                at += 1;
                continue;
            }
            if plain == decode::BLANK {
                between = Between::Blank;
                at += 1;
                continue;
            }
            let (step, width) = decode::step(raw, at);
            match step {
                Step::Keep(c) => {
                    let mut bytes = [0; 4];
                    for &byte in c.encode_utf8(&mut bytes).as_bytes() {
                        text.push(byte);
                        origin.push(at as u32);
                    }
                    between = Between::Nothing;
                }
                Step::LineEnd if between == Between::Nothing => between = Between::LineEnd,
                Step::LineEnd | Step::Blank => between = Between::Blank,
                Step::Drop => {}
            }
            at += width;
        }
        View { raw, text: String::from_utf8(text).unwrap_or_default(), origin }
    }

    /// A range of the squeezed text.
    pub(crate) fn text(&self, range: (usize, usize)) -> &str {
        &self.text[range.0..range.1]
    }

    /// Where in the original the view's range lies.
    pub(crate) fn original(&self, start: usize, end: usize) -> (usize, usize) {
        let first = self.origin.get(start).map_or(0, |&at| at as usize);
        let last = end.checked_sub(1).and_then(|last| {
            let at = *self.origin.get(last)? as usize;
            Some(at + decode::step(self.raw, at).1)
        });
        (first, last.unwrap_or(first).max(first))
    }

    /// Whether a word begins at this offset of the view: the character before
    /// is no letter, or something stood between them in the original, or the
    /// original goes from lower to upper case here.
    pub(crate) fn is_word_edge(&self, at: usize) -> bool {
        let Some(before) = self.text[..at].chars().next_back() else { return true };
        let Some(after) = self.text[at..].chars().next() else { return true };
        if !before.is_alphabetic() || !after.is_alphabetic() || !after.is_ascii() {
            return true;
        }
        let (start, _) = self.original(at, at + 1);
        self.is_gap(at)
            || (self.raw.get(start).is_some_and(u8::is_ascii_uppercase)
                && self.raw.get(start.wrapping_sub(1)).is_some_and(u8::is_ascii_lowercase))
    }

    /// Whether something stood in the original between the character at this
    /// offset and the one before.
    pub(crate) fn is_gap(&self, at: usize) -> bool {
        let Some(before) = self.text[..at].chars().next_back() else { return true };
        let (_, end) = self.original(at - before.len_utf8(), at);
        let (start, _) = self.original(at, at + 1);
        end != start
    }

    /// Whether the original breaks the line between the character at this offset
    /// and the one before.
    pub(crate) fn is_line_break(&self, at: usize) -> bool {
        let Some(before) = self.text[..at].chars().next_back() else { return false };
        let (_, end) = self.original(at - before.len_utf8(), at);
        let (start, _) = self.original(at, at + 1);
        self.raw.get(end..start).is_some_and(|gap| gap.contains(&b'\n'))
    }

    /// Whether a blank line stands in the original before the character at this
    /// offset.
    pub(crate) fn is_paragraph(&self, at: usize) -> bool {
        let Some(before) = self.text[..at].chars().next_back() else { return false };
        let (_, end) = self.original(at - before.len_utf8(), at);
        let (start, _) = self.original(at, at + 1);
        let mut gap =
            self.raw.get(end..start).unwrap_or_default().iter().skip_while(|&&b| b != b'\n');
        gap.next();
        gap.find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n')
    }

    /// The largest character boundary not above `at`.
    pub(crate) fn floor(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeezed(text: &str) -> String {
        View::of(text.as_bytes()).text
    }

    #[test]
    fn what_varies_goes() {
        for (text, view) in [
            ("Prompt is too long", "promptistoolong"),
            ("too │\n│ long", "toolong"),
            ("\u{1b}[31mre\nquested\u{1b}[0m", "requested"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("{\\\\\\\"type\\\\\\\":\\\\\\\"error\\\\\\\"}", "{type:error}"),
            ("a\\nb\\u003e1", "ab>1"),
            ("5 &gt; 4 &amp;gt; 3 &#39;x&#39;", "5>4>3x"),
            ("model’s “context”", "modelscontext"),
            ("\u{feff}A\r\nb", "ab"),
            ("ContextWindow_exceeded", "contextwindowexceeded"),
            ("got -7584, got - 3", "got-7584,got3"),
            ("1,203,344 tokens", "1,203,344tokens"),
            ("400 200000", "400 200000"),
            ("2000\n00", "2000\u{1}00"),
            ("2000 \n 00", "2000 00"),
            ("输入（８１９２）：超过", "输入(8192):超过"),
            ("\\u001b[1mbold\\u001b[0m", "bold"),
            ("🤖  \"type\"", "type"),
            ("", ""),
        ] {
            assert_eq!(squeezed(text), view, "{text:?}");
        }
    }

    #[test]
    fn offsets_lead_back() {
        let text = "\u{feff}é: Prompt\n is «too» long!";
        let view = View::of(text.as_bytes());
        let at = view.text.find("promptistoolong").unwrap();
        let (start, end) = view.original(at, at + "promptistoolong".len());
        assert_eq!(&text[start..end], "Prompt\n is «too» long");
    }
}
