//! When to stop changing generations and ask a person.
//!
//! A rotation is no failed attempt and costs none, so nothing else would end a
//! loop of futile ones. All three breakers count within one run: a new wake is a
//! new run. Each says what to turn.

use terminal::{Exit, Failure};

use crate::figures::Figures;
use crate::generation::{Generation, State};
use crate::row::Row;

/// What a breaker is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// So many sessions may retire in one run.
    pub max_generations: u64,
    /// The newest session's figures, where the ledger does not have them yet:
    /// its window, its line, its first answer's context.
    pub figures: Figures,
}

/// The room that a handoff needs, where only the window is known.
const HEADROOM: u64 = 50_000;
/// Below this no document can be written.
const LOWEST_LINE: u64 = 10_000;

/// The handoff line of a window.
pub(crate) fn line_of(window: u64) -> u64 {
    window.saturating_sub(HEADROOM).max(LOWEST_LINE)
}

/// Refuses the next crossing, before its document is paid for.
///
/// # Errors
/// Exit 3 where a breaker holds.
pub(crate) fn check(row: &Row, limits: &Limits) -> Result<(), Failure> {
    // A published document is a crossing already made.
    let published = row.last().is_some_and(|last| last.state == State::Pending);
    judge(row, limits, row.retirements() + u64::from(!published))
}

/// Refuses to launch a successor for a document that is written already.
pub(crate) fn check_launch(row: &Row, limits: &Limits) -> Result<(), Failure> {
    judge(row, limits, row.retirements())
}

fn judge(row: &Row, limits: &Limits, crossings: u64) -> Result<(), Failure> {
    let too_many = crossings > limits.max_generations;
    let mut is_full = false;
    let mut message = if let Some((number, floor, at)) = floor(row, limits) {
        format!(
            "the first answer of generation {number} already saw {floor} tokens, with the handoff \
             line at {at}: the line lies below this role's startup floor"
        )
    } else if too_many {
        format!(
            "{} sessions of this run are retired, and the limit is {}: most likely the handoff line \
             lies below this role's startup floor",
            row.retirements(),
            limits.max_generations
        )
    } else if degraded_in_a_row(row) {
        is_full = true;
        "two documents in a row are degraded: there is no room left to write one".to_owned()
    } else {
        return Ok(());
    };
    if let Some(window) = limits.figures.window.or(row.window) {
        message += &format!(" (the window is {window})");
    }
    // Where the window is set too large, its sessions overflow before they can write.
    let hint = if too_many {
        "raise --window, or --no-handoff; --max-generations allows more"
    } else if is_full {
        "lower --window or raise --headroom, or --no-handoff"
    } else {
        "raise --window, or --no-handoff"
    };
    Err(Failure::new(Exit::Breaker, message).hint(hint))
}

/// A successor whose first answer was already at the line: its number, what it
/// saw, the line.
fn floor(row: &Row, limits: &Limits) -> Option<(usize, u64, u64)> {
    let launched = |g: &Generation| !matches!(g.state, State::Pending | State::Superseded);
    let number = row.generations.iter().rposition(launched)?;
    let generation = &row.generations[number];
    if number == 0 && generation.given.is_none() {
        return None;
    }
    let given = &limits.figures;
    let floor = given.first_context.or(generation.first_context)?;
    let at = given
        .at
        .or_else(|| given.window.map(line_of))
        .or(generation.at)
        .or_else(|| generation.window.or(row.window).map(line_of))?;
    (floor >= at).then_some((number, floor, at))
}

fn degraded_in_a_row(row: &Row) -> bool {
    let mut newest = row.generations.iter().rev().filter_map(|generation| generation.degraded);
    newest.next() == Some(true) && newest.next() == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(max_generations: u64) -> Limits {
        Limits { max_generations, figures: Figures::default() }
    }

    fn row(degraded: &[bool]) -> Row {
        let mut row = Row::open("s", Some("0"));
        for (number, &degraded) in degraded.iter().enumerate() {
            row.generations[number].degraded = Some(degraded);
            row.retired.push(number.to_string());
            let state = State::Delivered;
            row.generations.push(Generation { state, ..Generation::default() });
        }
        row
    }

    #[test]
    fn exactly_so_many_sessions_may_retire() {
        let row = row(&[false; 3]);
        assert!(check(&row, &limits(4)).is_ok());
        let failure = check(&row, &limits(3)).unwrap_err();
        assert_eq!(failure.exit, Exit::Breaker);
        assert!(failure.hint.unwrap().starts_with("raise --window, or --no-handoff"));
        assert!(check_launch(&row, &limits(3)).is_ok());
        assert!(check_launch(&row, &limits(2)).is_err());
        assert!(check(&Row::open("s", None), &limits(0)).is_err());
    }

    #[test]
    fn two_degraded_in_a_row_stop() {
        for (degraded, stops) in [
            (&[true][..], false),
            (&[true, true], true),
            (&[true, false, true], false),
            (&[true, true, false], false),
            (&[false, true, true], true),
        ] {
            assert_eq!(check(&row(degraded), &limits(8)).is_err(), stops, "{degraded:?}");
        }
    }

    #[test]
    fn a_successor_that_starts_at_the_line_stops() {
        let mut row = row(&[false]);
        let figures =
            |first_context, at, window| Figures { first_context, at, window, ..Figures::default() };
        for (figures, stops) in [
            (figures(Some(34_000), Some(34_000), None), true),
            (figures(Some(34_000), Some(34_001), None), false),
            (figures(Some(34_000), None, Some(80_000)), true),
            (figures(Some(34_000), None, Some(90_000)), false),
            (figures(Some(34_000), None, None), false),
            (figures(None, Some(1), None), false),
        ] {
            let limits = Limits { max_generations: 8, figures };
            assert_eq!(check(&row, &limits).is_err(), stops, "{figures:?}");
        }
        let recorded = figures(Some(40_000), Some(39_000), None);
        row.generations[1].note(&recorded, false);
        assert!(check(&row, &limits(8)).is_err());
        let raised = Figures { window: Some(200_000), ..Figures::default() };
        assert!(check(&row, &Limits { max_generations: 8, figures: raised }).is_ok());
    }
}
