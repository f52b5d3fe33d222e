//! A run watched from outside, where no hook can be registered: what its answers
//! saw is looked up in its transcript, while the run lasts.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use agents::{Agent, Transcript};
use ctx_meter::{Measure, find, measure};

/// How long a transcript that lags behind what was told is waited for: records are
/// written some tens of milliseconds late.
const PATIENCE: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(5);

/// The transcript of a run.
pub(crate) struct Outside {
    agent: &'static dyn Agent,
    path: Option<PathBuf>,
    /// Tools that run now; more than one may.
    running: u32,
    /// What the answer saw whose tools run, where the CLI tells that.
    told: Option<u64>,
}

impl Outside {
    /// Of a CLI's session.
    pub(crate) fn of(agent: &'static dyn Agent) -> Outside {
        Outside { agent, path: None, running: 0, told: None }
    }

    /// A tool has begun.
    pub(crate) fn begin(&mut self) {
        self.running += 1;
    }

    /// An answer saw so many tokens whose tools run now.
    pub(crate) fn tell(&mut self, context: u64) {
        self.told = Some(context);
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
        let Some(told) = self.told.take() else { return self.look() };
        let started = Instant::now();
        loop {
            match self.look().filter(|measured| holds(measured, told)) {
                Some(measured) => return Some(measured),
                None if started.elapsed() < PATIENCE => thread::sleep(PAUSE),
                None => return Some(Measure { context: Some(told), ..Measure::default() }),
            }
        }
    }

    /// A transcript that cannot be read yet is looked at again after the next tool.
    fn look(&self) -> Option<Measure> {
        let transcript = Transcript::open(self.path.as_deref()?).ok()?;
        measure(&transcript).ok()
    }
}

/// Whether the answer that saw so much is there, and a result behind it.
fn holds(measured: &Measure, told: u64) -> bool {
    measured.context.is_some_and(|context| context >= told) && measured.pending > 0
}

/// Whether to go on.
pub(crate) fn go_on(on: bool) -> ControlFlow<()> {
    if on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}
