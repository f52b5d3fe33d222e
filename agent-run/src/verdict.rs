//! What a run came to.

use agents::{EndKind, Ended};
use overflow_detect::{Class, records};

/// What a run came to; each calls for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The agent ended with an answer.
    Done,
    /// It was stopped at its line; the session can go on.
    Stopped,
    /// The prompt no longer fits.
    Overflow,
    /// A hook refused the prompt.
    Blocked,
    /// Too many requests or tokens for now.
    Rate,
    /// The service, or the way to it, failed.
    Network,
    /// The key or the credit is refused.
    Credentials,
    /// The model is refused.
    Model,
    /// A signal ended it.
    Interrupted,
    /// Nothing came from it for too long.
    Hung,
    /// It ended without a word.
    Empty,
    /// Anything else.
    Failed,
}

impl Verdict {
    /// The word in the outcome.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Done => "done",
            Verdict::Stopped => "stopped",
            Verdict::Overflow => "overflow",
            Verdict::Blocked => "blocked",
            Verdict::Rate => "rate",
            Verdict::Network => "network",
            Verdict::Credentials => "credentials",
            Verdict::Model => "model",
            Verdict::Interrupted => "interrupted",
            Verdict::Hung => "hung",
            Verdict::Empty => "empty",
            Verdict::Failed => "failed",
        }
    }
}

/// A verdict with what else the error told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// The error's words.
    pub error: Option<String>,
    /// An overflow for which the reserved output is to blame: a handoff would
    /// not help.
    pub reservation: bool,
    /// The limit that an overflow named, in tokens.
    pub limit: Option<u64>,
    /// Seconds after which to try again, where the error says so.
    pub retry_after: Option<u64>,
}

impl Judged {
    /// A verdict that needs no error.
    pub fn plain(verdict: Verdict) -> Judged {
        Judged { verdict, error: None, reservation: false, limit: None, retry_after: None }
    }

    /// A verdict with its reason.
    pub fn telling(verdict: Verdict, error: String) -> Judged {
        let error = Some(error).filter(|error| !error.trim().is_empty());
        Judged { error, ..Judged::plain(verdict) }
    }
}

/// Judges a run by its CLI's last word `ended`. A run without one is not done,
/// whatever it printed and with whatever status it exited: its stream was cut.
pub fn verdict(ended: Option<&Ended>, printed: &str, exited_well: bool) -> Judged {
    let Some(ended) = ended else {
        let printed = printed.trim();
        return match (exited_well, printed.is_empty()) {
            (true, true) => Judged::plain(Verdict::Empty),
            (true, false) => Judged::telling(
                Verdict::Failed,
                format!("the agent ended without a result, after '{}'", last_line(printed)),
            ),
            (false, _) => failed(printed, printed),
        };
    };
    match ended.kind {
        EndKind::Answered if ended.text.trim().is_empty() => Judged::plain(Verdict::Empty),
        EndKind::Answered => Judged::plain(Verdict::Done),
        EndKind::StoppedByHook => Judged::plain(Verdict::Stopped),
        EndKind::PromptBlocked => Judged::telling(Verdict::Blocked, ended.text.clone()),
        EndKind::LimitReached => Judged::telling(Verdict::Failed, ended.text.clone()),
        EndKind::Failed => failed(&ended.record, &ended.text),
    }
}

/// Judges a run that was ended while it waited to make a request again, by what it said
/// of that; `None` where it waited for something else.
pub(crate) fn waited(retry: &str) -> Option<Judged> {
    let judged = failed(retry, retry);
    matches!(judged.verdict, Verdict::Rate | Verdict::Network).then_some(judged)
}

/// Enough of it to be known again.
fn last_line(text: &str) -> String {
    text.lines().next_back().unwrap_or_default().chars().take(200).collect()
}

/// What an error means; `record` is what is judged, `text` what is told.
fn failed(record: &str, text: &str) -> Judged {
    // Reading from memory cannot fail.
    let failure = records::last_failure(record.as_bytes()).ok().flatten();
    let meaning = failure.and_then(|failure| failure.verdict);
    let verdict = match &meaning {
        None => Verdict::Failed,
        Some(meaning) => match meaning.class {
            class if class.counts_as_overflow() => Verdict::Overflow,
            Class::Rate => Verdict::Rate,
            Class::Network => Verdict::Network,
            Class::Credentials if meaning.refuses_model() => Verdict::Model,
            Class::Credentials => Verdict::Credentials,
            _ => Verdict::Failed,
        },
    };
    Judged {
        verdict,
        error: Some(text.to_owned()).filter(|text| !text.is_empty()),
        reservation: meaning.as_ref().is_some_and(|meaning| meaning.reservation),
        limit: meaning.filter(|meaning| meaning.class == Class::Overflow).and_then(|m| m.limit),
        retry_after: retry_after(text),
    }
}

/// The seconds in `try again in 20 seconds`, `retry after 5`, `retry-after: 7`.
fn retry_after(text: &str) -> Option<u64> {
    let text = text.to_lowercase();
    let marks = ["try again in ", "retry after ", "retry-after: ", "retry in "];
    let rest = marks.iter().find_map(|mark| text.split_once(mark)).map(|(_, rest)| rest)?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number: u64 = rest[..digits].parse().ok()?;
    let unit = rest[digits..]
        .trim_start_matches(['.', ' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    match unit {
        unit if unit.starts_with("ms") => Some(number.div_ceil(1000)),
        unit if unit.starts_with('m') => number.checked_mul(60),
        unit if unit.starts_with('h') => number.checked_mul(3600),
        _ => Some(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_to_try_again() {
        for (text, seconds) in [
            ("Please try again in 20s.", Some(20)),
            ("rate limited, retry after 5", Some(5)),
            ("Retry-After: 7", Some(7)),
            ("try again in 2 minutes", Some(120)),
            ("try again in 350ms", Some(1)),
            ("try again in 1.5s", Some(1)),
            ("try again in a moment", None),
            ("no word of it", None),
        ] {
            assert_eq!(retry_after(text), seconds, "{text}");
        }
    }
}
