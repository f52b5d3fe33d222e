//! Sessions as agent CLIs write them, whole and damaged.
//!
//! Promised: no input panics; of plain lists of lines both directions tell the same
//! facts, the last answer above all; where the pieces begin and end in which a session is read makes no
//! difference.

#![no_main]

#[path = "transcript/story.rs"]
mod story;

use agents::{Source, Transcript};
use lengthened::{checksum, is_chosen};
use libfuzzer_sys::fuzz_target;
use story::Story;

/// What the readers read at once from the end, and forward.
const FROM_END: usize = 64 << 10;
const FORWARD: usize = 1 << 20;

/// What a session is recognised by, where that is enough.
const GLANCE: usize = 4 << 10;

fuzz_target!(|bytes: &[u8]| {
    let Some(transcript) = recognised(bytes) else { return };
    let (there, back) = (Story::forward(&transcript), Story::from_end(&transcript));
    // Of a tree and of a log that takes back what it said, damage may cost the one
    // direction more than the other.
    let agent = transcript.agent().name();
    if matches!(agent, "claude-code" | "codex") {
        assert_eq!(there.told(), back.told());
        assert_eq!(there.inputs(), back.inputs());
    }
    if agent == "claude-code" {
        assert_eq!(there.in_order(), back.in_order());
    }
    if is_chosen(bytes, 8) {
        let moved = with_blank_line(bytes, bytes.len(), FROM_END);
        is_told_alike(&transcript, &moved, &back, Story::from_end);
    }
    if is_chosen(bytes, 16)
        && let Some((head, rest)) = bytes.split_at_checked(GLANCE)
        && let Some(newline) = rest.iter().position(|&b| b == b'\n')
        && recognised(head).is_some()
    {
        let moved = with_blank_line(bytes, GLANCE + newline, FORWARD);
        is_told_alike(&transcript, &moved, &there, Story::forward);
    }
});

fn recognised(bytes: &[u8]) -> Option<Transcript> {
    let source = Source::stream(bytes).expect("memory is readable");
    Transcript::recognise(source, None).ok()
}

/// A line of blanks, which states nothing, put in so that some record lies across the
/// end of a piece of this size.
fn with_blank_line(bytes: &[u8], at: usize, piece: usize) -> Vec<u8> {
    let across = checksum(bytes) as usize % (bytes.len() + 1);
    let (before, after) = bytes.split_at(at);
    [before, b"\n", &vec![b' '; piece - across], after].concat()
}

fn is_told_alike(
    transcript: &Transcript,
    moved: &[u8],
    story: &Story,
    read: fn(&Transcript) -> Story,
) {
    let moved = recognised(moved).expect("recognised by the same records");
    assert_eq!(moved.agent().name(), transcript.agent().name());
    assert_eq!(moved.identity(), transcript.identity());
    assert_eq!(&read(&moved), story);
}
