//! Any bytes as the ledger of a HOME, which a person may edit.
//!
//! Promised: what is no ledger is refused calmly; what is one is written again with
//! every value and every key of the person's as it was read, since the ledger is
//! written whole each time.

#![no_main]

use gen_rotate::Ledger;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, to_value};

fuzz_target!(|bytes: &[u8]| {
    let Ok(rows) = Ledger::parse(bytes) else { return };
    let written = serde_json::to_string_pretty(&rows).expect("rows are JSON");
    let again = match Ledger::parse(written.as_bytes()) {
        Ok(again) => again,
        Err(why) => panic!("{why}: {written}"),
    };
    assert_eq!(value(&again), value(&rows), "{written}");
});

fn value(rows: &[gen_rotate::Row]) -> Value {
    to_value(rows).expect("rows are JSON")
}
