//! What a headless Qwen Code prints: records of `stream-json`, in Claude Code's form.
//!
//! Measured traps:
//! - An API error is a success without `is_error`: its text stands as the answer, or
//!   behind what had come of one. An answer that ends with such a text is taken for it.
//! - A prompt that a hook refused is a success without a word. On a fresh session no
//!   request was then counted; on a resumed one it looks like a limit of the session's
//!   own, `sessionTokenLimit`, which ends a run in the same way.
//! - Usage of the result is a sum over all of the session, earlier runs included, and
//!   never the context; turns are counted by run. No cost is told.
//! - The transcript has an answer some tens of milliseconds after it was told here, so
//!   that after a quick tool it would be looked for in vain: what it saw is told from
//!   here.
//! - A sub-agent that failed prints a `result` in the middle of the run.
//! - An interrupted run prints none, nor one that reached `maxSessionTurns`.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::lines::without_lone_surrogates;
use crate::run::{EndKind, Ended, Event, purpose};

/// How an API error begins.
const ERROR: &str = "[API Error: ";

/// How an advice begins that may stand behind one.
const ADVICE: [&str; 2] = ["]\nPossible quota limitations", "]\nPlease wait and try again"];

/// How an API error of the vendor's own login begins.
const LOGIN: [&str; 2] =
    ["Qwen OAuth quota exceeded:", "Qwen OAuth free tier has been discontinued"];

/// Shows what a line says; `false` where it is no record.
pub(super) fn line(line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
    let whole = without_lone_surrogates(line);
    let Ok(record) = serde_json::from_str::<Value>(&whole) else { return false };
    let is_main = record["parent_tool_use_id"].is_null();
    match record["type"].as_str() {
        Some("system") if record["subtype"] == "init" => see(Event::Begun {
            session_id: record["session_id"].as_str().map(Cow::Borrowed),
            model: record["model"].as_str().map(Cow::Borrowed),
        }),
        Some("assistant" | "user") if is_main => of_message(&record["message"], see),
        Some("result") => see(Event::Ended(Box::new(of_result(&record, &whole)))),
        Some(_) => {}
        None => return false,
    }
    true
}

fn of_message(message: &Value, see: &mut dyn FnMut(Event<'_>)) {
    let is_answer = message["role"] == "assistant";
    let mut uses_tools = false;
    for block in message["content"].as_array().into_iter().flatten() {
        match (block["type"].as_str(), block["text"].as_str(), block["name"].as_str()) {
            (Some("text"), Some(text), _) if is_answer && !text.trim().is_empty() => {
                see(Event::Words(Cow::Borrowed(text)));
            }
            (Some("tool_use"), _, Some(name)) => {
                see(Event::Tool(Cow::Borrowed(name), purpose(&block["input"])));
                uses_tools = true;
            }
            (Some("tool_result"), ..) => see(Event::ToolEnded),
            _ => {}
        }
    }
    // The cached part is among it.
    let context = message["usage"]["input_tokens"].as_u64();
    if let Some(context) = context.filter(|&context| uses_tools && context > 0) {
        see(Event::UnderWay(context));
    }
}

fn of_result(record: &Value, line: &str) -> Ended {
    let text = record["result"].as_str().unwrap_or_default();
    let error = match record["is_error"] == true {
        true => Some(record["error"]["message"].as_str().unwrap_or(text)),
        false => api_error(text),
    };
    let ended = Ended { num_turns: record["num_turns"].as_u64(), ..Ended::default() };
    let (kind, text, told) = match error {
        // The form in which services tell of errors, so that it is judged as one.
        Some(error) => (EndKind::Failed, error, json!({"error": {"message": error}}).to_string()),
        None if text.is_empty() && is_unused(&record["usage"]) => {
            let why = "no request was made: a hook refused the prompt";
            (EndKind::PromptBlocked, why, line.to_owned())
        }
        None => (EndKind::Answered, text, line.to_owned()),
    };
    Ended { kind, text: text.to_owned(), record: told, ..ended }
}

/// The error that stands in place of an answer, or behind what had come of one.
fn api_error(text: &str) -> Option<&str> {
    let text = text.trim();
    if LOGIN.iter().any(|start| text.starts_with(start)) {
        return Some(text);
    }
    let error = &text[text.rfind(ERROR)?..];
    let is_whole = error.ends_with(']') || ADVICE.iter().any(|advice| error.contains(advice));
    is_whole.then_some(error)
}

fn is_unused(usage: &Value) -> bool {
    usage.as_object().is_some_and(|usage| usage.values().all(|count| count == 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sample;

    fn events(text: &str) -> Vec<String> {
        sample::events(line, text)
    }

    #[test]
    fn a_turn_with_a_tool_and_a_sub_agent() {
        let text = r#"{"type":"system","subtype":"init","session_id":"id","model":"m"}
{"type":"assistant","parent_tool_use_id":null,"message":{"role":"assistant","content":[{"type":"text","text":"let me look"}]}}
{"type":"assistant","parent_tool_use_id":null,"message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","id":"a","name":"run_shell_command","input":{"command":"ls"}}],"usage":{"input_tokens":7,"cache_read_input_tokens":5}}}
{"type":"user","parent_tool_use_id":"a","message":{"role":"user","content":[{"type":"text","text":"its prompt"}]}}
{"type":"user","parent_tool_use_id":"a","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"b"}]}}
{"type":"user","parent_tool_use_id":null,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}}
{"type":"system","subtype":"task_started"}
{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"done","usage":{"input_tokens":9}}"#;
        let expected = [
            "Begun { session_id: Some(\"id\"), model: Some(\"m\") }",
            "Words(\"let me look\")",
            "Tool(\"run_shell_command\", \"ls\")",
            "UnderWay(7)",
            "ToolEnded",
            "Answered done",
        ];
        assert_eq!(events(text), expected);
        for none in ["", "Operation cancelled.", "[1]", "{\"a\":1}"] {
            assert!(!line(none, &mut |_| {}), "{none}");
        }
    }

    #[test]
    fn errors_that_call_themselves_successes() {
        let limited = "[API Error: 429 slow down]\nPossible quota limitations in place or slow \
                       response times detected. Please wait and try again later.";
        for (result, ended) in [
            ("[API Error: 400 too long]", "Failed [API Error: 400 too long]".to_owned()),
            ("Half[API Error: terminated]", "Failed [API Error: terminated]".to_owned()),
            (limited, format!("Failed {limited}")),
            (
                "Qwen OAuth quota exceeded: wait",
                "Failed Qwen OAuth quota exceeded: wait".to_owned(),
            ),
            ("It said [API Error: 1].", "Answered It said [API Error: 1].".to_owned()),
            ("", "Answered ".to_owned()),
        ] {
            let record = json!({"type": "result", "subtype": "success", "is_error": false,
                "result": result, "usage": {"input_tokens": 7, "output_tokens": 0}});
            assert_eq!(events(&record.to_string()), [ended]);
        }
    }

    #[test]
    fn other_ends() {
        let refused = json!({"type": "result", "is_error": false, "result": "",
            "usage": {"input_tokens": 0, "output_tokens": 0}});
        assert!(events(&refused.to_string())[0].starts_with("PromptBlocked"));
        let failed = json!({"type": "result", "subtype": "error_during_execution",
            "is_error": true, "error": {"message": "out of room"}});
        assert_eq!(events(&failed.to_string()), ["Failed out of room"]);
    }
}
