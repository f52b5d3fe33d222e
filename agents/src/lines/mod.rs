//! Transcripts that are lists of lines, read in either direction.
//!
//! One record a line, as JSON; damaged lines are repaired where their record is
//! still whole and passed over where not. A line longer than
//! [`HUGE`] is never held: of it only the beginning is kept, and its length.

mod forward;
mod from_end;
mod record;

use std::io;
use std::ops::ControlFlow;

use serde::Deserialize;

use crate::See;
use crate::source::Source;
use forward::Forward;
use from_end::FromEnd;
pub(crate) use record::without_lone_surrogates;

/// Bytes above which a line is not held in memory. Answers are bounded by the
/// models' output limits, some hundred thousand tokens, so no answer is as long.
const HUGE: usize = 4 << 20;

/// What is kept of the beginning of a huge line.
const HEAD: usize = 64 << 10;

/// One line, without its newline.
pub(crate) enum Line<'b> {
    /// All of it.
    Whole(&'b [u8]),
    /// The beginning of a huge one.
    Huge(Huge<'b>),
}

/// A line too long to hold.
pub(crate) struct Huge<'b> {
    pub(crate) head: &'b [u8],
    /// Bytes up to the key behind which the CLI keeps copies for its display, or
    /// of the whole line.
    pub(crate) length: u64,
}

/// A format of one JSON record a line, and what its records state.
pub(crate) trait Format {
    /// A record with the keys that matter.
    type Record<'l>: Deserialize<'l>;

    /// The key behind which the CLI keeps copies for its display, as it stands
    /// in a record; empty where there is none.
    const COPIES: &'static [u8];

    /// The facts of one record.
    fn facts(&mut self, record: Self::Record<'_>, see: See<'_>) -> ControlFlow<()>;

    /// The facts of a line too long to hold.
    fn facts_of_huge(&mut self, huge: &Huge<'_>, see: See<'_>) -> ControlFlow<()>;
}

/// Shows the facts of every record of a file, newest first.
pub(crate) fn newest_first<F: Format>(
    format: &mut F,
    source: &Source,
    see: See<'_>,
) -> io::Result<()> {
    let mut lines = FromEnd::new(source, F::COPIES);
    while let Some(line) = lines.next()? {
        if facts_of(format, &line, see).is_break() {
            break;
        }
    }
    Ok(())
}

/// Shows the facts of every record of a file, oldest first.
pub(crate) fn oldest_first<F: Format>(
    format: &mut F,
    source: &Source,
    see: See<'_>,
) -> io::Result<()> {
    let mut lines = Forward::new(source);
    while let Some(line) = lines.next()? {
        if facts_of(format, &line, see).is_break() {
            break;
        }
    }
    Ok(())
}

fn facts_of<F: Format>(format: &mut F, line: &Line<'_>, see: See<'_>) -> ControlFlow<()> {
    match line {
        Line::Whole(line) => record::facts(format, line, see),
        Line::Huge(huge) => format.facts_of_huge(huge, see),
    }
}
