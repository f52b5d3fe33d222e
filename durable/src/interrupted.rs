//! Calls that a signal may interrupt.

use std::io;

/// Makes the call again for as long as a signal interrupts it. The standard
/// library does so for open, read, write and fsync, not for rename and the like,
/// which fail with EINTR on network file systems.
///
/// # Errors
/// Any other error of the call.
pub fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_call_is_made_again() {
        let mut calls = 0;
        let outcome = uninterrupted(|| {
            calls += 1;
            if calls < 3 { Err(io::Error::from_raw_os_error(4)) } else { Ok(calls) }
        });
        assert_eq!(outcome.unwrap(), 3);
    }
}
