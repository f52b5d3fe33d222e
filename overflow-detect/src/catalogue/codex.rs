//! Codex.

use super::Family;
use super::Strength::Alone;
use crate::Class::{CompactionFailed, Overflow};

pub(super) static FAMILIES: &[Family] = &[
    Family {
        id: "codex-out-of-room",
        provider: "codex",
        class: Overflow,
        strength: Alone,
        anchors: &["ran out of room in the models context window"],
        patterns: &[],
        example: "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
        source: "openai/codex#10877",
    },
    Family {
        id: "codex-compact-task",
        provider: "codex",
        class: CompactionFailed,
        strength: Alone,
        anchors: &["context window exceeded while compacting"],
        patterns: &[],
        example: "Context window exceeded while compacting; removing oldest history item.",
        source: "Codex 0.171",
    },
];
