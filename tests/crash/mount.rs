//! File systems of a test's own. They are mounted where nobody else sees them: the
//! namespace, and with it all mounts and loop devices, ends with the test, however
//! that ends.

use std::ffi::CString;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use ctxutils_tests::missing;
use tempfile::TempDir;

use crate::fixture::folder;

/// How long what still ends there may keep a file system busy.
const PATIENCE: Duration = Duration::from_secs(30);

/// Gives the calling thread, and what it starts from now on, mounts of their own.
/// Says loudly where it may not, and fails where the tests are required.
pub(crate) fn may_mount() -> bool {
    let none = ptr::null();
    // SAFETY: the strings are literals; the thread leaves the mounts of the others
    // before it changes how its own are shared.
    let parted = unsafe {
        libc::unshare(libc::CLONE_NEWNS) == 0
            && libc::mount(none, c"/".as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, ptr::null())
                == 0
    };
    if !parted {
        missing("root, allowed to mount; no real power cut or full disk is shown");
    }
    parted
}

/// A mounted file system.
pub(crate) struct Mounted {
    point: PathBuf,
    is_mounted: bool,
}

impl Mounted {
    fn new(source: &Path, point: &Path, options: &[&str]) -> Result<Mounted, String> {
        succeed(Command::new("mount").args(options).arg(source).arg(point).output())?;
        Ok(Mounted { point: point.to_owned(), is_mounted: true })
    }

    /// Memory, and no more of it than so many bytes.
    pub(crate) fn memory(point: &Path, bytes: u64) -> Mounted {
        let size = format!("size={bytes}");
        Mounted::new(Path::new("none"), point, &["-t", "tmpfs", "-o", &size]).unwrap()
    }

    /// Unmounts it once nobody uses it any more.
    pub(crate) fn unmount(mut self) {
        let started = Instant::now();
        while let Err(error) = unmount(&self.point, 0) {
            let is_busy = error.kind() == io::ErrorKind::ResourceBusy;
            assert!(is_busy && started.elapsed() < PATIENCE, "cannot unmount: {error}");
            thread::sleep(Duration::from_millis(2));
        }
        self.is_mounted = false;
    }

    /// Cuts the power: what an ext4 has not brought to its disk by now never gets
    /// there, its journal included.
    pub(crate) fn cut(self) {
        // EXT4_IOC_SHUTDOWN and EXT4_GOING_FLAGS_NOLOGFLUSH, which libc lacks.
        let (shutdown, without_journal) = (0x8004_587d_u32, 2_u32);
        let root = fs_err::File::open(&self.point).unwrap();
        // SAFETY: the descriptor is open, and the call reads one u32 that lives.
        let done =
            unsafe { libc::ioctl(root.as_raw_fd(), shutdown as _, &raw const without_journal) };
        assert_eq!(done, 0, "{}", io::Error::last_os_error());
        drop(root);
        self.unmount();
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if self.is_mounted {
            // Something failed, and may still run there.
            let _ = unmount(&self.point, libc::MNT_DETACH);
        }
    }
}

/// A file with an ext4 in it, and where that is mounted.
pub(crate) struct Image {
    folder: TempDir,
}

impl Image {
    /// A new one. Says loudly where it cannot be made or mounted.
    pub(crate) fn new() -> Option<Image> {
        if !may_mount() {
            return None;
        }
        let image = Image::empty();
        fs_err::File::create(image.file()).unwrap().set_len(16 << 20).unwrap();
        let mut format = Command::new("mkfs.ext4");
        format.args(["-q", "-F"]).arg(image.file()).env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin");
        match succeed(format.output()).and_then(|()| image.try_mount("defaults")) {
            Ok(mounted) => mounted.unmount(),
            Err(why) => {
                missing(&format!("a loop-mounted ext4 (mkfs.ext4, mount): {why}"));
                return None;
            }
        }
        Some(image)
    }

    /// The same once more, as it is on the disk.
    pub(crate) fn again(&self) -> Image {
        let image = Image::empty();
        // It is mostly holes, and many of them lie in memory at once.
        let mut copy = Command::new("cp");
        copy.arg("--sparse=always").arg(self.file()).arg(image.file());
        succeed(copy.output()).unwrap();
        image
    }

    /// Mounts it, always in one place.
    pub(crate) fn mount(&self, options: &str) -> Mounted {
        self.try_mount(options).unwrap()
    }

    /// Where it is mounted.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn empty() -> Image {
        let image = Image { folder: folder() };
        fs_err::create_dir(image.root()).unwrap();
        image
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    fn try_mount(&self, options: &str) -> Result<Mounted, String> {
        Mounted::new(&self.file(), &self.root(), &["-o", &format!("loop,{options}")])
    }
}

fn unmount(path: &Path, flags: i32) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a C string for the length of the call.
    match unsafe { libc::umount2(path.as_ptr(), flags) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn succeed(output: io::Result<Output>) -> Result<(), String> {
    let output = output.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(said.trim().to_owned()) }
}
