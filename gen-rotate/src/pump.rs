//! Passes a stream of the successor through, byte for byte, and notices the
//! first one.
//!
//! The successor's descendants may keep the stream open after its end (a server
//! left running in the background), so a pump does not wait for the end of the
//! stream: told to stop, it passes on what is there and returns.

use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::thread::{self, JoinHandle};

/// A pump at work, and what stops it when dropped.
pub(crate) struct Pump {
    stop: io::PipeWriter,
    thread: JoinHandle<io::Result<()>>,
}

impl Pump {
    /// Starts to pass `from` on to `to`. `first` is called at the first byte.
    pub(crate) fn start(
        mut from: impl Read + AsRawFd + Send + 'static,
        mut to: impl Write + Send + 'static,
        first: impl FnOnce() + Send + 'static,
    ) -> io::Result<Pump> {
        let (stopped, stop) = io::pipe()?;
        let mut first = Some(first);
        let thread = thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while is_ready(from.as_raw_fd(), &stopped)? {
                let length = match from.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(length) => length,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
                if let Some(first) = first.take() {
                    first();
                }
                to.write_all(&buffer[..length])?;
                to.flush()?;
            }
            Ok(())
        });
        Ok(Pump { stop, thread })
    }

    /// Passes on what the successor left, and ends. A reader of ours that has
    /// gone away is no error; the successor then saw a closed pipe too.
    pub(crate) fn finish(self) -> io::Result<()> {
        drop(self.stop);
        match self.thread.join() {
            Ok(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Ok(outcome) => outcome,
            Err(_) => Err(io::Error::other("a stream of the successor was lost")),
        }
    }
}

/// Waits until there is something to read, which comes before being stopped.
fn is_ready(from: RawFd, stopped: &PipeReader) -> io::Result<bool> {
    let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut entries = [entry(from), entry(stopped.as_raw_fd())];
    loop {
        // SAFETY: the array lives through the call and its length is given.
        match unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, -1) } {
            -1 => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error => return Err(error),
            },
            _ => return Ok(entries[0].revents != 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn what_is_there_is_passed_on_before_it_stops() {
        let (from, mut source) = io::pipe().unwrap();
        let (mut result, to) = io::pipe().unwrap();
        let (sender, receiver) = mpsc::channel();
        source.write_all(b"first").unwrap();
        let pump = Pump::start(from, to, move || sender.send(()).unwrap()).unwrap();
        receiver.recv().unwrap();
        source.write_all(b" last").unwrap();
        // The source stays open, as a descendant of the successor would keep it.
        pump.finish().unwrap();
        let mut text = String::new();
        result.read_to_string(&mut text).unwrap();
        assert_eq!(text, "first last");
    }
}
