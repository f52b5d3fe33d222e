//! Titles, changelogs, manuals, conversation.

use super::{Line, begins, has, head};

/// Kinds of commits, as titles and changelogs name them.
#[rustfmt::skip]
const COMMITS: &[&str] = &[
    "fix", "feat", "docs", "doc", "test", "tests", "chore", "refactor", "perf", "ci", "build",
    "style", "revert", "bug", "feature", "question", "docs", "文档", "修复",
];

/// How a line of a changelog or a manual begins.
#[rustfmt::skip]
const NOTES: &[&str] = &[
    "fix ", "fixed", "fixes", "fixing", "improve", "added", "adds", "add ", "changed", "changes",
    "removed", "handle", "support", "release ", "note:", "docs:", "retry ", "retries ", "how ",
    "why ", "returns ", "raised ", "thrown ", "ensure", "allow ", "prevent", "avoid", "detect",
    "修复", "文档", "新增",
];

/// Words in front of a message that make it the object of a sentence, or the
/// sentence a condition or a rule.
#[rustfmt::skip]
const BEFORE: &[&str] = &[
    "when", "if", "whenever", "why", "how", "what", "whether", "fix", "fixes", "fixed", "fixing",
    "handle", "handles", "handling", "detect", "detects", "detecting", "catch", "treat", "treats",
    "classify", "recognise", "recognize", "recognises", "recognizes", "retry", "retries", "says",
    "say", "said", "saying", "getting", "gets", "got", "see", "seeing", "saw", "throws",
    "raises", "raised", "reports", "hit", "hits", "hitting", "avoid", "avoids", "prevent",
    "prevents", "instead", "called", "named", "like", "such", "about", "support", "add",
    "adds", "added", "mentions", "may", "that", "once",
    "refuse", "refuses", "truncate", "unless", "until", "before", "every", "does", "wenn", "falls",
    "sobald", "cuando", "lorsque", "quand", "quando", "если", "когда",
];

/// Words of a rule, which is none where numbers show that it was broken.
const RULES: &[&str] = &["must", "should", "returns"];

/// The same as [`BEFORE`], where words are not set apart.
#[rustfmt::skip]
const BEFORE_ANYWHERE: &[&str] = &[
    "si la ", "si el ", "si le ", "si les ", "se a ", "se o ", "se il ",
    "如何", "怎么", "为什么", "为何", "遇到", "请问", "问题", "报错", "提示：", "提示:", "提示 ", "提示\"", "提示“", "提示了", "是否", "修复", "支持", "处理",
    "怎样", "如果", "当输", "当请", "当上", "当对", "当模", "왜 ", "어떻게", "경우", "수정", "이슈",
    "때문", "문제", "なぜ", "どう", "とき", "場合", "修正", "対応", "問題",
];

/// What follows a message that is talked about.
#[rustfmt::skip]
const AFTER: &[&str] = &[
    " error", " errors", " when ", " even ", " despite ", " bug", " issue", " problem",
    " exception", " #", " (#", " three times", "限制有", "怎么", "是什么", "报错", "오류가", "エラーが",
];

/// What turns the whole sentence into a question or a condition.
#[rustfmt::skip]
const CLAUSES: &[&str] = &[
    "如何", "怎么", "为什么", "怎样", "어떻게", "때문", "경우", "なぜ", "どう", "とき", "場合",
];

/// The same, right behind the word of excess.
#[rustfmt::skip]
const CONDITIONS: &[&str] = &["면 ", "면,", "ると", "れば", "たら", "时，", "時、"];

pub(super) fn is_talk(line: &Line, measured: bool) -> bool {
    let plain = line.before.trim_start_matches(['-', '*', ' ', '#', '•', '[', '>']);
    if (line.is_start && (is_commit(plain) || begins(plain, NOTES)))
        || has(head(&line.after, 60), CLAUSES)
        || has(head(&line.after, 24), CONDITIONS)
        || is_set_off(line)
    {
        return true;
    }
    let after = line.after.trim_start_matches(['"', '\'', '`', '”', '’', '」', ')', '*', '_', '.']);
    let spoken_after =
        begins(after, AFTER) && !begins(after, &[" error:", " error (", " error code"]);
    // What a colon or a bracket introduces is a message, whoever introduces it.
    let quotes: &[char] = &['"', '\'', '`', '“', '‘', '「', '(', '[', '*', ' ', '\\'];
    let lead = line.before.trim_end_matches(quotes);
    let introduced = lead.ends_with([':', '=', '}', ']', '|', '>', '：', '.', '!', ',', ';']);
    if lead.is_empty() || introduced {
        return spoken_after && !lead.ends_with([':', '=']) || begins(after, &[" #", " (#"]);
    }
    if spoken_after || has(&line.before, BEFORE_ANYWHERE) {
        return true;
    }
    let sentence = lead.rsplit([':', '.', ';', '{']).next().unwrap_or(lead);
    // The first word of a line may be the end of one that a wrap broke.
    let torn = usize::from(!line.is_start && sentence.len() == lead.len());
    sentence
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .skip(torn)
        .any(|word| BEFORE.contains(&word) || (!measured && RULES.contains(&word)))
}

/// `fix(provider): ...`, `- feat: ...`, `[BUG] ...`.
fn is_commit(line: &str) -> bool {
    COMMITS.iter().any(|kind| {
        line.strip_prefix(kind).is_some_and(|rest| {
            begins(rest, &[": ", "(", "!:", "]", "："]) && !rest.starts_with("()")
        })
    })
}

/// Whether the wording stands in quotes as a part of a sentence: a word before
/// the opening quote that announces no error, or words behind the closing one.
fn is_set_off(line: &Line) -> bool {
    let Some(quote) = line.before.chars().next_back() else { return false };
    let closing = match quote {
        '"' | '\'' | '`' => quote,
        '“' => '”',
        '「' => '」',
        _ => return false,
    };
    let before = line.before[..line.before.len() - quote.len_utf8()].trim_end();
    let Some((rest, after)) = line.after.split_once(closing) else { return false };
    let word = before.rsplit(' ').next().unwrap_or_default();
    let worded = word.ends_with(char::is_alphabetic) && !has(word, &["error", "fail", "message"]);
    let ends = after.trim().is_empty() || begins(after, &[".", ",", ";", ")", " "]);
    let goes_on = after
        .strip_prefix(' ')
        .is_some_and(|after| after.starts_with(char::is_alphabetic) && !after.starts_with("at "));
    let code = quote == '`' && before.contains(char::is_alphabetic) && !before.ends_with(':');
    rest.len() < 80 && (goes_on || (worded && ends) || code)
}
