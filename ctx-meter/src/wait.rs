//! Waiting until a session reaches a line, by polling: transcripts lie on all
//! kinds of file systems, and a look costs a millisecond.

use std::path::Path;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(200);

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The condition holds.
    Holds,
    /// The process that was watched ended first.
    ProcessEnded,
    /// The time is up.
    TimedOut,
}

/// Looks until `holds` says yes, the process ends, or the time is up.
///
/// # Errors
/// Whatever `holds` returns.
pub fn wait<E>(
    mut holds: impl FnMut() -> Result<bool, E>,
    process: Option<u32>,
    timeout: Option<Duration>,
) -> Result<Ended, E> {
    let started = Instant::now();
    loop {
        // Asked before the look: what the process wrote last still counts.
        let ended = process.is_some_and(|process| !is_running(process));
        if holds()? {
            return Ok(Ended::Holds);
        }
        if ended {
            return Ok(Ended::ProcessEnded);
        }
        let left = timeout.map(|timeout| timeout.saturating_sub(started.elapsed()));
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(Ended::TimedOut);
        }
        std::thread::sleep(left.map_or(PAUSE, |left| left.min(PAUSE)));
    }
}

/// Whether a process runs. One that has ended and was not yet waited for by its
/// parent, often the shell that called us, runs no more.
fn is_running(process: u32) -> bool {
    if let Ok(stat) =
        fs_err::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"))
    {
        // The name in brackets may hold anything; the state follows the last one.
        let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start().as_bytes().first());
        return !matches!(state, Some(Some(b'Z' | b'X')));
    }
    let Ok(process) = libc::pid_t::try_from(process) else { return false };
    // SAFETY: signal 0 is sent to nobody; only the answer is looked at.
    let sent = unsafe { libc::kill(process, 0) } == 0;
    sent || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn ends_for_each_reason() {
        let never = || Ok::<_, Infallible>(false);
        let soon = Some(Duration::from_millis(10));
        assert_eq!(wait(never, None, soon), Ok(Ended::TimedOut));
        assert_eq!(wait(|| Ok::<_, Infallible>(true), None, None), Ok(Ended::Holds));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        assert_eq!(wait(never, Some(child.id()), None), Ok(Ended::ProcessEnded));
        child.wait().unwrap();
        assert_eq!(wait(never, Some(std::process::id()), soon), Ok(Ended::TimedOut));
    }
}
