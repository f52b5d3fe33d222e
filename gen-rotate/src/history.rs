//! The rows that left the ledger: `history.jsonl` beside it, one row a line,
//! oldest first, only ever added to.
//!
//! The ledger is written whole at each change, so it keeps the newest hundred
//! rows of a step; an older one is first added here and synced, and then left
//! out there. A crash in between leaves it in both, whole or torn: the next try
//! adds the same bytes again, and therefore begins with what of them is there.
//! Lines that are no rows, which a power cut may leave in other ways, are passed
//! over. Where a row occurs twice the last one counts, and the ledger's before it.

use std::collections::HashSet;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use durable::Access;
use fs_err::{File, OpenOptions};
use memchr::memmem;
use terminal::Failure;

use crate::ledger::refuse_link;
use crate::row::Row;

/// What a history holds.
#[derive(Debug, Default)]
pub struct History {
    /// Oldest first, each run of a step once.
    pub rows: Vec<Row>,
    /// The numbers, from 1 on, of the lines that are no rows.
    pub unreadable: Vec<usize>,
}

/// The history that belongs to a ledger.
pub(crate) fn beside(manifest: &Path) -> PathBuf {
    manifest.with_file_name("history.jsonl")
}

impl History {
    /// Reads a history; where there is none yet, it is empty.
    ///
    /// # Errors
    /// Exit 66 or 74 where the file cannot be read.
    pub fn load(path: &Path) -> Result<History, Failure> {
        refuse_link(path)?;
        match durable::read_regular(path) {
            Ok(bytes) => Ok(History::parse(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(History::default()),
            Err(error) => Err(Failure::reading(path, &error)),
        }
    }

    /// Its rows that are not among these, which count before it.
    pub(crate) fn without(self, ledger: &[Row]) -> Vec<Row> {
        let known: HashSet<(&str, &str)> =
            ledger.iter().map(|row| (row.run.as_str(), row.step.as_str())).collect();
        let mut rows = self.rows;
        rows.retain(|row| !known.contains(&(row.run.as_str(), row.step.as_str())));
        rows
    }

    /// Of bytes, whatever they are.
    pub fn parse(bytes: &[u8]) -> History {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let mut history = History::default();
        let mut seen = HashSet::new();
        let lines: Vec<_> = bytes.split(|&byte| byte == b'\n').enumerate().collect();
        for (index, line) in lines.into_iter().rev().filter(|(_, line)| !line.is_empty()) {
            match serde_json::from_slice::<Row>(line) {
                Ok(row) if row.fault().is_none() => {
                    if seen.insert((row.run.clone(), row.step.clone())) {
                        history.rows.push(row);
                    }
                }
                _ => history.unreadable.push(index + 1),
            }
        }
        history.rows.reverse();
        history.unreadable.reverse();
        history
    }
}

/// Whether a session of the step gave way in one of these rows.
///
/// # Errors
/// As [`History::load`].
pub(crate) fn has_retired(path: &Path, step: &str, session: &str) -> Result<bool, Failure> {
    let bytes = match durable::read_regular(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(Failure::reading(path, &error)),
    };
    // Mostly it is nowhere in it, which is seen without a parser. JSON writes an
    // id of other characters in another way.
    let is_plain = session.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_plain && memmem::find(&bytes, session.as_bytes()).is_none() {
        return Ok(false);
    }
    let history = History::parse(&bytes);
    Ok(history.rows.iter().any(|row| row.step == step && row.has_retired(session)))
}

/// Adds rows, durably.
///
/// # Errors
/// Some of their bytes may then be there.
pub(crate) fn append(path: &Path, rows: &[Row]) -> Result<(), Failure> {
    refuse_link(path)?;
    let failed = |error: io::Error| Failure::writing(path, &error);
    let block = lines(rows).map_err(|error| unwritable(path, &error))?;
    let mut file = open(path).map_err(failed)?;
    let missing = missing(&mut file, &block).map_err(failed)?;
    file.write_all(&missing).and_then(|()| file.sync_all()).map_err(failed)
}

/// The name under which a changed history is made.
pub(crate) const TEMPORARY: &str = ".history.jsonl.new";

/// Changes rows where they are. Every other line stays as it is, byte for byte.
///
/// # Errors
/// The history is then still as it was.
pub(crate) fn rewrite(
    path: &Path,
    change: &mut dyn FnMut(&mut Row) -> bool,
) -> Result<(), Failure> {
    refuse_link(path)?;
    let bytes = match durable::read_regular(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::reading(path, &error)),
    };
    let mut text = Vec::with_capacity(bytes.len());
    let mut changed = false;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let row = serde_json::from_slice::<Row>(line).ok();
        match row.and_then(|mut row| change(&mut row).then_some(row)) {
            Some(row) => {
                changed = true;
                text.extend(lines(&[row]).map_err(|error| unwritable(path, &error))?);
            }
            None => text.extend_from_slice(line),
        }
    }
    if !changed {
        return Ok(());
    }
    let temporary = path.with_file_name(TEMPORARY);
    durable::replace(path, &temporary, &text, Access::AsFolder)
        .map_err(|error| Failure::writing(path, &error))
}

fn unwritable(path: &Path, error: &serde_json::Error) -> Failure {
    Failure::data(format!("cannot write '{}': {error}", path.display()))
}

fn lines(rows: &[Row]) -> serde_json::Result<Vec<u8>> {
    let mut block = Vec::new();
    for row in rows {
        serde_json::to_writer(&mut block, row)?;
        block.push(b'\n');
    }
    Ok(block)
}

/// Opened for reading its end and adding to it. A new one has its name made safe
/// before its rows leave the ledger.
fn open(path: &Path) -> io::Result<File> {
    let folder = durable::folder_of(path);
    durable::open_or_create(path, Access::AsFolder, OpenOptions::new().read(true).append(true))
        .and_then(|file| durable::sync_folder(folder).map(|()| file))
}

/// What of the block is not yet at the end of the file. A torn line that is none
/// of ours is ended first.
fn missing(file: &mut File, block: &[u8]) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    // And the end of the line before.
    let from = length.saturating_sub(block.len() as u64 + 1);
    file.seek(SeekFrom::Start(from))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    let starts = (0..end.len()).filter(|&at| match at {
        0 => from == 0,
        at => end[at - 1] == b'\n',
    });
    if let Some(at) = starts.into_iter().find(|&at| block.starts_with(&end[at..])) {
        return Ok(block[end.len() - at..].to_vec());
    }
    let mut missing = Vec::new();
    if end.last().is_some_and(|&last| last != b'\n') {
        missing.push(b'\n');
    }
    missing.extend_from_slice(block);
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(run: &str) -> Row {
        Row { run: run.to_owned(), step: "s".to_owned(), ..Row::default() }
    }

    #[test]
    fn a_torn_addition_is_finished_wherever_it_was_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.jsonl");
        append(&path, &[row("1"), row("2")]).unwrap();
        let before = fs_err::read(&path).unwrap();
        append(&path, &[row("3"), row("4")]).unwrap();
        let whole = fs_err::read(&path).unwrap();
        for cut in before.len()..=whole.len() {
            fs_err::write(&path, &whole[..cut]).unwrap();
            append(&path, &[row("3"), row("4"), row("5")]).unwrap();
            append(&path, &[row("3"), row("4"), row("5")]).unwrap();
            let runs: Vec<_> =
                History::load(&path).unwrap().rows.into_iter().map(|row| row.run).collect();
            assert_eq!(runs, ["1", "2", "3", "4", "5"], "cut at {cut}");
            let text = fs_err::read_to_string(&path).unwrap();
            assert_eq!(text.lines().count(), 5, "cut at {cut}: {text}");
        }
    }

    #[test]
    fn what_is_no_row_is_passed_over_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.jsonl");
        append(&path, &[row("1")]).unwrap();
        let mut text = fs_err::read(&path).unwrap();
        text.extend(b"\0\0\0\0\n{\"run\":\"x\"}\n[]\n\n{\"run\":\"torn");
        fs_err::write(&path, &text).unwrap();
        append(&path, &[row("2"), row("1")]).unwrap();
        let history = History::load(&path).unwrap();
        let runs: Vec<_> = history.rows.iter().map(|row| row.run.as_str()).collect();
        assert_eq!(runs, ["2", "1"], "the last of two counts");
        assert_eq!(history.unreadable, [2, 3, 4, 6]);
        assert!(fs_err::read(&path).unwrap().starts_with(&text), "nothing is taken out");
    }
}
