//! ctx-meter at the command line.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by a panic")]

mod figures;
mod lookup;
mod modes;
mod place;
mod projection;
mod sessions;
mod windows;
