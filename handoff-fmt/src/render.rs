//! A document as Markdown, prompt, JSON and text for a terminal.

mod prompt;

use std::fmt::Write as _;

use terminal::{Language, sanitise};

use crate::{Document, Section, placeholder, title};

impl Document {
    /// The file that goes to disk. It parses back to the same sections.
    pub fn to_markdown(&self, step: &str, language: Language) -> String {
        let notes = title::notes(language).join("\n");
        let mut out = format!("# {}\n\n{notes}\n", title::title(step, language));
        if !self.preamble.is_empty() {
            let _ = write!(out, "\n{}\n", self.preamble);
        }
        for section in Section::ALL {
            let _ = write!(out, "\n## {}\n\n{}\n", section.label(language), self.shown(section));
        }
        out
    }

    /// One compact JSON object, without a newline.
    pub fn to_json(&self, step: &str) -> String {
        let sections: serde_json::Map<_, _> = Section::ALL
            .iter()
            .map(|&section| (section.field().to_owned(), self.section(section).into()))
            .collect();
        let missing: Vec<_> = self.missing().into_iter().map(Section::field).collect();
        serde_json::json!({
            "v": 1,
            "step": step,
            "sections": sections,
            "preamble": self.preamble,
            "missing": missing,
            "complete": self.complete(),
            "degraded": self.degraded(),
        })
        .to_string()
    }

    /// Text for a person at a terminal: no control bytes but, with `colour`, those
    /// that make the headings bold.
    pub fn to_term(&self, step: &str, language: Language, colour: bool) -> String {
        let (bold, plain) = if colour { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
        let title = title::title(step, language);
        let mut out = format!("{bold}{}{plain}\n", sanitise(&title));
        if !self.preamble.is_empty() {
            let _ = write!(out, "\n{}\n", sanitise(&self.preamble));
        }
        for section in Section::ALL {
            let _ = write!(out, "\n{bold}{}{plain}\n", section.label(language));
            for line in sanitise(self.shown(section)).lines() {
                let line = format!("  {line}");
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
        out
    }

    fn shown(&self, section: Section) -> &str {
        match self.section(section) {
            "" => placeholder::EMPTY,
            body => body,
        }
    }
}
