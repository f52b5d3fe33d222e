//! Documents, archives, delivered copies and ledger against each other.
//!
//! Looks at everything below a HOME under its lock and says what does not agree.
//! A fault is what the tools would never leave behind, or what they stop at; what
//! only waits for somebody (a document that reached nobody) is a note. A repair
//! never removes or changes a document: it finishes what was cut short, lets the
//! ledger say what is, and keeps what it replaces under another name.

mod archive;
mod documents;
mod ledger;
mod locks;
mod repair;
mod salvage;

use std::fmt;
use std::io;
use std::time::Duration;

use durable::Lock;
use serde::Serialize;
use serde_json::Value;
use terminal::{Exit, Failure, sanitise};

use crate::history::History;
use crate::ledger::Ledger;
use crate::row::Row;
use crate::{Home, Step, locked, publish};

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind of thing it is.
    pub kind: Kind,
    /// The step it is about; null where it is about no one step.
    pub step: Option<String>,
    /// The run it is about.
    pub run: Option<String>,
    /// The number of the generation in that run.
    pub generation: Option<usize>,
    /// The file or folder it is about, from the HOME on.
    pub path: Option<String>,
    /// In words.
    pub message: String,
    /// What became of it.
    pub state: Standing,
}

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Nothing is wrong; somebody may want to know.
    Note,
    /// A person must see to it.
    Person,
    /// A repair would see to it.
    Repairable,
    /// A repair saw to it.
    Repaired,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the schema of the findings describes each")]
pub enum Kind {
    LedgerMissing,
    LedgerUnreadable,
    HistoryLine,
    Interrupted,
    Remains,
    RunTwice,
    RunsOpen,
    RetiredSession,
    Undelivered,
    DocumentMissing,
    DocumentUnusable,
    DocumentUnknown,
    ArchiveMissing,
    ArchiveUnusable,
    ArchiveTwice,
    ArchiveUnknown,
    ArchiveShared,
    ArchiveElsewhere,
    ArchiveBack,
    PrunedThere,
    CopyMissing,
    CopyUnknown,
    LocksLocal,
}

impl Finding {
    fn new(kind: Kind, state: Standing, message: impl Into<String>) -> Finding {
        let message = message.into();
        Finding { kind, step: None, run: None, generation: None, path: None, message, state }
    }

    fn of_step(self, step: &str) -> Finding {
        Finding { step: Some(step.to_owned()), ..self }
    }

    fn of(self, row: &Row, generation: Option<usize>) -> Finding {
        Finding { run: Some(row.run.clone()), generation, ..self.of_step(&row.step) }
    }

    fn at(self, path: &str) -> Finding {
        Finding { path: Some(path.to_owned()), ..self }
    }

    /// On one line, as `docs/schema/` describes it.
    pub fn to_json(&self) -> String {
        let mut object = serde_json::json!({ "v": 1 });
        if let (Some(object), Ok(Value::Object(fields))) =
            (object.as_object_mut(), serde_json::to_value(self))
        {
            object.extend(fields);
        }
        object.to_string()
    }

    /// Whether something is wrong still.
    pub fn is_fault(&self) -> bool {
        matches!(self.state, Standing::Person | Standing::Repairable)
    }
}

/// `step: 'path': what (run R, generation 2); a repair would see to it`
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |text: &str| sanitise(text).replace(['\n', '\t'], " ");
        if let Some(step) = &self.step {
            write!(f, "{}: ", plain(step))?;
        }
        if let Some(path) = &self.path {
            write!(f, "'{}': ", plain(path))?;
        }
        f.write_str(&plain(&self.message))?;
        match (&self.run, self.generation) {
            (Some(run), Some(number)) => write!(f, " (run {}, generation {number})", plain(run))?,
            (Some(run), None) if !self.message.contains(run.as_str()) => {
                write!(f, " (run {})", plain(run))?;
            }
            _ => {}
        }
        f.write_str(match self.state {
            Standing::Note => "",
            Standing::Person => "; a person must see to it",
            Standing::Repairable => "; --repair sees to it",
            Standing::Repaired => "; repaired",
        })
    }
}

/// What was looked at, and what was found.
#[derive(Debug, Default)]
pub struct Report {
    /// In the order in which it was looked at.
    pub findings: Vec<Finding>,
    /// Runs in the ledger and the history.
    pub runs: usize,
    /// Current documents.
    pub documents: usize,
    /// Archived documents.
    pub archived: usize,
    /// Whether there was a ledger to hold all this against.
    pub is_known: bool,
}

impl Report {
    fn about(mut self, step: Option<&Step>) -> Report {
        let is_wanted = |finding: &Finding| match (step, &finding.step) {
            (Some(step), Some(about)) => step.name() == about,
            _ => true,
        };
        self.findings.retain(is_wanted);
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |number: usize, what: &str| {
            let many = if number == 1 { "" } else { "s" };
            format!("{number} {what}{many}")
        };
        if !self.is_known {
            return f.write_str("without a ledger nothing can be said of the rest");
        }
        let faults = self.findings.iter().filter(|finding| finding.is_fault()).count();
        write!(
            f,
            "{}, {}, {} in the archive: {}",
            count(self.runs, "run"),
            count(self.documents, "current document"),
            self.archived,
            if faults == 0 { "no fault".to_owned() } else { count(faults, "fault") },
        )
    }
}

/// Looks at a HOME, and repairs it where that is asked for. With a step, what is
/// about another one is neither told nor repaired.
///
/// # Errors
/// Exit 66 where there is no HOME; 75 where its lock is taken; 73 or 74 where
/// something cannot be read, or a repair cannot be written.
pub fn fsck(
    home: &Home,
    step: Option<&Step>,
    repair: bool,
    patience: Duration,
) -> Result<Report, Failure> {
    let look = || inspect(home, patience).map(|report| report.about(step));
    let mut report = look()?;
    let mut repaired = Vec::new();
    // A ledger that can be read again may tell of more.
    for _ in 0..MOST_REPAIRS {
        let can_repair = |finding: &Finding| finding.state == Standing::Repairable;
        if !repair || !report.findings.iter().any(can_repair) {
            break;
        }
        repair::repair(home, &report.findings, patience)?;
        let before = std::mem::replace(&mut report, look()?).findings;
        let is_gone = |finding: &Finding| !report.findings.contains(finding);
        repaired.extend(before.into_iter().filter(Finding::is_fault).filter(is_gone));
    }
    repaired.iter_mut().for_each(|finding| finding.state = Standing::Repaired);
    repaired.append(&mut report.findings);
    report.findings = repaired;
    Ok(report)
}

/// One brings the ledger back, one sees to what it then tells, one is to spare.
const MOST_REPAIRS: usize = 3;

/// Everything there is to look at.
struct Scene<'a> {
    home: &'a Home,
    /// Those of the ledger.
    rows: &'a [Row],
    /// Those of the history that the ledger does not have.
    past: &'a [Row],
    findings: Vec<Finding>,
}

impl<'a> Scene<'a> {
    fn rows(&self) -> impl DoubleEndedIterator<Item = &'a Row> + use<'a> {
        self.past.iter().chain(self.rows)
    }

    fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

fn inspect(home: &Home, patience: Duration) -> Result<Report, Failure> {
    let root = durable::uninterrupted(|| fs_err::metadata(home.root()));
    root.map_err(|error| Failure::reading(home.root(), &error))?;
    let _lock = lock(home, patience)?;
    let ledger = match Ledger::load(&home.manifest()) {
        Ok(ledger) => ledger,
        // A disk that fails says nothing about the ledger.
        Err(failure) if failure.exit != Exit::Data => return Err(failure),
        // Without it nothing can be said of the rest.
        Err(failure) => {
            let findings = vec![ledger::unreadable(home, &failure)?];
            return Ok(Report { findings, ..Report::default() });
        }
    };
    let mut history = History::load(&home.history())?;
    let unreadable = std::mem::take(&mut history.unreadable);
    let past = history.without(&ledger.rows);
    let mut scene = Scene { home, rows: &ledger.rows, past: &past, findings: Vec::new() };
    ledger::look(&mut scene, &unreadable)?;
    let documents = documents::look(&mut scene)?;
    let archived = archive::look(&mut scene)?;
    if ledger.is_new() && documents + archived > 0 {
        let message = "there is no ledger, and documents are there";
        scene.find(Finding::new(Kind::LedgerMissing, Standing::Repairable, message));
    }
    locks::look(&mut scene);
    let runs = scene.rows().count();
    Ok(Report { findings: scene.findings, runs, documents, archived, is_known: true })
}

/// A HOME that may only be read is looked at without its lock.
fn lock(home: &Home, patience: Duration) -> Result<Option<Lock>, Failure> {
    use io::ErrorKind::{NotFound, PermissionDenied, ReadOnlyFilesystem};
    match durable::lock(&home.lock(), patience) {
        Ok(Some(lock)) => Ok(Some(lock)),
        Ok(None) => Err(locked::held(home)),
        Err(error) => match error.kind() {
            PermissionDenied | ReadOnlyFilesystem => Ok(None),
            // Where no run was ever recorded there is nothing to lock; a lock that
            // is a link to nowhere is something else.
            NotFound if !publish::is_there(&home.root().join("runs"))? => Ok(None),
            _ => Err(Failure::writing(&home.lock(), &error)),
        },
    }
}
