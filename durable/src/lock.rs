//! A lock on a permanent file.
//!
//! The file is created once and never removed or renamed over: unlinking a lock
//! file lets two holders lock two inodes of one name.

use std::fs::TryLockError;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use fs_err::{File, OpenOptions};

use crate::access::{Access, open_or_create};

/// Held until dropped, or until the process ends in whatever way.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// How often a taken lock is tried again. flock(2) cannot wait with a limit,
/// and an alarm signal would be a process-wide side effect.
const PAUSE: Duration = Duration::from_millis(20);

/// Locks the file, waiting at most `patience`. `None`: somebody else holds it.
///
/// # Errors
/// The file cannot be created or locked.
pub fn lock(path: &Path, patience: Duration) -> io::Result<Option<Lock>> {
    let file = open_or_create(path, Access::AsFolder, OpenOptions::new().write(true))?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lock { _file: file })),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(error),
            Err(_) if started.elapsed() >= patience => return Ok(None),
            Err(_) => thread::sleep(PAUSE.min(patience)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_waits_and_gives_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = lock(&path, Duration::ZERO).unwrap().unwrap();
        assert!(lock(&path, Duration::from_millis(50)).unwrap().is_none());
        drop(held);
        assert!(lock(&path, Duration::ZERO).unwrap().is_some());
    }
}
