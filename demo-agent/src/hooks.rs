//! Hooks: which of them an event concerns, and running them.
//!
//! All hooks of an event run at the same time, identical ones once, each with
//! the payload on stdin. A hook that fails, hangs or talks nonsense changes
//! nothing: the call goes through.

use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Duration;

use regex::Regex;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::child;
use crate::hook_answer::{Asked, Verdict};
use crate::place::Place;

/// A hook's time where its settings name none.
const DEFAULT_LIMIT: Duration = Duration::from_secs(600);

/// A command that an event runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    event: String,
    matcher: Option<String>,
    /// The shell's text, or with `arguments` the program.
    command: String,
    arguments: Option<Vec<String>>,
    limit: Duration,
}

impl Rule {
    /// A hook of the settings; only the command kind is known.
    pub(crate) fn of(event: &str, matcher: Option<&str>, hook: &Value) -> Option<Rule> {
        if hook["type"] != "command" {
            return None;
        }
        let arguments = hook["args"].as_array().map(|list| {
            list.iter().map(|argument| argument.as_str().unwrap_or_default().to_owned()).collect()
        });
        Some(Rule {
            event: event.to_owned(),
            matcher: matcher.map(str::to_owned),
            command: hook["command"].as_str()?.to_owned(),
            arguments,
            limit: hook["timeout"].as_f64().map_or(DEFAULT_LIMIT, |seconds| {
                Duration::try_from_secs_f64(seconds).unwrap_or(DEFAULT_LIMIT)
            }),
        })
    }

    /// Whether it runs for an event about `subject` (a tool, a source, a
    /// trigger). A matcher of plain names is a list, any other a pattern.
    fn concerns(&self, event: &str, subject: Option<&str>) -> bool {
        if self.event != event {
            return false;
        }
        let (Some(matcher), Some(subject)) = (self.matcher.as_deref(), subject) else {
            return true;
        };
        if matcher.is_empty() || matcher == "*" {
            return true;
        }
        if matcher.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '|') {
            return matcher.split('|').any(|name| name == subject);
        }
        Regex::new(matcher).is_ok_and(|pattern| pattern.is_match(subject))
    }

    fn command(&self) -> Command {
        if let Some(arguments) = &self.arguments {
            let mut command = Command::new(&self.command);
            command.args(arguments);
            return command;
        }
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(&self.command);
        command
    }
}

/// The hooks of a session and what their payloads have in common.
#[derive(Debug)]
pub(crate) struct Hooks {
    rules: Vec<Rule>,
    place: Place,
    session: String,
    transcript: PathBuf,
    prompt_id: String,
    agent_type: Option<String>,
    /// A sub-agent's id and type, while one works.
    pub(crate) sub_agent: Option<(String, String)>,
}

impl Hooks {
    /// The hooks of a session.
    pub(crate) fn new(
        rules: Vec<Rule>,
        place: &Place,
        session: &str,
        prompt_id: &str,
        agent_type: Option<String>,
    ) -> Hooks {
        Hooks {
            rules,
            place: place.clone(),
            session: session.to_owned(),
            transcript: place.transcript(session),
            prompt_id: prompt_id.to_owned(),
            agent_type,
            sub_agent: None,
        }
    }

    /// Runs the hooks of an event and joins their answers.
    pub(crate) fn fire(&self, event: &'static str, subject: Option<&str>, extra: Value) -> Verdict {
        let mut chosen: Vec<&Rule> = Vec::new();
        for rule in self.rules.iter().filter(|rule| rule.concerns(event, subject)) {
            let same =
                |other: &&Rule| other.command == rule.command && other.arguments == rule.arguments;
            if !chosen.iter().any(same) {
                chosen.push(rule);
            }
        }
        let tool = extra["tool_use_id"].as_str();
        let asked = Asked {
            event,
            name: match extra["tool_name"].as_str() {
                Some(tool) => format!("{event}:{tool}"),
                None => event.to_owned(),
            },
            call: tool.map_or_else(|| format!("hook-{}", Uuid::new_v4()), str::to_owned),
        };
        let payload = self.payload(event, extra).to_string();
        let mut verdict = Verdict::default();
        thread::scope(|scope| {
            let running: Vec<_> =
                chosen.iter().map(|rule| scope.spawn(|| self.run(rule, &payload))).collect();
            for (rule, handle) in chosen.iter().zip(running) {
                if let Ok(Ok(ended)) = handle.join() {
                    verdict.join(&asked, &rule.command, rule.limit, &ended);
                }
            }
        });
        verdict
    }

    fn run(&self, rule: &Rule, payload: &str) -> std::io::Result<child::Ended> {
        let mut command = rule.command();
        command
            .current_dir(&self.place.cwd)
            .env("CLAUDE_PROJECT_DIR", &self.place.cwd)
            .env("CLAUDE_CODE_SESSION_ID", &self.session)
            .env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
            .env("CLAUDE_EFFORT", "high")
            .env("CLAUDECODE", "1");
        child::run(command, payload.as_bytes(), rule.limit)
    }

    /// The payload: which of the common keys an event has differs.
    fn payload(&self, event: &str, extra: Value) -> Value {
        let mut payload = Map::new();
        let mut put = |key: &str, value: Value| payload.insert(key.to_owned(), value);
        put("session_id", json!(self.session));
        put("transcript_path", json!(self.transcript.to_string_lossy()));
        put("cwd", json!(self.place.cwd.to_string_lossy()));
        let bare = event == "SessionStart";
        let brief = matches!(event, "SessionEnd" | "PreCompact" | "PostCompact" | "SubagentStart");
        if !bare {
            put("prompt_id", json!(self.prompt_id));
        }
        if !bare && !brief {
            put("permission_mode", json!("default"));
        }
        if let Some((id, kind)) = &self.sub_agent {
            put("agent_id", json!(id));
            put("agent_type", json!(kind));
        } else if let Some(kind) = &self.agent_type {
            put("agent_type", json!(kind));
        }
        if !bare && !brief && event != "UserPromptSubmit" {
            put("effort", json!({"level": "high"}));
        }
        put("hook_event_name", json!(event));
        if let Value::Object(extra) = extra {
            payload.extend(extra);
        }
        Value::Object(payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_are_lists_or_patterns() {
        let rule = |matcher: Option<&str>| {
            let hook = json!({"type": "command", "command": "true"});
            Rule::of("PreToolUse", matcher, &hook).unwrap()
        };
        for (matcher, tool, concerns) in [
            (None, "Bash", true),
            (Some(""), "Bash", true),
            (Some("*"), "Bash", true),
            (Some("Bash"), "Bash", true),
            (Some("Bash"), "BashOutput", false),
            (Some("Read|Bash"), "Bash", true),
            (Some("mcp__.*"), "mcp__x", true),
            (Some("mcp__.*"), "Bash", false),
            (Some("("), "Bash", false),
        ] {
            let found = rule(matcher).concerns("PreToolUse", Some(tool));
            assert_eq!(found, concerns, "{matcher:?} {tool}");
        }
        assert!(!rule(None).concerns("Stop", None));
    }
}
