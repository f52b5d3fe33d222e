//! Writing to stdout and stderr without ever panicking.
//!
//! `println!` panics both on a closed pipe and on a full disk, and a blanket
//! "any error ends quietly" would hide the full disk. Only EPIPE is quiet.

use std::io::{self, Write};

use crate::{Exit, Failure, reason, sanitise};

/// Writes to stdout and flushes.
///
/// # Errors
/// A silent success ([`Exit::Ok`]) when the reader has gone away, so that the
/// caller stops; otherwise exit 74.
pub fn print(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes.as_ref()).and_then(|()| stdout.flush()).map_err(|error| {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::silent(Exit::Ok)
        } else {
            Failure::new(Exit::Io, format!("cannot write to stdout: {}", reason(&error)))
        }
    })
}

/// [`print`] with a newline at the end.
///
/// # Errors
/// As [`print`].
pub fn print_line(line: impl AsRef<str>) -> Result<(), Failure> {
    let mut bytes = line.as_ref().as_bytes().to_vec();
    bytes.push(b'\n');
    print(bytes)
}

/// Says something to the person at stderr: `tool: message`, one line and safe for
/// a terminal. When stderr is gone there is nobody left to tell.
pub fn warn(tool: &str, message: &str) {
    say(tool, message, None);
}

/// [`warn`] with a hint on a line of its own.
pub(crate) fn say(tool: &str, message: &str, hint: Option<&str>) {
    // A file name may hold a newline; the message stays one line.
    let message = sanitise(message).replace('\n', " ");
    let mut text = format!("{tool}: {message}\n");
    if let Some(hint) = hint {
        text += &format!("{}\n", sanitise(hint));
    }
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
