//! Lines, oldest first, in bounded memory.

use std::io;

use memchr::memchr;

use super::{HEAD, HUGE, Huge, Line};
use crate::source::Source;

const STEP: usize = 1 << 20;

pub(crate) struct Forward<'s> {
    source: &'s Source,
    /// Where the next byte to read lies in the source.
    offset: u64,
    buffer: Vec<u8>,
    /// The buffer before here has been given out.
    start: usize,
    /// The beginning of a huge line, kept to be given out.
    head: Vec<u8>,
}

impl<'s> Forward<'s> {
    pub(crate) fn new(source: &'s Source) -> Forward<'s> {
        Forward { source, offset: 0, buffer: Vec::new(), start: 0, head: Vec::new() }
    }

    /// The line after the one given out last.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut searched = self.start;
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[searched..]) {
                let line = self.start..searched + at;
                self.start = searched + at + 1;
                return Ok(Some(Line::Whole(&self.buffer[line])));
            }
            let held = self.buffer.len() - self.start;
            if held > HUGE {
                return self.skip_huge().map(|huge| Some(Line::Huge(huge)));
            }
            if self.offset == self.source.length() {
                let line = self.start..self.buffer.len();
                self.start = self.buffer.len();
                return Ok((!line.is_empty()).then(|| Line::Whole(&self.buffer[line])));
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            searched = held;
            self.extend()?;
        }
    }

    fn extend(&mut self) -> io::Result<()> {
        let left = self.source.length() - self.offset;
        let size = STEP.min(usize::try_from(left).unwrap_or(STEP));
        self.source.read(self.offset, size, &mut self.buffer)?;
        self.offset += size as u64;
        Ok(())
    }

    fn skip_huge(&mut self) -> io::Result<Huge<'_>> {
        self.head.clear();
        self.head.extend_from_slice(&self.buffer[self.start..self.start + HEAD]);
        let mut length = (self.buffer.len() - self.start) as u64;
        loop {
            self.buffer.clear();
            self.start = 0;
            if self.offset == self.source.length() {
                break;
            }
            self.extend()?;
            if let Some(at) = memchr(b'\n', &self.buffer) {
                length += at as u64;
                self.start = at + 1;
                break;
            }
            length += self.buffer.len() as u64;
        }
        Ok(Huge { head: &self.head, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_every_line_and_the_start_of_huge_ones() {
        let mut text = b"one\n\n".to_vec();
        text.resize(text.len() + 2 * HUGE, b'y');
        text.extend_from_slice(b"\nlast");
        let source = Source::stream(&text[..]).unwrap();
        let mut lines = Forward::new(&source);
        let mut out = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            out.push(match line {
                Line::Whole(line) => line.len() as u64,
                Line::Huge(huge) => huge.length,
            });
        }
        assert_eq!(out, [3, 0, 2 * HUGE as u64, 4]);
    }
}
