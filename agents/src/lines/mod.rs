//! Transcripts that are lists of lines, read in either direction.
//!
//! One record a line, as JSON; damaged lines are repaired where their record is
//! still whole and passed over where not. A line longer than
//! [`HUGE`] is never held: of it only the beginning is kept, and its length.

mod branch;
mod forward;
mod from_end;
mod record;

use std::collections::HashSet;
use std::io;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use serde::Deserialize;

use crate::See;
use crate::fact::Fact;
use crate::probe::Probe;
use crate::source::Source;
pub(crate) use branch::Branch;
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

/// The first line, unless it is too long to hold.
pub(crate) fn first(source: &Source) -> io::Result<Option<Vec<u8>>> {
    Ok(match Forward::new(source).next()? {
        Some(Line::Whole(line)) => Some(line.to_vec()),
        _ => None,
    })
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

/// A format whose records are a tree.
pub(crate) trait OfBranch: Format {
    /// The keys of a record's id, and of the id of the one before it.
    const KEYS: (&'static str, &'static str);

    /// Both ids of a record.
    fn link<'r>(record: &'r Self::Record<'_>) -> (Option<&'r str>, Option<&'r str>);

    /// The records that count.
    fn branch(&self) -> &Branch;
}

/// Shows the facts of every record of the branch that goes on, newest first.
/// `new` makes the format for these records, to be read newest first or not.
pub(crate) fn newest_first_of_branch<F: OfBranch>(
    new: fn(bool, Branch) -> F,
    source: &Source,
    see: See<'_>,
) -> io::Result<()> {
    let mut format = new(true, Branch::newest());
    let mut answered = false;
    newest_first(&mut format, source, &mut |fact| {
        answered = matches!(fact, Fact::Answer(_) | Fact::Compaction(_));
        if answered { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let is_sound = answered || format.branch().is_complete();
    let branch = if is_sound { Branch::newest() } else { Branch::Whole };
    newest_first(&mut new(true, branch), source, see)
}

/// The same, oldest first.
pub(crate) fn oldest_first_of_branch<F: OfBranch>(
    new: fn(bool, Branch) -> F,
    source: &Source,
    see: See<'_>,
) -> io::Result<()> {
    let mut members =
        Members::<F> { branch: Branch::newest(), ids: HashSet::new(), of: PhantomData };
    newest_first(&mut members, source, &mut |_| ControlFlow::Continue(()))?;
    let branch = match members.branch.is_complete() {
        true => Branch::Members(members.ids),
        false => Branch::Whole,
    };
    oldest_first(&mut new(false, branch), source, see)
}

/// Collects the ids of a branch, and shows nothing.
struct Members<F> {
    branch: Branch,
    ids: HashSet<String>,
    of: PhantomData<F>,
}

impl<F> Members<F> {
    fn note(&mut self, (id, parent): (Option<&str>, Option<&str>)) -> ControlFlow<()> {
        if let Some(id) = id.filter(|_| self.branch.has(id, parent)) {
            self.ids.insert(id.to_owned());
        }
        if self.branch.is_complete() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<F: OfBranch> Format for Members<F> {
    type Record<'l> = F::Record<'l>;
    const COPIES: &'static [u8] = F::COPIES;

    fn facts(&mut self, record: Self::Record<'_>, _: See<'_>) -> ControlFlow<()> {
        self.note(F::link(&record))
    }

    fn facts_of_huge(&mut self, huge: &Huge<'_>, _: See<'_>) -> ControlFlow<()> {
        let probe = Probe::new(huge.head);
        self.note((probe.text(F::KEYS.0), probe.text(F::KEYS.1)))
    }
}

fn facts_of<F: Format>(format: &mut F, line: &Line<'_>, see: See<'_>) -> ControlFlow<()> {
    match line {
        Line::Whole(line) => record::facts(format, line, see),
        Line::Huge(huge) => format.facts_of_huge(huge, see),
    }
}
