//! SIGINT, SIGTERM and SIGHUP, caught while a successor runs, to be passed on.
//!
//! A hang-up that was ignored when we started (nohup) stays ignored, here and in
//! the successor. Interrupts do not: a shell starts its background jobs with them
//! ignored, and a script that waits for such a job passes its own on. One that
//! the terminal sent reached the successor as well, since it is in our process
//! group, and is not doubled: to an agent, two interrupts mean more than one.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::Sender;
use std::{mem, ptr, thread};

/// The write end for the handler, which can reach nothing but statics.
static PIPE: AtomicI32 = AtomicI32::new(-1);

const CAUGHT: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// Caught until dropped.
pub(crate) struct Signals {
    before: Vec<(i32, libc::sigaction)>,
    _writer: PipeWriter,
}

/// Starts to catch, and sends what has to be passed on down the channel.
pub(crate) fn forward<T: Send + 'static>(
    sender: Sender<T>,
    message: impl Fn(i32) -> T + Send + 'static,
) -> io::Result<Signals> {
    let (reader, writer) = io::pipe()?;
    PIPE.store(writer.as_raw_fd(), Ordering::SeqCst);
    let mut signals = Signals { before: Vec::new(), _writer: writer };
    // Whoever started us may have ignored this one; children could not be waited
    // for.
    // SAFETY: no handler of ours is involved.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    for signal in CAUGHT {
        signals.catch(signal)?;
    }
    thread::spawn(move || relay(reader, &sender, &message));
    Ok(signals)
}

fn relay<T>(mut reader: PipeReader, sender: &Sender<T>, message: &impl Fn(i32) -> T) {
    let mut signal = [0];
    while reader.read_exact(&mut signal).is_ok() {
        if sender.send(message(i32::from(signal[0]))).is_err() {
            return;
        }
    }
}

impl Signals {
    fn catch(&mut self, signal: i32) -> io::Result<()> {
        // SAFETY: sigaction is a plain struct of integers and a handler address,
        // for which all zeroes is a valid value.
        let mut before: libc::sigaction = unsafe { mem::zeroed() };
        // SAFETY: as above.
        let mut ours: libc::sigaction = unsafe { mem::zeroed() };
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = note;
        ours.sa_sigaction = handler as libc::sighandler_t;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        // SAFETY: both point to live structs, and the handler calls only write(2).
        let failed = unsafe {
            libc::sigaction(signal, ptr::null(), &raw mut before) != 0
                || (!(before.sa_sigaction == libc::SIG_IGN && signal == libc::SIGHUP)
                    && libc::sigaction(signal, &raw const ours, ptr::null_mut()) != 0)
        };
        if failed {
            return Err(io::Error::last_os_error());
        }
        self.before.push((signal, before));
        Ok(())
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for (signal, before) in &self.before {
            // SAFETY: `before` is what the system itself gave for this signal.
            unsafe { libc::sigaction(*signal, before, ptr::null_mut()) };
        }
        PIPE.store(-1, Ordering::SeqCst);
    }
}

extern "C" fn note(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO the system passes a valid siginfo.
    let code = unsafe { info.as_ref() }.map_or(0, |info| info.si_code);
    // Positive codes are the kernel's own: the terminal's keys, its hang-up.
    let from_terminal = cfg!(target_os = "linux") && code > 0;
    let pipe = PIPE.load(Ordering::SeqCst);
    if from_terminal || pipe < 0 {
        return;
    }
    let byte = signal as u8;
    // SAFETY: one byte of a live local; write(2) is safe in a handler. A full
    // pipe would take 65,536 signals.
    unsafe { libc::write(pipe, (&raw const byte).cast(), 1) };
}
