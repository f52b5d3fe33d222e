//! What a session tells, so that two readings of it can be compared.

use std::ops::ControlFlow;

use agents::{Answer, Fact, InputKind, Transcript};

/// The facts of a session in the order of the file, as far as both directions
/// show them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Story {
    facts: Vec<String>,
    answers: Vec<String>,
    inputs: Vec<String>,
}

impl Story {
    /// Read oldest first.
    pub(crate) fn forward(transcript: &Transcript) -> Story {
        let mut story = Story::default();
        let read = transcript.oldest_first(&mut |fact| story.see(fact));
        read.expect("memory is readable");
        story
    }

    /// Read newest first.
    pub(crate) fn from_end(transcript: &Transcript) -> Story {
        let mut story = Story::default();
        let read = transcript.newest_first(&mut |fact| story.see(fact));
        read.expect("memory is readable");
        story.facts.reverse();
        story.answers.reverse();
        story
    }

    /// Everything but inputs, for formats that tell one such thing a record.
    pub(crate) fn in_order(&self) -> &[String] {
        &self.facts
    }

    /// The answers, of which a format may show more records in one direction than
    /// in the other, and the other things, whatever their order within a record.
    pub(crate) fn told(&self) -> (Vec<&String>, Vec<&String>) {
        let mut answers: Vec<&String> = self.answers.iter().collect();
        answers.dedup();
        let mut others: Vec<&String> =
            self.facts.iter().filter(|fact| !fact.starts_with("Answer")).collect();
        others.sort();
        (answers, others)
    }

    /// What goes into the next request, in no order: a record's inputs are shown
    /// forward in either direction.
    pub(crate) fn inputs(&self) -> Vec<&String> {
        let mut inputs: Vec<&String> = self.inputs.iter().collect();
        inputs.sort();
        inputs
    }

    fn see(&mut self, fact: Fact<'_>) -> ControlFlow<()> {
        match fact {
            Fact::Input(input) => {
                // Forward, words of the model are no input.
                if input.kind != InputKind::Unmetered {
                    let told = (input.kind, input.size, input.tool_use_id);
                    self.inputs.push(format!("{told:?}"));
                }
            }
            // From the end, nothing is told of calls.
            Fact::ToolCall(_) => {}
            fact => {
                if let Fact::Answer(Answer { id, context, output, .. }) = &fact {
                    self.answers.push(format!("{id:?} {context:?} {output}"));
                }
                self.facts.push(format!("{fact:?}"));
            }
        }
        ControlFlow::Continue(())
    }
}
