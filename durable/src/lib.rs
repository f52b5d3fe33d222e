//! Files that survive a crash: atomic replace, links that never overwrite,
//! folder sync, locks, and where the tools keep their state.
//!
//! Promises: a reader of a replaced file sees the old or the new whole content
//! at every instant, a power cut included; a lock is the kernel's, so it ends
//! with its holder and is never stale. A call that a signal interrupted is made
//! again. Refuses to guess: every failed stat, sync or rename is an error of the
//! caller's, and after a failed fsync the same descriptor is never tried again
//! (the kernel may have dropped the pages and then report success).

mod access;
mod folders;
mod interrupted;
mod keep;
mod lock;
mod read;
mod replace;
mod state;

pub use access::{Access, open_or_create};
pub use folders::{create_folders, folder_of, names_in, sync_folder};
pub use interrupted::uninterrupted;
pub use keep::{keep_as, same_file, sweep_beside};
pub use lock::{Lock, lock};
pub use read::read_regular;
pub use replace::{create, remove, replace};
pub use state::{MONTH, file_name, forget_older, state_folder, write_entry};
