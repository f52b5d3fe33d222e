//! The ledger: a JSON array of rows, newest last, written whole each time; of each
//! step the newest hundred, since older ones move to the history.
//!
//! A manifest that cannot be read as one is never overwritten: history that is
//! lost cannot be bought back, and a person can repair a torn file.

use std::io;
use std::path::{Path, PathBuf};

use durable::Access;
use terminal::{Exit, Failure};

use crate::history;
use crate::resume::undelivered;
use crate::row::Row;

/// All rows of a HOME.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Newest last.
    pub rows: Vec<Row>,
    path: PathBuf,
    is_new: bool,
    /// Rows that leave for the history at the next save.
    leaving: Vec<Row>,
}

/// The name under which a changed ledger is made.
pub(crate) const TEMPORARY: &str = ".manifest.json.new";

/// So many rows of a step stay: a run a day for a season, in some hundred KB that
/// are written anew at each change.
const KEPT: usize = 100;

impl Ledger {
    /// Reads a manifest; where there is none yet, the ledger is empty.
    ///
    /// # Errors
    /// Exit 65 where the file is no ledger or closed to us, 74 where the disk fails.
    pub fn load(path: &Path) -> Result<Ledger, Failure> {
        refuse_link(path)?;
        let bytes = match durable::read_regular(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Ledger { path: path.to_owned(), is_new: true, ..Ledger::default() });
            }
            Err(error) => return Err(unreadable(path, &error)),
        };
        let rows = parse(&bytes).map_err(|fault| {
            Failure::data(format!("'{}' is no ledger of gen-rotate: {fault}", path.display())).hint(
                "it is left as it is; 'gen-rotate fsck --repair' takes what can be read of it",
            )
        })?;
        Ok(Ledger::of(path, rows))
    }

    /// One of these rows, for this place.
    pub(crate) fn of(path: &Path, rows: Vec<Row>) -> Ledger {
        Ledger { rows, path: path.to_owned(), ..Ledger::default() }
    }

    /// Whether there was no manifest yet.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// The ledger in a file's bytes.
    ///
    /// # Errors
    /// Where and why it is none.
    pub fn parse(bytes: &[u8]) -> Result<Vec<Row>, String> {
        parse(bytes)
    }

    /// Puts the ledger on disk, whole and durable.
    ///
    /// # Errors
    /// The old one is then still whole.
    pub(crate) fn save(&mut self) -> Result<(), Failure> {
        if !self.leaving.is_empty() {
            history::append(&history::beside(&self.path), &self.leaving)?;
        }
        let mut text = serde_json::to_string_pretty(&self.rows)
            .map_err(|error| Failure::data(format!("cannot write the ledger: {error}")))?;
        text.push('\n');
        let temporary = self.path.with_file_name(TEMPORARY);
        durable::replace(&self.path, &temporary, text.as_bytes(), Access::AsFolder)
            .map_err(|error| Failure::writing(&self.path, &error))?;
        self.leaving.clear();
        Ok(())
    }

    /// Adds a run, and lets the oldest of its step go. Returns its index; those of
    /// other rows may change.
    pub(crate) fn add(&mut self, row: Row) -> usize {
        let step = row.step.clone();
        self.rows.push(row);
        let of_step = self.rows.iter().filter(|row| row.step == step).count();
        let mut surplus = of_step.saturating_sub(KEPT);
        let needed = self.needed(&step);
        let mut index = 0;
        self.rows.retain(|row| {
            let goes = surplus > 0 && row.step == step && !needed.contains(&index);
            index += 1;
            if row.step == step {
                surplus = surplus.saturating_sub(1);
            }
            if goes {
                self.leaving.push(row.clone());
            }
            !goes
        });
        self.rows.len() - 1
    }

    /// The rows of a step that stay however old they are: those that go on, those
    /// whose document is the current one, and one whose document reached nobody.
    fn needed(&self, step: &str) -> Vec<usize> {
        let of_step = || self.rows.iter().enumerate().filter(|(_, row)| row.step == step);
        let goes_on = |row: &Row| row.is_open() || row.intent.is_some();
        let is_current =
            |row: &Row| row.generations.iter().any(|g| g.document.is_some() && g.archive.is_none());
        let mut needed: Vec<usize> =
            of_step().filter(|(_, row)| goes_on(row)).map(|(index, _)| index).collect();
        needed.extend(of_step().rfind(|(_, row)| is_current(row)).map(|(index, _)| index));
        needed.extend(undelivered(&self.rows, step));
        needed
    }

    /// The rows of a step, newest last.
    pub fn rows_of<'a>(&'a self, step: &'a str) -> impl DoubleEndedIterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| row.step == step)
    }

    /// The step's newest run that has not ended.
    pub fn open_row(&self, step: &str) -> Option<usize> {
        self.rows.iter().rposition(|row| row.step == step && row.is_open())
    }

    /// The same, or a new run.
    pub(crate) fn open_row_or_new(&mut self, step: &str) -> usize {
        self.open_row(step).unwrap_or_else(|| self.add(Row::open(step, None)))
    }

    /// Where a session belongs: to the newest run of the step that knows it,
    /// else to the one that is open, else to the newest.
    pub(crate) fn row_of_session(&self, step: &str, session: Option<&str>) -> Option<usize> {
        let knows = |row: &Row| {
            session.is_some() && row.generations.iter().any(|g| g.session_id.as_deref() == session)
        };
        let newest = |wanted: &dyn Fn(&Row) -> bool| {
            self.rows.iter().rposition(|row| row.step == step && wanted(row))
        };
        newest(&knows).or_else(|| newest(&Row::is_open)).or_else(|| newest(&|_| true))
    }
}

/// One that is closed to us is as bad as one that makes no sense: 65. A disk that
/// fails is 74 as everywhere.
fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let mut failure = Failure::reading(path, error);
    if failure.exit == Exit::NoInput {
        failure.exit = Exit::Data;
    }
    failure
}

/// Another file takes its place at each change, which would cut a link.
pub(crate) fn refuse_link(path: &Path) -> Result<(), Failure> {
    let found = durable::uninterrupted(|| fs_err::symlink_metadata(path));
    match found {
        Ok(found) if found.is_symlink() => {
            let message = format!("'{}' is a symbolic link", path.display());
            Err(Failure::data(message).hint("a ledger is replaced whole: link its folder instead"))
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unreadable(path, &error)),
        _ => Ok(()),
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<Row>, String> {
    // An editor on Windows may put a byte order mark in front.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let rows: Vec<Row> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    for (index, row) in rows.iter().enumerate() {
        if let Some(fault) = row.fault() {
            return Err(format!("row {}: {fault}", index + 1));
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    proptest! {
        #[test]
        fn whatever_is_no_ledger_is_refused_calmly(text in any::<String>()) {
            let _ = parse(text.as_bytes());
            let text = format!(r#"[{{"run":"r","step":{},"x":{text}}}]"#, Value::from(text.as_str()));
            if let Ok(rows) = parse(text.as_bytes()) {
                let again = serde_json::to_vec(&rows).unwrap();
                prop_assert_eq!(serde_json::to_value(parse(&again).unwrap()).unwrap(),
                    serde_json::to_value(&rows).unwrap());
            }
        }
    }

    #[test]
    fn keys_of_a_person_are_kept() {
        let text = r#"[{"run":"r","step":"s","note":"mine","generations":[{"mood":[1,2]}]}]"#;
        let rows = parse(text.as_bytes()).unwrap();
        let again = serde_json::to_value(&rows).unwrap();
        assert_eq!(again[0]["note"], "mine");
        assert_eq!(again[0]["generations"][0]["mood"][1], 2);
        assert!(parse("\u{feff}[]".as_bytes()).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_ledger_is_refused() {
        for text in [
            "",
            "{}",
            "null",
            "[1]",
            "[{}]",
            r#"[{"run":"r"}]"#,
            r#"[{"run":"r","step":"s"}"#,
            r#"[{"run":"","step":"s"}]"#,
            r#"[{"run":"r","step":"s","run":"r"}]"#,
            r#"[{"run":"r","step":"s","attempts":-1}]"#,
            r#"[{"run":"r","step":"s","intent":{"temporary":"../x","archive":null}}]"#,
            "[{\"run\":\"r\",\"step\":\"\u{1}\"}]",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
