//! The prompt that makes the session in hand write the document.

use terminal::Language;

use crate::Section;

/// The line by which the guard knows this prompt, the same in every language.
pub const ASK_MARKER: &str = "[ctxutils:write-the-handoff-document]";

/// Asks the session that has the context for its document. `used` and `window`
/// are tokens; `keep` is what a person does not want lost.
pub fn ask(used: u64, window: u64, keep: Option<&str>, language: Language) -> String {
    let _ = (used, window, keep);
    let headings: Vec<_> =
        Section::ALL.iter().map(|section| format!("## {}", section.label(language))).collect();
    format!("{ASK_MARKER}\n\n{}\n", headings.join("\n\n"))
}
