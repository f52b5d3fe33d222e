//! Points in time, UTC, and the names of runs.

use jiff::Timestamp;
use uuid::Uuid;

/// Now, as the ledger has it: `2026-11-30T20:07:04Z`.
pub(crate) fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Now, as file names have it: `20261130T200704Z`.
pub(crate) fn for_names() -> String {
    Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// A name for a run. Two that start in one second differ.
pub(crate) fn run_id() -> String {
    let random = Uuid::new_v4().simple().to_string();
    format!("{}-{}", for_names(), &random[..6])
}
