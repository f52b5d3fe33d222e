//! What `opencode run --format json` prints: the parts of the main thread's answers, each
//! when it is complete, with the session's id. There is no record of the end.
//!
//! Measured traps: the exit status is 1 where a session recovered from an overflow by
//! compacting; a tool is told of when it has ended; the figures of an answer come behind
//! its tools; what a compaction makes the session go on with is printed as words; a cost
//! of zero is one that is not known.

use std::borrow::Cow;

use serde_json::Value;

use crate::lines::without_lone_surrogates;
use crate::run::{EndKind, Ended, Event, purpose};

/// UTF-8 bytes for one token of what a tool returned, as everywhere else.
const BYTES_PER_TOKEN: u64 = 3;

/// Shows what a line says; `false` where it is no record.
pub(super) fn line(line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
    let whole = without_lone_surrogates(line);
    let Ok(record) = serde_json::from_str::<Value>(&whole) else { return false };
    let part = &record["part"];
    match record["type"].as_str() {
        Some("step_start") => {
            begun(&record, see);
            see(Event::Answering);
        }
        Some("text") if part["synthetic"] != true => {
            if let Some(text) = part["text"].as_str().filter(|text| !text.trim().is_empty()) {
                see(Event::Words(Cow::Borrowed(text)));
            }
        }
        Some("tool_use") => of_tool(part, see),
        Some("step_finish") => of_answer(part, &whole, see),
        Some("error") => {
            begun(&record, see);
            see(Event::Ended(Box::new(failed(&record, &whole))));
        }
        Some(_) => {}
        None => return false,
    }
    true
}

fn begun(record: &Value, see: &mut dyn FnMut(Event<'_>)) {
    if let Some(id) = record["sessionID"].as_str() {
        see(Event::Begun { session_id: Some(Cow::Borrowed(id)), model: None });
    }
}

fn of_tool(part: &Value, see: &mut dyn FnMut(Event<'_>)) {
    let (state, name) = (&part["state"], part["tool"].as_str().unwrap_or_default());
    see(Event::Tool(Cow::Borrowed(name), purpose(&state["input"])));
    see(Event::ToolEnded);
    let returned = state["output"].as_str().or(state["error"].as_str()).unwrap_or_default();
    see(Event::Pending((returned.len() as u64).div_ceil(BYTES_PER_TOKEN)));
}

fn of_answer(part: &Value, line: &str, see: &mut dyn FnMut(Event<'_>)) {
    see(Event::Turn(part["cost"].as_f64().filter(|cost| *cost > 0.0)));
    // Told first: what has ended is not interrupted any more.
    if !matches!(part["reason"].as_str(), Some("tool-calls" | "unknown")) {
        let ended = Ended { was_said: true, record: line.to_owned(), ..Ended::default() };
        see(Event::Ended(Box::new(ended)));
    }
    let tokens = &part["tokens"];
    let sum = |counts: &[&Value]| {
        counts.iter().filter_map(|count| count.as_u64()).fold(0, u64::saturating_add)
    };
    see(Event::Pending(sum(&[&tokens["output"], &tokens["reasoning"]])));
    let cache = &tokens["cache"];
    let context = sum(&[&tokens["input"], &cache["read"], &cache["write"]]);
    if context > 0 {
        see(Event::Context(context));
    }
}

fn failed(record: &Value, line: &str) -> Ended {
    let error = &record["error"];
    let text = error["data"]["message"].as_str().or(error["name"].as_str());
    Ended {
        text: text.unwrap_or_default().to_owned(),
        kind: EndKind::Failed,
        record: line.to_owned(),
        ..Ended::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sample;

    fn events(text: &str) -> Vec<String> {
        sample::events(line, text)
    }

    #[test]
    fn a_turn_with_a_tool() {
        let text = r#"{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}
{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"let me look"}}
{"type":"tool_use","sessionID":"ses_1","part":{"tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a.txt\n"}}}
{"type":"step_finish","sessionID":"ses_1","part":{"reason":"tool-calls","tokens":{"total":109,"input":10,"output":5,"reasoning":4,"cache":{"write":0,"read":90}},"cost":0}}
{"type":"text","sessionID":"ses_1","part":{"type":"text","synthetic":true,"text":"Continue"}}
{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"done"}}
{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","tokens":{"input":120,"output":3,"cache":{}},"cost":0.25}}"#;
        let expected = [
            r#"Begun { session_id: Some("ses_1"), model: None }"#,
            "Answering",
            r#"Words("let me look")"#,
            r#"Tool("bash", "ls")"#,
            "ToolEnded",
            "Pending(2)",
            "Turn(None)",
            "Pending(9)",
            "Context(100)",
            r#"Words("done")"#,
            "Turn(Some(0.25))",
            "Answered ",
            "Pending(3)",
            "Context(120)",
        ];
        assert_eq!(events(text), expected);
    }

    #[test]
    fn errors_and_texts() {
        let text = r#"{"type":"error","sessionID":"ses_1","error":{"name":"ContextOverflowError","data":{"message":"prompt is too long: 205000 tokens > 200000 maximum"}}}"#;
        assert_eq!(events(text)[1], "Failed prompt is too long: 205000 tokens > 200000 maximum");
        for none in ["", "Error: Session not found", "[1]", "{\"a\":1}"] {
            assert!(!line(none, &mut |_| {}), "{none}");
        }
    }
}
