//! What hooks answered, and the trace of it that the transcript keeps.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::child::Ended;

/// What was asked of a hook.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The event.
    pub(crate) event: &'static str,
    /// The event, with the tool if it is about one.
    pub(crate) name: String,
    /// The tool call's id, or one made for this event.
    pub(crate) call: String,
}

/// The answers of all hooks of an event.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Do not do it (before a tool or a prompt), or hear this (after a tool, at
    /// a stop): the reason.
    pub(crate) block: Option<String>,
    /// End the run at the message boundary: the reason.
    pub(crate) stop: Option<String>,
    /// Attachments for the transcript, in order.
    pub(crate) attachments: Vec<Value>,
}

impl Verdict {
    /// Takes in how one hook ended.
    pub(crate) fn join(&mut self, asked: &Asked, command: &str, limit: Duration, ended: &Ended) {
        if ended.timed_out {
            self.trace(
                asked,
                "hook_cancelled",
                command,
                ended,
                json!({
                    "timedOut": true, "timeoutMs": limit.as_millis(),
                }),
            );
            return;
        }
        match ended.code {
            0 => {}
            2 => {
                let mut reason = format!("[{command}]: {}", or(&ended.stderr, "No stderr output"));
                if asked.event == "PreToolUse" {
                    reason = format!("{} hook error: {reason}", asked.name);
                }
                self.block_with(asked, command, reason);
                return;
            }
            code => {
                let said = or(ended.stderr.trim_end(), "No stderr output");
                self.trace(
                    asked,
                    "hook_non_blocking_error",
                    command,
                    ended,
                    json!({
                        "stderr": format!("Failed with non-blocking status code: {said}"),
                        "stdout": ended.stdout, "exitCode": code,
                    }),
                );
                return;
            }
        }
        let said = ended.stdout.trim();
        let answer = serde_json::from_str::<Value>(said).ok().filter(Value::is_object);
        match answer {
            Some(answer) if !is_valid(asked.event, &answer) => {
                self.trace(asked, "hook_non_blocking_error", command, ended, json!({
                    "stderr": format!("Hook JSON output validation failed — (root): Invalid input\n\nThe hook's output was: {answer:#}"),
                    "stdout": ended.stdout, "exitCode": 1,
                }));
            }
            Some(answer) => self.obey(asked, command, ended, &answer),
            None if ended.stdout.is_empty() && ended.stderr.is_empty() => {}
            None => self.success(asked, command, ended, said),
        }
    }

    fn obey(&mut self, asked: &Asked, command: &str, ended: &Ended, answer: &Value) {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let specific = &answer["hookSpecificOutput"];
        let denied = matches!(specific["permissionDecision"].as_str(), Some("deny" | "ask"));
        let asks = specific["permissionDecision"] == "ask";
        if answer["continue"] == false {
            self.success(asked, command, ended, "");
            let reason = text(&answer["stopReason"]);
            self.stop
                .get_or_insert(reason.unwrap_or_else(|| "Execution stopped by hook".to_owned()));
        } else if denied {
            if asks {
                self.success(asked, command, ended, "");
            }
            let reason = text(&specific["permissionDecisionReason"]);
            self.block_with(asked, command, reason.unwrap_or_else(|| "Blocked by hook".to_owned()));
        } else if answer["decision"] == "block" {
            let reason = text(&answer["reason"]).unwrap_or_else(|| "Blocked by hook".to_owned());
            if asked.event == "PostToolBatch" {
                self.stop.get_or_insert(reason);
            } else {
                self.block_with(asked, command, reason);
            }
        } else {
            self.success(asked, command, ended, "");
        }
        if let Some(context) = text(&specific["additionalContext"]) {
            self.attachments.push(json!({
                "type": "hook_additional_context", "content": [context], "hookName": asked.name,
                "toolUseID": asked.call, "hookEvent": asked.event,
            }));
        }
        if let Some(message) = text(&answer["systemMessage"]) {
            self.attachments.push(json!({
                "type": "hook_system_message", "content": message, "hookName": asked.name,
                "toolUseID": asked.call, "hookEvent": asked.event,
            }));
        }
    }

    fn block_with(&mut self, asked: &Asked, command: &str, reason: String) {
        // A denial is told in the tool's result, a refused prompt in a line of
        // its own; only what comes after the fact leaves an attachment.
        if matches!(asked.event, "PostToolUse" | "PostToolUseFailure" | "Stop" | "SubagentStop") {
            self.attachments.push(json!({
                "type": "hook_blocking_error", "hookName": asked.name, "toolUseID": asked.call,
                "hookEvent": asked.event,
                "blockingError": {"blockingError": reason, "command": command},
            }));
        }
        self.block.get_or_insert(reason);
    }

    fn success(&mut self, asked: &Asked, command: &str, ended: &Ended, content: &str) {
        self.trace(asked, "hook_success", command, ended, json!({
            "content": content, "stdout": ended.stdout, "stderr": ended.stderr, "exitCode": ended.code,
        }));
    }

    fn trace(&mut self, asked: &Asked, kind: &str, command: &str, ended: &Ended, more: Value) {
        let mut attachment = Map::new();
        let mut put = |key: &str, value: Value| attachment.insert(key.to_owned(), value);
        put("type", json!(kind));
        put("hookName", json!(asked.name));
        put("toolUseID", json!(asked.call));
        put("hookEvent", json!(asked.event));
        let mut tail = Map::new();
        tail.insert("command".to_owned(), json!(command));
        tail.insert("durationMs".to_owned(), json!(ended.took.as_millis()));
        if let Value::Object(more) = more {
            attachment.extend(more);
        }
        attachment.extend(tail);
        self.attachments.push(Value::Object(attachment));
    }
}

/// The CLI checks answers against a schema; one that does not fit is no answer.
fn is_valid(event: &str, answer: &Value) -> bool {
    let optional = |value: &Value, fits: &dyn Fn(&Value) -> bool| value.is_null() || fits(value);
    let one_of = |value: &Value, names: &[&str]| {
        optional(value, &|value| value.as_str().is_some_and(|name| names.contains(&name)))
    };
    let specific = &answer["hookSpecificOutput"];
    optional(&answer["continue"], &Value::is_boolean)
        && optional(&answer["stopReason"], &Value::is_string)
        && optional(&answer["reason"], &Value::is_string)
        && one_of(&answer["decision"], &["approve", "block"])
        && optional(specific, &|specific| specific["hookEventName"] == event)
        && one_of(&specific["permissionDecision"], &["allow", "deny", "ask"])
        && optional(&specific["additionalContext"], &Value::is_string)
}

fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}
