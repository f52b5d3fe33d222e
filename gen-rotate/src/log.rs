//! The ledger in words for a person: which generations a step burnt, what each
//! cost, where its document lies.

use std::fmt::Write;

use terminal::{Failure, sanitise};

use crate::Home;
use crate::generation::Generation;
use crate::history::History;
use crate::ledger::Ledger;
use crate::row::Row;

/// All rows there ever were, and what could not be read of them.
#[derive(Debug)]
pub struct Log {
    /// Oldest first.
    pub rows: Vec<Row>,
    /// The lines of the history that are no rows.
    pub unreadable: Vec<usize>,
    /// Whether there is no ledger.
    pub is_new: bool,
}

/// Reads the ledger and the history.
///
/// # Errors
/// Exit 65 for a manifest that is no ledger; 66 or 74 where one cannot be read.
pub fn log(home: &Home) -> Result<Log, Failure> {
    // A row that moves meanwhile is then found twice, and not never.
    let ledger = Ledger::load(&home.manifest())?;
    let past = History::load(&home.history())?;
    let is_new = ledger.is_new();
    let unreadable = past.unreadable.clone();
    let mut rows = past.without(&ledger.rows);
    rows.extend(ledger.rows);
    Ok(Log { rows, unreadable, is_new })
}

/// One run: two lines about it, one to three a generation, a line an error; on a
/// terminal of 80 columns they stay lines. Whatever a
/// session put into it is safe to show; what is not known is `-`.
pub fn describe(row: &Row) -> String {
    let end = match (&row.ended_at, row.ok) {
        (None, _) => "running",
        (Some(_), Some(true)) => "ok",
        (Some(_), Some(false)) => "failed",
        (Some(_), None) => "ended",
    };
    let mut text = format!(
        "{}  step {}  {end}  attempts {}  retired {}  cost {}  turns {}\n   {} to {}\n",
        plain(&row.run),
        plain(&row.step),
        row.attempts,
        row.retirements(),
        dollars(row.cost_usd),
        number(row.num_turns),
        word(row.started_at.as_deref()),
        word(row.ended_at.as_deref()),
    );
    for (index, generation) in row.generations.iter().enumerate() {
        let _ = writeln!(text, "  {index}  {}", line(generation));
    }
    for path in &row.unattributed {
        let _ = writeln!(text, "  -  {}", plain(path));
    }
    for error in &row.errors {
        let _ = writeln!(text, "  ! {}", plain(error));
    }
    text
}

fn line(generation: &Generation) -> String {
    let mut text = format!(
        "{}  {}  {}/{}  {}  turns {}",
        word(generation.session_id.as_deref()),
        generation.state.name(),
        number(generation.context),
        number(generation.window),
        dollars(generation.cost_usd),
        number(generation.num_turns),
    );
    if let Some(status) = generation.exit_status.filter(|&status| status != 0) {
        let _ = write!(text, "  exit {status}");
    }
    if let Some(signal) = generation.signal {
        let _ = write!(text, "  signal {signal}");
    }
    if let Some(document) = generation.archive.as_ref().or(generation.document.as_ref()) {
        let degraded = if generation.degraded == Some(true) { "degraded " } else { "" };
        let pruned = match generation {
            Generation { pruned: true, .. } => " (pruned)",
            Generation { missing: true, .. } => " (missing)",
            _ => "",
        };
        let _ = write!(text, "\n     {degraded}{}{pruned}", plain(document));
    }
    if let Some(why) = &generation.why {
        let _ = write!(text, "\n     {}", plain(why));
    }
    text
}

fn word(text: Option<&str>) -> String {
    text.map_or_else(|| "-".to_owned(), plain)
}

fn number(number: Option<u64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

fn dollars(amount: Option<f64>) -> String {
    amount.map_or_else(|| "-".to_owned(), |amount| format!("${amount:.2}"))
}

fn plain(text: &str) -> String {
    sanitise(text).replace(['\n', '\t'], " ")
}
