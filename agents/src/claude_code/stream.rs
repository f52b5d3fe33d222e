//! What a headless Claude Code prints: records of `stream-json` runs, of which
//! the last, `result`, is also the only one of `json` runs.
//!
//! Measured traps: a prompt that a hook blocked ends with exit 0, success and no
//! `is_error`, only its text tells; every API error is `subtype: success` with
//! `is_error: true`; the usage of a result is a sum over the run and never the
//! context; `modelUsage` names side requests' models too.

use std::borrow::Cow;

use serde_json::Value;

use crate::lines::without_lone_surrogates;
use crate::run::{EndKind, Ended, Event, purpose};

/// How the result of a blocked prompt begins.
const BLOCKED: [&str; 2] =
    ["UserPromptSubmit operation blocked by hook:", "Operation stopped by hook:"];

/// Shows what a line says; `false` where it is no record.
pub(crate) fn line(line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
    if let Ok(record) = serde_json::from_str(line) {
        return of_record(&record, line, see);
    }
    // A text cut in the middle of a pair is no reason to miss what the run came to.
    let whole = without_lone_surrogates(line);
    serde_json::from_str(&whole).is_ok_and(|record| of_record(&record, &whole, see))
}

fn of_record(record: &Value, line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
    let is_main = record["parent_tool_use_id"].is_null();
    match record["type"].as_str() {
        Some("system") => of_system(record, see),
        Some("assistant") if is_main => of_answer(&record["message"], see),
        Some("result") => see(Event::Ended(Box::new(of_result(record, line)))),
        Some(_) => {}
        None => return false,
    }
    true
}

fn of_system(record: &Value, see: &mut dyn FnMut(Event<'_>)) {
    match record["subtype"].as_str() {
        Some("init") => see(Event::Begun {
            session_id: record["session_id"].as_str().map(Cow::Borrowed),
            model: record["model"].as_str().map(Cow::Borrowed),
        }),
        Some("api_retry") => see(Event::Retry(retry(record))),
        _ => {}
    }
}

/// A connection that failed has no status.
fn retry(record: &Value) -> String {
    let status = record["error_status"].as_u64().map(|status| format!(" ({status})"));
    let seconds = record["retry_delay_ms"].as_f64().unwrap_or_default() / 1000.0;
    format!("request failed{}, trying again in {seconds:.1} s", status.unwrap_or_default())
}

fn of_answer(message: &Value, see: &mut dyn FnMut(Event<'_>)) {
    if message["model"] == "<synthetic>" {
        return;
    }
    let usage = &message["usage"];
    let context = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
        .iter()
        .filter_map(|part| usage[part].as_u64())
        .fold(0, u64::saturating_add);
    if context > 0 {
        see(Event::Context(context));
    }
    for block in message["content"].as_array().into_iter().flatten() {
        match (block["type"].as_str(), block["text"].as_str(), block["name"].as_str()) {
            (Some("text"), Some(text), _) if !text.trim().is_empty() => {
                see(Event::Words(Cow::Borrowed(text)));
            }
            (Some("tool_use"), _, Some(name)) => {
                see(Event::Tool(Cow::Borrowed(name), purpose(&block["input"])));
            }
            _ => {}
        }
    }
}

fn of_result(record: &Value, line: &str) -> Ended {
    let text = record["result"].as_str().unwrap_or_default();
    let errors = record["errors"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut text =
        if text.is_empty() { errors.collect::<Vec<_>>().join("\n") } else { text.to_owned() };
    if let Some(subtype) = record["subtype"].as_str().filter(|subtype| *subtype != "success")
        && text.is_empty()
    {
        text = subtype.replace('_', " ");
    }
    Ended {
        kind: kind(record, &text),
        text,
        was_said: false,
        cost_usd: record["total_cost_usd"].as_f64(),
        num_turns: record["num_turns"].as_u64(),
        model: main_model(&record["modelUsage"]).map(str::to_owned),
        record: line.to_owned(),
    }
}

fn kind(record: &Value, text: &str) -> EndKind {
    let is_blocked = BLOCKED.iter().any(|start| text.starts_with(start))
        && record["num_turns"].as_u64().unwrap_or(0) == 0;
    match (record["subtype"].as_str(), record["terminal_reason"].as_str()) {
        _ if is_blocked => EndKind::PromptBlocked,
        (_, Some("hook_stopped")) => EndKind::StoppedByHook,
        (Some("error_max_turns" | "error_max_budget_usd"), _) => EndKind::LimitReached,
        (Some("success"), _) if record["is_error"] != true => EndKind::Answered,
        _ => EndKind::Failed,
    }
}

/// The model that most tokens went through.
fn main_model(usage: &Value) -> Option<&str> {
    let tokens = |figures: &Value| {
        ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"]
            .iter()
            .filter_map(|part| figures[part].as_u64())
            .fold(0, u64::saturating_add)
    };
    let models = usage.as_object()?.iter();
    models.max_by_key(|(_, figures)| tokens(figures)).map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ended(record: &Value) -> Ended {
        let mut found = None;
        assert!(line(&record.to_string(), &mut |event| {
            if let Event::Ended(ended) = event {
                found = Some(*ended);
            }
        }));
        found.unwrap()
    }

    #[test]
    fn kinds_of_ends() {
        let blocked = "UserPromptSubmit operation blocked by hook:\nno";
        for (record, kind) in [
            (json!({"subtype": "success", "is_error": false, "result": "ok"}), EndKind::Answered),
            (json!({"subtype": "success", "is_error": true, "result": "bad"}), EndKind::Failed),
            (
                json!({"subtype": "success", "num_turns": 0, "result": blocked}),
                EndKind::PromptBlocked,
            ),
            // An answer that quotes such a text is an answer.
            (json!({"subtype": "success", "num_turns": 2, "result": blocked}), EndKind::Answered),
            (
                json!({"subtype": "success", "terminal_reason": "hook_stopped"}),
                EndKind::StoppedByHook,
            ),
            (json!({"subtype": "error_max_turns", "is_error": true}), EndKind::LimitReached),
            (json!({"subtype": "error_during_execution", "is_error": true}), EndKind::Failed),
        ] {
            let mut record = record;
            record["type"] = json!("result");
            assert_eq!(ended(&record).kind, kind, "{record}");
        }
    }

    #[test]
    fn half_a_character_is_no_reason_to_miss_the_end() {
        let printed = r#"{"type":"result","subtype":"success","result":"cut \ud83d"}"#;
        let mut found = None;
        assert!(line(printed, &mut |event| found = Some(format!("{event:?}"))));
        assert!(found.unwrap().contains("cut \u{fffd}"));
        assert!(!line(r"cut \ud83d", &mut |_| {}));
    }

    #[test]
    fn retries_say_what_is_known() {
        for (record, said) in [
            (
                json!({"error_status": 529, "retry_delay_ms": 610.867}),
                "Retry(\"request failed (529), trying again in 0.6 s\")",
            ),
            (
                json!({"error_status": null, "retry_delay_ms": 1000}),
                "Retry(\"request failed, trying again in 1.0 s\")",
            ),
        ] {
            let mut record = record;
            record["type"] = json!("system");
            record["subtype"] = json!("api_retry");
            let mut seen = Vec::new();
            line(&record.to_string(), &mut |event| seen.push(format!("{event:?}")));
            assert_eq!(seen, [said]);
        }
    }

    #[test]
    fn sub_agents_and_errors_are_not_the_main_thread() {
        let mut seen = Vec::new();
        let usage = json!({"input_tokens": 5, "cache_read_input_tokens": 7});
        for record in [
            json!({"type": "assistant", "parent_tool_use_id": "t", "message": {"usage": usage}}),
            json!({"type": "assistant", "message": {"model": "<synthetic>", "usage": usage}}),
            json!({"type": "assistant", "message": {"model": "m", "usage": usage,
                   "content": [{"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]}}),
        ] {
            assert!(line(&record.to_string(), &mut |event| seen.push(format!("{event:?}"))));
        }
        assert_eq!(seen, ["Context(12)", "Tool(\"Bash\", \"ls\")"]);
        assert!(!line("API Error: 500", &mut |_| {}));
    }
}
