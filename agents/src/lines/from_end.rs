//! Lines, newest first.
//!
//! Read in steps that double from 64 KiB to 1 MiB, so that the cost
//! depends on how far back the answer lies and not on the file's size. Within a
//! huge line only its start is looked for, in constant memory.

use std::io;

use memchr::{memmem, memrchr};

use super::{HEAD, HUGE, Huge, Line};
use crate::source::Source;

const FIRST_STEP: usize = 64 << 10;
const LARGEST_STEP: usize = 1 << 20;

/// From this size on the allocator maps memory instead of tidying its heap, which
/// costs tens of thousands of instructions; pages that are not used cost nothing.
const MAPPED: usize = 256 << 10;

pub(crate) struct FromEnd<'s> {
    source: &'s Source,
    /// The key behind which copies are kept, with the comma in front: inside a
    /// string its quotes would be escaped, so that a match is the key itself.
    copies: &'static [u8],
    /// Where the buffer's first byte lies in the source.
    offset: u64,
    buffer: Vec<u8>,
    /// The buffer up to here has not been given out.
    end: usize,
    step: usize,
    finished: bool,
}

impl<'s> FromEnd<'s> {
    pub(crate) fn new(source: &'s Source, copies: &'static [u8]) -> FromEnd<'s> {
        FromEnd {
            source,
            copies,
            offset: source.length(),
            buffer: Vec::new(),
            end: 0,
            step: FIRST_STEP,
            finished: false,
        }
    }

    /// The line before the one given out last.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut unsearched = self.end;
        let line = loop {
            if let Some(newline) = memrchr(b'\n', &self.buffer[..unsearched]) {
                let line = newline + 1..self.end;
                self.end = newline;
                break line;
            }
            if self.offset == 0 {
                if self.finished {
                    return Ok(None);
                }
                self.finished = true;
                break 0..std::mem::take(&mut self.end);
            }
            if self.end > HUGE {
                return self.skip_huge().map(|huge| Some(Line::Huge(huge)));
            }
            unsearched = self.extend()?;
        };
        Ok(Some(Line::Whole(&self.buffer[line])))
    }

    /// Reads one step further back; returns how many bytes came in front.
    fn extend(&mut self) -> io::Result<usize> {
        let size = self.step.min(usize::try_from(self.offset).unwrap_or(usize::MAX));
        let mut buffer = Vec::with_capacity((size + self.end).max(MAPPED));
        self.source.read(self.offset - size as u64, size, &mut buffer)?;
        buffer.extend_from_slice(&self.buffer[..self.end]);
        self.buffer = buffer;
        self.offset -= size as u64;
        self.end += size;
        self.step = (self.step * 2).min(LARGEST_STEP);
        Ok(size)
    }

    /// Goes back to the start of the line whose end is in the buffer.
    fn skip_huge(&mut self) -> io::Result<Huge<'_>> {
        let line_end = self.offset + self.end as u64;
        let mut copies_at = self.find_copies(self.end).map(|at| self.offset + at as u64);
        // A key cut by the edge of two chunks is found with some bytes of the later one.
        let overlap = self.copies.len().saturating_sub(1);
        let line_start = loop {
            if self.offset == 0 {
                self.finished = true;
                break 0;
            }
            let size = LARGEST_STEP.min(usize::try_from(self.offset).unwrap_or(usize::MAX));
            let later: Vec<u8> = self.buffer[..overlap.min(self.buffer.len())].to_vec();
            self.buffer.clear();
            self.offset -= size as u64;
            self.source.read(self.offset, size, &mut self.buffer)?;
            let newline = memrchr(b'\n', &self.buffer);
            self.buffer.extend_from_slice(&later);
            let from = newline.map_or(0, |newline| newline + 1);
            if let Some(at) =
                memmem::find(&self.buffer[from..], self.copies).filter(|_| !self.copies.is_empty())
            {
                copies_at = Some(self.offset + (from + at) as u64);
            }
            if let Some(newline) = newline {
                self.offset += newline as u64;
                break self.offset + 1;
            }
        };
        self.end = 0;
        self.buffer.clear();
        self.source.read(line_start, HEAD, &mut self.buffer)?;
        let length = copies_at.unwrap_or(line_end) - line_start;
        Ok(Huge { head: &self.buffer, length })
    }

    fn find_copies(&self, end: usize) -> Option<usize> {
        if self.copies.is_empty() {
            return None;
        }
        memmem::find(&self.buffer[..end], self.copies)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines_of(bytes: &[u8]) -> Vec<(Vec<u8>, u64)> {
        let source = Source::stream(bytes).unwrap();
        let mut lines = FromEnd::new(&source, b",\"copy\":");
        let mut out = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            match line {
                Line::Whole(line) => out.push((line.to_vec(), line.len() as u64)),
                Line::Huge(huge) => out.push((huge.head[..20].to_vec(), huge.length)),
            }
        }
        out.reverse();
        out
    }

    proptest! {
        #[test]
        fn same_lines_as_split(lengths in proptest::collection::vec(0usize..200_000, 0..8)) {
            let text: Vec<u8> = lengths
                .iter()
                .enumerate()
                .map(|(i, length)| vec![b'a' + u8::try_from(i).unwrap(); *length])
                .collect::<Vec<_>>()
                .join(&b'\n');
            let expected: Vec<Vec<u8>> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
            let lines: Vec<Vec<u8>> = lines_of(&text).into_iter().map(|(line, _)| line).collect();
            prop_assert_eq!(lines, expected);
        }
    }

    #[test]
    fn a_huge_line_is_skipped_to_its_start() {
        for (before, size) in [("", HUGE + 1), ("x\n", 3 * HUGE), ("x\n", 2 * HUGE + 7)] {
            let mut text = format!("{before}{{\"big\":\"").into_bytes();
            let start = before.len();
            text.resize(start + size, b'y');
            let content = (text.len() - start) as u64;
            text.extend_from_slice(b"\",\"copy\":\"");
            let copy_at = content + 1;
            text.resize(text.len() + size, b'z');
            text.extend_from_slice(b"\"}\nlast\n");
            let lines = lines_of(&text);
            let huge = lines.iter().find(|(line, _)| line.starts_with(b"{\"big\"")).unwrap();
            assert_eq!(huge.1, copy_at);
            assert_eq!(lines.last().unwrap().0, b"");
            assert_eq!(lines[lines.len() - 2].0, b"last");
            assert_eq!(lines.len(), if before.is_empty() { 3 } else { 4 });
        }
    }
}
