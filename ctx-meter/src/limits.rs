//! The lines in front of a window's end.
//!
//! `at = max(10_000, window - headroom)` is where a session hands over: below
//! 10,000 tokens not even the document could be written. `warn_at = max(1_000,
//! at - 20_000)` is where it is told that the line is near.

use std::str::FromStr;

const LEAST_AT: u64 = 10_000;
const LEAST_WARN_AT: u64 = 1_000;
const WARNING: u64 = 20_000;

/// Auto-compaction fires 33,000 tokens in front of the window's end, and the
/// document takes a turn: 50,000 leaves room for both.
const USUAL: u64 = 50_000;

/// What is kept free of the window for the turn that writes the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headroom {
    /// So many tokens.
    Tokens(u64),
    /// A part of the window, in percent.
    Percent(u64),
    /// A quarter of the window, 50,000 tokens at least: on windows of a million
    /// the turn that writes the document did not always fit into 50,000.
    Auto,
}

impl Default for Headroom {
    fn default() -> Headroom {
        Headroom::Tokens(USUAL)
    }
}

impl Headroom {
    /// The headroom of a window, in tokens.
    pub fn of(self, window: u64) -> u64 {
        match self {
            Headroom::Tokens(tokens) => tokens,
            Headroom::Percent(percent) => percent_of(window, percent),
            Headroom::Auto => percent_of(window, 25).max(USUAL),
        }
    }
}

fn percent_of(window: u64, percent: u64) -> u64 {
    window / 100 * percent + window % 100 * percent / 100
}

impl FromStr for Headroom {
    type Err = String;

    fn from_str(text: &str) -> Result<Headroom, String> {
        if text == "auto" {
            return Ok(Headroom::Auto);
        }
        if let Some(percent) = text.strip_suffix('%') {
            return match percent.parse() {
                Ok(percent @ 0..=100) => Ok(Headroom::Percent(percent)),
                _ => Err(format!("'{text}' is not between 0% and 100%")),
            };
        }
        tokens(text).map(Headroom::Tokens)
    }
}

/// Reads a number of tokens: digits, with `k` or `M` behind them if one likes.
///
/// # Errors
/// Says what was wrong.
pub fn tokens(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u64>().ok());
    // Beyond u32 no number of tokens is meant.
    match number.flatten().and_then(|number| number.checked_mul(unit)) {
        Some(number) if number <= u64::from(u32::MAX) => Ok(number),
        _ => Err(format!("'{text}' is not a number of tokens")),
    }
}

/// [`tokens`] for a window, which is not empty.
///
/// # Errors
/// Says what was wrong.
pub fn window(text: &str) -> Result<u64, String> {
    tokens(text).and_then(|window| match window {
        0 => Err("a window of 0 tokens holds nothing".to_owned()),
        window => Ok(window),
    })
}

/// The lines of one window, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The window itself.
    pub window: u64,
    /// What is kept free.
    pub headroom: u64,
    /// From here on the line is near.
    pub warn_at: u64,
    /// From here on a handoff is due.
    pub at: u64,
}

impl Limits {
    /// The lines of a window.
    pub fn new(window: u64, headroom: Headroom) -> Limits {
        let headroom = headroom.of(window);
        let at = window.saturating_sub(headroom).max(LEAST_AT);
        let warn_at = at.saturating_sub(WARNING).max(LEAST_WARN_AT);
        Limits { window, headroom, warn_at, at }
    }

    /// Where a number of tokens stands.
    pub fn state(&self, tokens: Option<u64>) -> State {
        match tokens {
            None => State::Unknown,
            Some(tokens) if tokens >= self.at => State::Due,
            Some(tokens) if tokens >= self.warn_at => State::Near,
            Some(_) => State::Ok,
        }
    }
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There is room.
    Ok,
    /// The handoff line is near.
    Near,
    /// A handoff is due.
    Due,
    /// An overflow is recorded.
    Full,
    /// No usage is recorded.
    Unknown,
}

impl State {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Near => "near",
            State::Due => "due",
            State::Full => "full",
            State::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_text() {
        let table = [
            (200_000, Headroom::default(), 130_000, 150_000),
            (1_000_000, Headroom::default(), 930_000, 950_000),
            (1_000_000, Headroom::Auto, 730_000, 750_000),
            (200_000, Headroom::Auto, 130_000, 150_000),
            (200_000, Headroom::Percent(10), 160_000, 180_000),
            (60_000, Headroom::default(), 1_000, 10_000),
            (5_000, Headroom::default(), 1_000, 10_000),
            (1, Headroom::Tokens(4_000_000_000), 1_000, 10_000),
        ];
        for (window, headroom, warn_at, at) in table {
            let limits = Limits::new(window, headroom);
            assert_eq!((limits.warn_at, limits.at), (warn_at, at), "{window} {headroom:?}");
        }
    }

    #[test]
    fn numbers_of_tokens() {
        for (text, value) in [
            ("200000", Some(200_000)),
            ("200k", Some(200_000)),
            ("1M", Some(1_000_000)),
            ("0", Some(0)),
            ("", None),
            ("k", None),
            ("-1", None),
            ("+1", None),
            ("1.5k", None),
            ("1e6", None),
            ("99999999999999999999", None),
            ("99999999999M", None),
            ("二", None),
        ] {
            assert_eq!(tokens(text).ok(), value, "{text}");
        }
        assert!(window("0").is_err());
        assert_eq!("25%".parse(), Ok(Headroom::Percent(25)));
        assert!("101%".parse::<Headroom>().is_err());
        assert!("%".parse::<Headroom>().is_err());
    }

    #[test]
    fn states_begin_at_their_lines() {
        let limits = Limits::new(200_000, Headroom::default());
        for (tokens, state) in [
            (None, State::Unknown),
            (Some(0), State::Ok),
            (Some(129_999), State::Ok),
            (Some(130_000), State::Near),
            (Some(149_999), State::Near),
            (Some(150_000), State::Due),
            (Some(250_000), State::Due),
        ] {
            assert_eq!(limits.state(tokens), state, "{tokens:?}");
        }
    }
}
