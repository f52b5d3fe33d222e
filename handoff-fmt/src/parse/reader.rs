//! The state that lines are read in: which section is open, which block hides
//! headings, which list a line belongs to.
//!
//! A fence or comment that somebody forgot to close ends at the first heading of a
//! section not seen so far, and is closed in what is kept. A fence that closes only
//! after a heading and the opening of another one was forgotten too: it ends at that
//! heading. A fence around the whole
//! answer is left out.

use std::mem;

use super::{Lines, Reading, trimmed};
use crate::block::{self, Fence, Open};
use crate::document::{Document, Refusal, RefusedHeading, join};
use crate::heading::{self, Line, Mark};
use crate::label::{Fit, section_named};
use crate::{Section, placeholder, title};

/// The outermost item of the list that lines may belong to.
#[derive(Clone, Copy)]
struct Item {
    /// The column where its text begins.
    offset: usize,
    /// Its number.
    ordinal: Option<u64>,
}

/// How the open block ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// By a line of its own.
    Closed,
    /// Nowhere.
    Missing,
    /// It closes, but swallows the opening of another.
    Swallows,
}

/// Whether a heading inside a block may end it: one # may be a comment of a script.
fn is_sure(mark: Mark) -> bool {
    matches!(mark, Mark::Hashes(2..) | Mark::Bold)
}

pub(super) struct Reader<'a> {
    lines: Lines<'a>,
    number: usize,
    document: Document,
    /// The section that lines go to now; none: the preamble.
    section: Option<Section>,
    seen: [bool; 5],
    segment: String,
    open: Option<Open>,
    end: End,
    /// The line before belongs to a paragraph.
    paragraph: bool,
    list: Option<Item>,
    reading: Reading,
    /// A heading had an explicit mark.
    marked: bool,
    wrapper: Option<Fence>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, reading: Reading) -> Reader<'a> {
        Reader {
            lines: Lines(text),
            number: 0,
            document: Document::default(),
            section: None,
            seen: [false; 5],
            segment: String::new(),
            open: None,
            end: End::Closed,
            paragraph: false,
            list: None,
            reading,
            marked: false,
            wrapper: None,
        }
    }

    pub(super) fn read(mut self) -> Document {
        while let Some(line) = self.lines.next() {
            self.number += 1;
            match self.open {
                Some(open) => self.hidden(line, open),
                None => self.line(line),
            }
        }
        if let Some(open) = self.open {
            self.push(&open.closer());
        }
        self.flush();
        self.document
    }

    /// A line inside a fence or comment.
    fn hidden(&mut self, line: &str, open: Open) {
        if open.closed_by(line) {
            self.push(line);
            self.open = None;
            return;
        }
        if let Line::Heading { section, mark, .. } = heading::read(line) {
            if is_sure(mark) && self.ends_at(section) {
                self.push(&open.closer());
                self.open = None;
                return self.line(line);
            }
            self.refuse(line, open.refusal());
        }
        self.push(line);
    }

    /// A line in the open, and then what follows a heading on the same line.
    fn line(&mut self, line: &str) {
        let mut lines = vec![line];
        while let Some(line) = lines.pop() {
            if let Some([note, rest]) = self.one_line(line) {
                lines.extend([rest, note].iter().filter(|text| !text.is_empty()));
            }
        }
    }

    /// What a heading has beside its name, and after it.
    fn one_line<'l>(&mut self, line: &'l str) -> Option<[&'l str; 2]> {
        if block::is_blank(line) {
            self.push(line);
            self.paragraph = false;
            return None;
        }
        if self.opens_block(line) {
            return None;
        }
        let in_list = self.list.is_some_and(|item| block::indent(line) >= item.offset);
        match self.meaning(line, in_list) {
            Line::Heading { section, note, rest, mark } => {
                self.marked |= !matches!(mark, Mark::Colon) && block::list_item(line).is_none();
                self.enter(Some(section));
                if rest.is_empty() && !matches!(mark, Mark::Hashes(_)) && self.underlined() {
                    self.skip();
                }
                return Some([note, rest]);
            }
            Line::Title => {
                self.enter(None);
                self.document.titled = true;
                return None;
            }
            Line::Refused(why) => self.refuse(line, why),
            Line::Text => {}
        }
        if self.section.is_none() && title::is_note(line) {
            self.push("");
            self.paragraph = false;
            return None;
        }
        self.follow_list(line, in_list);
        self.paragraph = !block::is_rule(line) && !line.trim_start().starts_with('#');
        self.push(line);
        None
    }

    /// What a line is in the place where it stands.
    fn meaning<'l>(&self, line: &'l str, in_list: bool) -> Line<'l> {
        if let Some(found) = self.unmarked(line) {
            return found;
        }
        match heading::read(line) {
            Line::Heading { .. } | Line::Title if in_list => Line::Refused(Refusal::List),
            Line::Heading { .. } if self.continues_list(line) => Line::Refused(Refusal::List),
            Line::Text | Line::Refused(_) if in_list => Line::Text,
            found @ (Line::Text | Line::Refused(_)) => match self.underlined_name(line) {
                Some(section) => Line::Heading { section, note: "", rest: "", mark: Mark::Bold },
                None => found,
            },
            found => found,
        }
    }

    /// A heading without a mark of its own, where those count: not after one that
    /// has a mark, not in an inner list, not twice.
    fn unmarked<'l>(&self, line: &'l str) -> Option<Line<'l>> {
        if self.reading != Reading::Unmarked || self.marked || block::indent(line) > 1 {
            return None;
        }
        if self.paragraph && block::list_item(line).is_none() {
            return None;
        }
        match heading::unmarked(line) {
            Line::Heading { section, .. } if self.seen(section) => None,
            found @ Line::Heading { .. } => Some(found),
            _ => None,
        }
    }

    /// Whether the line's number is the next of the list in front of it: then it is
    /// an item, not a heading that happens to be numbered.
    fn continues_list(&self, line: &str) -> bool {
        let before = self.list.and_then(|item| item.ordinal);
        before.is_some_and(|before| block::ordinal(line) == before.checked_add(1))
    }

    /// Any line further to the left ends a list.
    fn follow_list(&mut self, line: &str, in_list: bool) {
        if !in_list {
            let item = block::list_item(line).filter(|_| !block::is_rule(line));
            let item = item.filter(|_| block::indent(line) < 4);
            self.list = item.map(|(offset, _)| Item { offset, ordinal: block::ordinal(line) });
        }
    }

    /// The section that a line names if the line under it makes it a heading.
    fn underlined_name(&self, line: &str) -> Option<Section> {
        let text = line.trim_start();
        let alone = !self.paragraph
            && self.underlined()
            && block::indent(line) < 4
            && block::list_item(text).is_none()
            && !text.starts_with(['>', '#']);
        if alone { section_named(text, Fit::Loose) } else { None }
    }

    fn underlined(&self) -> bool {
        self.ahead().next().is_some_and(block::is_underline)
    }

    /// The lines to come, to look at.
    fn ahead(&self) -> Lines<'a> {
        self.lines
    }

    fn skip(&mut self) {
        self.lines.next();
        self.number += 1;
    }

    /// Takes a line that opens a fence or a comment, or that is the fence around
    /// the whole answer.
    fn opens_block(&mut self, line: &str) -> bool {
        let open = match Fence::opened_by(line) {
            Some(fence) if self.is_wrapper(fence) => return true,
            Some(fence) => Open::Fence(fence),
            None if block::opens_comment(line) => Open::Comment,
            None => return false,
        };
        self.end = self.end_of(open);
        self.open = Some(open);
        self.paragraph = false;
        self.push(line);
        true
    }

    /// Looks ahead for the end of a block that opens here. A longer fence is there to
    /// hold others, and one around the whole answer often holds them by mistake.
    fn end_of(&self, open: Open) -> End {
        let mut heading = false;
        for line in self.ahead() {
            if open.closed_by(line) {
                return End::Closed;
            }
            let Open::Fence(fence) = open else { continue };
            if fence.length > 3 || self.section.is_none() {
                continue;
            }
            heading |= matches!(heading::read(line), Line::Heading { mark, .. } if is_sure(mark));
            let inner = Fence::opened_by(line).filter(|inner| inner.info && inner.matches(fence));
            if heading && inner.is_some() {
                return End::Swallows;
            }
        }
        End::Missing
    }

    /// Whether the open block, unclosed, ends at a section's heading.
    fn ends_at(&self, section: Section) -> bool {
        match self.end {
            End::Closed => false,
            End::Missing => !self.seen(section),
            End::Swallows => true,
        }
    }

    fn is_wrapper(&mut self, fence: Fence) -> bool {
        match self.wrapper {
            Some(wrapper) if !fence.info && fence.matches(wrapper) => {
                // A fence of three closes the wrapper unless a bare one follows,
                // which makes the two a pair within.
                let pair = wrapper.length == 3
                    && self.ahead().find_map(Fence::opened_by).is_some_and(|next| !next.info);
                if !pair {
                    self.enter(None);
                    self.wrapper = None;
                }
                !pair
            }
            Some(_) => false,
            None => {
                let opens = self.reading == Reading::Unwrapped
                    && self.section.is_none()
                    && self.ahead().take_while(|line| !fence.closed_by(line)).any(|line| {
                        matches!(heading::read(line), Line::Heading { .. } | Line::Title)
                    });
                if opens {
                    self.enter(None);
                    self.wrapper = Some(fence);
                }
                opens
            }
        }
    }

    fn seen(&self, section: Section) -> bool {
        self.seen.get(section.index()).copied().unwrap_or(false)
    }

    fn enter(&mut self, section: Option<Section>) {
        self.flush();
        self.section = section;
        if let Some(seen) = section.and_then(|section| self.seen.get_mut(section.index())) {
            *seen = true;
        }
        self.paragraph = false;
        self.list = None;
    }

    fn push(&mut self, line: &str) {
        self.segment.push_str(line);
        self.segment.push('\n');
    }

    fn flush(&mut self) {
        let segment = mem::take(&mut self.segment);
        let text = trimmed(&segment);
        match self.section {
            None => join(&mut self.document.preamble, text),
            Some(section) if !placeholder::is_placeholder(text) => {
                self.document.append(section, text);
            }
            Some(_) => {}
        }
    }

    fn refuse(&mut self, line: &str, why: Refusal) {
        let text = line.trim().chars().take(80).collect();
        self.document.refused.push(RefusedHeading { line: self.number, text, why });
    }
}
