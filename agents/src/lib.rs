//! All that differs between agent CLIs, one folder per CLI.
//!
//! A CLI's session is opened as a [`Transcript`], which is recognised by its
//! content, and read through two interfaces: [`Transcript::newest_first`] for what
//! must be quick (hooks, meter; the cost does not depend on the file's size) and
//! [`Transcript::oldest_first`] for what must be complete (turns). Both yield
//! [`Fact`]s.
//!
//! [`driver`] gives the command lines with which a CLI is run headless, and what
//! it says meanwhile; [`Agent::hooks`] its way of speaking with hooks.
//!
//! Promises: damaged transcripts (torn, spliced, bad bytes, huge lines) are read
//! as far as they are sound; memory is bounded; no input panics. Refuses to
//! judge: this room knows nothing of limits, overflow or handoffs. A new CLI is
//! a new folder here, plus fixtures.

mod agent;
mod claude_code;
mod cline;
mod codex;
mod copilot;
mod demo;
mod document;
mod fact;
mod gemini;
mod hook;
mod kimi;
mod lines;
mod opencode;
mod own;
mod parts;
mod passed;
mod pi;
mod probe;
mod qwen;
mod run;
mod scalar;
mod source;
mod transcript;

pub use agent::{Agent, Session, all, driver, named, runnable};
pub use fact::{Answer, Compaction, ErrorText, Fact, Input, InputKind, Size, ToolCall};
pub use hook::{HookEvent, Hooks, Payload};
pub use probe::Probe;
pub use run::{Boundary, Driver, EndKind, Ended, Event, Hook, Invocation, Run, SessionChoice};
pub use source::Source;
pub use transcript::{Identity, OpenError, Transcript};

/// Receives facts and says whether to go on.
pub type See<'s> = &'s mut dyn FnMut(Fact<'_>) -> std::ops::ControlFlow<()>;
