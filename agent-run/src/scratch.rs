//! A folder of one run's own, for what its CLI reads: settings, an extension.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// A name in the folder for temporary files, and what lies there once it is filled.
/// It goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Nothing is written: most runs need no file.
    pub(crate) fn new() -> Scratch {
        Scratch(std::env::temp_dir().join(format!("agent-run.{}", Uuid::new_v4())))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the files. The person's own settings may be among them, so that nobody
    /// else may read them.
    pub(crate) fn fill(&self, files: Vec<(PathBuf, String)>) -> io::Result<()> {
        if !files.is_empty() {
            DirBuilder::new().mode(0o700).create(&self.0)?;
        }
        files.into_iter().try_for_each(|(path, contents)| fs_err::write(path, contents))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It is not there, or what cleans that folder will find it.
        let _ = fs_err::remove_dir_all(&self.0);
    }
}
