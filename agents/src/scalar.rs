//! Scalars read leniently: one odd value must not cost the whole record.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A text that may hold what no Rust string can: it is read as bytes and decoded
/// lossily, since CLIs cut tool output in the middle of a character and write
/// the half as a lone surrogate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Text(String::from_utf8_lossy(bytes)))
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(String::from_utf8_lossy(bytes).into_owned())))
            }
        }
        deserializer.deserialize_bytes(TextVisitor)
    }
}

/// A count of tokens. What is no count (null, a negative or fractional number, a
/// text) is 0, as if the field were missing; absurd values are cut to u32.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Count(pub(crate) u64);

/// No session has more tokens; a sum of a few such counts cannot overflow.
const MOST: u64 = u32::MAX as u64;

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;
        impl<'de> Visitor<'de> for CountVisitor {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of tokens")
            }

            fn visit_u64<E: Error>(self, count: u64) -> Result<Count, E> {
                Ok(Count(count.min(MOST)))
            }

            fn visit_i64<E: Error>(self, count: i64) -> Result<Count, E> {
                Ok(Count(u64::try_from(count).unwrap_or(0).min(MOST)))
            }

            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a float cast saturates, and not-a-number gives 0"
            )]
            fn visit_f64<E: Error>(self, count: f64) -> Result<Count, E> {
                Ok(Count((count as u64).min(MOST)))
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<Count, E> {
                Ok(Count(0))
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Count, E> {
                Ok(Count(0))
            }

            fn visit_unit<E: Error>(self) -> Result<Count, E> {
                Ok(Count(0))
            }
        }
        deserializer.deserialize_any(CountVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_counts_are_none() {
        for (json, count) in
            [("12", 12), ("-1", 0), ("null", 0), ("1.5e3", 1500), ("\"9\"", 0), ("1e300", MOST)]
        {
            assert_eq!(serde_json::from_str::<Count>(json).unwrap(), Count(count), "{json}");
        }
    }

    #[test]
    fn half_a_character_is_no_reason_to_lose_a_record() {
        let text: Text = serde_json::from_str(r#""cut \ud83d""#).unwrap();
        assert!(text.0.starts_with("cut \u{fffd}"));
        let text: Text = serde_json::from_slice(b"\"caf\xe9\"").unwrap();
        assert_eq!(text.0, "caf\u{fffd}");
    }
}
