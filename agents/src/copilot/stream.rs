//! What `copilot --output-format json` prints: the events of its session, others that
//! are not kept, and a `result` at the end.
//!
//! Measured traps: what the answers saw is in the session alone; lines of sub-agents
//! have an `agentId`; a result with an exit code says nothing of what went wrong, which
//! a `session.error` told before, or a `session.warning` where a hook refused the
//! prompt; an answer without words is told as an error; a run that is interrupted has
//! no result; a failed call is told whether or not it is tried again.

use std::borrow::Cow;

use serde_json::Value;

use crate::lines::without_lone_surrogates;
use crate::run::{EndKind, Ended, Event, purpose};

/// How the error begins that is none: the model said nothing.
const NOTHING_SAID: &str = "No response was returned";

/// Shows what a line says; `false` where it is no record.
pub(super) fn line(line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
    let whole = without_lone_surrogates(line);
    let Ok(record) = serde_json::from_str::<Value>(&whole) else { return false };
    let Some(kind) = record["type"].as_str() else { return false };
    if record["agentId"].is_null() {
        of_main(kind, &record, &whole, see);
    }
    true
}

fn of_main(kind: &str, record: &Value, line: &str, see: &mut dyn FnMut(Event<'_>)) {
    let data = &record["data"];
    match kind {
        "session.tools_updated" | "session.model_change" => {
            let model = data["newModel"].as_str().or(data["model"].as_str());
            if let Some(model) = model {
                see(Event::Begun { session_id: None, model: Some(Cow::Borrowed(model)) });
            }
        }
        "assistant.message" => {
            see(Event::Turn(None));
            if let Some(text) = data["content"].as_str().filter(|text| !text.trim().is_empty()) {
                see(Event::Words(Cow::Borrowed(text)));
            }
        }
        "tool.execution_start" => {
            let name = data["toolName"].as_str().unwrap_or_default();
            see(Event::Tool(Cow::Borrowed(name), purpose(&data["arguments"])));
        }
        "tool.execution_complete" => see(Event::ToolEnded),
        "model.call_failure" => {
            if let Some(why) = transient(data) {
                see(Event::Retry(why));
            }
        }
        "session.error" => see(Event::Ended(Box::new(failed(data, line)))),
        "session.warning" if data["warningType"] == "policy_blocked" => {
            see(Event::Ended(Box::new(ended(EndKind::PromptBlocked, text(data), line))));
        }
        "result" if record["exitCode"] == 0 => {
            let answered = ended(EndKind::Answered, "", line);
            see(Event::Ended(Box::new(Ended { was_said: true, ..answered })));
        }
        _ => {}
    }
}

/// Why a call failed, of those that may be made again.
fn transient(data: &Value) -> Option<String> {
    let status = data["statusCode"].as_u64();
    if status.is_some_and(|status| !matches!(status, 401 | 408 | 409 | 429 | 500..)) {
        return None;
    }
    let told = data["errorMessage"].as_str().unwrap_or_default();
    // It is JSON: the service's error, or a text.
    let why = match serde_json::from_str::<Value>(told) {
        Ok(Value::String(text)) => text,
        Ok(error) => error["message"].as_str().unwrap_or(told).to_owned(),
        Err(_) => told.to_owned(),
    };
    Some(match status {
        Some(status) => format!("request failed ({status}): {why}"),
        None => format!("request failed: {why}"),
    })
}

fn failed(data: &Value, line: &str) -> Ended {
    let text = text(data);
    match text.starts_with(NOTHING_SAID) {
        true => ended(EndKind::Answered, "", line),
        false => ended(EndKind::Failed, text, line),
    }
}

fn text(data: &Value) -> &str {
    data["message"].as_str().unwrap_or_default()
}

fn ended(kind: EndKind, text: &str, line: &str) -> Ended {
    Ended { kind, text: text.to_owned(), record: line.to_owned(), ..Ended::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Vec<String> {
        let mut events = Vec::new();
        for text in text.lines() {
            assert!(line(text, &mut |event| events.push(match event {
                Event::Ended(ended) =>
                    format!("{:?} {} {}", ended.kind, ended.was_said, ended.text),
                event => format!("{event:?}"),
            })));
        }
        events
    }

    #[test]
    fn a_turn_with_a_tool() {
        let text = r#"{"type":"session.tools_updated","data":{"model":"m"},"ephemeral":true}
{"type":"assistant.message_delta","data":{"deltaContent":"let"},"ephemeral":true}
{"type":"assistant.message","data":{"content":"let me look","toolRequests":[{}]}}
{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"ls"}}}
{"type":"assistant.message","data":{"content":"of a sub-agent"},"agentId":"a"}
{"type":"tool.execution_complete","data":{"success":true},"agentId":"a"}
{"type":"tool.execution_complete","data":{"success":false,"error":{"message":"no"}}}
{"type":"model.call_failure","data":{"statusCode":429,"errorMessage":"{\"message\":\"slow down\"}"}}
{"type":"model.call_failure","data":{"errorMessage":"\"connection refused\""}}
{"type":"model.call_failure","data":{"statusCode":400,"errorMessage":"\"too long\""}}
{"type":"assistant.message","data":{"content":"done","toolRequests":[]}}
{"type":"result","sessionId":"id","exitCode":0,"usage":{"premiumRequests":1}}"#;
        let expected = [
            "Begun { session_id: None, model: Some(\"m\") }",
            "Turn(None)",
            "Words(\"let me look\")",
            "Tool(\"bash\", \"ls\")",
            "ToolEnded",
            "Retry(\"request failed (429): slow down\")",
            "Retry(\"request failed: connection refused\")",
            "Turn(None)",
            "Words(\"done\")",
            "Answered true ",
        ];
        assert_eq!(events(text), expected);
    }

    #[test]
    fn ends_that_are_no_answer() {
        for (text, expected) in [
            (
                r#"{"type":"session.error","data":{"errorType":"query","message":"400 too long"}}"#,
                "Failed false 400 too long",
            ),
            (
                r#"{"type":"session.error","data":{"message":"No response was returned. Send it"}}"#,
                "Answered false ",
            ),
            (
                r#"{"type":"session.warning","data":{"warningType":"policy_blocked","message":"no"}}"#,
                "PromptBlocked false no",
            ),
        ] {
            let result = r#"{"type":"result","exitCode":1}"#;
            assert_eq!(events(&format!("{text}\n{result}")), [expected]);
        }
        for none in ["", "Package extraction took 7 ms", "[1]", "{\"a\":1}"] {
            assert!(!line(none, &mut |_| {}), "{none}");
        }
    }
}
