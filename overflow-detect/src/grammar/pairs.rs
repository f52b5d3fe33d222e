//! Looking for hundreds of words in one sentence.

use memchr::memmem;

use super::words;

/// A sentence with a note of which pairs of bytes are in it: a word with a pair
/// that is not there need not be searched for.
pub(super) struct Pairs<'a> {
    pub(super) text: &'a str,
    seen: [u64; 64],
}

impl<'a> Pairs<'a> {
    pub(super) fn of(text: &'a str) -> Pairs<'a> {
        let mut seen = [0; 64];
        for pair in text.as_bytes().windows(2) {
            let (at, bit) = place(pair[0], pair[1]);
            seen[at] |= bit;
        }
        Pairs { text, seen }
    }

    /// Whether one of these words is in the sentence.
    pub(super) fn has(&self, words: &'static str) -> bool {
        words::each(words).any(|word| {
            self.may_hold(word) && memmem::find(self.text.as_bytes(), word.as_bytes()).is_some()
        })
    }

    /// False: the word is not in the sentence.
    pub(super) fn may_hold(&self, word: &str) -> bool {
        word.as_bytes().windows(2).all(|pair| {
            let (at, bit) = place(pair[0], pair[1]);
            self.seen[at] & bit != 0
        })
    }
}

/// Whether one of these words is in a short text.
pub(super) fn has(text: &str, words: &'static str) -> bool {
    words::each(words).any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

fn place(one: u8, two: u8) -> (usize, u64) {
    let hash = (u16::from(one) << 6 ^ u16::from(two)) & 0xfff;
    (usize::from(hash >> 6), 1 << (hash & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_wherever_they_stand() {
        let text = "theprompt超过了limit";
        for word in ["the", "prompt", "超过", "limit", "t超", "t"] {
            assert!(Pairs::of(text).has(word), "{word}");
        }
        for word in ["token", "limits", "超出", "tt"] {
            assert!(!Pairs::of(text).has(word), "{word}");
        }
    }
}
