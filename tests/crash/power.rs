//! Power cuts: every state in which the model leaves the disk is laid out and
//! given to the next run: of the first rotation of a HOME, and of one that
//! archives. Then the same without one sync after the other: some state must break
//! a promise, or that sync is not needed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::fixture::{LINKS, Place, ensure};
use crate::model::{Disk, Found, State, Step};
use crate::strace::{self, decided, in_parallel, is_usable};

/// A state, and how far the run had come that left it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cut {
    state: State,
    launched: bool,
    ended: bool,
}

/// One rotation within all that was done to the disk.
struct Phase {
    new: u32,
    from: usize,
    to: usize,
}

#[test]
fn two_rotations_survive_power_cuts_and_need_every_sync() {
    if !is_usable() {
        return;
    }
    let before = Place::new(0);
    let place = before.again();
    let mut disk = Disk::of(&place.path(""));
    let phases = [1, 2].map(|new| phase(&mut disk, &place, new, &place.rotation(new)));
    let fine = survives(&before, &disk, &phases);
    needs_every_sync(&before, &disk, &phases, &fine);
}

/// Where the file system has no hard links, the archive gets a copy.
#[test]
fn a_rotation_that_copies_survives_power_cuts_and_needs_every_sync() {
    if !is_usable() {
        return;
    }
    let before = Place::new(0);
    let mut place = before.again();
    place.lacks = LINKS;
    let mut disk = Disk::of(&place.path(""));
    let phases = [1, 2].map(|new| phase(&mut disk, &place, new, &place.rotation(new)));
    let fine = survives(&before, &disk, &phases);
    needs_every_sync(&before, &disk, &phases, &fine);
}

/// A cut, and another while the next run clears up after the first.
#[test]
fn a_recovery_survives_power_cuts() {
    if !is_usable() {
        return;
    }
    let before = decided();
    let place = before.again();
    let mut disk = Disk::of(&place.path(""));
    let phase = phase(&mut disk, &place, 2, &place.resume());
    survives(&before, &disk, &[phase]);
}

/// Checks every state; returns them all, by phase.
fn survives(before: &Place, disk: &Disk, phases: &[Phase]) -> Vec<BTreeSet<Cut>> {
    let mut fine = Vec::new();
    for phase in phases {
        let cuts = cuts(disk, phase, None);
        assert!(cuts.len() > 15, "only {} states", cuts.len());
        let all: Vec<_> = cuts.iter().collect();
        let faults = in_parallel(&all, |cut| check(before, cut, phase.new));
        assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), cuts.len());
        fine.push(cuts);
    }
    fine
}

fn needs_every_sync(before: &Place, disk: &Disk, phases: &[Phase], fine: &[BTreeSet<Cut>]) {
    let syncs: Vec<_> = phases.iter().flat_map(|phase| syncs_of(disk, phase)).collect();
    assert!(syncs.len() > 20, "only {} syncs", syncs.len());
    let unneeded = in_parallel(&syncs, |&sync| {
        let caught = phases.iter().zip(fine).any(|(phase, fine)| {
            let mut cuts = cuts(disk, phase, Some(sync)).into_iter();
            cuts.any(|cut| !fine.contains(&cut) && check(before, &cut, phase.new).is_err())
        });
        ensure(caught, || format!("{:?}, step {sync}, is not needed", disk.steps[sync]))
    });
    assert!(unneeded.is_empty(), "{unneeded:#?}");
}

/// The syncs without which a promise would break. After the launch, the notes of
/// the successor's life and end follow each other, and only the last must last.
fn syncs_of(disk: &Disk, phase: &Phase) -> Vec<usize> {
    let launch = launch_of(disk, phase);
    let wrote = |node, sync: usize| {
        let mut before = disk.steps[..sync].iter();
        before.any(|step| matches!(step, Step::Write { file, .. } if *file == node))
    };
    let is_needed = |&sync: &usize| match disk.steps[sync] {
        Step::Sync { node } => sync < launch || sync == phase.to - 1 || wrote(node, sync),
        _ => false,
    };
    (phase.from..phase.to).filter(is_needed).collect()
}

fn launch_of(disk: &Disk, phase: &Phase) -> usize {
    let steps = disk.steps[phase.from..phase.to].iter();
    phase.from + steps.take_while(|step| !matches!(step, Step::Launch)).count()
}

fn cuts(disk: &Disk, phase: &Phase, without: Option<usize>) -> BTreeSet<Cut> {
    let launch = launch_of(disk, phase);
    let mut cuts = BTreeSet::new();
    for cut in phase.from..=phase.to {
        let (launched, ended) = (cut > launch, cut == phase.to);
        let states = disk.states(cut, without).into_iter();
        cuts.extend(states.map(|state| Cut { state, launched, ended }));
    }
    cuts
}

/// Lays the state out and holds it against every promise.
fn check(before: &Place, cut: &Cut, new: u32) -> Result<(), String> {
    let place = before.again();
    lay_out(&place.path(""), &cut.state);
    place.check_reader(new)?;
    if cut.launched {
        place.check_ledger(new, cut.ended)?;
    }
    place.check_next_runs(new)
}

pub(crate) fn lay_out(root: &Path, state: &State) {
    let home = root.join("home");
    if home.try_exists().unwrap() {
        fs_err::remove_dir_all(&home).unwrap();
    }
    let mut laid: BTreeMap<usize, PathBuf> = BTreeMap::new();
    for (path, found) in state.iter().filter(|(path, _)| path.starts_with("home")) {
        let path = root.join(path);
        match found {
            Found::Folder => fs_err::create_dir(&path).unwrap(),
            Found::File(id, content) => match laid.get(id) {
                Some(first) => fs_err::hard_link(first, &path).unwrap(),
                None => {
                    fs_err::write(&path, content).unwrap();
                    laid.insert(*id, path);
                }
            },
        }
    }
}

/// Runs the rotation of document `new`, and where it begins and ends.
fn phase(disk: &mut Disk, place: &Place, new: u32, arguments: &[OsString]) -> Phase {
    let from = disk.steps.len();
    watch(disk, place, arguments);
    Phase { new, from, to: disk.steps.len() }
}

/// Runs gen-rotate under strace and notes what its main thread does to the disk.
pub(crate) fn watch(disk: &mut Disk, place: &Place, arguments: &[OsString]) {
    let log = place.path("strace.log");
    let options = ["-y", "-xx", "-s", "1000000", "-e", TRACED];
    let output = strace::run(place, arguments, &log, &options);
    assert!(output.status.success(), "{output:?}");
    for line in fs_err::read_to_string(log).unwrap().lines() {
        note(disk, line);
    }
}

const TRACED: &str =
    "trace=openat,write,fsync,fdatasync,rename,renameat2,linkat,unlink,mkdir,clone,vfork";

fn note(disk: &mut Disk, line: &str) {
    let Some((name, rest)) = line.split_once('(') else { return };
    let (rest, result) = rest.rsplit_once(" = ").unwrap();
    if result.starts_with(['-', '?']) {
        return;
    }
    let words: Vec<PathBuf> = rest
        .split('"')
        .skip(1)
        .step_by(2)
        .map(|word| OsString::from_vec(bytes(word)).into())
        .collect();
    // What an open descriptor stands for: `5<\x2f\x74...>`.
    let open = rest.split_once('<').and_then(|(_, path)| path.split_once('>'));
    let open = open.map(|(path, _)| PathBuf::from(OsString::from_vec(bytes(path))));
    match name {
        "openat" if rest.contains("O_CREAT") => disk.make(&words[0], false),
        "mkdir" => disk.make(&words[0], true),
        "write" => {
            let content = rest.split('"').nth(1).unwrap();
            disk.write(&open.unwrap(), &bytes(content));
        }
        "fsync" => disk.sync(&open.unwrap()),
        "rename" | "renameat2" => disk.rename(&words[0], &words[1]),
        "linkat" => disk.link(&words[0], &words[1]),
        "unlink" => disk.unlink(&words[0]),
        "clone" | "vfork" if rest.contains("SIGCHLD") || name == "vfork" => {
            disk.steps.push(Step::Launch);
        }
        "fdatasync" => panic!("{name} is not modelled"),
        _ => {}
    }
}

/// `\x2f\x74` as bytes; other characters stand for themselves.
fn bytes(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (code, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(code, 16).unwrap());
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}
