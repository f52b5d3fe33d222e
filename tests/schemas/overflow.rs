//! `overflow-detect --json`.

use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;

use crate::place::{Place, files, fixtures};
use crate::schema::Schema;

/// Failures that no recording has, and what is none.
const TEXTS: [&str; 12] = [
    "prompt is too long: 210883 tokens > 199999 maximum",
    "Error: the prompt exceeds the context window by 1,234 tokens",
    "input length and `max_tokens` exceed context limit: 50000 + 160000 > 200000",
    "Error during compaction: Conversation too long. Press esc twice to go up a few messages and try again.",
    "Error: the conversation is too long for the window: 9000 tokens of 8192",
    "API Error: 400 max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens",
    "API Error: 429 Extra usage is required for long context requests",
    "{\"type\":\"error\",\"error\":{\"type\":\"request_too_large\",\"message\":\"Request exceeds the maximum size\"}}",
    "time=2026-01-01 level=WARN source=runner.go msg=\"truncating input prompt\" limit=2048 prompt=2500 keep=5 new=2048",
    "API Error: 404 model: claude-unheard-of not found",
    "all is well",
    "",
];

pub(crate) static PRINTED: LazyLock<Vec<Value>> = LazyLock::new(print);

fn print() -> Vec<Value> {
    let place = Place::new();
    let recorded = files(&fixtures(), ".json").into_iter().chain(files(&fixtures(), ".jsonl"));
    let recorded = recorded.chain(files(&fixtures(), ".txt")).map(PathBuf::into_os_string);
    let call = std::iter::once("--json".into()).chain(recorded);
    let mut printed = place.tool("overflow-detect", call).prints(&[0]);
    let texts = TEXTS.iter().flat_map(|text| ["-e", text]);
    printed.extend(place.tool("overflow-detect", ["--json"].into_iter().chain(texts)).prints(&[0]));
    let line = place.tool("overflow-detect", ["--json"]).input(TEXTS[0]).prints(&[0]);
    assert_eq!(line[0]["file"], "-");
    printed.extend(line);
    printed
}

#[test]
fn every_line_is_as_described() {
    let schema = Schema::named("overflow-detect");
    let printed = &*PRINTED;
    printed.iter().for_each(|line| schema.check(line));
    for field in ["class", "confidence"] {
        schema.was_exhausted(field, printed);
    }
    for field in ["used", "limit", "output", "over"] {
        assert!(printed.iter().any(|line| line[field].is_u64()), "no text names {field}");
    }
    assert!(printed.iter().any(|line| line["reservation"] == true));
}
