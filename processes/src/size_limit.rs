//! A limit on the size of files (`ulimit -f`), met while writing.
//!
//! By default the signal that comes with it kills, in the middle of whatever was
//! to be written, and tells nobody. With a handler the write fails with EFBIG, as
//! on a full disk. It is a handler and not SIG_IGN, since programs that we start
//! inherit what is ignored, and get back the default where there was a handler.

/// From here on a write beyond the limit is an error like others.
pub fn report_size_limit() {
    extern "C" fn pass(_: i32) {}
    let handler: extern "C" fn(i32) = pass;
    // SAFETY: the handler does nothing at all.
    let before = unsafe { libc::signal(libc::SIGXFSZ, handler as libc::sighandler_t) };
    if before == libc::SIG_IGN {
        // Whoever started us had it ignored, which comes to the same.
        // SAFETY: no handler is involved.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }
}
