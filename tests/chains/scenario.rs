//! What the scripted agent does, session by session.

use serde_json::{Value, json};

/// The answer that ends a run, and what the loop then prints.
pub(crate) const DONE: &str = "Done.\n";

/// The answer at the end of the agent's usual job.
pub(crate) const BOOK: &str =
    "All 12 units are done: chapters/chapter-01.md to chapters/chapter-12.md.\n";

/// The window for which [`crossing`] crosses the handoff line.
pub(crate) const WINDOW: [&str; 2] = ["--window", "200000"];

/// A scenario of these sessions; every later one ends at once.
pub(crate) fn sessions(sessions: &[Value]) -> Value {
    json!({ "sessions": sessions, "more": ending() })
}

/// A session of these steps.
pub(crate) fn session(steps: &[Value]) -> Value {
    json!({ "steps": steps })
}

/// A session that ends with its first answer.
pub(crate) fn ending() -> Value {
    session(&[answer()])
}

/// A session that crosses the handoff line with its second answer, and whose
/// handoff turn goes like this.
pub(crate) fn crossing(handoff: &str) -> Value {
    json!({ "steps": [tool(40_000, "true"), tool(160_000, "true")], "handoff": handoff })
}

/// A session that overflows after its first answer.
pub(crate) fn overflowing() -> Value {
    session(&[tool(40_000, "true"), error("prompt_too_long")])
}

/// The answer that ends a run.
pub(crate) fn answer() -> Value {
    json!({ "text": DONE.trim_end(), "context": 41_000 })
}

/// An answer that calls the shell.
pub(crate) fn tool(context: u64, command: &str) -> Value {
    let tool = json!({ "name": "Bash", "input": { "command": command } });
    json!({ "text": "Working.", "context": context, "tools": [tool] })
}

/// A tool call that says by the file `reached` that it runs, and ends when there
/// is a file `go`.
pub(crate) fn waiting() -> Value {
    tool(41_000, "touch reached; until [ -e go ]; do sleep 0.05; done")
}

/// Whether a prompt asks for the handoff document.
pub(crate) fn is_request(prompt: &str) -> bool {
    prompt.starts_with("[ctxutils:write-the-handoff-document]")
}

/// A run's end by an API error.
pub(crate) fn error(kind: &str) -> Value {
    json!({ "error": kind })
}
