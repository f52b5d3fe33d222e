//! The handoff document: five sections that a session writes before its context
//! is full, that a person can open and edit, and that its successor starts from.
//!
//! Promises: any text parses, none panics, and nothing in it is lost; parsing
//! costs linear time; what is rendered parses back to the same sections in every
//! language. Headings are recognised in English, Chinese, Korean and Japanese,
//! whatever language the rest is in.
//!
//! Refuses: to guess. A prose line that begins with a section's name is prose;
//! names without a mark are headings only where there are no others; a section that
//! says "none" is empty; a document that lacks where the work stands
//! or what comes next is not complete, and no other section is demanded, since
//! demanding dead ends would invite invention.

mod ask;
mod block;
mod degraded;
mod document;
mod heading;
mod label;
mod named;
mod names;
mod parse;
mod placeholder;
mod render;
mod section;
mod title;

pub use ask::{ASK_MARKER, ask};
pub use degraded::{DEGRADED_MARKER, TASK_LIMIT, degraded};
pub use document::{Document, Refusal, RefusedHeading};
pub use parse::parse;
pub use section::Section;
