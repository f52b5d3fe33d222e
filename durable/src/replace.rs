//! Atomic replace: temporary file, fsync, rename, fsync of the folder.

use std::io::{self, Write};
use std::path::Path;

use crate::access::{Access, create_new};
use crate::folders::{folder_of, sync_folder};
use crate::uninterrupted;

/// Puts `contents` in the place of `target`, by way of `temporary`, a name in
/// the same folder that no reader looks at. What an earlier, interrupted call
/// left under that name is removed first, so callers with a fixed name hold a
/// lock. When this returns, the new content is on disk under its name.
///
/// # Errors
/// The old content is then still whole.
pub fn replace(target: &Path, temporary: &Path, contents: &[u8], access: Access) -> io::Result<()> {
    create(temporary, contents, access)?;
    uninterrupted(|| fs_err::rename(temporary, target))?;
    sync_folder(folder_of(target))
}

/// Creates a file that must not be there, or replaces the remains of one, and
/// syncs its content; its name in the folder is not yet synced.
///
/// # Errors
/// The file may then exist half-written under its name.
pub fn create(path: &Path, contents: &[u8], access: Access) -> io::Result<()> {
    remove(path)?;
    let mut file = create_new(path, access)?;
    file.write_all(contents)?;
    file.sync_all()
}

/// Removes a file; one that is not there is as good as removed.
///
/// # Errors
/// The file is still there.
pub fn remove(path: &Path) -> io::Result<()> {
    match uninterrupted(|| fs_err::remove_file(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn replaces_and_leaves_no_temporary() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("ledger");
        let temporary = folder.path().join(".ledger.new");
        fs_err::write(&temporary, "left by a crash").unwrap();
        replace(&target, &temporary, b"one", Access::AsFolder).unwrap();
        replace(&target, &temporary, b"two", Access::AsFolder).unwrap();
        assert_eq!(fs_err::read(&target).unwrap(), b"two");
        assert_eq!(fs_err::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
    }
}
