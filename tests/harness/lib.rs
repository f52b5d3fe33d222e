//! What the tests of whole chains share.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test that cannot go on says so by panicking"
)]

pub mod cli;
pub mod endpoint;
mod program;
mod require;
pub mod running;
pub mod table;
pub mod world;

use std::io::{self, Write};

pub use program::{program, programs};
pub use require::missing;

/// Says loudly that a test shows nothing here.
pub fn skipped(why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {why}");
}
