//! Lines of any length in constant memory.

use std::io::{self, Read};

const STEP: usize = 64 << 10;

/// A line, or a piece of one that is too long to hold.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// A complete line with its end, if it has one.
    Whole(&'a [u8]),
    /// The beginning of a line that is too long.
    Begin(&'a [u8]),
    /// What follows of it.
    More(&'a [u8]),
}

/// Cuts an input into lines.
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// Bytes before this one were handed out.
    taken: usize,
    /// Bytes before this one hold no line end.
    searched: usize,
    longest: usize,
    within: bool,
    ended: bool,
}

impl<R: Read> Lines<R> {
    pub(super) fn of(input: R, longest: usize) -> Lines<R> {
        Lines {
            input,
            buffer: Vec::new(),
            taken: 0,
            searched: 0,
            longest,
            within: false,
            ended: false,
        }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.searched..]);
            if let Some(end) = found.map(|at| self.searched + at + 1) {
                let within = std::mem::replace(&mut self.within, false);
                return Ok(Some(self.hand_out(end, within, false)));
            }
            self.searched = self.buffer.len();
            let held = self.buffer.len() - self.taken;
            if held >= self.longest || (self.within && held >= STEP) {
                let within = std::mem::replace(&mut self.within, true);
                return Ok(Some(self.hand_out(self.buffer.len(), within, !within)));
            }
            if self.ended {
                if held == 0 {
                    return Ok(None);
                }
                return Ok(Some(self.hand_out(self.buffer.len(), self.within, false)));
            }
            self.fill()?;
        }
    }

    fn hand_out(&mut self, end: usize, within: bool, begins: bool) -> Line<'_> {
        let bytes = &self.buffer[self.taken..end];
        self.taken = end;
        self.searched = end;
        match (begins, within) {
            (true, _) => Line::Begin(bytes),
            (false, true) => Line::More(bytes),
            (false, false) => Line::Whole(bytes),
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.taken > 0 {
            self.buffer.drain(..self.taken);
            self.searched -= self.taken;
            self.taken = 0;
        }
        // Without zeroing the space first, and past interrupted calls.
        let read = (&mut self.input).take(STEP as u64).read_to_end(&mut self.buffer)?;
        self.ended = read < STEP;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &[u8], longest: usize) -> Vec<(char, Vec<u8>)> {
        let mut lines = Lines::of(text, longest);
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push(match line {
                Line::Whole(bytes) => ('w', bytes.to_vec()),
                Line::Begin(bytes) => ('b', bytes.to_vec()),
                Line::More(bytes) => ('m', bytes.to_vec()),
            });
        }
        all
    }

    #[test]
    fn lines_come_whole() {
        let lines = cut(b"a\n\nlast", 100);
        assert_eq!(lines, [('w', b"a\n".to_vec()), ('w', b"\n".to_vec()), ('w', b"last".to_vec())]);
        assert!(cut(b"", 100).is_empty());
    }

    #[test]
    fn a_long_line_comes_in_pieces() {
        let text = [vec![b'x'; 3 * STEP], b"\nend\n".to_vec()].concat();
        let lines = cut(&text, STEP);
        assert_eq!(lines[0].0, 'b');
        assert_eq!(lines.last(), Some(&('w', b"end\n".to_vec())));
        assert!(lines[1..lines.len() - 1].iter().all(|(kind, _)| *kind == 'm'));
        let total: Vec<u8> = lines.into_iter().flat_map(|(_, bytes)| bytes).collect();
        assert_eq!(total, text);
    }
}
