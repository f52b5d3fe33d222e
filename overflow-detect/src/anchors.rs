//! One pass over the view that finds the literals of all families.
//!
//! A literal is looked up by a hash of its first four bytes in a table of 4096
//! slots; almost every position of an ordinary text falls into an empty one. The
//! table is computed when the crate is compiled, so that a call on one short
//! text does not pay for it: building an automaton over the same literals costs
//! more than all the rest of such a call.

use crate::catalogue::{FAMILIES, Family};
use crate::grammar;

const SLOTS: usize = 4096;

/// A literal found in a view.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    /// One of a family's.
    Family(&'static Family),
    /// A word of excess of the grammar.
    Excess,
}

/// Where a literal is listed: a vendor's families, one of them, one of its
/// literals. The list past the last vendor is the grammar's.
#[derive(Clone, Copy)]
struct Entry {
    vendor: u8,
    family: u8,
    literal: u8,
    /// 0, or one more than the index of the next entry of the slot.
    next: u16,
}

struct Table {
    heads: [u16; SLOTS],
    entries: [Entry; COUNT],
}

const COUNT: usize = count();

static TABLE: Table = table();

const fn count() -> usize {
    let mut count = grammar::EXCESS.len();
    let mut vendor = 0;
    while vendor < FAMILIES.len() {
        let mut family = 0;
        while family < FAMILIES[vendor].len() {
            count += FAMILIES[vendor][family].anchors.len();
            family += 1;
        }
        vendor += 1;
    }
    count
}

const fn table() -> Table {
    let empty = Entry { vendor: 0, family: 0, literal: 0, next: 0 };
    let mut table = Table { heads: [0; SLOTS], entries: [empty; COUNT] };
    let mut filled = 0;
    let mut vendor = 0;
    while vendor < FAMILIES.len() {
        let mut family = 0;
        while family < FAMILIES[vendor].len() {
            filled = add(&mut table, filled, vendor, family, FAMILIES[vendor][family].anchors);
            family += 1;
        }
        vendor += 1;
    }
    add(&mut table, filled, FAMILIES.len(), 0, grammar::EXCESS);
    table
}

const fn add(
    table: &mut Table,
    mut filled: usize,
    vendor: usize,
    family: usize,
    literals: &[&str],
) -> usize {
    assert!(vendor < 256 && family < 256 && literals.len() < 256 && COUNT < 65536);
    let mut literal = 0;
    while literal < literals.len() {
        let slot = slot(key(literals[literal].as_bytes()));
        table.entries[filled] = Entry {
            vendor: vendor as u8,
            family: family as u8,
            literal: literal as u8,
            next: table.heads[slot],
        };
        filled += 1;
        table.heads[slot] = filled as u16;
        literal += 1;
    }
    filled
}

/// The first four bytes of a literal as they stand in a view.
const fn key(literal: &[u8]) -> u32 {
    let mut key = [0; 4];
    let mut filled = 0;
    let mut at = 0;
    while filled < 4 {
        assert!(at < literal.len(), "a literal has four bytes at least");
        if counts(literal[at]) {
            key[filled] = literal[at].to_ascii_lowercase();
            filled += 1;
        }
        at += 1;
    }
    u32::from_le_bytes(key)
}

/// Whether a byte of a literal is one of the view.
const fn counts(byte: u8) -> bool {
    !matches!(byte, b' ' | b'_' | b'-' | b'"' | b'\'' | b'`')
}

const fn slot(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

/// Calls `found` with each literal in the view's text and its range, in the
/// order of the text.
pub(crate) fn scan(text: &str, mut found: impl FnMut(Anchor, usize, usize)) {
    let bytes = text.as_bytes();
    for (at, window) in bytes.windows(4).enumerate() {
        let key = u32::from_le_bytes([window[0], window[1], window[2], window[3]]);
        let mut place = TABLE.heads[slot(key)];
        while let Some(entry) = usize::from(place).checked_sub(1).map(|i| &TABLE.entries[i]) {
            let (anchor, literal) = listed(entry);
            if let Some(length) = prefix(&bytes[at..], literal) {
                found(anchor, at, at + length);
            }
            place = entry.next;
        }
    }
}

fn listed(entry: &Entry) -> (Anchor, &'static str) {
    let literal = usize::from(entry.literal);
    match FAMILIES.get(usize::from(entry.vendor)) {
        Some(families) => {
            let family = &families[usize::from(entry.family)];
            (Anchor::Family(family), family.anchors[literal])
        }
        None => (Anchor::Excess, grammar::EXCESS[literal]),
    }
}

/// The literal's length in the view, if the text begins with it.
fn prefix(text: &[u8], literal: &str) -> Option<usize> {
    let mut length = 0;
    for byte in literal.bytes().filter(|&byte| counts(byte)) {
        if text.get(length) != Some(&byte.to_ascii_lowercase()) {
            return None;
        }
        length += 1;
    }
    Some(length)
}
