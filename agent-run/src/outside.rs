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
    lags: bool,
    path: Option<PathBuf>,
    /// Tools that run now; more than one may.
    running: u32,
    /// What the last answer saw, where the CLI tells that as it goes.
    told: Option<u64>,
}

impl Outside {
    /// Of a CLI's session, and whether its transcript lags.
    pub(crate) fn of(agent: &'static dyn Agent, lags: bool) -> Outside {
        Outside { agent, lags, path: None, running: 0, told: None }
    }

    /// A tool has begun.
    pub(crate) fn begin(&mut self) {
        self.running += 1;
    }

    /// Whether a tool runs.
    pub(crate) fn is_busy(&self) -> bool {
        self.running > 0
    }

    /// An answer saw so many tokens.
    pub(crate) fn tell(&mut self, context: u64) {
        self.told = Some(context);
    }

    /// A tool has ended. What the session then looks like, if no other one runs:
    /// the next request is about to be made, and nothing is torn.
    pub(crate) fn end(&mut self, session_id: &str) -> Option<Measure> {
        self.running = self.running.saturating_sub(1);
        if self.is_busy() {
            return None;
        }
        if self.lags {
            self.wait(session_id);
        }
        self.find(session_id);
        let started = Instant::now();
        loop {
            // One that cannot be read yet is looked at again after the next tool.
            let measured = measure(&Transcript::open(self.path.as_deref()?).ok()?).ok()?;
            if self.told.is_none_or(|told| holds(&measured, told)) {
                return Some(measured);
            }
            if started.elapsed() >= PATIENCE {
                return None;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Waits until more is written: what was told before is then among it.
    fn wait(&mut self, session_id: &str) {
        let started = Instant::now();
        let before = self.length(session_id);
        while self.length(session_id) == before && started.elapsed() < PATIENCE {
            thread::sleep(PAUSE);
        }
    }

    fn length(&mut self, session_id: &str) -> Option<u64> {
        self.find(session_id);
        fs_err::metadata(self.path.as_deref()?).ok().map(|metadata| metadata.len())
    }

    fn find(&mut self, session_id: &str) {
        if self.path.is_none() {
            self.path = find::by_id(session_id, &[self.agent]).ok();
        }
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
