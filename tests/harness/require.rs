//! What a test needs and a machine may lack.

use std::env;

/// To be called where something is missing: the test fails with CI or
/// `CTXUTILS_REQUIRE` set, and says loudly otherwise that it shows nothing.
///
/// # Panics
/// The tests are required.
pub fn missing(what: &str) {
    let required = ["CI", "CTXUTILS_REQUIRE"].iter().any(|name| env::var_os(name).is_some());
    assert!(!required, "required and missing: {what}");
    crate::skipped(what);
}
