//! What a JSON record says: a failure, a success, or nothing about either.
//!
//! The shapes of agent CLIs come first, since they alone tell a model's words
//! from a program's; whatever is none of them is a log record and fails if it
//! has an error type, flag, status or code.

use serde_json::Value;

use super::compose::Text;
use super::evidence;

/// What a record says.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// A failure, in these words.
    Failure(String),
    /// It went on normally.
    Success,
    /// Nothing about either.
    Nothing,
}

/// What a record says; of a list, its last word.
pub(super) fn said(record: &Value) -> Said {
    match record {
        Value::Array(items) => {
            items.iter().map(said).rfind(|said| *said != Said::Nothing).unwrap_or(Said::Nothing)
        }
        Value::Object(_) => object(record),
        _ => Said::Nothing,
    }
}

fn object(record: &Value) -> Said {
    if is_true(record, "isApiErrorMessage") {
        return failure(record, &["apiErrorStatus", "error", "message/content", "errorDetails"]);
    }
    if stop(record) == Some("model_context_window_exceeded") {
        return Said::Failure("error stop_reason: model_context_window_exceeded".into());
    }
    let kind = text(record, "type").or_else(|| text(record, "event")).unwrap_or_default();
    if is_compaction(kind) || text(record, "subtype").is_some_and(is_compaction) {
        return Said::Success;
    }
    match kind {
        "result" | "run_result" => result(record),
        "assistant" | "assistant.message" | "agent_message" | "model" | "gemini" => answer(record),
        "user"
        | "tool"
        | "tool_result"
        | "tool_use"
        | "tool_call"
        | "attachment"
        | "progress"
        | "summary"
        | "function_call_output"
        | "custom_tool_call_output"
        | "function_call"
        | "reasoning"
        | "stream_error"
        | "queue-operation"
        | "user.message"
        | "user_message"
        | "tool.execution_complete"
        | "content_block_delta" => Said::Nothing,
        "system" => match text(record, "subtype") {
            Some("api_error") => failure(record, &["error", "cause"]),
            _ => Said::Nothing,
        },
        "turn.completed" | "response.completed" | "text" | "step_finish" | "message_stop" => {
            Said::Success
        }
        "item.completed" | "item.started" | "item.updated" => match record.pointer("/item/type") {
            Some(Value::String(kind)) if kind == "agent_message" => Said::Success,
            _ => Said::Nothing,
        },
        "task_complete" => match record.get("error") {
            Some(Value::Object(_)) => failure(record, &["error"]),
            _ if text(record, "last_agent_message").is_some() => Said::Success,
            _ => Said::Nothing,
        },
        "token_count" => codex_marker(record),
        _ => wrapped(record),
    }
}

/// The mark of a compaction that made room.
fn is_compaction(kind: &str) -> bool {
    ["compaction", "compact_boundary", "compacted", "compression"]
        .iter()
        .any(|name| kind.contains(name))
        && !["fail", "error", "start"].iter().any(|name| kind.contains(name))
}

/// A record that holds the real one: `payload`, `event`, `data`, `message`.
fn wrapped(record: &Value) -> Said {
    match text(record, "role").or_else(|| pointed(record, "/message/role")) {
        Some("assistant" | "model") => return answer(record),
        Some(_) => return Said::Nothing,
        None => {}
    }
    if record.get("choices").is_some() || record.get("candidates").is_some() {
        return Said::Success;
    }
    let inner = ["payload", "event", "msg"]
        .iter()
        .filter_map(|key| record.get(key))
        .find(|inner| inner.get("type").is_some());
    match inner {
        Some(inner) => object(inner),
        None if evidence::is_error(record) => Said::Failure(evidence::words(record)),
        None => match record.get("messages") {
            Some(Value::Array(_)) => said(&record["messages"]),
            _ => Said::Nothing,
        },
    }
}

/// The end of a run.
fn result(record: &Value) -> Said {
    const WORDS: [&str; 8] = [
        "api_error_status",
        "terminal_reason",
        "subtype",
        "error",
        "errors",
        "result",
        "text",
        "message",
    ];
    let failed = is_true(record, "is_error")
        || text(record, "status") == Some("error")
        || text(record, "finishReason") == Some("error")
        || text(record, "subtype").is_some_and(|subtype| subtype.starts_with("error"));
    let shown = text(record, "result").is_some_and(is_shown_error);
    if failed || shown { failure(record, &WORDS) } else { Said::Success }
}

/// A model's turn, unless the CLI put an error in its place.
fn answer(record: &Value) -> Said {
    let message = record.get("message").filter(|message| message.is_object()).unwrap_or(record);
    if ["stopReason", "stop_reason"].iter().any(|key| text(message, key) == Some("error"))
        || text(message, "errorMessage").is_some()
        || message.get("error").is_some_and(Value::is_object)
    {
        return failure(message, &["errorMessage", "error"]);
    }
    let synthetic = text(message, "model") == Some("<synthetic>");
    let shown = match message.get("content") {
        Some(Value::String(content)) => is_shown_error(content),
        Some(Value::Array(blocks)) => {
            blocks.iter().find_map(|block| text(block, "text")).is_some_and(is_shown_error)
        }
        _ => false,
    };
    match (shown, synthetic) {
        (true, _) => failure(message, &["content"]),
        // The CLI's own words (`No response requested.`).
        (false, true) => Said::Nothing,
        (false, false) => Said::Success,
    }
}

/// An error that a CLI prints where the answer would stand.
fn is_shown_error(content: &str) -> bool {
    let content = content.trim_start_matches(['[', '✕', ' ']);
    content.starts_with("API Error")
}

/// The line that Codex records when the API refused a prompt for its length:
/// a total that is the whole window, and no tokens in it.
fn codex_marker(record: &Value) -> Said {
    let number = |path: &str| record.pointer(path).and_then(Value::as_u64);
    let window = number("/info/model_context_window");
    let marked = window.is_some_and(|window| window > 0)
        && number("/info/total_token_usage/total_tokens") == window
        && number("/info/total_token_usage/input_tokens") == Some(0)
        && number("/info/total_token_usage/output_tokens") == Some(0);
    match window {
        Some(_) if marked => {
            Said::Failure("error: Codex ran out of room in the model's context window".into())
        }
        _ => Said::Nothing,
    }
}

fn failure(record: &Value, fields: &[&str]) -> Said {
    let mut words = Text::default();
    for field in fields {
        if let Some(value) = record.pointer(&format!("/{field}")) {
            let key = field.rsplit('/').next().unwrap_or(field);
            words.add(key, value);
        }
    }
    Said::Failure(words.finish())
}

/// Why a model stopped, in the shapes of the Messages API and its events.
fn stop(record: &Value) -> Option<&str> {
    ["/stop_reason", "/message/stop_reason", "/delta/stop_reason", "/choices/0/finish_reason"]
        .iter()
        .find_map(|path| pointed(record, path))
}

pub(super) fn text<'a>(record: &'a Value, key: &str) -> Option<&'a str> {
    record.get(key)?.as_str()
}

fn pointed<'a>(record: &'a Value, path: &str) -> Option<&'a str> {
    record.pointer(path)?.as_str()
}

pub(super) fn is_true(record: &Value, key: &str) -> bool {
    record.get(key) == Some(&Value::Bool(true))
}
