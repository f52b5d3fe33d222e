//! Disks that are full, and limits that are reached: nothing changes, and a message
//! says so; when there is room again, the work goes on.

use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};

use ctxutils_tests::program;

use crate::fixture::{Place, STEP, document, ensure, words};
use crate::mount::Mount;

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
    let Some(mount) = Mount::tmpfs("128k") else { return };
    let mut outcomes = [0, 0];
    for room in 0..12 {
        let place = Place::new(1);
        // HOME alone lies on the disk that is full.
        let disk = mount.folder();
        let home = disk.path().join("home");
        let moved = Command::new("cp").arg("-R").args([place.home(), home.clone()]).status();
        assert!(moved.unwrap().success());
        fs_err::remove_dir_all(place.home()).unwrap();
        std::os::unix::fs::symlink(&home, place.home()).unwrap();
        let filler = disk.path().join("filler");
        fill(&filler, room * 4096);
        let output = place.command(&place.rotation(2)).output().unwrap();
        let checked = is_told(&output, "no space left on device").and_then(|published| {
            outcomes[usize::from(published)] += 1;
            place.check_reader(2)?;
            place.check_launched(2)?;
            fs_err::remove_file(&filler).map_err(|error| error.to_string())?;
            place.check_next_runs(2)
        });
        assert_eq!(checked, Ok(()), "with room for {room} pages");
    }
    assert!(outcomes[0] > 1 && outcomes[1] > 1, "no full disk, or none with room: {outcomes:?}");
}

/// Writes until nothing more fits, then leaves so many bytes free.
fn fill(path: &std::path::Path, room: u64) {
    let mut file = fs_err::File::create(path).unwrap();
    while std::io::Write::write(&mut file, &[0; 4096]).is_ok() {}
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
        let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
        // SAFETY: the closure makes one system call on a copy of its own.
        unsafe {
            command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            });
        }
        // The successor has the limit too, and may die of it.
        let output = command.output().unwrap();
        let of_successor = String::from_utf8_lossy(&output.stderr).contains("successor 'sh'")
            || output.status.code() == Some(0);
        let checked = match of_successor {
            true => Ok(true),
            false => is_told(&output, "file too large"),
        };
        let checked = checked.and_then(|published| {
            outcomes[usize::from(published)] += 1;
            place.check_reader(2)
        });
        fs_err::write(place.path("launched"), "").unwrap();
        let checked = checked.and_then(|()| place.check_next_runs(2));
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

/// It keeps every stream and descriptor that the successor had, and ends with
/// nothing less than SIGKILL.
#[test]
fn a_daemon_of_the_successor_keeps_no_lock() {
    let place = Place::new(1);
    let script = "setsid sh -c 'trap \"\" HUP INT TERM; echo $$ >pid; exec sleep 300' &
                  while [ ! -s pid ]; do sleep 0.02; done; echo done";
    let rotate = |document: &str, script: &str| {
        let arguments = ["--step", STEP, "--home", "home", "--lock-timeout", "0", document];
        let mut arguments: Vec<_> = arguments.map(std::ffi::OsString::from).into();
        arguments.extend(["--", "sh", "-c", script].map(std::ffi::OsString::from));
        place.command(&arguments).stdout(Stdio::piped()).output().unwrap()
    };
    let output = rotate("2.md", script);
    let pid: i32 = fs_err::read_to_string(place.path("pid")).unwrap().trim().parse().unwrap();
    // SAFETY: no memory is involved; the process is the one that the test left.
    let lives = |signal| unsafe { libc::kill(pid, signal) } == 0;
    let next = rotate("3.md", "exit 0");
    assert!(lives(0), "the daemon ended early");
    assert!(lives(libc::SIGKILL));
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]));
    assert!(next.status.success(), "{}", words(&next));
}
