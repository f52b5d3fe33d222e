//! The job a session works at when its script says nothing else: units of work,
//! one file each.
//!
//! What is done is known by looking at the files, so a successor goes on where
//! its predecessor stopped whatever it was told, and the job is finite. The
//! context grows by a fixed amount for each answer, so generations follow from
//! the window. A dead end, if the job has one, is tried by every session that
//! has not heard of it: a handoff document that tells of it saves the attempt.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::json;

use crate::conversation::Conversation;
use crate::place::Place;
use crate::scenario::{Step, ToolCall};

/// Units of work.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Job {
    /// How many.
    pub(crate) units: u32,
    /// The file of a unit, from the working directory; `{unit}` is its number, in
    /// two digits at least.
    pub(crate) file: String,
    /// Context of a session's first answer, in tokens.
    pub(crate) start: u64,
    /// By how much each answer's context is above the one before.
    pub(crate) grow: u64,
    /// Output tokens of an answer.
    pub(crate) output: u64,
    /// How long a unit takes, in milliseconds.
    pub(crate) delay_ms: u64,
    /// A command that fails, tried before the first unit by a session in whose
    /// prompts it is not named. Empty: none.
    pub(crate) dead_end: String,
}

impl Default for Job {
    fn default() -> Job {
        Job {
            units: 12,
            file: "chapters/chapter-{unit}.md".to_owned(),
            start: 30_000,
            grow: 28_000,
            output: 400,
            delay_ms: 0,
            dead_end: "cat outline.md".to_owned(),
        }
    }
}

impl Job {
    /// The file of unit `n`, as tool calls and documents name it.
    pub(crate) fn file(&self, n: u32) -> String {
        self.file.replace("{unit}", &format!("{n:02}"))
    }

    /// The units whose file is there and not empty.
    pub(crate) fn done(&self, place: &Place) -> Vec<u32> {
        (1..=self.units).filter(|n| has_content(&place.resolve(&self.file(*n)))).collect()
    }

    /// The first unit that is not done.
    pub(crate) fn next(&self, place: &Place) -> Option<u32> {
        let done = self.done(place);
        (1..=self.units).find(|n| !done.contains(n))
    }

    /// The next answer: a unit's work, the dead end, or the last word.
    pub(crate) fn step(&self, place: &Place, conversation: &Conversation) -> Step {
        let context = match conversation.context {
            Some(last) => last + self.grow,
            None => self.start,
        };
        let answer = Step {
            context: Some(context),
            output: Some(self.output),
            delay_ms: self.delay_ms,
            ..Step::default()
        };
        if let Some(reason) = conversation.refused_twice() {
            return Step { text: Some(format!("I cannot go on: {reason}")), ..answer };
        }
        let Some(unit) = self.next(place) else {
            let text = format!(
                "All {} units are done: {} to {}.",
                self.units,
                self.file(1),
                self.file(self.units)
            );
            return Step { text: Some(text), ..answer };
        };
        if !self.dead_end.is_empty() && !conversation.mentions(&self.dead_end) {
            let call = json!({"command": self.dead_end, "description": "look for a shortcut"});
            return Step {
                text: Some("Perhaps there is a shortcut.".to_owned()),
                tools: vec![ToolCall { name: "Bash".to_owned(), input: call }],
                ..answer
            };
        }
        let file = self.file(unit);
        let content =
            format!("# Unit {unit}\n\nWritten in one sitting, as unit {unit} of {}.\n", self.units);
        let call = json!({"file_path": place.resolve(&file).to_string_lossy(), "content": content});
        Step {
            text: Some(format!("Unit {unit} of {}: {file}.", self.units)),
            tools: vec![ToolCall { name: "Write".to_owned(), input: call }],
            ..answer
        }
    }
}

fn has_content(path: &PathBuf) -> bool {
    fs_err::metadata(path).is_ok_and(|metadata| metadata.len() > 0)
}
