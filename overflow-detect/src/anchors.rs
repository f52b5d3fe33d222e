//! One pass over the view that finds the literals of all families.
//!
//! A literal is looked up by a hash of its first four bytes in a table of 4096
//! slots; almost every position of an ordinary text falls into an empty one.
//! Building this for one short text costs some thousand instructions; an
//! automaton over the same literals costs a hundred times that, more than all
//! the rest of a call.

use crate::pattern::squeezed;

const SLOTS: usize = 4096;

/// The literals of the catalogue, ready to be looked up.
pub(crate) struct Anchors {
    /// 0, or one more than the index in `entries` where a chain begins.
    heads: Vec<u16>,
    entries: Vec<Entry>,
}

struct Entry {
    list: u16,
    literal: &'static str,
    next: u16,
}

impl Anchors {
    /// The literals of some lists; what is found is known by its list's index.
    pub(crate) fn of(lists: impl Iterator<Item = &'static [&'static str]>) -> Anchors {
        let mut anchors = Anchors { heads: vec![0; SLOTS], entries: Vec::with_capacity(512) };
        for (index, list) in lists.enumerate() {
            for literal in list {
                anchors.add(index, literal);
            }
        }
        anchors
    }

    fn add(&mut self, list: usize, literal: &'static str) {
        let mut key = [0; 4];
        for (to, from) in key.iter_mut().zip(squeezed(literal)) {
            *to = from;
        }
        let slot = slot(u32::from_le_bytes(key));
        let next = self.heads[slot];
        let (Ok(list), Ok(place)) = (u16::try_from(list), u16::try_from(self.entries.len() + 1))
        else {
            return;
        };
        self.entries.push(Entry { list, literal, next });
        self.heads[slot] = place;
    }

    /// Calls `found` with the index of a list and the range of its literal,
    /// in the order of the text.
    pub(crate) fn scan(&self, text: &str, mut found: impl FnMut(usize, usize, usize)) {
        let bytes = text.as_bytes();
        for (at, window) in bytes.windows(4).enumerate() {
            let key = u32::from_le_bytes([window[0], window[1], window[2], window[3]]);
            let mut place = self.heads[slot(key)];
            while let Some(entry) = usize::from(place).checked_sub(1).map(|i| &self.entries[i]) {
                if let Some(length) = prefix(&bytes[at..], entry.literal) {
                    found(usize::from(entry.list), at, at + length);
                }
                place = entry.next;
            }
        }
    }
}

fn slot(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

/// The literal's length in the view, if the text begins with it.
fn prefix(text: &[u8], literal: &str) -> Option<usize> {
    let mut length = 0;
    for byte in squeezed(literal) {
        if text.get(length) != Some(&byte) {
            return None;
        }
        length += 1;
    }
    Some(length)
}
