//! A document as Markdown, prompt, JSON and text for a terminal.

use terminal::Language;

use crate::{Document, Section, placeholder, title};

impl Document {
    /// The file that goes to disk. It parses back to the same sections.
    pub fn to_markdown(&self, step: &str, language: Language) -> String {
        let mut out = title::title(step, language);
        out.push_str("\n\n");
        out.push_str(&title::notes(language).join("\n"));
        out.push('\n');
        if !self.preamble.is_empty() {
            out.push_str(&format!("\n{}\n", self.preamble));
        }
        for section in Section::ALL {
            let body = match self.section(section) {
                "" => placeholder::EMPTY,
                body => body,
            };
            out.push_str(&format!("\n## {}\n\n{body}\n", section.label(language)));
        }
        out
    }

    /// What a successor is given to start from.
    pub fn to_prompt(&self, language: Language) -> String {
        let mut out = String::new();
        if !self.preamble.is_empty() {
            out.push_str(&format!("{}\n\n", self.preamble));
        }
        for section in Section::ALL {
            match self.section(section) {
                "" => {}
                body => out.push_str(&format!("## {}\n\n{body}\n\n", section.label(language))),
            }
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
}
