//! The lock of whoever works on a step for longer than one call: a script holds
//! the open file, and the kernel ends the lock with it, however it ends.
//!
//! The lock belongs to the open file description that the caller hands over, so
//! it outlives this process; children that must not keep it close theirs.

use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt;

use terminal::{Exit, Failure};

use crate::{Home, Step};

/// Locks the step for the holder of an open `gen-rotate path lock`.
///
/// # Errors
/// Exit 75 where somebody else works on it, 2 where another file is open.
pub fn hold(home: &Home, step: &Step, open: BorrowedFd<'_>) -> Result<(), Failure> {
    let path = home.held(step);
    let failed = |error: io::Error| Failure::reading(&path, &error);
    let file = File::from(open.try_clone_to_owned().map_err(failed)?);
    let (ours, named) =
        (file.metadata().map_err(failed)?, fs_err::metadata(&path).map_err(failed)?);
    if (ours.dev(), ours.ino()) != (named.dev(), named.ino()) {
        return Err(Failure::usage(format!("stdin is not '{}'", path.display()))
            .hint("open what 'gen-rotate path lock' prints"));
    }
    loop {
        return match file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => {
                let home = home.root().display();
                let message = format!("step '{}' in '{home}' is being worked at", step.name());
                Err(Failure::new(Exit::Busy, message).hint("try again when that has ended"))
            }
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {
                continue;
            }
            Err(TryLockError::Error(error)) => Err(failed(error)),
        };
    }
}
