//! Where the tools keep what they learn between runs.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::access::Access;
use crate::folders::folder_of;
use crate::replace::replace;

/// `$CTXUTILS_STATE`, else `$XDG_STATE_HOME/ctxutils`, else
/// `~/.local/state/ctxutils`; an empty variable counts as unset. `None` without
/// any of them: the tools then work without a memory. The folder may not exist.
pub fn state_folder() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CTXUTILS_STATE")
        .or_else(|| set("XDG_STATE_HOME").map(|folder| folder.join("ctxutils")))
        .or_else(|| set("HOME").map(|home| home.join(".local/state/ctxutils")))
}

/// A file name made of any text: what any file system takes of it, with a hash
/// of all of it (FNV-1a, 64 bits: it must not change between versions), so that
/// no two texts that occur share a name.
pub fn file_name(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, b| {
        (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
    });
    let readable: String = text
        .chars()
        .take(60)
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '_' })
        .collect();
    format!("{readable}-{hash:016x}")
}

/// How long what the tools keep between runs is of use: longer than any run.
pub const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Writes an entry of the state folder, whose own folder may not exist yet, and
/// forgets those beside it that nobody wrote to for a month.
///
/// # Errors
/// The entry that was there is then still whole.
pub fn write_entry(path: &Path, contents: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    fs_err::create_dir_all(folder)?;
    forget_older(folder, MONTH);
    let temporary = folder.join(format!(".new-{}", std::process::id()));
    replace(path, &temporary, contents, Access::Owner)
}

/// Removes what was not written to for that long, which keeps a folder of small
/// entries from growing for ever. An entry that cannot be removed stays.
pub fn forget_older(folder: &Path, age: Duration) {
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        let written = entry.metadata().and_then(|metadata| metadata.modified());
        if written.is_ok_and(|written| written.elapsed().is_ok_and(|passed| passed > age)) {
            let _ = fs_err::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_distinct() {
        assert!(!file_name("../etc/passwd").contains('/'));
        assert_ne!(file_name("a/b"), file_name("a_b"));
        assert!(file_name(&"x".repeat(10_000)).len() < 100);
    }

    #[test]
    fn an_entry_makes_its_folder_and_leaves_nothing_else() {
        let state = tempfile::tempdir().unwrap();
        let path = state.path().join("kind/entry");
        write_entry(&path, b"one").unwrap();
        write_entry(&path, b"two").unwrap();
        assert_eq!(fs_err::read(&path).unwrap(), b"two");
        assert_eq!(fs_err::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn only_what_is_older_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("entry"), "x").unwrap();
        forget_older(folder.path(), Duration::from_secs(60));
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
        std::thread::sleep(Duration::from_millis(20));
        forget_older(folder.path(), Duration::from_millis(1));
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 0);
    }
}
