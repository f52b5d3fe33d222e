//! Records of no known shape: what shows that one is an error's.

use serde_json::Value;

use super::compose::Text;
use super::shapes::{is_true, text};

/// Fields that only an error has.
const FIELDS: [&str; 9] = [
    "error",
    "errors",
    "errorType",
    "error_type",
    "errorCode",
    "error_code",
    "errorMessage",
    "error_message",
    "exception",
];

/// Fields that hold what was asked for, not what went wrong.
const ASKED: [&str; 4] = ["user", "request", "body", "tool"];

/// Whether a record has an error type, flag, level, status or code.
pub(super) fn is_error(record: &Value) -> bool {
    FIELDS.iter().any(|key| record.get(key).is_some_and(is_meant))
        // The body of a web framework's refusal is that field alone.
        || (record.get("detail").is_some_and(is_meant) && record.get("level").is_none())
        || ["is_error", "isError", "failed"].iter().any(|key| is_true(record, key))
        || ["success", "ok"].iter().any(|key| record.get(key) == Some(&Value::Bool(false)))
        || has_level(record)
        || ["type", "event", "name", "object"]
            .iter()
            .any(|key| is_named(record, key, &["error", "fail", "exception"]))
        || is_named(record, "status", &["error", "fail", "invalid_argument", "exhausted"])
        || ["status", "statusCode", "status_code", "http_status", "code"]
            .iter()
            .any(|key| is_refusal(record, key))
        || (record.get("message").is_some() && record.get("code").is_some_and(is_failure_code))
}

/// All the words of a log record.
pub(super) fn words(record: &Value) -> String {
    let mut words = Text::default();
    for (key, value) in record.as_object().into_iter().flatten() {
        if !ASKED.contains(&key.as_str()) {
            words.add(key, value);
        }
    }
    words.finish()
}

/// Whether a field says something: `"error": null` does not.
fn is_meant(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    }
}

fn is_named(record: &Value, key: &str, names: &[&str]) -> bool {
    text(record, key).is_some_and(|value| {
        let value = value.to_ascii_lowercase();
        names.iter().any(|name| value.contains(name))
    })
}

/// A log level, by name or by the numbers of bunyan and pino.
fn has_level(record: &Value) -> bool {
    const NAMES: [&str; 6] = ["err", "fatal", "crit", "panic", "alert", "emerg"];
    let level = record.get("level").and_then(Value::as_u64);
    level.is_some_and(|level| (50..100).contains(&level))
        || ["level", "severity", "levelname", "lvl"].iter().any(|key| is_named(record, key, &NAMES))
}

/// An HTTP status of a refusal, as a number or in digits.
fn is_refusal(record: &Value, key: &str) -> bool {
    let Some(value) = record.get(key) else { return false };
    let status = value.as_u64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
    status.is_some_and(|status| (400..600).contains(&status))
}

/// A code of a vendor's own: not 0, not an HTTP success.
fn is_failure_code(code: &Value) -> bool {
    match code.as_i64() {
        Some(code) => code != 0 && !(200..400).contains(&code),
        None => code.is_string(),
    }
}
