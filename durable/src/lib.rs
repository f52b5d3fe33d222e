//! Files that survive a crash: atomic replace, folder sync, locks, and where
//! the tools keep their state.
//!
//! Promises: a reader of a replaced file sees the old or the new whole content
//! at every instant, a power cut included; a lock is the kernel's, so it ends
//! with its holder and is never stale. Refuses to guess: every failed stat,
//! sync or rename is an error of the caller's, and after a failed fsync the
//! same descriptor is never tried again (the kernel may have dropped the pages
//! and then report success).

mod lock;
mod replace;
mod state;

pub use lock::{Lock, lock};
pub use replace::{create, replace, sync_folder};
pub use state::state_folder;
