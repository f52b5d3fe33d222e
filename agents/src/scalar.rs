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
                Ok(Text(decoded(bytes)))
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(decoded(bytes).into_owned())))
            }
        }
        deserializer.deserialize_bytes(TextVisitor)
    }
}

/// The bytes as text. Half a pair comes as three bytes that are no UTF-8, and is
/// one character that is lost, not three.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut clean = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(0xed, rest) {
        let (before, found) = rest.split_at(at);
        clean.extend_from_slice(before);
        rest = match found {
            [_, 0xa0..=0xbf, 0x80..=0xbf, rest @ ..] => {
                clean.extend_from_slice("\u{fffd}".as_bytes());
                rest
            }
            _ => {
                clean.push(0xed);
                &found[1..]
            }
        };
    }
    clean.extend_from_slice(rest);
    Cow::Owned(String::from_utf8_lossy(&clean).into_owned())
}

/// A count of tokens: 0 where the field is missing or null, and unknown where it
/// is no count (negative, absurdly large, a text): never a number made up of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Count(Option<u64>);

impl Default for Count {
    fn default() -> Count {
        Count(Some(0))
    }
}

impl Count {
    /// The count; `None` where it is unknown.
    pub(crate) fn known(self) -> Option<u64> {
        self.0
    }

    /// The count, where 0 does no harm.
    pub(crate) fn or_zero(self) -> u64 {
        self.0.unwrap_or(0)
    }
}

/// No session has more tokens.
const MOST: u64 = 1_000_000_000;

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;
        impl<'de> Visitor<'de> for CountVisitor {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of tokens")
            }

            fn visit_u64<E: Error>(self, count: u64) -> Result<Count, E> {
                Ok(Count(Some(count).filter(|&count| count <= MOST)))
            }

            fn visit_i64<E: Error>(self, count: i64) -> Result<Count, E> {
                Ok(Count(u64::try_from(count).ok().filter(|&count| count <= MOST)))
            }

            fn visit_f64<E: Error>(self, count: f64) -> Result<Count, E> {
                let whole = count.fract() == 0.0 && (0.0..=1e9).contains(&count);
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "whole, and within the range"
                )]
                Ok(Count(whole.then_some(count as u64)))
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_unit<E: Error>(self) -> Result<Count, E> {
                Ok(Count(Some(0)))
            }
        }
        deserializer.deserialize_any(CountVisitor)
    }
}

/// The UTF-8 length of a JSON string, without decoding it; `None` where the JSON
/// is no string. Half a pair counts as the character that replaces it.
pub(crate) fn decoded_length(json: &str) -> Option<u64> {
    let text = json.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    let unit = |at: usize| {
        let digits = str::from_utf8(text.get(at..at + 6)?.strip_prefix(b"\\u")?).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut length = 0;
    let mut at = 0;
    while let Some(plain) = memchr::memchr(b'\\', &text[at..]) {
        length += plain;
        at += plain;
        let (written, decoded) = match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, 4),
            (Some(0..=0x7f), _) => (6, 1),
            (Some(0x80..=0x7ff), _) => (6, 2),
            (Some(_), _) => (6, 3),
            (None, _) => (2, 1),
        };
        length += decoded;
        at = (at + written).min(text.len());
    }
    Some((length + text.len() - at) as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn odd_counts_are_unknown() {
        for (json, count) in [
            ("12", Some(12)),
            ("null", Some(0)),
            ("1.5e3", Some(1500)),
            ("-1", None),
            ("0.5", None),
            ("\"9\"", None),
            ("1e30", None),
            ("4294967296", None),
            ("true", None),
        ] {
            assert_eq!(serde_json::from_str::<Count>(json).unwrap().known(), count, "{json}");
        }
    }

    #[test]
    fn half_a_character_is_no_reason_to_lose_a_record() {
        let text: Text = serde_json::from_str(r#""cut \ud83d""#).unwrap();
        assert_eq!(text.0, "cut \u{fffd}");
        let text: Text = serde_json::from_slice(b"\"caf\xe9\"").unwrap();
        assert_eq!(text.0, "caf\u{fffd}");
    }

    proptest! {
        #[test]
        fn the_length_is_that_of_the_decoded_text(text in ".*", ascii in any::<bool>()) {
            let mut json = serde_json::to_string(&text).unwrap();
            if ascii {
                let unit = |c: char| {
                    let mut units = [0; 2];
                    c.encode_utf16(&mut units).iter().map(|u| format!("\\u{u:04x}")).collect::<String>()
                };
                json = json.chars().map(|c| if c.is_ascii() { c.to_string() } else { unit(c) }).collect();
            }
            prop_assert_eq!(decoded_length(&json), Some(text.len() as u64));
        }

        /// The meter weighs what it does not decode: both must come to the same.
        #[test]
        fn half_a_pair_is_one_character_however_it_is_read(
            units in proptest::collection::vec(prop_oneof![0xd7f0..=0xe00fu16, any::<u16>()], 0..12),
            plain in "[a-z\u{d55c}]{0,3}",
        ) {
            let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}{plain}")).collect();
            let json = format!("\"{escaped}\"");
            let text: Text = serde_json::from_str(&json).unwrap();
            let units: String = char::decode_utf16(
                units.iter().flat_map(|&unit| std::iter::once(unit).chain(plain.encode_utf16())),
            )
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
            prop_assert_eq!(&text.0, &units);
            prop_assert_eq!(decoded_length(&json), Some(text.0.len() as u64));
        }
    }

    #[test]
    fn odd_strings_have_a_length() {
        for (json, length) in [
            ("\"\"", Some(0)),
            ("\"cut \\ud83d\"", Some(7)),
            ("12", None),
            ("\"", None),
            ("\"\\\"", Some(1)),
        ] {
            assert_eq!(decoded_length(json), length, "{json}");
        }
    }
}
