//! The guard's own deadline. A hook that hangs (a stdin that is never closed, a
//! slow file system) holds the agent up until the CLI's timeout, up to ten
//! minutes; so it ends by itself. Where the kernel itself cannot be interrupted,
//! as on a dead hard-mounted network share, nothing but that timeout helps.

use std::sync::OnceLock;

use crate::mishap::Mishap;

/// Microseconds.
const DEADLINE: libc::suseconds_t = 500_000;

const MESSAGE: &[u8] = b"ctx-guard: no answer within 500 ms\n";

static MISHAP: OnceLock<Mishap> = OnceLock::new();

/// From now on the process ends within the deadline, following the policy.
pub(crate) fn set(mishap: &Mishap) {
    if MISHAP.set(mishap.clone()).is_err() {
        return;
    }
    let handler = expired as extern "C" fn(libc::c_int);
    let timer = libc::itimerval {
        it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 },
        it_value: libc::timeval { tv_sec: 0, tv_usec: DEADLINE },
    };
    // SAFETY: the handler makes system calls only; the timer is a valid value.
    unsafe {
        libc::signal(libc::SIGALRM, handler as libc::sighandler_t);
        libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut());
    }
}

/// No deadline from now on: what is being said must not be cut off.
pub(crate) fn lift() {
    let never = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: never, it_value: never };
    // SAFETY: the timer is a valid value, and one of zero is disarmed.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) };
}

extern "C" fn expired(_: libc::c_int) {
    let code = MISHAP.get().map_or(0, Mishap::code);
    // SAFETY: write and _exit are allowed in a signal handler; the buffer is
    // static.
    unsafe {
        if code != 0 {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
        }
        libc::_exit(code.into());
    }
}
