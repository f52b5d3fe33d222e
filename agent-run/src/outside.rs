//! A run watched from outside, where no hook can be registered: what its answers
//! saw is looked up in its transcript, while the run lasts.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use agents::{Agent, Transcript};
use ctx_meter::{Measure, find, measure};

/// How long after it was told what a transcript that lags does not hold yet is waited
/// for. A CLI gathers what it writes for a tenth of a second, say.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(5);

/// The transcript of a run.
pub(crate) struct Outside {
    agent: &'static dyn Agent,
    /// Whether it lags behind what the CLI tells.
    lags: bool,
    path: Option<PathBuf>,
    /// Tools that run now; more than one may.
    running: u32,
    /// What the answer saw whose tools run, where the CLI tells that.
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

    /// An answer saw so many tokens whose tools run now.
    pub(crate) fn tell(&mut self, context: u64) {
        self.told = Some(context);
    }

    /// A tool has ended, as was told at that time. What the session then looks like, if
    /// no other one runs: the next request is about to be made, and nothing is torn.
    pub(crate) fn end(&mut self, session_id: &str, told_at: Instant) -> Option<Measure> {
        self.running = self.running.saturating_sub(1);
        if self.running > 0 {
            return None;
        }
        self.find(session_id);
        if let Some(told) = self.told.take() {
            return Some(self.look_until(told, told_at));
        }
        if self.lags {
            self.wait(session_id, told_at);
        }
        self.look()
    }

    /// The session once it holds the answer that saw so much, and a result behind it;
    /// what was told of it when patience ends.
    fn look_until(&self, told: u64, told_at: Instant) -> Measure {
        let holds = |measured: &Measure| {
            measured.context.is_some_and(|context| context >= told) && measured.pending > 0
        };
        loop {
            match self.look().filter(holds) {
                Some(measured) => return measured,
                None if told_at.elapsed() < PATIENCE => thread::sleep(PAUSE),
                None => return Measure { context: Some(told), ..Measure::default() },
            }
        }
    }

    /// Waits until more is written, and no more comes for now: what was told before is
    /// then among it.
    fn wait(&mut self, session_id: &str, told_at: Instant) {
        let (mut before, mut has_grown) = (self.length(session_id), false);
        while told_at.elapsed() < PATIENCE {
            thread::sleep(PAUSE);
            let now = self.length(session_id);
            if has_grown && now == before {
                return;
            }
            has_grown |= now != before;
            before = now;
        }
    }

    /// In bytes; one that is not there yet has none.
    fn length(&mut self, session_id: &str) -> u64 {
        self.find(session_id);
        let metadata = self.path.as_deref().map(fs_err::metadata);
        metadata.and_then(Result::ok).map_or(0, |metadata| metadata.len())
    }

    fn find(&mut self, session_id: &str) {
        if self.path.is_none() {
            self.path = find::by_id(session_id, &[self.agent]).ok();
        }
    }

    /// A transcript that cannot be read yet is looked at again after the next tool.
    fn look(&self) -> Option<Measure> {
        let transcript = Transcript::open(self.path.as_deref()?).ok()?;
        measure(&transcript).ok()
    }
}
