//! The hook that keeps an agent session within its limit.
//!
//! An agent CLI calls it at its events with a payload on stdin; it measures the
//! session's transcript and answers in the CLI's own form, or not at all, which
//! lets the call through. What it does is told by the environment, which
//! `agent-run` sets for the runs that it drives:
//!
//! - `CTX_GUARD_STOP_AT=N|due`: the run ends, at a message boundary, once the
//!   session has reached so many tokens, or its handoff line.
//! - `CTX_GUARD_TURN=handoff`: this is the turn that writes the document. It runs
//!   above the line, so no limit holds, and every tool is denied.
//!
//! Both act on the main thread of one session, `CTX_GUARD_SESSION`; an empty id
//! is no session's. `CTX_GUARD=off` turns the guard off.
//!
//! Promises: it never decides against a call by mistake: whatever goes wrong
//! lets the call through. Refuses to be a security boundary; it is a guard rail.

mod decision;
mod rules;

pub use decision::{Decision, decide};
pub use rules::{Rule, Rules, Stop, StopAt};
