//! Numbers as people and programs write them.

use crate::view::TORN;

/// A number in a pattern: grouped by threes (`1,203,344`, `200 000`), plain, or
/// broken by a line end; a following k or M belongs to it.
pub(crate) const PATTERN: &str = "(?:[0-9]{1,3}(?:[,. ][0-9]{3})+|[0-9]+(?:\u{1}[0-9]+)?)";

/// The largest count of tokens that is believed.
const ABSURD: u64 = 10_000_000_000;

/// The value of a number that [`PATTERN`] matched. None where a line end broke
/// it, it is absurdly large, or it is 0.
pub(crate) fn value(text: &str) -> Option<u64> {
    if text.contains(TORN) {
        return None;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let value: u64 = digits.parse().ok()?;
    (value > 0 && value < ABSURD).then_some(value)
}

/// The value times the unit that stands behind it in the original: `128k`, `1M`.
pub(crate) fn scaled(value: u64, behind: &[u8]) -> u64 {
    let alone = !behind.get(1).is_some_and(u8::is_ascii_alphanumeric);
    match behind.first() {
        Some(b'k' | b'K') if alone => value.saturating_mul(1000),
        Some(b'm' | b'M') if alone => value.saturating_mul(1_000_000),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(value("1,203,344"), Some(1_203_344));
        assert_eq!(value("200 000"), Some(200_000));
        assert_eq!(value("2000\u{1}00"), None);
        assert_eq!(value("0"), None);
        assert_eq!(value("99999999999999999999999"), None);
        assert_eq!(scaled(128, b"k tokens"), 128_000);
        assert_eq!(scaled(128, b" k"), 128);
        assert_eq!(scaled(1, b"M)"), 1_000_000);
        assert_eq!(scaled(200_000, b"maximum"), 200_000);
    }
}
