//! Any call of gen-rotate, cut short in every way: what must hold after is the
//! caller's to say.

use std::collections::BTreeSet;
use std::ffi::OsString;

use crate::errors::{ERRORS, FILE_CALLS, fits};
use crate::fixture::{Place, ensure, words};
use crate::model::{Disk, State, Step};
use crate::power::{lay_out, watch};
use crate::strace::{calls, in_parallel, inject};

/// A call on a HOME in a known state.
pub(crate) struct Sweep {
    pub(crate) before: Place,
    /// Its arguments.
    pub(crate) call: fn(&Place) -> Vec<OsString>,
    /// What must hold after it was cut short, and after the next runs.
    pub(crate) check: fn(&Place) -> Result<(), String>,
}

impl Sweep {
    /// SIGKILL before every system call.
    pub(crate) fn kills(&self) {
        let dry = self.before.again();
        let points = calls(&dry, &(self.call)(&dry));
        assert!(points.len() > 20, "only {} calls", points.len());
        let faults = in_parallel(&points, |point| {
            let place = self.before.again();
            inject(&place, &(self.call)(&place), point, "signal=KILL");
            (self.check)(&place).map_err(|fault| format!("killed at {point:?}: {fault}"))
        });
        assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), points.len());
    }

    /// Every file call fails once, in five ways.
    pub(crate) fn errors(&self) {
        let dry = self.before.again();
        let points: Vec<_> = calls(&dry, &(self.call)(&dry))
            .into_iter()
            .filter(|call| FILE_CALLS.contains(&call.name.as_str()))
            .flat_map(|call| ERRORS.map(|error| (call.clone(), error)))
            .filter(|(call, error)| fits(call, error))
            .collect();
        assert!(points.len() > 50, "only {} points", points.len());
        let faults = in_parallel(&points, |(call, error)| {
            let place = self.before.again();
            let fault = format!("error={error}");
            let output = inject(&place, &(self.call)(&place), call, &fault).unwrap();
            let said = words(&output);
            let clear = match output.status.code() {
                Some(0) => Ok(()),
                Some(66 | 73 | 74) => ensure(said.contains("gen-rotate: cannot "), || said.clone()),
                _ => Err(said),
            };
            clear
                .and_then(|()| (self.check)(&place))
                .map_err(|fault| format!("{error} at {call:?}: {fault}"))
        });
        assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), points.len());
    }

    /// A power cut anywhere, by the model. Returns what shows that a sync is
    /// needed.
    pub(crate) fn power_cuts(&self) -> Cuts<'_> {
        let place = self.before.again();
        let mut disk = Disk::of(&place.path(""));
        watch(&mut disk, &place, &(self.call)(&place));
        let cuts = Cuts { sweep: self, disk };
        let all: Vec<_> = cuts.states(None).into_iter().collect();
        assert!(all.len() > 5, "only {} states", all.len());
        let faults = in_parallel(&all, |state| cuts.try_one(state));
        assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), all.len());
        cuts
    }
}

/// Where the power may have been cut.
pub(crate) struct Cuts<'a> {
    sweep: &'a Sweep,
    disk: Disk,
}

impl Cuts<'_> {
    /// Without any one of the syncs of files that it wrote, some cut breaks a
    /// promise.
    pub(crate) fn need_every_sync_of_a_file(&self, count: usize) {
        let wrote = |at: usize, node: usize| {
            let mut before = self.disk.steps[..at].iter();
            before.any(|step| matches!(step, Step::Write { file, .. } if *file == node))
        };
        let syncs: Vec<_> = (0..self.disk.steps.len())
            .filter(|&at| matches!(self.disk.steps[at], Step::Sync { node } if wrote(at, node)))
            .collect();
        assert_eq!(syncs.len(), count);
        for sync in syncs {
            let mut torn = self.states(Some(sync)).into_iter();
            assert!(torn.any(|state| self.try_one(&state).is_err()), "step {sync} is not needed");
        }
    }

    fn states(&self, without: Option<usize>) -> BTreeSet<State> {
        (0..=self.disk.steps.len()).flat_map(|cut| self.disk.states(cut, without)).collect()
    }

    fn try_one(&self, state: &State) -> Result<(), String> {
        let place = self.sweep.before.again();
        lay_out(&place.path(""), state);
        (self.sweep.check)(&place)
    }
}
