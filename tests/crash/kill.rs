//! kill -9 before every system call.

use crate::fixture::{LINKS, LINKS_AND_EXCLUSIVE, Lacks, NOTHING, Place};
use crate::strace::{Call, calls, decided, in_parallel, inject, is_usable};

/// Sweeps the rotation of document `new`, after `new - 1` others.
fn sweep(new: u32, lacks: Lacks) {
    if !is_usable() {
        return;
    }
    let mut before = Place::new(new - 1);
    before.lacks = lacks;
    let dry = before.again();
    let mut points = calls(&dry, &dry.rotation(new));
    for (call, error) in lacks {
        let refused = format!(" = -1 {error} ");
        let is_refused = |point: &Call| point.name == *call && point.line.contains(&refused);
        assert!(points.iter().any(is_refused), "{call} was not refused");
        // One call takes one fault.
        points.retain(|point| point.name != *call);
    }
    assert!(points.len() > 80, "only {} calls", points.len());
    let faults = in_parallel(&points, |point| {
        let place = before.again();
        inject(&place, &place.rotation(new), point, "signal=KILL");
        place
            .check_reader(new)
            .and_then(|()| place.check_launched(new))
            .and_then(|()| place.check_next_runs(new))
            .map_err(|fault| format!("killed at {point:?}: {fault}"))
    });
    assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), points.len());
}

#[test]
fn the_first_rotation_of_a_home_survives() {
    sweep(1, NOTHING);
}

#[test]
fn a_rotation_that_archives_survives() {
    sweep(2, NOTHING);
}

#[test]
fn a_rotation_that_copies_survives() {
    sweep(2, LINKS);
    sweep(2, LINKS_AND_EXCLUSIVE);
}

/// The run that clears up after a kill is killed as well.
#[test]
fn a_recovery_survives() {
    if !is_usable() {
        return;
    }
    let before = decided();
    let dry = before.again();
    let points = calls(&dry, &dry.resume());
    let faults = in_parallel(&points, |point| {
        let place = before.again();
        inject(&place, &place.resume(), point, "signal=KILL");
        place
            .check_reader(2)
            .and_then(|()| place.check_launched(2))
            .and_then(|()| place.check_next_runs(2))
            .map_err(|fault| format!("killed at {point:?}: {fault}"))
    });
    assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), points.len());
}
