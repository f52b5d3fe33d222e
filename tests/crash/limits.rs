//! Disks that are full, and limits that are reached: nothing changes, and a message
//! says so; when there is room again, the work goes on.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use ctxutils_tests::program;

use crate::fixture::{Place, document, ensure, folder, words};
use crate::mount::{Mounted, may_mount};

/// Exit 0, or a message in the system's words and a code that goes with it.
fn is_told(output: &Output, reason: &str) -> Result<bool, String> {
    match output.status.code() {
        Some(0) => Ok(true),
        Some(73 | 74) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let clear = said.starts_with("gen-rotate: cannot ") && said.contains(reason);
            ensure(clear, || format!("no clear message: {said}")).map(|()| false)
        }
        _ => Err(words(output)),
    }
}

#[test]
fn a_full_disk_changes_nothing() {
    if !may_mount() {
        return;
    }
    let mut outcomes = [0, 0];
    for room in 0..12 {
        // HOME alone lies on the disk that is full.
        let point = folder();
        let mounted = Mounted::memory(point.path(), 32 * PAGE);
        let place = Place::at(point.path().join("home"), 1);
        let filler = point.path().join("filler");
        fill(&filler, room * PAGE);
        let output = place.command(&place.rotation(2)).output().unwrap();
        let checked = is_told(&output, "no space left on device").and_then(|published| {
            outcomes[usize::from(published)] += 1;
            place.check_reader(2)?;
            place.check_launched(2)?;
            fs_err::remove_file(&filler).map_err(|error| error.to_string())?;
            place.check_next_runs(2)
        });
        assert_eq!(checked, Ok(()), "with room for {room} pages");
        mounted.unmount();
    }
    assert!(outcomes[0] > 1 && outcomes[1] > 1, "no full disk, or none with room: {outcomes:?}");
}

const PAGE: u64 = 4096;

/// Writes until nothing more fits, then leaves so many bytes free.
fn fill(path: &Path, room: u64) {
    let mut file = fs_err::File::create(path).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    let length = file.metadata().unwrap().len();
    file.set_len(length.saturating_sub(room)).unwrap();
}

/// The signal that comes with the limit would kill in the middle of a file.
#[test]
fn a_limit_on_the_size_of_files_changes_nothing() {
    let mut outcomes = [0, 0];
    for limit in [0, 1, 100, 500, 1000, 1500, 2000, 3000, 5000, 100_000] {
        let place = Place::new(1);
        let mut command = place.command(&place.rotation(2));
        let limit = libc::rlimit { rlim_cur: limit, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: the closure makes one system call on a copy of its own.
        unsafe {
            command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            });
        }
        let output = command.output().unwrap();
        let checked = is_told(&output, "file too large").and_then(|published| {
            outcomes[usize::from(published)] += 1;
            place.check_reader(2)?;
            place.check_launched(2)?;
            place.check_next_runs(2)
        });
        assert_eq!(checked, Ok(()), "{limit:?}: {}", words(&output));
    }
    assert!(outcomes[0] > 1 && outcomes[1] > 1, "{outcomes:?}");
}

/// Whatever is opened first must not become what somebody writes messages to.
#[test]
fn closed_streams_neither_spoil_a_file_nor_stop_the_work() {
    for closed in ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"] {
        let place = Place::new(1);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("\"$@\" {closed}"), "sh"]).arg(program("gen-rotate"));
        shell.args(place.rotation(2));
        place.isolate(&mut shell);
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{closed}: {}", words(&output));
        assert_eq!(place.current(), Some(document(2)), "{closed}");
        assert_eq!(place.check_next_runs(2), Ok(()), "{closed}");
    }
}
