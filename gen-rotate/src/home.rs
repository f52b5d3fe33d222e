//! The folders and files of a HOME, and who owns which.
//!
//! gen-rotate writes the documents under `notes/`, and `runs/`. The task and the
//! keep note are a person's, or the loop's: they are named here and not touched.

use std::env;
use std::path::{Path, PathBuf};

use crate::{Step, history};

/// A HOME: one place where the documents and the ledger of some work lie.
#[derive(Clone, Debug)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// The given folder, else `$HANDOFF_HOME` (empty counts as unset), else
    /// `.handoff`. It may not exist yet.
    pub fn at(given: Option<PathBuf>) -> Home {
        let set = || env::var_os("HANDOFF_HOME").filter(|v| !v.is_empty()).map(PathBuf::from);
        Home { root: given.or_else(set).unwrap_or_else(|| PathBuf::from(".handoff")) }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where current documents lie.
    pub fn notes(&self) -> PathBuf {
        self.root.join("notes")
    }

    /// Where the documents of earlier generations lie.
    pub fn archive(&self) -> PathBuf {
        self.root.join("notes/archive/交接")
    }

    /// Where the ledger, the locks and the delivered copies lie.
    pub fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// The ledger.
    pub fn manifest(&self) -> PathBuf {
        self.root.join("runs/manifest.json")
    }

    /// The rows that left the ledger.
    pub fn history(&self) -> PathBuf {
        history::beside(&self.manifest())
    }

    /// The current document of a step.
    pub fn document(&self, step: &Step) -> PathBuf {
        self.notes().join(format!("交接-{}.md", step.stem()))
    }

    /// What a person wants kept at the next handoff.
    pub fn keep(&self, step: &Step) -> PathBuf {
        self.notes().join(format!("keep-{}.md", step.stem()))
    }

    /// The task of a step.
    pub fn task(&self, step: &Step) -> PathBuf {
        self.root.join(format!("task-{}.md", step.stem()))
    }

    /// What successor `number` of a run was given. The run's name may come from
    /// a ledger that a person edited, so it is cleaned like a step's.
    pub fn delivered(&self, run: &str, step: &Step, number: usize) -> PathBuf {
        self.runs().join(Step::named(run).stem()).join(format!("{}.{number}.md", step.stem()))
    }

    /// The lock that whoever works on the step over many calls holds.
    pub fn held(&self, step: &Step) -> PathBuf {
        self.runs().join(format!(".held-{}", step.stem()))
    }

    /// The lock of the ledger and of all documents.
    pub(crate) fn lock(&self) -> PathBuf {
        self.root.join("runs/.lock")
    }

    /// The lock that whoever supervises a successor of the step holds.
    pub(crate) fn alive(&self, step: &Step) -> PathBuf {
        self.runs().join(format!(".alive-{}", step.stem()))
    }

    /// A path as it stands in the ledger: from the HOME on, so that a HOME may
    /// be moved.
    pub(crate) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }
}
