//! The ledger of a HOME under its lock, with every decided rotation finished.
//!
//! Whoever holds one of these is alone with the documents and the ledger of the
//! HOME. The lock is let go while a successor runs.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use durable::Lock;
use terminal::{Exit, Failure};

use crate::ledger::Ledger;
use crate::row::Row;
use crate::{Home, Step, publish, recover};

/// The ledger, ours for as long as this lives.
#[derive(Debug)]
pub(crate) struct LockedLedger {
    /// Its rows.
    pub(crate) ledger: Ledger,
    pub(crate) home: Home,
    /// Folders whose entries must last before the ledger may speak of them.
    unsynced: BTreeSet<PathBuf>,
    _lock: Lock,
}

/// How often a running successor is looked at again. The ledger's lock is free
/// in between, since its supervisor needs it to record the end.
const PAUSE: Duration = Duration::from_millis(50);

impl LockedLedger {
    /// Takes the lock, reads the ledger, and finishes what an interrupted run
    /// left undone.
    ///
    /// # Errors
    /// Exit 75 where somebody else holds the lock for longer than `patience`, 65
    /// for a manifest that is no ledger, 73 or 74 for what cannot be written.
    pub(crate) fn open(home: &Home, patience: Duration) -> Result<LockedLedger, Failure> {
        let runs = home.runs();
        let made = durable::create_folders(&runs);
        let made = made.map_err(|error| Failure::writing(&runs, &error))?;
        let mut unsynced: BTreeSet<PathBuf> = made.into_iter().collect();
        let lock = take(&home.lock(), patience)?.ok_or_else(|| held(home))?;
        let ledger = Ledger::load(&home.manifest())?;
        if ledger.is_new() {
            // The run that made them may have ended before it synced them.
            unsynced.extend([home.root(), durable::folder_of(home.root())].map(Path::to_owned));
        }
        let mut locked = LockedLedger { ledger, home: home.clone(), unsynced, _lock: lock };
        recover::finish(&mut locked)?;
        Ok(locked)
    }

    /// The same, for whoever is going to launch a successor: together with the
    /// proof of life of the step, which nobody else then holds.
    ///
    /// # Errors
    /// As [`LockedLedger::open`]; exit 75 also where a successor still runs.
    pub(crate) fn open_to_launch(
        home: &Home,
        step: &Step,
        patience: Duration,
    ) -> Result<(LockedLedger, Lock), Failure> {
        let started = Instant::now();
        loop {
            let left = patience.saturating_sub(started.elapsed());
            let locked = LockedLedger::open(home, left)?;
            match take(&home.alive(step), Duration::ZERO)? {
                Some(life) => return Ok((locked, life)),
                None if started.elapsed() >= patience => return Err(running(step)),
                None => drop(locked),
            }
            thread::sleep(PAUSE.min(patience));
        }
    }

    /// Whether a successor of the step runs under a supervisor.
    ///
    /// # Errors
    /// The lock of the step cannot be taken or found taken.
    pub(crate) fn is_alive(&self, step: &Step) -> Result<bool, Failure> {
        Ok(take(&self.home.alive(step), Duration::ZERO)?.is_none())
    }

    /// Refuses with exit 75 where a successor of the step runs.
    pub(crate) fn refuse_alive(&self, step: &Step) -> Result<(), Failure> {
        if self.is_alive(step)? { Err(running(step)) } else { Ok(()) }
    }

    pub(crate) fn row(&mut self, index: usize) -> &mut Row {
        &mut self.ledger.rows[index]
    }

    pub(crate) fn sync_before_saving(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        self.unsynced.extend(folders);
    }

    pub(crate) fn save(&mut self) -> Result<(), Failure> {
        for folder in &self.unsynced {
            durable::sync_folder(folder).map_err(|error| Failure::writing(folder, &error))?;
        }
        self.unsynced.clear();
        self.ledger.save()
    }
}

fn take(path: &Path, patience: Duration) -> Result<Option<Lock>, Failure> {
    durable::lock(path, patience).map_err(|error| without_locks(path, &error))
}

/// There is no other way on a file system without locks: a file that stands for a
/// lock outlives its holder, and one that may be stale is taken from the living.
fn without_locks(path: &Path, error: &io::Error) -> Failure {
    let failure = Failure::writing(path, error);
    match error.raw_os_error() {
        Some(libc::ENOLCK | libc::ENOSYS | libc::EOPNOTSUPP) => failure.hint(
            "HOME must lie on a file system with locks: an NFS mount wants its lock service, a \
             Lustre one the option flock",
        ),
        _ => failure,
    }
}

/// Whether a successor of the step runs, without making the lock of a step that has
/// none.
pub(crate) fn is_alive(home: &Home, step: &Step) -> Result<bool, Failure> {
    let path = home.alive(step);
    Ok(publish::is_there(&path)? && take(&path, Duration::ZERO)?.is_none())
}

/// Somebody else has the lock of the ledger for too long.
pub(crate) fn held(home: &Home) -> Failure {
    let message = format!("another rotation holds '{}'", home.lock().display());
    Failure::new(Exit::Busy, message).hint("try again later, or raise --lock-timeout")
}

fn running(step: &Step) -> Failure {
    Failure::new(Exit::Busy, format!("a successor of step '{}' still runs", step.name()))
        .hint("try again when it has ended")
}
