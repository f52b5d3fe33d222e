//! The few Markdown blocks that decide whether a line can be a heading: code
//! fences, HTML comments, list items, quotations, rules.

/// Columns of white space in front of a line; a tab goes to the next fourth.
pub(crate) fn indent(line: &str) -> usize {
    let mut columns = 0;
    for c in line.chars() {
        match c {
            '\t' => columns += 4 - columns % 4,
            c if c.is_whitespace() => columns += 1,
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
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
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
    let marks = line.trim();
    let same = |mark| marks.chars().all(|c| c == mark);
    !marks.is_empty() && (same('=') || same('-')) && indent(line) < 4
}

/// Where the text of a list item begins: the columns, and the text itself.
pub(crate) fn list_item(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text.get(digits..)?;
    let marks: &[char] = if digits == 0 { &['-', '*', '+'] } else { &['.', ')'] };
    let rest = rest.strip_prefix(marks).filter(|_| digits < 10)?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    // Five spaces and more begin indented code one column after the mark.
    let gap = indent(rest);
    let gap = if rest.trim().is_empty() || gap > 4 { 1 } else { gap };
    Some((indent(line) + digits + 1 + gap, rest.trim_start()))
}

/// An open code fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// Backtick or tilde.
    mark: char,
    /// How many of them.
    pub(crate) length: usize,
    /// The column they stand in.
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
        let (mut column, mut text) = (indent(line), line.trim_start());
        while let Some((offset, rest)) = list_item(text) {
            (column, text) = (column + offset, rest);
        }
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let rest = text.trim_start_matches(mark);
        let length = text.len() - rest.len();
        // Backticks further on make it inline code.
        let inline = mark == '`' && rest.contains('`');
        (length >= 3 && !inline).then(|| Fence {
            mark,
            length,
            column,
            info: !rest.trim().is_empty(),
        })
    }

    /// Whether the line closes this fence.
    pub(crate) fn closed_by(self, line: &str) -> bool {
        let text = line.trim();
        let length = text.len();
        length >= self.length
            && text.chars().all(|c| c == self.mark)
            && indent(line) <= self.column + 3
    }

    /// A line that closes it.
    pub(crate) fn closer(self) -> String {
        self.mark.to_string().repeat(self.length)
    }

    /// Whether it is of the same kind, and at least as long as the other.
    pub(crate) fn matches(self, other: Fence) -> bool {
        self.mark == other.mark && self.length >= other.length
    }
}

/// Whether a line opens an HTML comment that goes on after it.
pub(crate) fn opens_comment(line: &str) -> bool {
    indent(line) < 4 && line.trim_start().starts_with("<!--") && !closes_comment(line)
}

/// Whether a comment ends on the line.
pub(crate) fn closes_comment(line: &str) -> bool {
    line.contains("-->")
}
