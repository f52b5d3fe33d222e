//! Any text as a handoff document.
//!
//! Promised: any text parses; what is rendered reads back as the same sections and
//! the same text around them, in every language; a prompt holds all of it; what goes to a
//! terminal has no control characters; time is linear.

#![no_main]

use handoff_fmt::{Document, Section, degraded, parse};
use lengthened::lengthened;
use libfuzzer_sys::fuzz_target;
use terminal::Language;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let document = parse(&text);
    // The step's name is the person's, and may be odd as well.
    let step = text.lines().next().unwrap_or_default();
    for language in Language::ALL {
        reads_back(&document, step, language);
    }
    is_shown_whole(&document, step);
    let stand_in = degraded(step, "", &text, Language::En);
    assert!(stand_in.complete() && stand_in.degraded());
    reads_back(&stand_in, step, Language::Zh);
    if let Some(long) = lengthened(bytes) {
        parse(&String::from_utf8_lossy(&long));
    }
});

fn reads_back(document: &Document, step: &str, language: Language) {
    let markdown = document.to_markdown(step, language);
    let again = parse(&markdown);
    assert_eq!(sections(&again), sections(document), "{markdown}");
    assert_eq!(again.preamble, document.preamble, "{markdown}");
    assert!(again.titled, "{markdown}");
}

fn is_shown_whole(document: &Document, step: &str) {
    let prompt = document.to_prompt(Language::En);
    assert!(sections(document).iter().all(|body| prompt.contains(body)), "{prompt}");
    assert!(prompt.contains(&document.preamble), "{prompt}");
    let shown = document.to_term(step, Language::En, false);
    assert!(!shown.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{shown:?}");
    let json: serde_json::Value = serde_json::from_str(&document.to_json(step)).expect("JSON");
    assert_eq!(json["complete"], document.complete());
}

fn sections(document: &Document) -> [&str; 5] {
    Section::ALL.map(|section| document.section(section))
}
