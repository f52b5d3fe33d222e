//! Who may read and write a file that is made: its owner alone, unless the
//! folder says otherwise.
//!
//! A folder says otherwise in two ways. By a default access list, which the
//! kernel then applies by itself. Or by being a group's: writable by the group,
//! and made so on purpose, which is seen by its set-group-id bit or by its being
//! closed to everybody else. Mode 0775 alone says nothing, since a umask of 002
//! gives it to every folder; nor does a folder like /tmp, whose sticky bit says
//! that everybody's files lie in it.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};

use crate::folders::folder_of;
use crate::uninterrupted;

/// Who may use a file that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its owner (0600).
    Owner,
    /// Its owner, or whoever the folder in which it is made is meant for.
    AsFolder,
}

/// What a folder says of the files in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Nothing,
    /// They have these permissions, whatever the umask.
    Mode(u32),
    /// The kernel knows.
    List,
}

const OWNER: u32 = 0o600;

/// Creates a file that must not be there, not even as a dangling symbolic link.
pub(crate) fn create_new(path: &Path, access: Access) -> io::Result<File> {
    let says = match access {
        Access::Owner => Says::Nothing,
        Access::AsFolder => says(folder_of(path))?,
    };
    let create = |mode| OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    match says {
        Says::Nothing => create(OWNER),
        Says::List => create(0o666),
        Says::Mode(mode) => {
            let file = create(OWNER)?;
            uninterrupted(|| file.set_permissions(Permissions::from_mode(mode)))?;
            Ok(file)
        }
    }
}

/// Opens a file in the ways that `options` allow, creating it first if it is not
/// there.
///
/// # Errors
/// It can neither be opened nor created.
pub fn open_or_create(path: &Path, access: Access, options: &OpenOptions) -> io::Result<File> {
    // Not held up by whatever a stranger put there, a FIFO for one.
    let open = || options.clone().custom_flags(libc::O_NONBLOCK).open(path);
    match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    match create_new(path, access) {
        // What was created is open for writing only; and somebody else may have
        // been faster.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => open(),
    }
}

/// Gives a folder that was just made to the group of the one it lies in, if that
/// one is a group's.
pub(crate) fn share_folder(folder: &Path) -> io::Result<()> {
    let above = folder_of(folder);
    let Says::Mode(_) = says(above)? else { return Ok(()) };
    let mode = uninterrupted(|| fs_err::metadata(above))?.permissions().mode() & 0o7777;
    uninterrupted(|| fs_err::set_permissions(folder, Permissions::from_mode(mode)))
}

fn says(folder: &Path) -> io::Result<Says> {
    const GROUP_WRITES: u32 = 0o020;
    const SET_GROUP: u32 = 0o2000;
    const STICKY: u32 = 0o1000;
    if has_default_list(folder)? {
        return Ok(Says::List);
    }
    let mode = uninterrupted(|| fs_err::metadata(folder))?.permissions().mode();
    let on_purpose = mode & SET_GROUP != 0 || mode & 0o007 == 0;
    Ok(match mode & GROUP_WRITES != 0 && mode & STICKY == 0 && on_purpose {
        true => Says::Mode(OWNER | (mode & 0o064)),
        false => Says::Nothing,
    })
}

#[cfg(target_os = "linux")]
fn has_default_list(folder: &Path) -> io::Result<bool> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes())?;
    let name = c"system.posix_acl_default";
    uninterrupted(|| {
        // SAFETY: both names end with NUL and live through the call; with size 0
        // nothing is written.
        let size = unsafe { libc::getxattr(path.as_ptr(), name.as_ptr(), std::ptr::null_mut(), 0) };
        if size >= 0 {
            return Ok(size > 0);
        }
        match io::Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::ENODATA | libc::ENOSYS)) => {
                Ok(false)
            }
            // The file system has no such lists.
            error if error.kind() == io::ErrorKind::Unsupported => Ok(false),
            error => Err(error),
        }
    })
}

#[cfg(not(target_os = "linux"))]
fn has_default_list(_: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The permissions of a file, and of a folder, made in a folder of this mode.
    fn made_in(mode: u32) -> (u32, u32) {
        let folder = tempfile::tempdir().unwrap();
        fs_err::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
        let [file, below] = ["file", "below"].map(|name| folder.path().join(name));
        create_new(&file, Access::AsFolder).unwrap();
        fs_err::create_dir(&below).unwrap();
        share_folder(&below).unwrap();
        let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o7777;
        (mode(&file), mode(&below))
    }

    #[test]
    fn only_a_folder_that_is_shared_on_purpose_opens_its_files() {
        let (_, made) = made_in(0o700);
        for mode in [0o700, 0o755, 0o750, 0o775, 0o777, 0o1777, 0o1770, 0o2755] {
            let below = if mode & 0o2000 == 0 { made } else { made | 0o2000 };
            assert_eq!(made_in(mode), (0o600, below), "{mode:o}");
        }
        for (mode, file) in [(0o770, 0o660), (0o2770, 0o660), (0o2775, 0o664), (0o2730, 0o620)] {
            assert_eq!(made_in(mode), (file, mode), "{mode:o}");
        }
    }

    #[test]
    fn the_owners_own_stays_so_everywhere() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::set_permissions(folder.path(), Permissions::from_mode(0o2770)).unwrap();
        let file = create_new(&folder.path().join("file"), Access::Owner).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    /// An access list as the kernel has it: version 2, then tag, permissions and
    /// id of each entry. Here the group may read, others may not.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_default_access_list_decides() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let mut list = 2_u32.to_le_bytes().to_vec();
        for (tag, permissions) in [(1_u16, 6_u16), (4, 4), (0x20, 0)] {
            list.extend(tag.to_le_bytes());
            list.extend(permissions.to_le_bytes());
            list.extend(u32::MAX.to_le_bytes());
        }
        let path = std::ffi::CString::new(folder.path().as_os_str().as_bytes()).unwrap();
        let name = c"system.posix_acl_default";
        let (bytes, length) = (list.as_ptr().cast(), list.len());
        // SAFETY: names and value live through the call, and the length is theirs.
        let set = unsafe { libc::setxattr(path.as_ptr(), name.as_ptr(), bytes, length, 0) };
        assert_eq!(set, 0, "{}", io::Error::last_os_error());
        let file = create_new(&folder.path().join("file"), Access::AsFolder).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }
}
