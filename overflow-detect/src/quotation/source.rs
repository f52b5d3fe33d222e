//! Source code, patterns, markup, commands.

use super::{Line, begins, has, head};

/// How a line of source code begins.
#[rustfmt::skip]
const STATEMENTS: &[&str] = &[
    "match ", "export ", "type ", "interface ", "struct ", "enum ", "impl ", "use ", "fn ",
    "pub fn ", "def ", "async def ", "function ", "async function ", "class ", "const ", "let ",
    "var ", "static ", "if (", "if ", "elif ", "else if", "} else if", "return ", "raise ",
    "throw ", "assert", "expect(", "it(", "test(", "describe(", "import ", "from ", "switch ",
    "func ", "private ", "public ", "case ", "msgid ", "msgstr ",
];

/// How a line of a comment begins.
const COMMENTS: &[&str] = &["//", "/*", "<!--", ";; ", "--- ", "\"\"\"", "@@ "];

/// How a command at a prompt begins.
#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "$ ", "grep ", "rg ", "git ", "sed ", "awk ", "curl ", "echo ", "printf ", "overflow-detect ",
];

/// Markup that sets off a quotation.
const MARKUP: &[&str] = &["<li", "<code", "<string", "<td", "<dd", "<option", "<label", "<dt"];

/// Gaps that a program fills in.
const PLACEHOLDERS: &[&str] = &[
    "%d", "%s", "%u", "%zu", "%i", "{}", "${", "{{", "{0}", "#{", "{used", "{limit", "{n}", "{max",
];

/// Keys whose value is what a program said.
#[rustfmt::skip]
const TELLING_KEYS: &[&str] = &[
    "err", "error", "mess", "message", "msg", "detail", "reason", "cause", "result", "raw", "body", "text", "data",
    "fail", "exception", "status", "info", "code", "type", "motivo", "response", "output", "value",
    "错误", "原因", "消息",
];

pub(super) fn is_source(line: &Line) -> bool {
    let start = line.before.trim_start_matches(['+', '-', '>', ' ', '\t']);
    let unmarked = line.before.trim_start();
    begins(start, COMMENTS)
        || unmarked.starts_with("+//")
        || is_plain_comment(unmarked)
        || has(&line.before, MARKUP)
        || (line.is_start
            && begins(start, STATEMENTS)
            && (has(&line.before, &["(", "\"", "'", "="]) || has(&line.after, &["(", "\"", "{"])))
        || begins(start, COMMANDS)
        || unmarked.starts_with("--")
        || (unmarked.starts_with('|') && line.whole().matches('|').count() >= 3)
        || is_pattern(line)
        || is_name(line)
        || is_path(line)
        || is_literal(line)
}

impl Line {
    fn whole(&self) -> String {
        [self.before.as_str(), &self.inside, &self.after].concat()
    }
}

/// `# ...` and ` * ...`, but no bullet in front of an error.
fn is_plain_comment(line: &str) -> bool {
    ["* ", "# "].iter().any(|mark| {
        line.strip_prefix(mark).is_some_and(|rest| {
            let rest = rest.trim_start();
            !rest.is_empty() && !begins(rest, &["error", "api error", "fatal", "[api error"])
        })
    })
}

/// A regex or a format string.
fn is_pattern(line: &Line) -> bool {
    let slash =
        line.before.ends_with('/') && !line.before.ends_with("//") && !line.before.ends_with(": /");
    slash
        || has(&line.inside, &[".*", "\\d", "\\s", ".{"])
        || begins(&line.after, &["/i", "/.test"])
        || line.after.strip_prefix('|').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
        || has(&line.inside, PLACEHOLDERS)
        || has(head(&line.after, 60), PLACEHOLDERS)
}

/// Part of the name of a file or of an address.
fn is_path(line: &Line) -> bool {
    let of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    let ahead = line.before.rsplit(|c: char| !of_path(c)).next().unwrap_or_default();
    let behind = line.after.split(|c: char| !of_path(c)).next().unwrap_or_default();
    let extension = behind.strip_prefix('.').unwrap_or_default();
    !line.inside.contains(' ')
        && (ahead.contains('/') || extension.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// The name of a type or of a function, where it is defined or used: followed by
/// what no message is followed by.
fn is_name(line: &Line) -> bool {
    let inside = line.inside.trim_matches(['"', '\'', '`']);
    if inside.contains(' ') {
        return false;
    }
    begins(&line.after, &["(", "::", " =>", " =", " {", " extends", " from ", "!(", "<", "?", ";"])
        && !begins(&line.after, &["(\"", "('"])
}

/// A string literal: an opening quote in front, and no error that it is the
/// message of.
fn is_literal(line: &Line) -> bool {
    let Some((quote, before)) = line.opening() else { return false };
    if is_prefixed(before) || is_argument(before) || is_assigned(before) {
        return true;
    }
    let Some(after) = line.behind(quote) else { return false };
    let used = begins(after, &[" in ", " ==", " =>", " |", " not in ", ";"])
        || after.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    let listed = matches!(before.trim(), "" | "(")
        && matches!(after.trim().chars().next(), Some(',' | '#'))
        && matches!(line.previous, None | Some(b',' | b'[' | b'(' | b'{'));
    used || listed || (quote != '`' && is_foreign_key(line, before))
}

impl Line {
    /// The quote that opens the string the wording stands in, and what stands
    /// before it: the one right in front, else the last double quote that none
    /// closed.
    fn opening(&self) -> Option<(char, &str)> {
        if let Some(quote) = self.before.chars().next_back()
            && matches!(quote, '"' | '\'' | '`')
        {
            return Some((quote, &self.before[..self.before.len() - 1]));
        }
        let mut open = None;
        let mut escaped = false;
        for (at, c) in self.before.char_indices() {
            match c {
                '"' if !escaped => open = if open.is_some() { None } else { Some(at) },
                _ => {}
            }
            escaped = c == '\\' && !escaped;
        }
        open.map(|at| ('"', &self.before[..at]))
    }

    /// What stands behind the closing quote.
    fn behind(&self, quote: char) -> Option<&str> {
        let mut escaped = false;
        let end = self.after.char_indices().find(|&(_, c)| {
            let closes = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        end.map(|(at, _)| &self.after[at + 1..])
    }
}

/// `f"...`, `r"...`: a letter alone in front of the quote.
fn is_prefixed(before: &str) -> bool {
    let mut last = before.trim_end_matches('#').chars().rev();
    last.next().is_some_and(|c| matches!(c, 'f' | 'r' | 'b'))
        && last.next().is_none_or(|c| !c.is_alphanumeric())
}

/// `= "...`, `== "...`, `+ "...`, `| '...`.
fn is_assigned(before: &str) -> bool {
    let before = before.trim_end_matches(['f', 'r', 'b', '#']);
    [" =", "==", " +", " |", "[", " in", "=>", " ,"]
        .iter()
        .any(|mark| before.trim_end().ends_with(mark) && !before.trim_end().ends_with(": ["))
        && !before.trim_end().ends_with("error [")
}

/// `name("...` or `name(x, "...`, unless the name is that of an error shown with
/// its message.
fn is_argument(before: &str) -> bool {
    let Some(open) = before.rfind('(') else { return false };
    if before[open..].contains(')') {
        return false;
    }
    let name = before[..open].trim_end_matches('!');
    let called = name.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
    let thrown = begins(before.trim_start(), &["throw ", "raise ", "return "]);
    let shown =
        ["error", "exceeded", "exception", "overflow"].iter().any(|end| name.ends_with(end));
    called && (thrown || !shown)
}

/// `- match: "...`: a key under which no program reports anything.
fn is_foreign_key(line: &Line, before: &str) -> bool {
    let Some(key) = before.trim_end().strip_suffix(':') else { return false };
    let bare = key.trim_end_matches(['"', '\'', '`', '\\', '”']);
    // A key that lost its opening quote to a line end may be any key.
    if bare.len() < key.len() && !bare.contains(['"', '\'', '`', '“']) {
        return false;
    }
    // Nor need a word at the margin be whole, if the line before ends in one.
    if !bare.contains(' ') && !line.is_start {
        return false;
    }
    let key = bare;
    let key = key.rsplit([' ', '{', ',', '"', '\'', '“', '(', '[']).next().unwrap_or(key);
    let named = key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '.');
    named
        && key.chars().any(char::is_alphabetic)
        && !key.split(['_', '-', '.']).any(|part| {
            let tells =
                |word: &&str| part.starts_with(*word) || (word.len() > 4 && part.ends_with(*word));
            TELLING_KEYS.iter().any(tells)
        })
        && !key.ends_with(char::is_numeric)
}
