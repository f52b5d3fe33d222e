//! Runs a successor to its end: passes its words and our signals on, ends one
//! from which nothing comes.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use processes::{Caught, Signals};

use crate::pump::Pump;

/// What to run.
pub(crate) struct Charge<'a> {
    pub(crate) program: &'a Path,
    pub(crate) name: &'a str,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) input: Input,
    /// After so long without a byte from it, it is ended.
    pub(crate) start_timeout: Option<Duration>,
    /// A file whose growth is a sign of life as well.
    pub(crate) transcript: Option<PathBuf>,
}

/// What it finds on its stdin.
pub(crate) enum Input {
    /// Nothing.
    Nothing,
    /// A file, which lasts even if we do not.
    File(fs_err::File),
    /// Bytes that lie in no file.
    Bytes(Vec<u8>),
}

/// How it ended.
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    /// Whether it ever gave a sign of life.
    pub(crate) lived: bool,
    /// Whether it was ended because it gave none.
    pub(crate) timed_out: bool,
    /// Words of it that could not be passed on.
    pub(crate) lost: Option<io::Error>,
    /// A signal that comes late must not keep the end from being recorded.
    _signals: Signals,
}

enum News {
    Spoke,
    Ended(io::Result<ExitStatus>),
    Signal(Caught),
}

/// How long one that is asked to end may take before it is made to.
const GRACE: Duration = Duration::from_secs(5);
/// How often a silent one's transcript is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Launches the charge and stays with it. `started` is called once it runs,
/// `lives` at its first sign of life.
///
/// # Errors
/// It could not be launched: nothing of it ever ran.
pub(crate) fn run(
    charge: Charge<'_>,
    started: impl FnOnce(),
    lives: impl FnOnce(),
) -> io::Result<End> {
    let (sender, news) = channel();
    let relayed = sender.clone();
    let signals = processes::catch(relayed, News::Signal)?;
    let size_before = charge.transcript.as_deref().map(size);
    let mut child = spawn(&charge)?;
    started();
    feed(&mut child, charge.input);
    let pumps = pumps(&mut child, &sender);
    let pid = child.id();
    thread::spawn(move || sender.send(News::Ended(child.wait())));
    let grew = || {
        let now = charge.transcript.as_deref().map(size);
        now.is_some_and(|now| size_before.is_some_and(|before| now > before))
    };
    let mut watch = Watch { pid, deadline: None, lived: false, timed_out: false };
    watch.deadline = charge.start_timeout.and_then(|limit| Instant::now().checked_add(limit));
    let status = watch.stay(&news, grew, lives);
    let mut lost = None;
    for pump in pumps {
        lost = pump.and_then(Pump::finish).err().or(lost);
    }
    // A word of its last moment counts.
    watch.lived |= news.try_iter().any(|news| matches!(news, News::Spoke));
    let Watch { lived, timed_out, .. } = watch;
    Ok(End { status, lived, timed_out, lost, _signals: signals })
}

struct Watch {
    pid: u32,
    deadline: Option<Instant>,
    lived: bool,
    timed_out: bool,
}

impl Watch {
    fn stay(
        &mut self,
        news: &Receiver<News>,
        grew: impl Fn() -> bool,
        lives: impl FnOnce(),
    ) -> ExitStatus {
        let mut lives = Some(lives);
        loop {
            let pause = self.deadline.map_or(Duration::MAX, |at| {
                let left = at.saturating_duration_since(Instant::now());
                if self.timed_out { left } else { left.min(LOOK) }
            });
            match news.recv_timeout(pause) {
                // With SIGCHLD at its default, waiting for a child does not fail.
                Ok(News::Ended(status)) => {
                    return status.unwrap_or_else(|_| ExitStatus::from_raw(70 << 8));
                }
                // The terminal's own reached the successor as well: it is in our
                // process group.
                Ok(News::Signal(caught)) if caught.from_terminal => {}
                Ok(News::Signal(caught)) => send(self.pid, caught.signal),
                Ok(News::Spoke) => self.note_life(&mut lives),
                Err(_) if !self.timed_out && grew() => self.note_life(&mut lives),
                Err(_) => self.press(),
            }
        }
    }

    fn note_life(&mut self, lives: &mut Option<impl FnOnce()>) {
        self.lived = true;
        // Once the end was asked for, that is not taken back.
        if !self.timed_out {
            self.deadline = None;
        }
        if let Some(lives) = lives.take() {
            lives();
        }
    }

    /// Past the deadline: first asks it to end, then makes it.
    fn press(&mut self) {
        if self.deadline.is_none_or(|at| Instant::now() < at) {
            return;
        }
        send(self.pid, if self.timed_out { libc::SIGKILL } else { libc::SIGTERM });
        self.deadline = Instant::now().checked_add(GRACE);
        self.timed_out = true;
    }
}

fn spawn(charge: &Charge<'_>) -> io::Result<Child> {
    let mut command = Command::new(charge.program);
    command.arg0(charge.name).args(&charge.arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(match &charge.input {
        Input::Nothing => Stdio::null(),
        Input::File(file) => Stdio::from(file.file().try_clone()?),
        Input::Bytes(_) => Stdio::piped(),
    });
    end_with_us(&mut command);
    command.spawn()
}

/// Where the system can, a successor does not outlive its supervisor: without
/// one nobody would know that it runs, and a second could be launched beside it.
/// Linux takes the end of the launching thread for ours, so the main one launches.
#[cfg(target_os = "linux")]
fn end_with_us(command: &mut Command) {
    let ours = std::process::id();
    let bind = move || {
        // SAFETY: both calls touch no memory and are safe after fork.
        unsafe {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) != 0 {
                return Err(io::Error::last_os_error());
            }
            // We may have ended before the call.
            if libc::getppid() as u32 != ours {
                libc::raise(libc::SIGTERM);
            }
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls only, no allocation, no locks.
    unsafe { command.pre_exec(bind) };
}

#[cfg(not(target_os = "linux"))]
fn end_with_us(_: &mut Command) {}

fn feed(child: &mut Child, input: Input) {
    if let (Input::Bytes(bytes), Some(mut stdin)) = (input, child.stdin.take()) {
        // One that does not read its prompt to the end is free to.
        thread::spawn(move || stdin.write_all(&bytes));
    }
}

fn pumps(child: &mut Child, sender: &Sender<News>) -> Vec<io::Result<Pump>> {
    let spoke = || {
        let sender = sender.clone();
        move || {
            let _ = sender.send(News::Spoke);
        }
    };
    let stdout = child.stdout.take().map(|from| Pump::start(from, io::stdout(), spoke()));
    let stderr = child.stderr.take().map(|from| Pump::start(from, io::stderr(), spoke()));
    stdout.into_iter().chain(stderr).collect()
}

fn send(pid: u32, signal: i32) {
    // SAFETY: no memory is involved. The child is not yet reaped, or was just
    // now, so the pid is not somebody else's.
    unsafe { libc::kill(pid as libc::pid_t, signal) };
}

fn size(path: &Path) -> u64 {
    durable::uninterrupted(|| fs_err::metadata(path)).map_or(0, |metadata| metadata.len())
}

/// The status as a shell has it: 128 and the signal's number where one ended it.
pub(crate) fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}
