//! What is told of a run, as JSON and as lines for a shell.

use serde::Serialize;
use serde_json::Value;

/// The outcome of a run. What is not known is null, and empty for a shell.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Outcome {
    /// Version of this form.
    pub v: u32,
    /// See [`crate::Verdict`].
    pub verdict: &'static str,
    /// The agent's name as it was given.
    pub agent: String,
    /// The session.
    pub session_id: Option<String>,
    /// The model with its marks.
    pub model: Option<String>,
    /// What this run cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// The turns of this run.
    pub num_turns: Option<u64>,
    /// What the last answer saw, in tokens.
    pub context: Option<u64>,
    /// What the next request would carry, in tokens.
    pub projected: Option<u64>,
    /// What the first answer of this run saw, in tokens.
    pub first_context: Option<u64>,
    /// The window in tokens.
    pub window: Option<u64>,
    /// Which rule gave the window.
    pub window_source: Option<&'static str>,
    /// The line at which the handoff is near, in tokens.
    pub warn_at: Option<u64>,
    /// The handoff line in tokens.
    pub at: Option<u64>,
    /// Whether the near line was passed.
    pub near: bool,
    /// What was wrong, in the agent's words.
    pub error: Option<String>,
    /// Whether the reserved output is to blame for an overflow.
    pub reservation: bool,
    /// The window that an overflow proved, in tokens.
    pub limit: Option<u64>,
    /// Seconds after which to try again, where the error says so.
    pub retry_after: Option<u64>,
    /// The agent's exit status; `None` if a signal ended it.
    pub exit_status: Option<i32>,
    /// Where the answer was written; `None`: to stdout.
    pub text_file: Option<String>,
}

impl Outcome {
    /// One line of JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// A line `run_key='value'` for each field, to be read by `.` in a POSIX shell.
    pub fn shell(&self) -> String {
        let Ok(Value::Object(fields)) = serde_json::to_value(self) else { return String::new() };
        let line = |(key, value): (&String, &Value)| {
            let value = match value {
                Value::Null => String::new(),
                Value::String(text) => text.replace('\'', r"'\''"),
                other => other.to_string(),
            };
            format!("run_{key}='{value}'\n")
        };
        fields.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_it_back() {
        let outcome = Outcome {
            v: 1,
            verdict: "failed",
            error: Some("it's $HOME\n`rm`; \"x\"".into()),
            context: Some(5),
            ..Outcome::default()
        };
        let script = format!(
            "{}printf '%s|%s|%s|%s' \"$run_verdict\" \"$run_error\" \"$run_context\" \"$run_window\"",
            outcome.shell()
        );
        let output = std::process::Command::new("sh").arg("-c").arg(script).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "failed|it's $HOME\n`rm`; \"x\"|5|");
        assert!(outcome.json().starts_with("{\"v\":1,\"verdict\":\"failed\""));
    }
}
