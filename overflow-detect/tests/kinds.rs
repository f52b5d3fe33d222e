//! Kinds of text that are easily mistaken for one another: caps on the output,
//! rates, the tokens and contexts and windows of other worlds, talk, and overflows
//! in wordings and languages that no vendor is known for.

#![allow(clippy::unwrap_used, reason = "a test")]

use overflow_detect::{Class, classify};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    kind: String,
    /// None: anything that does not count as overflow.
    class: Option<String>,
    text: String,
}

fn rows() -> Vec<Row> {
    include_str!("fixtures/kinds.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_kind_is_told_from_the_others() {
    let mut wrong = Vec::new();
    for row in rows() {
        let class = classify(&row.text).map(|verdict| verdict.class);
        let right = match &row.class {
            Some(name) => class == Class::named(name),
            None => !class.is_some_and(Class::counts_as_overflow),
        };
        if !right {
            wrong.push(format!("{}: {:?}: {class:?}", row.kind, row.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The numbers of another limit are no tokens of a prompt and no window.
#[test]
fn near_misses_claim_nothing_about_the_window() {
    for row in rows() {
        let Some(verdict) = classify(&row.text) else { continue };
        if matches!(verdict.class, Class::OutputCap | Class::Rate) {
            assert_eq!((verdict.used, verdict.limit), (None, None), "{:?}", row.text);
        }
    }
}

#[test]
fn a_cap_on_the_output_tells_what_was_asked_for() {
    for (text, output) in [
        ("The requested max_tokens 64000 is larger than the model output limit 8192", Some(64000)),
        ("requested 64000 output tokens, but the model allows at most 8192", Some(64000)),
        ("max_tokens was 9000 but can be 4096 at most", Some(9000)),
        ("The response was cut off: maximum number of output tokens reached", None),
    ] {
        let verdict = classify(text).unwrap();
        assert_eq!((verdict.class, verdict.output), (Class::OutputCap, output), "{text}");
    }
}

/// A limit that is only named, or not reached, is none that was exceeded.
#[test]
fn a_limit_that_holds_is_no_excess() {
    for text in [
        "This model accepts at most 8192 input tokens",
        "This model accepts at most 8192 input tokens, the prompt has 4000",
        "prompt tokens 4000 > 8192 context window",
        "prompt tokens 9000 < 10000 context window",
        "context window 200000 > 9000 prompt tokens",
        "this model can generate up to 16384 output tokens",
    ] {
        assert_eq!(classify(text), None, "{text}");
    }
}
