//! Reading what is to be a file, and no more than a file.

use std::io::{self, Read};
use std::path::Path;

use fs_err::OpenOptions;
use fs_err::os::unix::fs::OpenOptionsExt;

/// The content of a regular file. A FIFO would hold us up, with a lock in our
/// hands, until somebody writes to it; a device may have no end.
///
/// # Errors
/// It cannot be read; `InvalidInput` where it is no regular file.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let found = file.metadata()?;
    let kind = found.file_type();
    // A folder says so itself when it is read.
    if !kind.is_file() && !kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    // In one call, and one that finds the end.
    let mut bytes = Vec::new();
    let length = usize::try_from(found.len()).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(length).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let name = std::ffi::CString::new(fifo.as_os_str().as_bytes()).unwrap();
        // SAFETY: the name ends with NUL and lives through the call.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        for path in [fifo.as_path(), Path::new("/dev/zero")] {
            assert_eq!(read_regular(path).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
        assert_eq!(read_regular(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        let file = folder.path().join("file");
        fs_err::write(&file, "text").unwrap();
        assert_eq!(read_regular(&file).unwrap(), b"text");
    }
}
