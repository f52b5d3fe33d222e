//! What gen-rotate promises about crashes, shown at every system call.
//!
//! `kill` ends a rotation by SIGKILL before each of its system calls, `errors`
//! makes each of its file calls fail in five ways, `power` enumerates every state
//! in which a power cut may leave the disk, by a model in which only what was
//! synced is safe, and shows that each sync is needed; `power_cut` does it in
//! earnest. `history`, `prune` and `repair` cut those calls short in the same ways.
//! `limits` fills disks and lowers limits, `together` runs 64 rotators at once.
//! After each, a reader finds a whole document, and the next runs find nothing
//! lost, torn or left behind.
//!
//! Most need strace, and some root and loop devices. Where these are missing, they
//! print SKIPPED; with `CI` or `CTXUTILS_REQUIRE` set they fail.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on says so by panicking"
)]

mod errors;
mod fixture;
mod history;
mod kill;
mod limits;
mod model;
mod mount;
mod power;
mod power_cut;
mod prune;
mod repair;
mod strace;
mod sweep;
mod together;
