//! However a text was wrapped, coloured, escaped or embedded, its verdict stays.

#![allow(clippy::unwrap_used, reason = "a test")]

use overflow_detect::{Class, Verdict, classify};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    text: String,
    #[serde(default)]
    debatable: bool,
}

/// The overflows of the corpus, with their verdicts.
fn texts() -> Vec<(String, Verdict)> {
    include_str!("fixtures/corpus.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Row>(line).unwrap())
        .filter(|row| !row.debatable)
        .filter_map(|row| classify(&row.text).map(|verdict| (row.text, verdict)))
        .filter(|(_, verdict)| verdict.overflow)
        .collect()
}

fn any_text() -> impl Strategy<Value = (String, Verdict)> {
    proptest::sample::select(texts())
}

/// Breaks lines between words.
fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        if column > 0 && column + word.chars().count() > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if column > 0 {
            out.push(' ');
        }
        out.push_str(word);
        column += word.chars().count() + 1;
    }
    out
}

/// Breaks lines at a column, as a terminal does.
fn cut(text: &str, width: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(width).map(|line| line.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
}

/// Puts the text in a box of this width.
fn boxed(text: &str, width: usize) -> String {
    let lines = wrapped(text, width, 0);
    let lines: Vec<String> = lines.lines().map(|line| format!("│ {line:<width$} │")).collect();
    format!("╭{0}╮\n{1}\n╰{0}╯", "─".repeat(width + 2), lines.join("\n"))
}

/// Puts colours in front of some words.
fn coloured(text: &str, every: usize) -> String {
    let mut count = 0;
    let words = text.split(' ').map(|word| {
        count += 1;
        if count % every == 0 { format!("\u{1b}[1;31m{word}\u{1b}[0m") } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The class is the same, and the match lies within the text.
fn same_class(text: &str, class: Class) -> Result<Verdict, TestCaseError> {
    let verdict = classify(text);
    prop_assert_eq!(verdict.as_ref().map(|verdict| verdict.class), Some(class), "{}", text);
    let verdict = verdict.unwrap();
    prop_assert!(verdict.start < verdict.end && verdict.end <= text.len());
    Ok(verdict)
}

/// So are the numbers.
fn same(text: &str, expected: &Verdict) -> Result<(), TestCaseError> {
    let verdict = same_class(text, expected.class)?;
    prop_assert_eq!(
        (verdict.used, verdict.limit, verdict.output, verdict.over, verdict.reservation),
        (expected.used, expected.limit, expected.output, expected.over, expected.reservation),
        "{}",
        text
    );
    Ok(())
}

/// What a random width seldom hits: every place at which a word can be cut.
#[test]
fn no_width_cuts_a_short_error_away() {
    for (text, verdict) in texts().into_iter().filter(|(text, _)| text.len() < 400) {
        for width in 20..200 {
            let class = classify(&cut(&text, width)).map(|found| found.class);
            assert_eq!(class, Some(verdict.class), "{width}: {text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wraps_between_words((text, verdict) in any_text(), width in 20usize..200, indent in 0usize..6) {
        same(&wrapped(&text, width, indent), &verdict)?;
    }

    #[test]
    fn wraps_at_a_column((text, verdict) in any_text(), width in 20usize..200) {
        same_class(&cut(&text, width), verdict.class)?;
    }

    #[test]
    fn boxes((text, verdict) in any_text(), width in 30usize..120) {
        same(&boxed(&text, width), &verdict)?;
    }

    #[test]
    fn colours((text, verdict) in any_text(), every in 1usize..5) {
        same(&coloured(&text, every), &verdict)?;
    }

    #[test]
    fn lower_case((text, verdict) in any_text()) {
        same(&text.to_lowercase(), &verdict)?;
    }

    #[test]
    fn json_escapes((text, verdict) in any_text(), depth in 1usize..4) {
        let mut escaped = text;
        for _ in 0..depth {
            escaped = serde_json::json!({ "error": { "message": escaped } }).to_string();
        }
        same(&escaped, &verdict)?;
    }

    #[test]
    fn log_lines((text, verdict) in any_text()) {
        same(&format!("2026-03-01T12:00:00.123Z ERROR worker[412]: {text}"), &verdict)?;
        same(&format!("Traceback (most recent call last):\n  File \"run.py\", line 12, in <module>\n    client.send(prompt)\nprovider.ApiError: {text}"), &verdict)?;
        same(&format!("{text}\n    at Client.send (/app/node_modules/client/index.js:45:20)\n    at async main (/app/run.js:3:1)\n"), &verdict)?;
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Some(verdict) = overflow_detect::classify_bytes(&bytes) {
            prop_assert!(verdict.start <= verdict.end && verdict.end <= bytes.len());
        }
    }

    /// Texts cut and joined anywhere, even within a character: no verdict is
    /// right or wrong here, but its range must lie within the text.
    #[test]
    fn splices(
        (one, _) in any_text(),
        (two, _) in any_text(),
        cut in any::<prop::sample::Index>(),
        joined in any::<prop::sample::Index>(),
        between in proptest::sample::select(vec!["", "\"", "'", "`", "\\", "&#", "\u{1b}[", "超过", "（", "\n\n", " 9", "{\""]),
    ) {
        let mut bytes = one.as_bytes()[..cut.index(one.len())].to_vec();
        bytes.extend_from_slice(between.as_bytes());
        bytes.extend_from_slice(&two.as_bytes()[joined.index(two.len())..]);
        if let Some(verdict) = overflow_detect::classify_bytes(&bytes) {
            prop_assert!(verdict.start <= verdict.end && verdict.end <= bytes.len());
        }
        prop_assert!(overflow_detect::records::last_failure(bytes.as_slice()).is_ok());
    }
}
