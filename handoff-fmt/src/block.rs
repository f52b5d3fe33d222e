//! The few Markdown blocks that decide whether a line can be a heading: code
//! fences, HTML comments, list items, quotations, rules.

use crate::Refusal;

/// What Markdown takes for space within a line; others are characters to it.
const SPACE: [char; 2] = [' ', '\t'];

/// Columns of white space in front of a line; a tab goes to the next fourth.
pub(crate) fn indent(line: &str) -> usize {
    let mut columns = 0;
    for c in line.bytes() {
        match c {
            b'\t' => columns += 4 - columns % 4,
            b' ' => columns += 1,
            _ => break,
        }
    }
    columns
}

/// Whether nothing is to be seen on the line.
pub(crate) fn is_blank(line: &str) -> bool {
    line.chars().all(|c| c.is_whitespace() || is_invisible(c))
}

/// Marks without width that editors and models leave about.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{fe0f}')
}

/// A thematic break: three or more of `-`, `*` or `_`, spaces aside.
pub(crate) fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !SPACE.contains(c));
    let Some(first) = marks.next().filter(|c| matches!(c, '-' | '*' | '_')) else { return false };
    let mut count = 1;
    for c in marks {
        if c != first {
            return false;
        }
        count += 1;
    }
    count >= 3 && indent(line) < 4
}

/// The line under a Setext heading: `===` or `---`.
pub(crate) fn is_underline(line: &str) -> bool {
    let marks = line.trim_matches(SPACE);
    let same = |mark| marks.chars().all(|c| c == mark);
    !marks.is_empty() && (same('=') || same('-')) && indent(line) < 4
}

/// Where the text of a list item begins: the columns, and the text itself.
pub(crate) fn list_item(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches(SPACE);
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text.get(digits..)?;
    let marks: &[char] = if digits == 0 { &['-', '*', '+'] } else { &['.', ')'] };
    let rest = rest.strip_prefix(marks).filter(|_| digits < 10)?;
    if !rest.is_empty() && !rest.starts_with(SPACE) {
        return None;
    }
    // Five spaces and more begin indented code one column after the mark.
    let gap = indent(rest);
    let gap = if rest.trim_matches(SPACE).is_empty() || gap > 4 { 1 } else { gap };
    Some((indent(line) + digits + 1 + gap, rest.trim_start_matches(SPACE)))
}

/// The number of an ordered list's item.
pub(crate) fn ordinal(line: &str) -> Option<u64> {
    list_item(line)?;
    let text = line.trim_start_matches(SPACE);
    text.get(..text.find(['.', ')'])?)?.parse().ok()
}

/// An open code fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// Backtick or tilde.
    mark: char,
    /// How many of them.
    pub(crate) length: usize,
    /// Where the text of the item begins that it is the first line of.
    offset: usize,
    /// The column it stands in.
    column: usize,
    /// Whether a word follows, the language of the code.
    pub(crate) info: bool,
}

impl Fence {
    /// The fence that a line opens, if it does; the item it is in may begin on
    /// the same line.
    pub(crate) fn opened_by(line: &str) -> Option<Fence> {
        if indent(line) > 3 {
            return None;
        }
        let (mut offset, mut text) = (0, line);
        while let Some((columns, rest)) = list_item(text) {
            (offset, text) = (offset + columns, rest);
        }
        let text = text.trim_start_matches(SPACE);
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let rest = text.trim_start_matches(mark);
        let length = text.len() - rest.len();
        // Backticks further on make it inline code.
        let inline = mark == '`' && rest.contains('`');
        (length >= 3 && !inline).then(|| Fence {
            mark,
            length,
            offset,
            column: if offset == 0 { indent(line) } else { offset },
            info: !rest.trim_matches(SPACE).is_empty(),
        })
    }

    /// Whether the line closes this fence.
    pub(crate) fn closed_by(self, line: &str) -> bool {
        let text = line.trim_matches(SPACE);
        let length = text.len();
        length >= self.length
            && text.chars().all(|c| c == self.mark)
            && indent(line) <= self.offset + 3
    }

    /// Whether it is of the same kind, and at least as long as the other.
    pub(crate) fn matches(self, other: Fence) -> bool {
        self.mark == other.mark && self.length >= other.length
    }
}

/// A block that hides headings until it is closed.
#[derive(Clone, Copy)]
pub(crate) enum Open {
    /// A code fence.
    Fence(Fence),
    /// An HTML comment.
    Comment,
}

impl Open {
    /// Whether the line is the block's last.
    pub(crate) fn closed_by(self, line: &str) -> bool {
        match self {
            Open::Fence(fence) => fence.closed_by(line),
            Open::Comment => closes_comment(line),
        }
    }

    /// A line that closes it.
    pub(crate) fn closer(self) -> String {
        match self {
            Open::Fence(Fence { mark, length, column, .. }) => {
                " ".repeat(column) + &mark.to_string().repeat(length)
            }
            Open::Comment => "-->".to_owned(),
        }
    }

    /// Why a heading inside is none.
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Open::Fence(_) => Refusal::Fence,
            Open::Comment => Refusal::Comment,
        }
    }
}

/// Whether a line opens an HTML comment that goes on after it.
pub(crate) fn opens_comment(line: &str) -> bool {
    indent(line) < 4 && line.trim_start_matches(SPACE).starts_with("<!--") && !closes_comment(line)
}

fn closes_comment(line: &str) -> bool {
    line.contains("-->")
}
