//! Does this error mean "it no longer fits"?
//!
//! [`classify`] judges the text of one error. [`records`] reads what agents and
//! servers leave behind (transcripts, results, JSON logs, stderr) and judges the
//! last failure in it.
//!
//! Promises: a verdict names the kind of failure and gives the numbers the text
//! gives, under the right names; the same text wrapped, coloured, boxed, escaped
//! or lower-cased gets the same verdict; near misses (rate limits, output caps,
//! caps of tools and files, gates) are told apart by name.
//!
//! Refuses: text about an error (source code, titles, changelogs, talk) is not
//! an error. A status code alone proves nothing: overflows have come with 200,
//! 400, 403, 413, 500 and 503.
//!
//! How: the text is squeezed to what wrapping and escaping leave alone
//! (`view`), literals of the catalogue are looked up in one pass, only a
//! family whose literal occurs is matched, a grammar reads wordings nobody
//! listed, and what stands around a match may veto it.

mod anchors;
mod catalogue;
mod colour;
mod grammar;
mod judge;
mod numbers;
mod pattern;
mod quotation;
pub mod records;
mod verdict;
mod view;

pub use judge::{classify, classify_bytes};
pub use verdict::{Class, Confidence, Verdict};
