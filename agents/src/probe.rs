//! The first look at a record: its top-level keys and simple values.
//!
//! The record may be cut anywhere, since only the beginning of a transcript is
//! read to recognise it: what was read before the cut counts.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// The keys of a record with their values, as far as it could be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probe {
    pairs: Vec<(String, Scalar)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Scalar {
    Text(String),
    Bool(bool),
    /// An object, with its own keys.
    Object(Probe),
    Other,
}

impl Probe {
    /// Looks at the record that begins with the first brace of the line.
    pub fn new(line: &[u8]) -> Probe {
        let mut probe = Probe::default();
        if let Some(start) = memchr::memchr(b'{', line) {
            let mut json = serde_json::Deserializer::from_slice(&line[start..]);
            // A cut record is an error, and what came before the cut is kept.
            let _ = Fill(&mut probe, DEPTH).deserialize(&mut json);
        }
        probe
    }

    /// Whether the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.pairs.iter().any(|(name, _)| name == key)
    }

    /// The text under a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find_map(|(name, value)| match value {
            Scalar::Text(text) if name == key => Some(text.as_str()),
            _ => None,
        })
    }

    /// The truth value under a key.
    pub fn bool(&self, key: &str) -> Option<bool> {
        self.pairs.iter().find_map(|(name, value)| match value {
            Scalar::Bool(value) if name == key => Some(*value),
            _ => None,
        })
    }

    /// The object under a key.
    pub fn object(&self, key: &str) -> Option<&Probe> {
        self.pairs.iter().find_map(|(name, value)| match value {
            Scalar::Object(probe) if name == key => Some(probe),
            _ => None,
        })
    }
}

/// Objects within objects are looked into; what lies deeper is passed over.
const DEPTH: u32 = 3;

struct Fill<'p>(&'p mut Probe, u32);

impl<'de> DeserializeSeed<'de> for Fill<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fill<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.0.pairs.push((key, Scalar::Other));
            match self.0.pairs.last_mut() {
                Some((_, slot)) if self.1 > 0 => map.next_value_seed(FillValue(slot, self.1))?,
                _ => map.next_value::<IgnoredAny>().map(|_| ())?,
            }
        }
        Ok(())
    }
}

struct FillValue<'s>(&'s mut Scalar, u32);

impl<'de> DeserializeSeed<'de> for FillValue<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FillValue<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        *self.0 = Scalar::Text(text.to_owned());
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        *self.0 = Scalar::Bool(value);
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        IgnoredAny::deserialize(serde::de::value::SeqAccessDeserializer::new(seq)).map(|_| ())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        *self.0 = Scalar::Object(Probe::default());
        match self.0 {
            Scalar::Object(probe) => Fill(probe, self.1 - 1).visit_map(map),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_record_keeps_what_was_read() {
        let whole = br#"{"type": "user", "isSidechain": true, "message": {"role":"user","content":"hello"}, "n": 1}"#;
        let probe = Probe::new(whole);
        assert_eq!(probe.text("type"), Some("user"));
        assert_eq!(probe.bool("isSidechain"), Some(true));
        assert!(probe.has("n"));
        let cut = Probe::new(&whole[..80]);
        assert_eq!(cut.object("message").and_then(|message| message.text("role")), Some("user"));
        assert!(cut.object("message").is_some_and(|message| message.has("content")));
        assert!(!cut.has("n"));
        for end in 0..whole.len() {
            let _ = Probe::new(&whole[..end]);
        }
        assert_eq!(Probe::new(b"no json"), Probe::default());
    }
}
