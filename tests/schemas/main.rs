//! docs/schema against what the tools print.
//!
//! Every line of JSON here comes from a real tool. It must fulfil its schema, and
//! no field of it may be one that the schema does not describe. What a schema
//! lists, a tool must be seen to print: each word of each enumeration. And the
//! schemas bite: a line that lacks a field, or has one of a wrong type, is refused.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on says so by panicking"
)]

mod bites;
mod chain;
mod document;
mod form;
mod ledger;
mod meter;
mod outcome;
mod overflow;
mod place;
mod schema;
