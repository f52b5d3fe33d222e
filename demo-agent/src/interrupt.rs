//! SIGINT and SIGTERM.
//!
//! A thread waits for them and leaves a note; every place where the agent can
//! wait looks at the note, so a run ends at once and in order. Before a session
//! has begun there is no order to keep: the process ends there and then.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The signal that came, or 0.
static CAME: AtomicI32 = AtomicI32::new(0);
static BEGUN: AtomicBool = AtomicBool::new(false);

/// A signal that ends the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

/// Starts to listen. Children do not inherit the blocked mask: the standard
/// library clears it in them.
pub(crate) fn listen() {
    let set = signals();
    // SAFETY: `set` is initialised, and a null third argument is allowed.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
    thread::spawn(move || {
        let mut signal = 0;
        // SAFETY: both pointers are to live values.
        if unsafe { libc::sigwait(&raw const set, &raw mut signal) } != 0 {
            return;
        }
        CAME.store(signal, Ordering::SeqCst);
        if BEGUN.load(Ordering::SeqCst) {
            // A run that is stuck in a write cannot look at the note.
            thread::sleep(Duration::from_secs(2));
        }
        // SAFETY: _exit only ends the process.
        unsafe { libc::_exit(128 + signal) };
    });
}

/// From now on the run itself sees to its end.
pub(crate) fn begin() {
    BEGUN.store(true, Ordering::SeqCst);
}

fn signals() -> libc::sigset_t {
    // SAFETY: an all-zero sigset_t is a valid value to initialise, and all
    // pointers are to it.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGINT);
        libc::sigaddset(&raw mut set, libc::SIGTERM);
        set
    }
}

/// The signal that came, if one has.
pub(crate) fn came() -> Option<Signal> {
    match CAME.load(Ordering::SeqCst) {
        0 => None,
        libc::SIGINT => Some(Signal::Interrupt),
        _ => Some(Signal::Terminate),
    }
}

/// Waits, `None` for ever; returns early with the signal that came.
pub(crate) fn wait(time: Option<Duration>) -> Option<Signal> {
    let started = Instant::now();
    loop {
        if let Some(signal) = came() {
            return Some(signal);
        }
        let left = match time {
            Some(time) => time.checked_sub(started.elapsed()).filter(|left| !left.is_zero())?,
            None => Duration::MAX,
        };
        thread::sleep(left.min(Duration::from_millis(10)));
    }
}
