//! What `pi --mode json` prints: the head of the session, then events.
//!
//! Measured traps: it exits with 0 whatever the run came to; each piece of an answer
//! repeats the whole answer so far, so that those records are not even parsed; an
//! error ends the agent although the request is then tried again; what is compacted
//! after an overflow is not always gone on with; a cost of zero is one that is not
//! known.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::lines::without_lone_surrogates;
use crate::run::{EndKind, Ended, Event, purpose};

/// How the end that our extension made is told.
const STOPPED: &str = "ctx-guard: ";

/// All that is said of a connection that ended in the middle of an answer.
const CUT: &str = "terminated";

/// How records begin that only repeat what others tell.
const REPEATED: [&str; 4] = [
    r#"{"type":"message_start""#,
    r#"{"type":"message_update""#,
    r#"{"type":"tool_execution_update""#,
    r#"{"type":"turn_end""#,
];

/// Shows what a line says; `false` where it is no record.
pub(super) fn line(line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
    if REPEATED.iter().any(|start| line.starts_with(start)) {
        return true;
    }
    let whole = without_lone_surrogates(line);
    let Ok(record) = serde_json::from_str::<Value>(&whole) else { return false };
    match record["type"].as_str() {
        Some("session") => {
            see(Event::Begun { session_id: record["id"].as_str().map(Cow::Borrowed), model: None })
        }
        Some("message_end") if record["message"]["role"] == "assistant" => {
            of_answer(&record["message"], see);
        }
        Some("tool_execution_start") => {
            let name = record["toolName"].as_str().unwrap_or_default();
            see(Event::Tool(Cow::Borrowed(name), purpose(&record["args"])));
        }
        Some("tool_execution_end") => see(Event::ToolEnded),
        Some("auto_retry_start") => see(Event::Retry(retry(&record))),
        Some("agent_end") => see(Event::Ended(Box::new(ended(&record["messages"])))),
        Some(_) => {}
        None => return false,
    }
    true
}

/// An answer that failed, or was aborted, is none.
fn of_answer(message: &Value, see: &mut dyn FnMut(Event<'_>)) {
    if matches!(message["stopReason"].as_str(), Some("error" | "aborted")) {
        return;
    }
    if let (Some(provider), Some(model)) = (message["provider"].as_str(), message["model"].as_str())
    {
        let model = Some(Cow::Owned(format!("{provider}/{model}")));
        see(Event::Begun { session_id: None, model });
    }
    let usage = &message["usage"];
    let context = ["input", "cacheRead", "cacheWrite"]
        .iter()
        .filter_map(|part| usage[part].as_u64())
        .fold(0, u64::saturating_add);
    if context > 0 {
        see(Event::Context(context));
    }
    see(Event::Turn(usage["cost"]["total"].as_f64().filter(|cost| *cost > 0.0)));
    for text in texts(message) {
        see(Event::Words(Cow::Borrowed(text)));
    }
}

fn texts(message: &Value) -> impl Iterator<Item = &str> {
    let blocks = message["content"].as_array().into_iter().flatten();
    blocks
        .filter(|block| block["type"] == "text")
        .filter_map(|block| block["text"].as_str())
        .filter(|text| !text.trim().is_empty())
}

fn retry(record: &Value) -> String {
    let why = record["errorMessage"].as_str().unwrap_or("request failed");
    let seconds = record["delayMs"].as_f64().unwrap_or_default() / 1000.0;
    format!("{why}, trying again in {seconds:.1} s")
}

/// How the agent ended, by its last message. Its words are the answer: those of an
/// earlier one are none.
fn ended(messages: &Value) -> Ended {
    let messages = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let last = messages.iter().rfind(|message| message["role"] == "assistant");
    let last = last.unwrap_or(&Value::Null);
    let mut last = last.clone();
    if last["errorMessage"] == CUT {
        last["errorMessage"] = json!(format!("connection error: {CUT}"));
    }
    let error = last["errorMessage"].as_str().unwrap_or_default();
    let (kind, text) = match last["stopReason"].as_str() {
        Some("aborted") if error.starts_with(STOPPED) => (EndKind::StoppedByHook, error.to_owned()),
        Some("error" | "aborted") => (EndKind::Failed, error.to_owned()),
        _ => (EndKind::Answered, texts(&last).collect::<Vec<_>>().join("\n")),
    };
    let record = json!({"type": "message_end", "message": last}).to_string();
    Ended { text, kind, record, ..Ended::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sample;

    fn events(text: &str) -> Vec<String> {
        sample::events(line, text)
    }

    #[test]
    fn a_run_with_a_tool() {
        let text = r#"{"type":"session","version":3,"id":"id","cwd":"/x"}
{"type":"agent_start"}
{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"do it"}]}}
{"type":"message_update","message":{"role":"assistant","content":[{"type":"text","text":"Wor"}]}}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Working."},{"type":"toolCall","name":"bash","arguments":{"command":"ls"}}],"provider":"p","model":"m","usage":{"input":10,"output":5,"cacheRead":90,"cacheWrite":0,"cost":{"total":0.25}},"stopReason":"toolUse"}}
{"type":"tool_execution_start","toolCallId":"c","toolName":"bash","args":{"command":"ls"}}
{"type":"tool_execution_end","toolCallId":"c","toolName":"bash","isError":false}
{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"429 slow down"}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"usage":{"input":200,"cost":{"total":0}},"stopReason":"stop"}}
{"type":"agent_end","messages":[{"role":"assistant","content":[{"type":"text","text":"Working."}],"stopReason":"toolUse"},{"role":"toolResult"},{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop"}]}"#;
        let expected = [
            "Begun { session_id: Some(\"id\"), model: None }",
            "Begun { session_id: None, model: Some(\"p/m\") }",
            "Context(100)",
            "Turn(Some(0.25))",
            "Words(\"Working.\")",
            "Tool(\"bash\", \"ls\")",
            "ToolEnded",
            "Retry(\"429 slow down, trying again in 2.0 s\")",
            "Context(200)",
            "Turn(None)",
            "Words(\"Done.\")",
            "Answered Done.",
        ];
        assert_eq!(events(text), expected);
    }

    #[test]
    fn ends_by_the_last_message() {
        for (last, end) in [
            (r#""stopReason":"error","errorMessage":"400 too long""#, "Failed 400 too long"),
            (
                r#""stopReason":"aborted","errorMessage":"ctx-guard: due""#,
                "StoppedByHook ctx-guard: due",
            ),
            (
                r#""stopReason":"error","errorMessage":"terminated""#,
                "Failed connection error: terminated",
            ),
            // Another extension's doing.
            (
                r#""stopReason":"aborted","errorMessage":"Request was aborted.""#,
                "Failed Request was aborted.",
            ),
            // What was said before a tool is no answer.
            (r#""stopReason":"stop","content":[]"#, "Answered "),
        ] {
            let said = r#"{"role":"assistant","content":[{"type":"text","text":"Working."}],"stopReason":"toolUse"}"#;
            let text = format!(
                r#"{{"type":"agent_end","messages":[{said},{{"role":"assistant",{last}}}]}}"#
            );
            assert_eq!(events(&text), [end]);
        }
        let failed = r#"{"type":"message_end","message":{"role":"assistant","usage":{"input":0},"stopReason":"error"}}"#;
        assert!(events(failed).is_empty());
        for none in ["", "Warning: no such model", "[1]", "{\"a\":1}"] {
            assert!(!line(none, &mut |_| {}), "{none}");
        }
    }
}
