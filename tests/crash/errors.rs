//! Every file call fails once, in each of the ways in which a disk fails.

use std::os::unix::process::ExitStatusExt;

use crate::fixture::{Place, ensure, words};
use crate::strace::{Call, calls, in_parallel, inject, is_usable};

const FILE_CALLS: [&str; 14] = [
    "flock",
    "fsync",
    "fstat",
    "getdents64",
    "linkat",
    "lseek",
    "mkdir",
    "newfstatat",
    "openat",
    "read",
    "rename",
    "statx",
    "unlink",
    "write",
];

const ERRORS: [&str; 5] = ["ENOSPC", "EIO", "EROFS", "EDQUOT", "EINTR"];

/// Errors that a call never returns tell nothing; EINTR and EIO fit all.
fn fits(call: &Call, error: &str) -> bool {
    let reads = matches!(
        call.name.as_str(),
        "flock" | "fstat" | "getdents64" | "lseek" | "newfstatat" | "read" | "statx"
    );
    !reads || matches!(error, "EIO" | "EINTR")
}

fn sweep(new: u32) {
    if !is_usable() {
        return;
    }
    let before = Place::new(new - 1);
    let dry = before.again();
    let is_file_call = |call: &Call| FILE_CALLS.contains(&call.name.as_str());
    let points: Vec<_> = calls(&dry, &dry.rotation(new))
        .into_iter()
        .filter(is_file_call)
        .flat_map(|call| ERRORS.map(|error| (call.clone(), error)))
        .filter(|(call, error)| fits(call, error))
        .collect();
    assert!(points.len() > 100, "only {} points", points.len());
    let faults = in_parallel(&points, |(call, error)| {
        let place = before.again();
        let fault = format!("error={error}");
        let Some(output) = inject(&place, &place.rotation(new), call, &fault) else {
            return Ok(());
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let clear = match output.status.code() {
            Some(0) => ensure(place.launched().is_some(), || "exit 0, nothing launched".to_owned()),
            Some(66 | 73 | 74) => {
                ensure(said.starts_with("gen-rotate: cannot "), || "no clear message".to_owned())
            }
            _ => Err(format!("signal {:?}", output.status.signal())),
        };
        clear
            .and_then(|()| place.check_reader(new))
            .and_then(|()| place.check_launched(new))
            .and_then(|()| place.check_next_runs(new))
            .map_err(|fault| format!("{error} at {call:?}: {fault} ({})", words(&output)))
    });
    assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), points.len());
}

#[test]
fn the_first_rotation_of_a_home_reports_every_error() {
    sweep(1);
}

#[test]
fn a_rotation_that_archives_reports_every_error() {
    sweep(2);
}
