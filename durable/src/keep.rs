//! A second, permanent name for a file, taken before the first is given away.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use crate::replace::{create, remove};
use crate::uninterrupted;

/// Gives the file `from` the further name `to`, never over another file. Where
/// the file system has no hard links, `to` becomes a copy, made under a dotfile
/// name beside it. The name's folder is not yet synced.
///
/// # Errors
/// `AlreadyExists` where the name is taken, by whatever file.
pub fn keep_as(from: &Path, to: &Path) -> io::Result<()> {
    match uninterrupted(|| fs_err::hard_link(from, to)) {
        Err(error) if lacks_links(&error) => copy_as(from, to),
        outcome => outcome,
    }
}

/// Whether both names lead to one file, or to two of the same content.
///
/// # Errors
/// One of them cannot be read.
pub fn same_file(one: &Path, other: &Path) -> io::Result<bool> {
    let first = uninterrupted(|| fs_err::metadata(one))?;
    let second = uninterrupted(|| fs_err::metadata(other))?;
    if (first.dev(), first.ino()) == (second.dev(), second.ino()) {
        return Ok(true);
    }
    Ok(first.len() == second.len() && fs_err::read(one)? == fs_err::read(other)?)
}

fn lacks_links(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, TooManyLinks, Unsupported};
    matches!(error.kind(), CrossesDevices | PermissionDenied | TooManyLinks | Unsupported)
}

fn copy_as(from: &Path, to: &Path) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(to.file_name().unwrap_or_default());
    name.push(".new");
    let temporary = to.with_file_name(name);
    let mode = uninterrupted(|| fs_err::metadata(from))?.permissions().mode() & 0o777;
    create(&temporary, &fs_err::read(from)?, mode)?;
    // The caller's lock keeps our own kind away; this keeps the file of a person.
    match uninterrupted(|| fs_err::symlink_metadata(to)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            uninterrupted(|| fs_err::rename(&temporary, to))
        }
        found => {
            remove(&temporary)?;
            found.and(Err(io::Error::from(io::ErrorKind::AlreadyExists)))
        }
    }
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
}
