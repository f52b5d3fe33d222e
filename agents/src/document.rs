//! Transcripts that are one JSON document: an object with a list of messages, which
//! the CLI writes anew each time.
//!
//! It is held in memory whole, since where its messages begin can be told from its
//! beginning only. One that is cut short counts as far as its messages are whole.

use std::fmt;
use std::io;
use std::ops::ControlFlow;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::See;
use crate::source::Source;

/// So large a document is refused: that of a full session has some MB.
const LARGEST: u64 = 1 << 30;

/// Shows the facts of one message, in this direction.
pub(crate) type OfMessage<'f> = &'f mut dyn FnMut(&RawValue, See<'_>) -> ControlFlow<()>;

/// Shows the facts of every message, newest first.
pub(crate) fn newest_first(source: &Source, of: OfMessage<'_>, see: See<'_>) -> io::Result<()> {
    let bytes = read(source)?;
    let _ = messages(&bytes).into_iter().rev().try_for_each(|message| of(message, see));
    Ok(())
}

/// Shows the facts of every message, oldest first.
pub(crate) fn oldest_first(source: &Source, of: OfMessage<'_>, see: See<'_>) -> io::Result<()> {
    let bytes = read(source)?;
    let _ = messages(&bytes).into_iter().try_for_each(|message| of(message, see));
    Ok(())
}

fn read(source: &Source) -> io::Result<Vec<u8>> {
    if source.length() > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than any session is"));
    }
    let mut bytes = Vec::new();
    source.read(0, usize::try_from(source.length()).unwrap_or(usize::MAX), &mut bytes)?;
    Ok(bytes)
}

/// The list under `messages`, as far as it is whole.
fn messages(bytes: &[u8]) -> Vec<&RawValue> {
    let start = memchr::memchr(b'{', bytes).unwrap_or(bytes.len());
    let mut found = Vec::new();
    let mut json = serde_json::Deserializer::from_slice(&bytes[start..]);
    // What was found in front of a cut is kept.
    let _ = Document(&mut found).deserialize(&mut json);
    found
}

struct Document<'f, 'l>(&'f mut Vec<&'l RawValue>);

impl<'l> DeserializeSeed<'l> for Document<'_, 'l> {
    type Value = ();

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'l> Visitor<'l> for Document<'_, 'l> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "messages" => map.next_value_seed(Messages(self.0))?,
                _ => map.next_value::<IgnoredAny>().map(|_| ())?,
            }
        }
        Ok(())
    }
}

struct Messages<'f, 'l>(&'f mut Vec<&'l RawValue>);

impl<'l> DeserializeSeed<'l> for Messages<'_, 'l> {
    type Value = ();

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'l> Visitor<'l> for Messages<'_, 'l> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'l>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(message) = list.next_element::<&RawValue>()? {
            self.0.push(message);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_is_cut_short_counts_as_far_as_it_is_whole() {
        let text =
            br#"note {"a":{"messages":[9]},"messages":[{"n":1},{"n":2}],"messages_after":1}"#;
        let count = |bytes: &[u8]| messages(bytes).len();
        assert_eq!(count(text), 2);
        let first = memchr::memmem::find(text, b"{\"n\":1}").unwrap() + 7;
        for end in 0..text.len() {
            assert!(count(&text[..end]) >= usize::from(end > first), "cut at {end}");
        }
        for none in [&b""[..], b"[]", b"{}", b"{\"messages\":3}"] {
            assert_eq!(count(none), 0);
        }
    }
}
