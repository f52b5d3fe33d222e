//! A run watched from outside, where no hook can be registered: what its answers
//! saw is looked up in its transcript, while the run lasts.

use std::ops::ControlFlow;
use std::path::PathBuf;

use agents::{Agent, Transcript};
use ctx_meter::{Measure, find, measure};

/// The transcript of a run.
pub(crate) struct Outside {
    agent: &'static dyn Agent,
    path: Option<PathBuf>,
    /// Tools that run now; more than one may.
    running: u32,
}

impl Outside {
    /// Of a CLI's session.
    pub(crate) fn of(agent: &'static dyn Agent) -> Outside {
        Outside { agent, path: None, running: 0 }
    }

    /// A tool has begun.
    pub(crate) fn begin(&mut self) {
        self.running += 1;
    }

    /// A tool has ended. What the session then looks like, if no other one runs:
    /// the next request is about to be made, and nothing is torn.
    pub(crate) fn end(&mut self, session_id: &str) -> Option<Measure> {
        self.running = self.running.saturating_sub(1);
        if self.running > 0 {
            return None;
        }
        if self.path.is_none() {
            self.path = find::by_id(session_id, &[self.agent]).ok();
        }
        // One that cannot be read yet is looked at again after the next tool.
        let transcript = Transcript::open(self.path.as_deref()?).ok()?;
        measure(&transcript).ok()
    }
}

/// Whether to go on.
pub(crate) fn go_on(on: bool) -> ControlFlow<()> {
    if on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}
