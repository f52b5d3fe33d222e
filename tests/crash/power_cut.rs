//! Power cuts on a real ext4: a rotation is killed, and at once the file system
//! loses all that it has not brought to its disk. The model in `power` knows more
//! states; here a kernel says what is left.

use crate::fixture::{Place, ensure};
use crate::mount::Image;
use crate::strace::{self, Call, calls, in_parallel, inject, is_usable};

const DEFAULT: &str = "defaults";
/// Without these ext4 writes a file out before it renames it, or speaks of it in
/// the journal, and so makes up for syncs that nobody made.
const FORGETFUL: &str = "noauto_da_alloc,data=writeback";

/// So many cuts, of some two hundred calls.
const CUTS: usize = 50;

/// One rotation on an ext4, cut off again and again.
struct Rotation {
    new: u32,
    options: &'static str,
    /// As it is before.
    disk: Image,
    /// From the first call on that may change anything.
    points: Vec<Call>,
}

impl Rotation {
    /// The rotation of document `new`, after `new - 1` others. `None` where it
    /// cannot be cut off.
    fn new(new: u32, options: &'static str) -> Option<Rotation> {
        let disk = is_usable().then(Image::new).flatten()?;
        let mounted = disk.mount(options);
        drop(Place::at(disk.root().join("home"), new - 1));
        mounted.unmount();
        let dry = disk.again();
        let mounted = dry.mount(options);
        let place = Place::at(dry.root().join("home"), 0);
        let changes = |call: &Call| call.name == "mkdir" || call.line.contains("O_CREAT");
        let all = calls(&place, &place.rotation(new));
        let points: Vec<_> = all.into_iter().skip_while(|call| !changes(call)).collect();
        mounted.unmount();
        assert!(points.len() > 2 * CUTS, "only {} calls", points.len());
        Some(Rotation { new, options, disk, points })
    }

    /// Cuts it off before the call, or after its end, with the syncs lost that
    /// strace counts as `lost`; then holds what is left against every promise.
    fn cut(&self, point: Option<&Call>, lost: Option<&str>) -> Result<(), String> {
        let disk = self.disk.again();
        let mounted = disk.mount(self.options);
        let mut place = Place::at(disk.root().join("home"), 0);
        place.lost_syncs = lost.map(str::to_owned);
        let arguments = place.rotation(self.new);
        // After its launch a run may not come to the call at all.
        let killed = match point {
            Some(point) => inject(&place, &arguments, point, "signal=KILL").is_some(),
            None => {
                let output = strace::run(&place, &arguments, &place.path("strace.log"), &[]);
                assert!(output.status.success(), "{output:?}");
                false
            }
        };
        mounted.cut();
        let mounted = disk.mount(self.options);
        let outcome = place
            .check_reader(self.new)
            .and_then(|()| place.check_launched(self.new))
            .and_then(|()| match place.launched() {
                Some(_) => place.check_ledger(self.new, !killed),
                None => ensure(killed, || "it ended, and nothing was launched".to_owned()),
            })
            .and_then(|()| place.check_next_runs(self.new));
        mounted.unmount();
        outcome
    }

    fn survives(&self) {
        let mut cuts: Vec<Option<&Call>> =
            (0..CUTS).map(|cut| self.points.get(cut * self.points.len() / CUTS)).collect();
        cuts.push(None);
        let faults = in_parallel(&cuts, |&point| {
            let cut = self.cut(point, None);
            cut.map_err(|fault| format!("{}, cut before {point:?}: {fault}", self.options))
        });
        assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), cuts.len());
    }

    /// The syncs of files before the launch, and the calls after each.
    fn file_syncs(&self) -> Vec<(&Call, &[Call])> {
        let pairs = self.points.windows(2).enumerate();
        let syncs = pairs.filter(|(_, pair)| pair[0].name == "write" && pair[1].name == "fsync");
        let early = syncs.filter(|(_, pair)| !pair[1].is_late);
        early.map(|(at, _)| (&self.points[at + 1], &self.points[at + 2..])).collect()
    }
}

#[test]
fn the_first_rotation_of_a_home_survives_real_power_cuts() {
    for options in [DEFAULT, FORGETFUL] {
        let Some(rotation) = Rotation::new(1, options) else { return };
        rotation.survives();
    }
}

#[test]
fn a_rotation_that_archives_survives_real_power_cuts() {
    for options in [DEFAULT, FORGETFUL] {
        let Some(rotation) = Rotation::new(2, options) else { return };
        rotation.survives();
    }
}

/// The same cuts tell a rotation that does not sync: none of it lasts, or a file
/// has its name and not its content.
#[test]
fn a_real_power_cut_shows_each_sync_of_a_file_that_is_not_made() {
    for options in [DEFAULT, FORGETFUL] {
        let Some(rotation) = Rotation::new(2, options) else { return };
        assert!(rotation.cut(None, Some("1+")).is_err(), "{options}: no sync is needed");
    }
    let Some(rotation) = Rotation::new(2, FORGETFUL) else { return };
    let syncs = rotation.file_syncs();
    assert!(syncs.len() > 3, "only {} syncs", syncs.len());
    let unneeded = in_parallel(&syncs, |(sync, after)| {
        let lost = sync.count.to_string();
        // One call takes one fault.
        let mut points = after.iter().filter(|point| point.name != "fsync");
        let caught = points.any(|point| rotation.cut(Some(point), Some(&lost)).is_err());
        ensure(caught, || format!("{sync:?} is not needed"))
    });
    assert!(unneeded.is_empty(), "{unneeded:#?}");
}
