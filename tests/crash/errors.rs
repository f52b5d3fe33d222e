//! Every file call fails once, in each of the ways in which a disk fails.

use std::os::unix::process::ExitStatusExt;

use crate::fixture::{LINKS_AND_EXCLUSIVE, Lacks, NOTHING, Place, ensure, words};
use crate::strace::{self, Call, calls, in_parallel, inject, is_usable};

pub(crate) const FILE_CALLS: [&str; 17] = [
    "chmod",
    "flock",
    "fsync",
    "fstat",
    "getdents64",
    "getxattr",
    "linkat",
    "lseek",
    "mkdir",
    "newfstatat",
    "openat",
    "read",
    "rename",
    "renameat2",
    "statx",
    "unlink",
    "write",
];

pub(crate) const ERRORS: [&str; 5] = ["ENOSPC", "EIO", "EROFS", "EDQUOT", "EINTR"];

/// Errors that a call never returns tell nothing; EINTR and EIO fit all.
pub(crate) fn fits(call: &Call, error: &str) -> bool {
    let reads = matches!(
        call.name.as_str(),
        "flock" | "fstat" | "getdents64" | "getxattr" | "lseek" | "newfstatat" | "read" | "statx"
    );
    !reads || matches!(error, "EIO" | "EINTR")
}

/// Sweeps the rotation of document `new`, after `new - 1` others.
fn sweep(new: u32, lacks: Lacks) {
    if !is_usable() {
        return;
    }
    let mut before = Place::new(new - 1);
    before.lacks = lacks;
    let dry = before.again();
    // One call takes one fault.
    let is_file_call = |call: &Call| {
        let is_lacking = lacks.iter().any(|(lacking, _)| *lacking == call.name);
        FILE_CALLS.contains(&call.name.as_str()) && !is_lacking
    };
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
    sweep(1, NOTHING);
}

#[test]
fn a_rotation_that_archives_reports_every_error() {
    sweep(2, NOTHING);
}

#[test]
fn a_rotation_that_copies_reports_every_error() {
    sweep(2, LINKS_AND_EXCLUSIVE);
}

/// However the file system says that it has none.
#[test]
fn an_archive_without_links_gets_copies() {
    const WAYS: [Lacks; 6] = [
        &[("linkat", "EPERM")],
        &[("linkat", "EOPNOTSUPP")],
        &[("linkat", "ENOSYS")],
        &[("linkat", "EMLINK")],
        &[("linkat", "EXDEV"), ("renameat2", "ENOSYS")],
        &[("linkat", "EXDEV"), ("renameat2", "EINVAL")],
    ];
    if !is_usable() {
        return;
    }
    for lacks in WAYS {
        let mut place = Place::new(1);
        place.lacks = lacks;
        let log = place.path("strace.log");
        let output = strace::run(&place, &place.rotation(2), &log, &[]);
        assert!(output.status.success(), "{lacks:?}: {}", words(&output));
        assert_eq!(place.check_next_runs(2), Ok(()), "{lacks:?}");
    }
}

/// A shared folder may be mounted without its lock service.
#[test]
fn a_file_system_without_locks_is_named() {
    if !is_usable() {
        return;
    }
    for (error, words) in [
        ("ENOLCK", "no locks available"),
        ("EOPNOTSUPP", "operation not supported"),
        ("ENOSYS", "function not implemented"),
    ] {
        let place = Place::new(0);
        let log = place.path("strace.log");
        let fault = format!("inject=flock:error={error}");
        let output = strace::run(&place, &place.rotation(1), &log, &["-e", &fault]);
        let said = String::from_utf8_lossy(&output.stderr);
        let lock = place.home().join("runs/.lock");
        let message = format!("gen-rotate: cannot write '{}': {words}\n", lock.display());
        assert!(said.starts_with(&message), "{said}");
        assert!(said.contains("HOME must lie on a file system with locks"), "{said}");
        assert_eq!(output.status.code(), Some(74));
        assert!(place.current().is_none());
    }
}
