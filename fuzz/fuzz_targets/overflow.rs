//! Any text as an error, any bytes as what an agent left behind.
//!
//! Promised: nothing panics; a wording lies within the text and begins and ends
//! between characters; the same bytes are judged the same however they come in
//! pieces; time is linear.

#![no_main]

use std::io::{self, Read};

use lengthened::{checksum, lengthened};
use libfuzzer_sys::fuzz_target;
use overflow_detect::{classify, classify_bytes, records};

fuzz_target!(|bytes: &[u8]| {
    if let Some(verdict) = classify_bytes(bytes) {
        assert!(verdict.start <= verdict.end && verdict.end <= bytes.len(), "{verdict:?}");
        assert_eq!(verdict.overflow, verdict.class.counts_as_overflow());
    }
    let text = String::from_utf8_lossy(bytes);
    if let Some(verdict) = classify(&text) {
        assert!(text.get(verdict.start..verdict.end).is_some(), "{verdict:?}");
    }
    let whole = records::last_failure(bytes).expect("memory is readable");
    if let Some((failure, verdict)) = whole.as_ref().and_then(|f| Some((f, f.verdict.as_ref()?))) {
        let length = failure.record.len();
        assert!(verdict.start <= verdict.end && verdict.end <= length, "{verdict:?} in {length}");
    }
    let size = checksum(bytes) as usize % 97 + 1;
    let pieces = records::last_failure(Pieces { bytes, size }).expect("memory is readable");
    assert_eq!(pieces, whole);
    if let Some(long) = lengthened(bytes) {
        let _ = (classify_bytes(&long), records::last_failure(&*long));
    }
});

/// Gives a few bytes at a time, as a pipe may.
struct Pieces<'b> {
    bytes: &'b [u8],
    size: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.size.min(buffer.len());
        self.bytes.read(&mut buffer[..size])
    }
}
