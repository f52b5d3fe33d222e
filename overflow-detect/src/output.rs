//! What is printed for one input.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use overflow_detect::{Class, Confidence, Verdict};
use serde::Serialize;
use terminal::{Failure, print, print_line, sanitise};

/// The record as it stands in the input, its file in front as grep puts it.
pub(crate) fn record(file: Option<&PathBuf>, record: &[u8]) -> Result<(), Failure> {
    let mut bytes = Vec::with_capacity(record.len() + 64);
    if let Some(file) = file {
        bytes.extend_from_slice(file.as_os_str().as_encoded_bytes());
        bytes.push(b':');
    }
    bytes.extend_from_slice(record.trim_ascii_end());
    bytes.push(b'\n');
    if io::stdout().is_terminal() {
        return print(sanitise(&String::from_utf8_lossy(&bytes)).as_bytes());
    }
    print(bytes)
}

/// One line of JSON. Unknown is null.
#[derive(Serialize)]
struct Line<'a> {
    v: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    overflow: bool,
    class: Option<Class>,
    family: Option<&'a str>,
    provider: Option<&'a str>,
    confidence: Option<Confidence>,
    used: Option<u64>,
    limit: Option<u64>,
    output: Option<u64>,
    over: Option<u64>,
    reservation: bool,
    start: Option<usize>,
    end: Option<usize>,
}

/// The verdict as JSON, found or not.
pub(crate) fn json(file: Option<&PathBuf>, verdict: Option<&Verdict>) -> Result<(), Failure> {
    let line = Line {
        v: 1,
        file: file.map(|file| file.to_string_lossy().into_owned()),
        overflow: verdict.is_some_and(|verdict| verdict.overflow),
        class: verdict.map(|verdict| verdict.class),
        family: verdict.map(|verdict| verdict.family),
        provider: verdict.map(|verdict| verdict.provider),
        confidence: verdict.map(|verdict| verdict.confidence),
        used: verdict.and_then(|verdict| verdict.used),
        limit: verdict.and_then(|verdict| verdict.limit),
        output: verdict.and_then(|verdict| verdict.output),
        over: verdict.and_then(|verdict| verdict.over),
        reservation: verdict.is_some_and(|verdict| verdict.reservation),
        start: verdict.map(|verdict| verdict.start),
        end: verdict.map(|verdict| verdict.end),
    };
    let line = serde_json::to_string(&line)
        .map_err(|error| Failure::new(terminal::Exit::Bug, error.to_string()))?;
    print_line(line)
}
