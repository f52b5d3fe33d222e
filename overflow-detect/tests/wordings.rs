//! Wordings with the class and the numbers that they carry.

#![allow(clippy::unwrap_used, reason = "a test")]

use overflow_detect::classify;
use serde_json::{Value, json};

#[test]
fn every_wording_has_its_class_and_numbers() {
    for line in include_str!("fixtures/wordings.jsonl").lines() {
        let expected: Value = serde_json::from_str(line).unwrap();
        let text = expected["text"].as_str().unwrap();
        let verdict = classify(text);
        let said = match &verdict {
            Some(verdict) => json!({
                "text": text, "class": verdict.class, "used": verdict.used, "limit": verdict.limit,
                "output": verdict.output, "over": verdict.over, "reservation": verdict.reservation,
            }),
            None => json!({
                "text": text, "class": null, "used": null, "limit": null, "output": null,
                "over": null, "reservation": false,
            }),
        };
        assert_eq!(said, expected);
    }
}
