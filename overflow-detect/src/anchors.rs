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
    /// A word of the grammar that sets a limit.
    Limiting,
}

/// Where a literal is listed: a vendor's families, one of them, one of its
/// literals. Past the last vendor stand the grammar's lists.
#[derive(Clone, Copy)]
struct Entry {
    vendor: u8,
    family: u8,
    literal: u8,
    /// Its first eight bytes, and which of them it has.
    head: u64,
    mask: u64,
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
    let mut count = grammar::EXCESS.len() + grammar::LIMITING.len();
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
    let empty = Entry { vendor: 0, family: 0, literal: 0, head: 0, mask: 0, next: 0 };
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
    filled = add(&mut table, filled, FAMILIES.len(), 0, grammar::EXCESS);
    add(&mut table, filled, FAMILIES.len(), 1, grammar::LIMITING);
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
        let (head, mask) = head(literals[literal].as_bytes());
        let slot = slot(head as u32);
        table.entries[filled] = Entry {
            vendor: vendor as u8,
            family: family as u8,
            literal: literal as u8,
            head,
            mask,
            next: table.heads[slot],
        };
        filled += 1;
        table.heads[slot] = filled as u16;
        literal += 1;
    }
    filled
}

/// The first eight bytes of a literal as they stand in a view, and a mask of
/// those that it has; it has four at least.
const fn head(literal: &[u8]) -> (u64, u64) {
    let mut head = [0; 8];
    let mut mask = [0; 8];
    let mut filled = 0;
    let mut at = 0;
    while filled < 8 && at < literal.len() {
        if counts(literal[at]) {
            head[filled] = literal[at].to_ascii_lowercase();
            mask[filled] = 0xff;
            filled += 1;
        }
        at += 1;
    }
    assert!(filled >= 4, "a literal is too short to be looked up");
    (u64::from_le_bytes(head), u64::from_le_bytes(mask))
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
    for at in 0..bytes.len().saturating_sub(3) {
        let head = match bytes[at..].first_chunk::<8>() {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => tail(&bytes[at..]),
        };
        let mut place = TABLE.heads[slot(head as u32)];
        while let Some(entry) = usize::from(place).checked_sub(1).map(|i| &TABLE.entries[i]) {
            if head & entry.mask == entry.head {
                let (anchor, literal) = listed(entry);
                if let Some(length) = prefix(&bytes[at..], literal) {
                    found(anchor, at, at + length);
                }
            }
            place = entry.next;
        }
    }
}

/// The last bytes of a text, fewer than eight, filled up with zeros.
fn tail(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |head, &byte| head << 8 | u64::from(byte))
}

fn listed(entry: &Entry) -> (Anchor, &'static str) {
    let literal = usize::from(entry.literal);
    match FAMILIES.get(usize::from(entry.vendor)) {
        Some(families) => {
            let family = &families[usize::from(entry.family)];
            (Anchor::Family(family), family.anchors[literal])
        }
        None if entry.family == 0 => (Anchor::Excess, grammar::EXCESS[literal]),
        None => (Anchor::Limiting, grammar::LIMITING[literal]),
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
