//! JSON written over several lines.

use serde_json::Value;

use super::{LONGEST, json};

/// What a line did to the document being collected.
pub(super) enum Step {
    /// It belongs to it.
    Collected,
    /// It ended it.
    Complete(Vec<u8>, Vec<Value>),
    /// What was collected is no JSON after all.
    Text(Vec<u8>),
}

/// Collects from a line that opens a brace to one that closes it at the margin.
#[derive(Default)]
pub(super) struct Document {
    lines: Vec<u8>,
}

impl Document {
    /// Offers a line. None: it is not part of a document.
    pub(super) fn take(&mut self, line: &[u8]) -> Option<Step> {
        let text = line.trim_ascii_end();
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        if self.lines.is_empty() && !matches!(text, b"{" | b"[" | b"[{" | b"[[" | b"{}") {
            return None;
        }
        self.lines.extend_from_slice(line);
        if matches!(text, b"}" | b"]" | b"}]" | b"]]") {
            let lines = std::mem::take(&mut self.lines);
            return Some(match json::parse(&lines) {
                Some(values) => Step::Complete(lines, values),
                None => Step::Text(lines),
            });
        }
        if self.lines.len() > LONGEST {
            return Some(Step::Text(std::mem::take(&mut self.lines)));
        }
        Some(Step::Collected)
    }

    /// What was collected and never ended.
    pub(super) fn close(&mut self) -> Option<Vec<u8>> {
        (!self.lines.is_empty()).then(|| std::mem::take(&mut self.lines))
    }
}
