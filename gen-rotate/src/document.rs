//! A document, judged before it may become the current one.

use handoff_fmt::{Document, Section};
use terminal::{Exit, Failure};

use crate::{Home, Step};

/// The step's current document, which a person may have edited.
///
/// # Errors
/// Exit 66 where there is none, 1 where a required section is missing.
pub(crate) fn read(home: &Home, step: &Step) -> Result<Document, Failure> {
    let path = home.document(step);
    complete(&durable::read_regular(&path).map_err(|error| Failure::reading(&path, &error))?)
}

/// Parses a document; bytes that are no UTF-8 are replaced for the parsing only.
///
/// # Errors
/// Exit 1 where a required section is missing.
pub(crate) fn complete(bytes: &[u8]) -> Result<Document, Failure> {
    let document = handoff_fmt::parse(&String::from_utf8_lossy(bytes));
    if document.complete() {
        return Ok(document);
    }
    let missing: Vec<_> = document.missing().into_iter().map(Section::field).collect();
    let message = format!("the document is not complete: missing {}", missing.join(", "));
    Err(Failure::new(Exit::No, message)
        .hint("a session that cannot write one gets 'handoff-fmt degraded'"))
}
