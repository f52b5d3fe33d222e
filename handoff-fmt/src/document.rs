//! A parsed document, and what can be said of it.

use crate::{DEGRADED_MARKER, Section};

/// The five sections, and what stood around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Text outside of the sections: in front of the first, or around a fence
    /// that holds the document. Chatter in a model's answer, a person's words in a
    /// file.
    pub preamble: String,
    /// Whether a title of ours was there, so that this is a document on disk and
    /// no model's first draft.
    pub titled: bool,
    /// Lines that look like headings and were not taken for one, in order.
    pub refused: Vec<RefusedHeading>,
    pub(crate) bodies: [String; 5],
}

/// A line that looks like a heading and was left as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedHeading {
    /// Counted from 1.
    pub line: usize,
    /// The line, shortened.
    pub text: String,
    /// Why it is none.
    pub why: Refusal,
}

/// Why a line is not taken for a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is code between fences.
    Fence,
    /// It is commented out.
    Comment,
    /// It is quoted.
    Quote,
    /// It belongs to a list.
    List,
    /// It stands four columns or more to the right: code.
    Indented,
    /// More than six `#`.
    TooDeep,
    /// A name alone on its line, without `#`, bold, underline or colon.
    Unmarked,
    /// A heading, but none of the five.
    Unknown,
}

impl Refusal {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Refusal::Fence => "inside a code fence",
            Refusal::Comment => "inside a comment",
            Refusal::Quote => "inside a quotation",
            Refusal::List => "inside a list",
            Refusal::Indented => "indented by four columns or more",
            Refusal::TooDeep => "more than six #",
            Refusal::Unmarked => "no heading mark (#, bold, underline or colon)",
            Refusal::Unknown => "not one of the five sections",
        }
    }
}

impl Document {
    /// The text of a section, without its heading; empty if there is none.
    pub fn section(&self, section: Section) -> &str {
        self.bodies.get(section.index()).map_or("", String::as_str)
    }

    /// The required sections that are empty.
    pub fn missing(&self) -> Vec<Section> {
        let required = Section::REQUIRED.into_iter();
        required.filter(|&section| self.section(section).is_empty()).collect()
    }

    /// Whether a successor can work from it: no required section is empty.
    pub fn complete(&self) -> bool {
        self.missing().is_empty()
    }

    /// Whether it is a stand-in for a document that could not be written.
    pub fn degraded(&self) -> bool {
        self.section(Section::Doing).contains(DEGRADED_MARKER)
    }

    /// How many sections have text.
    pub(crate) fn filled(&self) -> usize {
        self.bodies.iter().filter(|body| !body.is_empty()).count()
    }

    pub(crate) fn append(&mut self, section: Section, text: &str) {
        if let Some(body) = self.bodies.get_mut(section.index()) {
            join(body, text);
        }
    }
}

/// Adds a paragraph.
pub(crate) fn join(body: &mut String, text: &str) {
    if !body.is_empty() && !text.is_empty() {
        body.push_str("\n\n");
    }
    body.push_str(text);
}
