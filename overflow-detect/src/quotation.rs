//! Is a wording said by a failing program, or is somebody talking about it?
//!
//! Source code, format strings, commit titles, changelogs and conversation
//! quote errors all the time; in plain text they are the main cause of false
//! alarms. What is judged here is the line around the match, as it was written.

/// How much of the line is looked at on either side, in bytes.
const REACH: usize = 240;

/// Whether the bytes `start..end` are quoted in source code or in talk.
pub(crate) fn is_quoted(raw: &[u8], start: usize, end: usize) -> bool {
    let before = String::from_utf8_lossy(line_before(raw, start));
    let inside = String::from_utf8_lossy(&raw[start..end.max(start)]);
    let after = String::from_utf8_lossy(line_after(raw, end));
    is_source(&before, &inside, &after) || is_talk(&before, &after)
}

fn line_before(raw: &[u8], start: usize) -> &[u8] {
    let reach = &raw[start.saturating_sub(REACH)..start];
    let from = reach.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    // A line end inside a JSON string is a line end as well.
    let escaped = reach.windows(2).rposition(|pair| pair == b"\\n").map_or(0, |at| at + 2);
    &reach[from.max(escaped)..]
}

fn line_after(raw: &[u8], end: usize) -> &[u8] {
    let reach = &raw[end.min(raw.len())..raw.len().min(end.saturating_add(REACH))];
    let to = reach.iter().position(|&byte| byte == b'\n').unwrap_or(reach.len());
    &reach[..to]
}

/// What only source code has right in front of a message.
#[rustfmt::skip]
const CODE_BEFORE: [&str; 30] = [
    "case \"", "case '", "= \"", "= '", "= f\"", "+ \"", "(f\"", " f\"", " f'", "r\"", "r'",
    "contains(\"", "includes(\"", "includes('", "contains('", "test(\"", "match(\"", "find(\"",
    "index(\"", "new(\"", "format(\"", "format!(\"", "println!(\"", "printf(\"", "error!(\"",
    "errorf(\"", "bail!(\"", "anyhow!(\"", "runtimeerror(\"", "valueerror(\"",
];

/// How a line of source code begins.
#[rustfmt::skip]
const CODE_LINE: [&str; 38] = [
    "match ", "export ", "type ", "interface ", "struct ", "enum ", "impl ", "use ", "fn ",
    "pub fn ", "def ", "async def ", "function ", "async function ", "class ", "const ", "let ",
    "var ", "static ", "if (", "if ", "elif ", "else if", "} else if", "return ", "raise ",
    "throw ", "assert", "expect(", "it(", "test(", "describe(", "import ", "from ", "switch ",
    "func ", "private ", "public ",
];

fn is_source(before: &str, inside: &str, after: &str) -> bool {
    let lower = before.to_lowercase();
    let line = lower.trim_start_matches(['+', '-', '>', ' ', '\t']);
    // `/prompt is too long/i`, but no path and no `http://`.
    let regex = lower.ends_with('/') && !lower.ends_with("//") && !lower.ends_with(": /")
        || inside.contains(".*")
        || inside.contains("\\d")
        || inside.contains("\\s")
        || after.starts_with("/i");
    let placeholder = ["%d", "%s", "%u", "%zu", "{}", "${", "{{", "{0}", "#{"]
        .iter()
        .any(|mark| inside.contains(mark) || head(after, 60).contains(mark));
    let comment = ["//", "/*", "* ", "# ", "<!--", ";; ", "--- ", "\"\"\""]
        .iter()
        .any(|mark| line.starts_with(mark))
        || lower.trim_start().starts_with("+//");
    let compared = ["\" in ", "' in ", "\" ==", "' ==", "\" =>", "' =>"]
        .iter()
        .any(|mark| after.starts_with(mark))
        || ["== \"", "== '", "=== \"", "=== '"].iter().any(|mark| lower.ends_with(mark));
    let string = CODE_BEFORE.iter().any(|mark| lower.ends_with(mark));
    let statement = CODE_LINE.iter().any(|mark| line.starts_with(mark))
        && (lower.contains(['(', '"', '\'', '=']) || after.contains(['(', '"', '{']));
    regex || placeholder || comment || compared || string || statement
}

fn head(text: &str, length: usize) -> &str {
    let mut end = length.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Kinds of commits, as titles and changelogs name them.
#[rustfmt::skip]
const COMMIT: [&str; 14] = [
    "fix", "feat", "docs", "doc", "test", "tests", "chore", "refactor", "perf", "ci", "build",
    "style", "revert", "bug",
];

/// Words in front of a message that make it the object of a sentence.
#[rustfmt::skip]
const TALK_BEFORE: [&str; 62] = [
    "when", "if", "whenever", "why", "how", "what", "whether", "fix", "fixes", "fixed", "fixing",
    "handle", "handles", "handling", "detect", "detects", "detecting", "catch", "treat", "treats",
    "classify", "recognise", "recognize", "recognises", "recognizes", "retry", "retries", "says",
    "say", "said", "saying", "getting", "gets", "got", "get", "see", "seeing", "saw", "throws",
    "returns", "raises", "raised", "reports", "hit", "hits", "hitting", "avoid", "avoids",
    "prevent", "prevents", "should", "instead", "called", "named", "like", "such", "about",
    "support", "add", "adds", "added", "mentions",
];

/// The same in other languages, where words are not set apart.
#[rustfmt::skip]
const TALK_ANYWHERE: [&str; 28] = [
    "如何", "怎么", "为什么", "为何", "遇到", "请问", "问题", "报错", "提示", "是否", "修复",
    "支持", "处理", "怎样", "왜 ", "어떻게", "경우", "수정", "이슈", "때문", "문제", "なぜ",
    "どう", "とき", "場合", "修正", "対応", "問題",
];

/// What follows a message that is talked about.
#[rustfmt::skip]
const TALK_AFTER: [&str; 14] = [
    " error", " errors", " when ", " even ", " despite ", " bug", " issue", " problem",
    " exception", "限制有", "怎么", "是什么", "오류가", "エラーが",
];

/// What turns the whole sentence into a question or a condition.
#[rustfmt::skip]
const CLAUSE_AFTER: [&str; 12] = [
    "如何", "怎么", "为什么", "怎样", "어떻게", "때문", "경우", "길면", "なぜ", "どう", "とき",
    "場合",
];

fn is_talk(before: &str, after: &str) -> bool {
    let lower = before.to_lowercase();
    if is_commit(&lower) || CLAUSE_AFTER.iter().any(|words| head(after, 60).contains(words)) {
        return true;
    }
    let after = after.trim_start_matches(['"', '\'', '`', '”', '’', '」', ')', '*', '_']);
    let spoken_after = TALK_AFTER.iter().any(|words| after.starts_with(words))
        && !after.starts_with(" error:")
        && !after.starts_with(" error (");
    // What a colon or a bracket introduces is a message, whoever introduces it.
    let lead = lower.trim_end_matches(['"', '\'', '`', '“', '‘', '「', '(', '[', '*', ' ', '\\']);
    let introduced = lead.ends_with([':', '=', '}', ']', '|', '>', '：', '.', '!', ',', ';']);
    if lead.is_empty() || introduced {
        return spoken_after && !introduced;
    }
    if spoken_after || TALK_ANYWHERE.iter().any(|words| lower.contains(words)) {
        return true;
    }
    let sentence = lead.rsplit([':', '.', ';', '{']).next().unwrap_or(lead);
    let words = sentence.split(|c: char| !c.is_alphanumeric());
    words.into_iter().any(|word| TALK_BEFORE.contains(&word))
}

/// `fix(provider): ...`, `- feat: ...`, `[BUG] ...`.
fn is_commit(line: &str) -> bool {
    let line = line.trim_start_matches(['-', '*', ' ', '#', '•', '[']);
    COMMIT.iter().any(|kind| {
        line.strip_prefix(kind).is_some_and(|rest| {
            rest.starts_with(": ")
                || rest.starts_with('(')
                || rest.starts_with("!:")
                || rest.starts_with(']')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> bool {
        let start = text.find('⟦').unwrap();
        let end = text.find('⟧').unwrap() - '⟦'.len_utf8();
        let text = text.replace(['⟦', '⟧'], "");
        is_quoted(text.as_bytes(), start, end)
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
            "Traceback\nValueError: ⟦Requested tokens (516) exceed⟧ 512",
        ] {
            assert!(!quoted(text), "{text}");
        }
    }
}
