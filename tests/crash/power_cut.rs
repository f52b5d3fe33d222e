//! Power cuts in earnest: a rotation on an ext4 is killed before a system call, the
//! file system is shut down with its log unwritten, mounted again, and looked at.
//!
//! ext4 orders much of what the model leaves open, so this shows less about syncs
//! than the model does; it shows that the model did not miss what a disk does.

use std::collections::BTreeMap;
use std::os::fd::AsRawFd;
use std::process::Output;

use crate::fixture::{Place, ensure};
use crate::mount::Mount;
use crate::power::check_ledger;
use crate::strace::{self, Call, calls, is_usable};

/// With every option that ext4 uses to hide a missing sync switched off.
const CARELESS: &str = "noauto_da_alloc,data=writeback";

/// `EXT4_IOC_SHUTDOWN` with `EXT4_GOING_FLAGS_NOLOGFLUSH`: what is not on the disk
/// by now never will be.
fn cut(mount: &Mount) {
    const SHUTDOWN: libc::Ioctl = 0x8004_587d;
    let without_log: u32 = 2;
    let root = fs_err::File::open(mount.point()).unwrap();
    // SAFETY: the call reads one integer, which lives through it.
    let done = unsafe { libc::ioctl(root.as_raw_fd(), SHUTDOWN, &raw const without_log) };
    assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
}

/// All that was done so far is on the disk.
fn settle(mount: &Mount) {
    let root = fs_err::File::open(mount.point()).unwrap();
    // SAFETY: no memory is involved.
    assert_eq!(unsafe { libc::syncfs(root.as_raw_fd()) }, 0);
}

/// The rotation of document `new`, cut at points all over it. Returns the faults.
fn sweep(new: u32, options: &str, without_syncs: bool) -> Option<(usize, BTreeMap<usize, String>)> {
    if !is_usable() {
        return None;
    }
    let mount = Mount::ext4(options)?;
    let before = Place::new(new - 1);
    let dry = before.again_in(mount.folder());
    let all = calls(&dry, &dry.rotation(new));
    let usable = all.iter().filter(|call| !without_syncs || call.name != "fsync");
    let points: Vec<&Call> = usable.collect();
    let step = points.len().div_ceil(50).max(1);
    let mut faults = BTreeMap::new();
    let mut count = 0;
    for (index, point) in points.iter().enumerate().step_by(step) {
        let place = before.again_in(mount.folder());
        settle(&mount);
        let launched = kill(&place, new, point, without_syncs);
        cut(&mount);
        mount.remount();
        if let Err(fault) = check(&place, new, launched) {
            faults.insert(index, format!("cut at {point:?}: {fault}"));
        }
        count += 1;
    }
    assert!(count > 30, "only {count} cuts");
    Some((count, faults))
}

/// Whether a successor was launched before the kill.
fn kill(place: &Place, new: u32, point: &Call, without_syncs: bool) -> bool {
    let fault = format!("inject={}:signal=KILL:when={}", point.name, point.count);
    let mut options = vec!["-e", &fault];
    if without_syncs {
        options.extend(["-e", "inject=fsync:retval=0"]);
    }
    // Outside, since the log would be cut too.
    let log = tempfile::NamedTempFile::new().unwrap();
    let _: Output = strace::run(place, &place.rotation(new), log.path(), &options);
    let launched = place.launched().is_some();
    // A successor that is still being written about is not waited for.
    launched && point.is_late
}

fn check(place: &Place, new: u32, launched: bool) -> Result<(), String> {
    fs_err::write(place.path("launched"), "").unwrap();
    place.check_reader(new)?;
    if launched {
        check_ledger(place, new, false)?;
    }
    place.check_next_runs(new)
}

fn survives(new: u32, options: &str) {
    let Some((count, faults)) = sweep(new, options, false) else { return };
    assert!(faults.is_empty(), "{} of {count}: {faults:#?}", faults.len());
}

#[test]
fn the_first_rotation_of_a_home_survives() {
    survives(1, "defaults");
}

#[test]
fn a_rotation_that_archives_survives() {
    survives(2, "defaults");
}

#[test]
fn a_rotation_survives_on_a_careless_file_system() {
    survives(2, CARELESS);
}

/// Were the syncs not made, the cut would tell.
#[test]
fn a_rotation_that_syncs_nothing_does_not_survive() {
    let Some((count, faults)) = sweep(2, CARELESS, true) else { return };
    let told = faults.values().any(|fault| fault.contains("ledger") || fault.contains("launched"));
    let ensured = ensure(told, || format!("{} of {count}: {faults:#?}", faults.len()));
    assert_eq!(ensured, Ok(()));
}
