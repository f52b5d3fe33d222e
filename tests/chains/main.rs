//! The scripts, and through them all tools together, on the scripted agent.
//!
//! Every test has a folder of its own for home, state, temporary files and work.
//! After each run of a script its exit code and the whole of its stdout are
//! asserted, nothing of it may be left in the folder for temporary files, and no
//! process of it may live. What depends on the shell is shown under dash, bash
//! and busybox sh.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on says so by panicking"
)]

mod arguments;
mod call;
mod degraded;
mod demo;
mod failures;
mod generations;
mod interrupted;
mod names;
mod own;
mod place;
mod resumed;
mod scenario;
mod shell;
mod surroundings;
mod terminal;
