//! strace: the calls a rotation makes, and a fault at one of them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use ctxutils_tests::missing;

use crate::fixture::Place;

/// One call of the dry run: the `count`-th of this name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) count: usize,
    pub(crate) line: String,
    /// It comes after the launch, where threads race and not every run makes the
    /// same calls.
    pub(crate) is_late: bool,
}

/// Whether strace is there and may trace. Says loudly if not, and fails where
/// the tests are required.
pub(crate) fn is_usable() -> bool {
    let tried = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if tried.is_ok_and(|status| status.success()) {
        return true;
    }
    missing("strace, allowed to trace (apt-get install strace); crash safety is NOT shown");
    false
}

/// The main thread's calls of a run, in order, from the first that touches the
/// HOME on. Those of the loader before it can neither lose nor leave anything.
pub(crate) fn calls(place: &Place, arguments: &[OsString]) -> Vec<Call> {
    let log = place.path("strace.log");
    let output = run(place, arguments, &log, &["-s", "4096"]);
    assert!(output.status.success(), "the dry run fails: {output:?}");
    let log = fs_err::read(log).unwrap();
    let mut counts = HashMap::new();
    let mut calls = Vec::new();
    let home = place.home().to_string_lossy().into_owned();
    let (mut begun, mut is_late) = (false, false);
    for line in String::from_utf8_lossy(&log).lines() {
        let Some((name, rest)) = line.split_once('(') else { continue };
        let count = counts.entry(name.to_owned()).or_insert(0);
        *count += 1;
        begun |= rest.contains(&home) && name != "execve";
        if begun {
            let line = line.chars().take(400).collect();
            let (name, count) = (name.to_owned(), *count);
            calls.push(Call { name, count, line, is_late });
        }
        is_late |= name.starts_with("clone") && rest.contains("SIGCHLD");
    }
    calls
}

/// Runs gen-rotate under strace with these options of strace's.
pub(crate) fn run(place: &Place, arguments: &[OsString], log: &Path, options: &[&str]) -> Output {
    let mut command = Command::new("strace");
    command.arg("-qq").args(options);
    for (call, error) in place.lacks {
        command.arg("-e").arg(format!("inject={call}:error={error}"));
    }
    if let Some(lost) = &place.lost_syncs {
        command.arg("-e").arg(format!("inject=fsync:retval=0:when={lost}"));
    }
    command.arg("-o").arg(log).arg(place.tool()).args(arguments);
    place.isolate(&mut command);
    command.output().unwrap()
}

/// Runs gen-rotate with a fault at one call of its main thread. What is not
/// traced is not tampered with, so it is made sure that the fault took place.
/// `None`: this run made no such call after its launch.
pub(crate) fn inject(
    place: &Place,
    arguments: &[OsString],
    call: &Call,
    fault: &str,
) -> Option<Output> {
    let expression = format!("inject={}:{fault}:when={}", call.name, call.count);
    let log = place.path("strace.log");
    let lacking: String = place.lacks.iter().map(|(call, _)| format!("{call},")).collect();
    let traced = format!("trace={lacking}fsync,{}", call.name);
    let output = run(place, arguments, &log, &["-e", &traced, "-e", &expression]);
    let log = fs_err::read(log).unwrap();
    let took_place = output.status.signal() == Some(9) || {
        let mut lines = log.split(|&byte| byte == b'\n');
        let named = |line: &[u8]| line.starts_with(format!("{}(", call.name).as_bytes());
        lines.any(|line| named(line) && line.ends_with(b"(INJECTED)"))
    };
    assert!(took_place || call.is_late, "{fault} at {call:?} did not take place: {output:?}");
    took_place.then_some(output)
}

/// Tries every case on two threads; the faults found, in the words of `try_one`.
pub(crate) fn in_parallel<T: Sync>(
    cases: &[T],
    try_one: impl Fn(&T) -> Result<(), String> + Sync,
) -> Vec<String> {
    let half = cases.len().div_ceil(2).max(1);
    let try_one = &try_one;
    std::thread::scope(|scope| {
        let workers: Vec<_> = cases
            .chunks(half)
            .map(|chunk| {
                scope.spawn(move || {
                    chunk.iter().filter_map(|case| try_one(case).err()).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// A place where a rotation was killed once it was decided, and nothing moved.
pub(crate) fn decided() -> Place {
    let place = Place::new(1);
    let dry = place.again();
    let all = calls(&dry, &dry.rotation(2));
    let archives = all.iter().find(|call| call.name == "linkat").expect("nothing is archived");
    inject(&place, &place.rotation(2), archives, "signal=KILL");
    place
}
