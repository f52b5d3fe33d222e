//! What a status line shows, from the JSON that Claude Code hands it.
//!
//! `current_usage` is the last answer's; `total_input_tokens` was a sum over the
//! session in older versions. Before the first answer it is null, and right after
//! a compaction zero: both mean unknown.

use serde_json::Value;

/// What the JSON tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Tokens that the last answer saw.
    pub context: Option<u64>,
    /// The window, in tokens.
    pub window: Option<u64>,
    /// The session.
    pub session_id: Option<String>,
    /// Its transcript.
    pub transcript_path: Option<String>,
    /// The model with its marks.
    pub model: Option<String>,
}

impl Status {
    /// Reads what is there; any part may be missing.
    pub fn new(json: &Value) -> Status {
        let text =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let usage = &json["context_window"]["current_usage"];
        let parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
        let sum = parts.iter().filter_map(|part| usage[part].as_u64()).fold(0, u64::saturating_add);
        Status {
            context: (sum > 0).then_some(sum),
            window: json["context_window"]["context_window_size"].as_u64().filter(|&size| size > 0),
            session_id: text(&json["session_id"]),
            transcript_path: text(&json["transcript_path"]),
            model: text(&json["model"]["id"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_answer_counts_and_not_the_sum() {
        let status = Status::new(&json!({"context_window": {
            "total_input_tokens": 900_000, "context_window_size": 200_000,
            "current_usage": {"input_tokens": 5, "cache_read_input_tokens": 100_000,
                              "cache_creation_input_tokens": 2_000, "output_tokens": 9}}}));
        assert_eq!((status.context, status.window), (Some(102_005), Some(200_000)));
        for json in [
            json!({"context_window": {"current_usage": null, "context_window_size": 0}}),
            json!({"context_window": {"current_usage": {"input_tokens": 0}}}),
            json!({}),
            json!(3),
        ] {
            assert_eq!(Status::new(&json), Status::default(), "{json}");
        }
    }
}
