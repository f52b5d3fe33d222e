//! A limit on the size of files (`ulimit -f`) as an error, not as a sudden end.
//!
//! By default the write that would pass the limit ends the process by SIGXFSZ, in
//! the middle of whatever it was doing and without a word of ours. With the signal
//! caught, the write fails with "file too large" and is reported like any other.
//! Caught and not ignored: a program that we start gets a caught signal at its
//! default, as it would from a shell, but inherits an ignored one.

use std::{mem, ptr};

/// From now on a write past the limit is an error of that write. A signal that
/// was ignored when we started stays so, here and in what we start.
pub(crate) fn is_an_error() {
    let handler: extern "C" fn(libc::c_int) = pass;
    // SAFETY: sigaction is a plain struct of integers and a handler address, for
    // which all zeroes is a valid value.
    let (mut ours, mut before): (libc::sigaction, libc::sigaction) = unsafe { mem::zeroed() };
    ours.sa_sigaction = handler as libc::sighandler_t;
    ours.sa_flags = libc::SA_RESTART;
    // SAFETY: the structs live through the calls, and the handler does nothing.
    unsafe {
        if libc::sigaction(libc::SIGXFSZ, &raw const ours, &raw mut before) == 0
            && before.sa_sigaction == libc::SIG_IGN
        {
            libc::sigaction(libc::SIGXFSZ, &raw const before, ptr::null_mut());
        }
    }
}

extern "C" fn pass(_: libc::c_int) {}
