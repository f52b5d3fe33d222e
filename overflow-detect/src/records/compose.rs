//! The words of an error-shaped record as one text.

use serde_json::Value;

/// Fields that hold somebody's words, not the error's.
const OTHERS_WORDS: [&str; 12] = [
    "prompt",
    "input",
    "messages",
    "history",
    "tool_input",
    "tool_use_result",
    "toolUseResult",
    "arguments",
    "headers",
    "responseHeaders",
    "stack",
    "cwd",
];

/// How deep an error's fields are followed.
const DEEPEST: usize = 6;

/// Collects `error key: value` lines, codes and messages alike.
#[derive(Default)]
pub(super) struct Text(String);

impl Text {
    /// Adds a value under its key, with all that it holds.
    pub(super) fn add(&mut self, key: &str, value: &Value) {
        self.add_at(key, value, DEEPEST);
    }

    fn add_at(&mut self, key: &str, value: &Value, depth: usize) {
        match value {
            Value::String(text) => self.line(key, text),
            Value::Number(number) => self.line(key, &number.to_string()),
            Value::Object(fields) if depth > 0 => {
                for (key, value) in fields {
                    if !OTHERS_WORDS.contains(&key.as_str()) {
                        self.add_at(key, value, depth - 1);
                    }
                }
            }
            Value::Array(items) if depth > 0 => {
                for item in items {
                    self.add_at(key, item, depth - 1);
                }
            }
            _ => {}
        }
    }

    fn line(&mut self, key: &str, value: &str) {
        self.0 += "error ";
        self.0 += key;
        self.0 += ": ";
        self.0 += value;
        self.0 += "\n";
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.0
    }
}
