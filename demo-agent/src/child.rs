//! Running a command to its end: a tool's or a hook's.
//!
//! Output goes to unnamed files rather than pipes, so a background process that
//! the command leaves behind with its output open holds nobody up.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::interrupt;

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its exit code; 128 and the signal's number where a signal ended it.
    pub(crate) code: i32,
    /// What it printed.
    pub(crate) stdout: String,
    /// What it complained of.
    pub(crate) stderr: String,
    /// It was killed because its time was up.
    pub(crate) timed_out: bool,
    /// How long it took.
    pub(crate) took: Duration,
}

/// Runs a command with `input` on its stdin, at most for `limit`. A signal to
/// the agent ends it early.
///
/// # Errors
/// The command cannot be started.
pub(crate) fn run(mut command: Command, input: &[u8], limit: Duration) -> io::Result<Ended> {
    let started = Instant::now();
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.process_group(0).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    // What runs because of a signal is not ended by it.
    let signalled = interrupt::came().is_some();
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        let input = input.to_vec();
        // Not joined: a command that never reads leaves it waiting, harmlessly.
        thread::spawn(move || pipe.write_all(&input));
    }
    let mut pause = Duration::from_micros(200);
    let mut timed_out = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        timed_out = started.elapsed() >= limit;
        if timed_out || (!signalled && interrupt::came().is_some()) {
            if let Ok(group) = i32::try_from(child.id()) {
                // SAFETY: kill takes numbers; the group is that of our own child,
                // which is not reaped yet.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            break child.wait()?;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    };
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Ok(Ended {
        code,
        stdout: text_of(&mut stdout)?,
        stderr: text_of(&mut stderr)?,
        timed_out,
        took: started.elapsed(),
    })
}

fn text_of(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
