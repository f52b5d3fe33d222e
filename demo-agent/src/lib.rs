//! A scripted agent that writes real-format sessions.
//!
//! Promises: on the outside it is Claude Code 2.1.197 run headless. The command
//! line and its refusals, the transcript and its place, the events on stdout,
//! the hooks and what their answers do, the exit codes and the last line are
//! those observed in real runs, so that tools which start, resume, watch, guard
//! and succeed sessions work on it unchanged, with no key and no network. What
//! the "model" says comes from a scenario; the tools it calls really run.
//!
//! Refuses: to be clever. There is no permission system (every tool is allowed
//! unless a hook denies it), no interactive mode, no background task, no MCP.
//! A scenario with a key it does not know is an error, never ignored.

mod agent_type;
mod api_error;
mod arguments;
mod child;
mod compaction;
mod conversation;
mod ending;
mod handoff;
mod hook_answer;
mod hooks;
mod interrupt;
mod job;
mod model;
mod opening;
mod place;
mod prompt;
mod run;
mod scenario;
mod script;
mod session;
mod settings;
mod stream;
mod sub_agent;
mod tool_calls;
mod tools;
mod transcript;
mod turns;
mod usage;

pub use arguments::{Arguments, Refusal, parse};
pub use run::run;

/// The version of Claude Code that is spoken.
pub const VERSION: &str = "2.1.197";
