//! Any bytes as the ledger of a HOME, which a person may edit, and as its history,
//! which a power cut may tear.
//!
//! Promised: what is no ledger is refused calmly; what is one is written again with
//! every value and every key of the person's as it was read, since the ledger is
//! written whole each time. Every line of a history is a row, or said to be none.

#![no_main]

use gen_rotate::{History, Ledger};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, to_value};

fuzz_target!(|bytes: &[u8]| {
    let history = History::parse(bytes);
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
    assert!(history.rows.len() + history.unreadable.len() <= lines);
    assert!(history.unreadable.windows(2).all(|pair| pair[0] < pair[1]));
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
