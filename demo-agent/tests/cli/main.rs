//! demo-agent at the command line.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what failed by panicking")]

mod arguments;
mod compaction;
mod errors;
mod handoff;
mod hooks;
mod room;
mod sessions;
mod shapes;
mod signals;
