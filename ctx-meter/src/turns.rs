//! Every answer of a session, one after the other, for awk and for plots.

use std::io;
use std::ops::ControlFlow;

use agents::{Fact, Transcript};

/// One answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Counted from 1.
    pub answer: u64,
    /// As recorded.
    pub timestamp: Option<String>,
    /// In tokens; `None` where the record has no usable figure.
    pub context: Option<u64>,
    /// In tokens.
    pub output: u64,
    /// Whether a compaction came between this answer and the one before.
    pub compacted: bool,
}

impl Turn {
    /// The columns answer, timestamp, context, output and mark, with tabs
    /// between; `-` where there is nothing.
    pub fn row(&self) -> String {
        let context = self.context.map_or_else(|| "-".to_owned(), |context| context.to_string());
        let timestamp = self.timestamp.as_deref().unwrap_or("-");
        let mark = if self.compacted { "compacted" } else { "-" };
        format!("{}\t{timestamp}\t{context}\t{}\t{mark}\n", self.answer, self.output)
    }
}

/// Shows the answers in order; `show` may end it.
///
/// # Errors
/// Reading failed.
pub fn turns(
    transcript: &Transcript,
    show: &mut dyn FnMut(&Turn) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut turn: Option<(Option<String>, Turn)> = None;
    let mut count = 0;
    let mut compacted = false;
    let mut ended = false;
    transcript.oldest_first(&mut |fact| {
        match fact {
            Fact::Answer(answer) => {
                let id = answer.id.map(|id| id.into_owned());
                match &mut turn {
                    // A further record of the same answer: the last figures win.
                    Some((open, turn)) if id.is_some() && *open == id => {
                        turn.context = answer.context.or(turn.context);
                        turn.output = answer.output;
                    }
                    _ => {
                        if let Some((_, done)) = &turn
                            && show(done).is_break()
                        {
                            ended = true;
                            return ControlFlow::Break(());
                        }
                        count += 1;
                        turn = Some((
                            id,
                            Turn {
                                answer: count,
                                timestamp: answer.timestamp.map(|time| time.into_owned()),
                                context: answer.context,
                                output: answer.output,
                                compacted: std::mem::take(&mut compacted),
                            },
                        ));
                    }
                }
            }
            Fact::Compaction(_) => compacted = true,
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    if let Some((_, last)) = turn.filter(|_| !ended) {
        let _ = show(&last);
    }
    Ok(())
}
