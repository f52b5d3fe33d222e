//! Folders: made, listed, synced.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use fs_err::File;

use crate::access::share_folder;
use crate::uninterrupted;

/// Makes a folder and those above it that are missing. Returns the folders in
/// which a new name now stands, to be synced by whoever needs them to last. In a
/// folder that is a group's they are the group's too.
///
/// # Errors
/// A folder cannot be made, or something else stands under its name.
pub fn create_folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut missing = Vec::new();
    let mut at = path;
    loop {
        match uninterrupted(|| fs_err::metadata(at)) {
            Ok(metadata) if metadata.is_dir() => break,
            Ok(_) => return Err(io::Error::from(io::ErrorKind::NotADirectory)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) => missing.push(at),
        }
        at = folder_of(at);
        if at == Path::new(".") {
            break;
        }
    }
    for folder in missing.iter().rev() {
        match uninterrupted(|| fs_err::create_dir(folder)) {
            Ok(()) => share_folder(folder)?,
            // Made meanwhile; or a link that leads nowhere.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                uninterrupted(|| fs_err::metadata(folder))?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(missing.into_iter().map(|folder| folder_of(folder).to_owned()).collect())
}

/// The names in a folder, in no order; none where there is no such folder.
///
/// # Errors
/// The folder cannot be read.
pub fn names_in(folder: &Path) -> io::Result<Vec<OsString>> {
    uninterrupted(|| match fs_err::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.file_name())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    })
}

/// Makes the entries of a folder durable: without it a rename or a new name may
/// be lost, or kept in another order, by a power cut.
///
/// # Errors
/// The folder cannot be opened or synced. A file system that has no such notion
/// and says so (EINVAL) is no error.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        outcome => outcome,
    }
}

/// The folder in which a name stands; `.` for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_folders_are_made_and_a_file_in_the_way_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/c");
        assert_eq!(create_folders(&deep).unwrap().len(), 3);
        assert!(create_folders(&deep).unwrap().is_empty());
        assert!(fs_err::metadata(&deep).unwrap().is_dir());
        let file = folder.path().join("file");
        fs_err::write(&file, "").unwrap();
        let error = create_folders(&file).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
        assert!(create_folders(&file.join("below")).is_err());
        assert_eq!(names_in(&folder.path().join("a")).unwrap(), ["b"]);
        assert_eq!(names_in(&folder.path().join("none")).unwrap().len(), 0);
    }
}
