//! One run of an agent CLI: start or resume a session, watch it, say what it
//! came to.
//!
//! Promises: the verdict rests on what the CLI says and what its error means,
//! never on an exit code alone (blocked prompts exit 0, recovered runs exit 1);
//! the CLI's own compaction is off unless asked for; a resume names the model
//! again and runs in the session's folder, and never joins one that runs; the turn
//! that writes a handoff document has no budget and may change nothing; signals reach the
//! agent, and what it came to is told all the same.
//!
//! Refuses: permissions of its own. What the agent may do is the caller's to say,
//! in the agent's own arguments.

mod claim;
mod finish;
mod guard;
mod heard;
mod listener;
mod memory;
mod order;
mod outcome;
mod outside;
mod run;
mod scratch;
mod transcripts;
mod verdict;
mod view;
mod watch;

pub use listener::Listener;
pub use order::{Order, StopAt, Turn};
pub use outcome::Outcome;
pub use run::{Report, check, run};
pub use verdict::{Judged, Verdict, verdict};
pub use view::View;
