//! What `gemini --output-format stream-json` prints.
//!
//! Measured traps: what is said comes in pieces; a request that the CLI itself finds
//! too large is not made, and the run then ends with success and nothing said since
//! the last tool; the figures of a result are sums over the run, side requests'
//! included, and never the context; a sub-agent's tools are not told of, only the one
//! that called it.

use std::borrow::Cow;

use serde_json::Value;

use crate::lines::without_lone_surrogates;
use crate::run::{EndKind, Ended, Event, purpose};

/// How the warning begins that a hook refused the prompt.
const BLOCKED: &str = "Agent execution blocked: ";

/// The error of a run that made as many turns as its settings allow.
const TURNS: &str = "FatalTurnLimitedError";

/// Shows what a line says; `false` where it is no record.
pub(super) fn line(line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
    let whole = without_lone_surrogates(line);
    let Ok(record) = serde_json::from_str::<Value>(&whole) else { return false };
    match record["type"].as_str() {
        Some("init") => see(Event::Begun {
            session_id: record["session_id"].as_str().map(Cow::Borrowed),
            model: record["model"].as_str().map(Cow::Borrowed),
        }),
        Some("message") if record["role"] == "assistant" => {
            if let Some(piece) = record["content"].as_str() {
                see(Event::Piece(Cow::Borrowed(piece)));
            }
        }
        Some("tool_use") => {
            let name = record["tool_name"].as_str().unwrap_or_default();
            see(Event::Tool(Cow::Borrowed(name), purpose(&record["parameters"])));
        }
        Some("tool_result") => see(Event::ToolEnded),
        Some("error") => of_warning(record["message"].as_str().unwrap_or_default(), see),
        Some("result") => see(Event::Ended(Box::new(ended(&record, &whole)))),
        Some(_) => {}
        None => return false,
    }
    true
}

/// The result of a prompt that a hook refused has nothing of that.
fn of_warning(message: &str, see: &mut dyn FnMut(Event<'_>)) {
    match message.strip_prefix(BLOCKED) {
        Some(why) => see(Event::Ended(Box::new(Ended {
            text: why.to_owned(),
            kind: EndKind::PromptBlocked,
            ..Ended::default()
        }))),
        None => see(Event::Retry(message.to_owned())),
    }
}

fn ended(record: &Value, line: &str) -> Ended {
    let is_well = record["status"] == "success";
    let text = record["error"]["message"].as_str().filter(|_| !is_well).unwrap_or_default();
    Ended {
        text: text.to_owned(),
        was_said: is_well,
        kind: match record["error"]["type"].as_str() {
            _ if is_well => EndKind::Answered,
            Some(TURNS) => EndKind::LimitReached,
            _ => EndKind::Failed,
        },
        model: main_model(&record["stats"]["models"]).map(str::to_owned),
        record: line.to_owned(),
        ..Ended::default()
    }
}

/// The model that most tokens went through.
fn main_model(models: &Value) -> Option<&str> {
    let tokens = |figures: &Value| figures["input_tokens"].as_u64().unwrap_or(0);
    let models = models.as_object()?.iter().filter(|(_, figures)| tokens(figures) > 0);
    models.max_by_key(|(_, figures)| tokens(figures)).map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Vec<String> {
        let mut events = Vec::new();
        for text in text.lines() {
            assert!(line(text, &mut |event| events.push(match event {
                Event::Ended(ended) =>
                    format!("{:?} {} {}", ended.kind, ended.text, ended.model.unwrap_or_default()),
                event => format!("{event:?}"),
            })));
        }
        events
    }

    #[test]
    fn a_run_with_a_tool() {
        let text = r#"{"type":"init","session_id":"id","model":"auto"}
{"type":"message","role":"user","content":"do it"}
{"type":"message","role":"assistant","content":"let me ","delta":true}
{"type":"message","role":"assistant","content":"look","delta":true}
{"type":"tool_use","tool_name":"run_shell_command","tool_id":"t","parameters":{"command":"ls"}}
{"type":"tool_result","tool_id":"t","status":"success","output":"one"}
{"type":"result","status":"success","stats":{"total_tokens":31,"models":{"gemini-2.5-flash-lite":{"input_tokens":9},"gemini-2.5-pro":{"input_tokens":20},"gemini-x":{"input_tokens":0}}}}"#;
        let expected = [
            "Begun { session_id: Some(\"id\"), model: Some(\"auto\") }",
            "Piece(\"let me \")",
            "Piece(\"look\")",
            "Tool(\"run_shell_command\", \"ls\")",
            "ToolEnded",
            "Answered  gemini-2.5-pro",
        ];
        assert_eq!(events(text), expected);
    }

    #[test]
    fn ends_that_are_no_answer() {
        let failed = r#"{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: no]"},"stats":{"models":{"m":{"input_tokens":0}}}}"#;
        assert_eq!(events(failed), ["Failed [API Error: no] "]);
        let limited = r#"{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"Reached max"}}"#;
        assert_eq!(events(limited), ["LimitReached Reached max "]);
        let blocked = r#"{"type":"error","severity":"warning","message":"Agent execution blocked: not today"}
{"type":"error","severity":"warning","message":"Loop detected, stopping execution"}"#;
        let expected = ["PromptBlocked not today ", "Retry(\"Loop detected, stopping execution\")"];
        assert_eq!(events(blocked), expected);
        for none in ["", "YOLO mode is enabled.", "[1]", "{\"a\":1}"] {
            assert!(!line(none, &mut |_| {}), "{none}");
        }
    }
}
