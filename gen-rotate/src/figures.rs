//! Numbers about a session, as a command line gives them.
//!
//! What is not finite, negative or beyond any real session is refused: one such
//! number in a sum spoils the ledger for good.

/// What is known of a session; what is not given stays as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// What its main thread's last answer saw, in tokens.
    pub context: Option<u64>,
    /// The model's context window, in tokens.
    pub window: Option<u64>,
    /// What it cost so far, in US dollars.
    pub cost_usd: Option<f64>,
    /// The turns it took so far.
    pub num_turns: Option<u64>,
    /// What its very first answer saw, in tokens.
    pub first_context: Option<u64>,
    /// The handoff line in force, in tokens.
    pub at: Option<u64>,
}

/// A thousand times the largest window there is.
const MOST_TOKENS: u64 = 1_000_000_000;
const MOST_TURNS: u64 = 1_000_000_000;
const MOST_USD: f64 = 1e9;

/// Parses a number of tokens.
///
/// # Errors
/// What is wrong with it.
pub fn tokens(text: &str) -> Result<u64, String> {
    count(text, "tokens", MOST_TOKENS)
}

/// Parses the size of a window or the place of a line: tokens, at least 1.
///
/// # Errors
/// What is wrong with it.
pub fn size(text: &str) -> Result<u64, String> {
    tokens(text).and_then(|n| if n == 0 { Err("must be at least 1".to_owned()) } else { Ok(n) })
}

/// Parses a number of turns or generations.
///
/// # Errors
/// What is wrong with it.
pub fn turns(text: &str) -> Result<u64, String> {
    count(text, "turns", MOST_TURNS)
}

/// Parses an amount of US dollars.
///
/// # Errors
/// What is wrong with it.
pub fn dollars(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(amount) if !amount.is_finite() => Err("not a finite number".to_owned()),
        Ok(amount) if amount < 0.0 => Err("a cost is never negative".to_owned()),
        Ok(amount) if amount > MOST_USD => Err("beyond any real cost".to_owned()),
        // Minus zero becomes zero.
        Ok(amount) => Ok(amount.abs()),
        Err(_) => Err("not a number".to_owned()),
    }
}

fn count(text: &str, unit: &str, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(number) if number > most => Err(format!("beyond any real number of {unit}")),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("not a whole number of {unit}")),
    }
}

/// The sum of amounts without the dust of binary fractions.
pub(crate) fn sum(amounts: impl Iterator<Item = f64>) -> f64 {
    (amounts.sum::<f64>() * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_numbers_pass() {
        assert_eq!(tokens("0"), Ok(0));
        assert_eq!(size("200000"), Ok(200_000));
        assert_eq!(dollars("-0.0").map(f64::is_sign_positive), Ok(true));
        assert_eq!(dollars("1e3"), Ok(1000.0));
        for text in ["", "-1", "1.5", "1e3", "18446744073709551616", "1000000001", "x", " 1", "NaN"]
        {
            assert!(tokens(text).is_err(), "{text}");
        }
        for text in ["", "nan", "inf", "-inf", "-0.01", "1e10", "1,5", "$1"] {
            assert!(dollars(text).is_err(), "{text}");
        }
        assert!(size("0").is_err());
        assert_eq!(sum([0.1, 0.2].into_iter()), 0.3);
    }
}
