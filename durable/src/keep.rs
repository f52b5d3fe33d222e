//! A second, permanent name for a file, taken before the first is given away.
//!
//! A hard link is the whole of it where the file system has them. Where it has
//! none, where the file has too many, or where the name lies on another file
//! system, the name gets a copy, made under a dotfile name beside it. No way ever
//! takes a name from another file.

use std::ffi::OsString;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::access::Access;
use crate::replace::{create, remove};
use crate::uninterrupted;

/// Gives the file `from` the further name `to`, never over another file. The
/// name's folder is not yet synced.
///
/// # Errors
/// `AlreadyExists` where the name is taken, by whatever file.
pub fn keep_as(from: &Path, to: &Path) -> io::Result<()> {
    match uninterrupted(|| fs_err::hard_link(from, to)) {
        Err(error) if lacks_links(&error) => copy_as(from, to),
        outcome => outcome,
    }
}

/// Removes what an interrupted [`keep_as`] for this name may have left beside it.
///
/// # Errors
/// It is still there.
pub fn sweep_beside(to: &Path) -> io::Result<()> {
    remove(&temporary_of(to))
}

/// Whether both names lead to one file, or to two of the same content. A symbolic
/// link is no file: that it leads to the other keeps nothing.
///
/// # Errors
/// One of them cannot be read.
pub fn same_file(one: &Path, other: &Path) -> io::Result<bool> {
    let first = uninterrupted(|| fs_err::symlink_metadata(one))?;
    let second = uninterrupted(|| fs_err::symlink_metadata(other))?;
    if !first.is_file() || !second.is_file() {
        return Ok(false);
    }
    if (first.dev(), first.ino()) == (second.dev(), second.ino()) {
        return Ok(true);
    }
    Ok(first.len() == second.len() && fs_err::read(one)? == fs_err::read(other)?)
}

/// EXDEV, EPERM (and EACCES: a protected link of another's file), EMLINK,
/// ENOTSUP and ENOSYS.
fn lacks_links(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, TooManyLinks, Unsupported};
    matches!(error.kind(), CrossesDevices | PermissionDenied | TooManyLinks | Unsupported)
}

fn copy_as(from: &Path, to: &Path) -> io::Result<()> {
    let temporary = temporary_of(to);
    let mode = uninterrupted(|| fs_err::metadata(from))?.permissions().mode() & 0o777;
    create(&temporary, &fs_err::read(from)?, Access::Owner)?;
    uninterrupted(|| fs_err::set_permissions(&temporary, Permissions::from_mode(mode)))?;
    let placed = place(&temporary, to);
    if placed.is_err() {
        remove(&temporary)?;
    }
    placed
}

fn temporary_of(to: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(to.file_name().unwrap_or_default());
    name.push(".new");
    to.with_file_name(name)
}

/// Moves a file to a name in its folder that nobody has.
fn place(temporary: &Path, to: &Path) -> io::Result<()> {
    // Another file system than the one that had no links may have them.
    match uninterrupted(|| fs_err::hard_link(temporary, to)) {
        Ok(()) => return remove(temporary),
        Err(error) if !lacks_links(&error) => return Err(error),
        Err(_) => {}
    }
    match uninterrupted(|| rename_to_free(temporary, to)) {
        Err(error) if lacks_exclusive(&error) => {}
        outcome => return outcome,
    }
    // The caller's lock keeps our own kind away; this keeps the file of a person.
    match uninterrupted(|| fs_err::symlink_metadata(to)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            uninterrupted(|| fs_err::rename(temporary, to))
        }
        found => found.and(Err(io::Error::from(io::ErrorKind::AlreadyExists))),
    }
}

/// A file system that cannot rename exclusively says EINVAL, a kernel ENOSYS.
fn lacks_exclusive(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}

#[cfg(target_os = "linux")]
fn rename_to_free(from: &Path, to: &Path) -> io::Result<()> {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    let name = |path: &Path| CString::new(path.as_os_str().as_bytes());
    let (from, to) = (name(from)?, name(to)?);
    let here = libc::AT_FDCWD;
    // SAFETY: both names end with NUL and live through the call.
    match unsafe { libc::renameat2(here, from.as_ptr(), here, to.as_ptr(), libc::RENAME_NOREPLACE) }
    {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(not(target_os = "linux"))]
fn rename_to_free(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_taken_from_another_file() {
        type Keep = fn(&Path, &Path) -> io::Result<()>;
        for keep in [keep_as as Keep, copy_as as Keep] {
            let folder = tempfile::tempdir().unwrap();
            let [from, to, other] = ["from", "to", "other"].map(|name| folder.path().join(name));
            fs_err::write(&from, "one").unwrap();
            fs_err::write(&other, "two").unwrap();
            keep(&from, &to).unwrap();
            assert!(same_file(&from, &to).unwrap());
            assert!(!same_file(&other, &to).unwrap());
            let error = keep(&other, &to).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs_err::read(&to).unwrap(), b"one");
            assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 3);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_rename_without_links_takes_no_name_either() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        fs_err::write(&from, "one").unwrap();
        fs_err::write(&to, "two").unwrap();
        let error = rename_to_free(&from, &to).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        fs_err::remove_file(&to).unwrap();
        rename_to_free(&from, &to).unwrap();
        assert_eq!(fs_err::read(&to).unwrap(), b"one");
    }

    #[test]
    fn a_link_to_a_file_is_not_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, dangling] = ["file", "link", "no"].map(|name| folder.path().join(name));
        fs_err::write(&file, "one").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        std::os::unix::fs::symlink("/nonexistent", &dangling).unwrap();
        for other in [&link, &dangling] {
            assert!(!same_file(&file, other).unwrap());
            assert_eq!(keep_as(&file, other).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        }
    }

    #[test]
    fn a_copy_has_the_permissions_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        fs_err::write(&from, "one").unwrap();
        fs_err::set_permissions(&from, Permissions::from_mode(0o640)).unwrap();
        copy_as(&from, &to).unwrap();
        assert_eq!(fs_err::metadata(&to).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
