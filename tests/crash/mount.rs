//! File systems of a test's own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use ctxutils_tests::missing;
use tempfile::TempDir;

/// Mounted until it is dropped.
pub(crate) struct Mount {
    folder: TempDir,
    arguments: Vec<String>,
}

impl Mount {
    /// An ext4 in a file. `None`, and said loudly: this machine does not let us.
    pub(crate) fn ext4(options: &str) -> Option<Mount> {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("image");
        fs_err::File::create(&image).unwrap().set_len(32 << 20).unwrap();
        let made = Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image).status();
        if !made.is_ok_and(|status| status.success()) {
            missing("mkfs.ext4 (apt-get install e2fsprogs); power cuts on ext4 are NOT shown");
            return None;
        }
        let image = image.display().to_string();
        let arguments = ["-o", &format!("loop,{options}"), &image].map(str::to_owned);
        Mount::new(folder, arguments.into(), "power cuts on ext4")
    }

    /// A file system in memory of this size, in the words of mount(8).
    pub(crate) fn tmpfs(size: &str) -> Option<Mount> {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["-t", "tmpfs", "-o", &format!("size={size}"), "none"].map(str::to_owned);
        Mount::new(folder, arguments.into(), "a full disk")
    }

    fn new(folder: TempDir, arguments: Vec<String>, what: &str) -> Option<Mount> {
        fs_err::create_dir(folder.path().join("point")).unwrap();
        let mount = Mount { folder, arguments };
        if mount.mount() {
            return Some(mount);
        }
        missing(&format!("root and loop devices, to mount a file system; {what} is NOT shown"));
        None
    }

    fn mount(&self) -> bool {
        let mut command = Command::new("mount");
        command.args(&self.arguments).arg(self.point());
        command.output().is_ok_and(|output| output.status.success())
    }

    /// Where it is mounted.
    pub(crate) fn point(&self) -> PathBuf {
        self.folder.path().join("point")
    }

    /// A folder on it.
    pub(crate) fn folder(&self) -> TempDir {
        tempfile::tempdir_in(self.point()).unwrap()
    }

    /// Takes it away and back, as a start of the machine does.
    pub(crate) fn remount(&self) {
        assert!(unmount(&self.point()), "the file system is in use");
        assert!(self.mount(), "the file system cannot be mounted again");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        unmount(&self.point());
    }
}

/// A successor whose supervisor was killed may be there for a moment longer.
fn unmount(point: &Path) -> bool {
    for _ in 0..100 {
        let output = Command::new("umount").arg(point).output();
        if output.is_ok_and(|output| output.status.success()) {
            return true;
        }
        thread::sleep(Duration::from_millis(50));
    }
    false
}
