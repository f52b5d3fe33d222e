//! What `codex exec --json` prints: events of the thread, its turns and its items.
//!
//! Measured traps: the usage of a turn is a sum over the thread and never the
//! context, which stands in the rollout alone; a prompt that a hook blocked ends
//! with exit 0 and a usage of zero; an `error` item at the beginning is a warning,
//! and an `error` event a try that is made again, unless the turn then fails.

use std::borrow::Cow;

use serde_json::Value;

use crate::lines::without_lone_surrogates;
use crate::run::{EndKind, Ended, Event, purpose};

/// Shows what a line says; `false` where it is no record.
pub(super) fn line(line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
    let whole = without_lone_surrogates(line);
    let Ok(record) = serde_json::from_str::<Value>(&whole) else { return false };
    let item = &record["item"];
    match record["type"].as_str() {
        Some("thread.started") => see(Event::Begun {
            session_id: record["thread_id"].as_str().map(Cow::Borrowed),
            model: None,
        }),
        Some("item.started") => {
            if let Some((name, purpose)) = tool(item) {
                see(Event::Tool(Cow::Borrowed(name), purpose));
            }
        }
        Some("item.completed") if tool(item).is_some() => see(Event::ToolEnded),
        Some("item.completed") => match (item["type"].as_str(), item["text"].as_str()) {
            (Some("agent_message"), Some(text)) if !text.trim().is_empty() => {
                see(Event::Words(Cow::Borrowed(text)));
            }
            _ => {}
        },
        Some("turn.completed") => see(Event::Ended(Box::new(completed(&record, &whole)))),
        Some("turn.failed") => see(Event::Ended(Box::new(failed(&record, &whole)))),
        Some("error") => {
            if let Some(message) = record["message"].as_str() {
                see(Event::Retry(message.to_owned()));
            }
        }
        Some(_) => {}
        None => return false,
    }
    true
}

/// The name of a tool's item, and what it is used for.
fn tool(item: &Value) -> Option<(&str, String)> {
    let kind = item["type"].as_str()?;
    if matches!(kind, "agent_message" | "reasoning" | "error" | "todo_list" | "user_message") {
        return None;
    }
    let name = item["tool"].as_str().unwrap_or(kind);
    Some((name, purpose(item)))
}

fn completed(record: &Value, line: &str) -> Ended {
    let usage = record["usage"].as_object();
    let is_zero = usage.is_some_and(|usage| usage.values().all(|count| count == 0));
    let (kind, text) = match is_zero {
        true => (EndKind::PromptBlocked, "no request was made: a hook refused the prompt"),
        false => (EndKind::Answered, ""),
    };
    Ended {
        text: text.to_owned(),
        kind,
        was_said: kind == EndKind::Answered,
        record: line.to_owned(),
        ..Ended::default()
    }
}

fn failed(record: &Value, line: &str) -> Ended {
    let text = record["error"]["message"].as_str().unwrap_or_default();
    Ended {
        text: text.to_owned(),
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
        let text = r#"{"type":"thread.started","thread_id":"id"}
{"type":"item.completed","item":{"type":"error","message":"a warning"}}
{"type":"turn.started"}
{"type":"item.completed","item":{"type":"agent_message","text":"let me look"}}
{"type":"item.started","item":{"type":"command_execution","command":"ls","status":"in_progress"}}
{"type":"item.completed","item":{"type":"command_execution","command":"ls","exit_code":0}}
{"type":"error","message":"Reconnecting... 1/5"}
{"type":"turn.completed","usage":{"input_tokens":9,"output_tokens":1}}"#;
        let expected = [
            "Begun { session_id: Some(\"id\"), model: None }",
            "Words(\"let me look\")",
            "Tool(\"command_execution\", \"ls\")",
            "ToolEnded",
            "Retry(\"Reconnecting... 1/5\")",
            "Answered ",
        ];
        assert_eq!(events(text), expected);
    }

    #[test]
    fn ends_that_are_no_answer() {
        let blocked = r#"{"type":"turn.completed","usage":{"input_tokens":0,"output_tokens":0}}"#;
        assert!(events(blocked)[0].starts_with("PromptBlocked"));
        let failed = r#"{"type":"turn.failed","error":{"message":"out of room"}}"#;
        assert_eq!(events(failed), ["Failed out of room"]);
        for none in ["", "Reading additional input from stdin...", "[1]", "{\"a\":1}"] {
            assert!(!line(none, &mut |_| {}), "{none}");
        }
    }
}
