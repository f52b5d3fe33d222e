//! A run watched from outside, where no hook can be registered: what its answers
//! saw is looked up in its transcript, while the run lasts. When that is, is told by
//! the stream, by an end of a tool; or by the transcript itself, which is followed.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use agents::{Agent, Boundary, Driver, Transcript};
use ctx_meter::{Measure, find, measure};

/// How long after it was told what a transcript that lags does not hold yet is waited
/// for. A CLI gathers what it writes for a tenth of a second, say.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(5);

/// How often one that is followed, and not there yet, is looked for: that lists folders.
const SEARCH: Duration = Duration::from_millis(500);

/// The transcript of a run.
pub(crate) struct Outside {
    agent: &'static dyn Agent,
    /// Whether it lags behind what the CLI tells.
    lags: bool,
    path: Option<PathBuf>,
    /// Where it is followed.
    boundary: Option<Boundary>,
    /// When it was looked for.
    searched: Option<Instant>,
    /// So many bytes of it have been looked at.
    seen: u64,
    /// Tools that run now; more than one may.
    running: u32,
    /// What the answer saw whose tools run, where the CLI tells that.
    told: Option<u64>,
}

impl Outside {
    /// Of a session that is about to be run. What stands in its transcript already is
    /// nothing that an answer of this run saw.
    pub(crate) fn of(
        agent: &'static dyn Agent,
        driver: &'static dyn Driver,
        session_id: &str,
    ) -> Outside {
        let (lags, boundary) = (driver.transcript_lags(), driver.boundary());
        let (path, searched, told) = (None, None, None);
        let mut outside =
            Outside { agent, lags, path, boundary, searched, seen: 0, running: 0, told };
        if boundary.is_some() {
            outside.seen = outside.length(session_id);
        }
        outside
    }

    /// The CLI has told the id that it chose: what was looked for was not there.
    pub(crate) fn renamed(&mut self) {
        self.searched = None;
    }

    /// What a session that is followed looks like, if more was written and it now
    /// stands at a message boundary.
    pub(crate) fn follow(&mut self, session_id: &str) -> Option<Measure> {
        let boundary = self.boundary?;
        if self.path.is_none() {
            if self.searched.is_some_and(|searched| searched.elapsed() < SEARCH) {
                return None;
            }
            self.searched = Some(Instant::now());
        }
        let length = self.length(session_id);
        if std::mem::replace(&mut self.seen, length) == length {
            return None;
        }
        let transcript = self.open()?;
        // One that cannot be read now is looked at again when more is written.
        boundary(&transcript).ok().filter(|&is_at_one| is_at_one)?;
        measure(&transcript).ok()
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
        if self.running > 0 || self.boundary.is_some() {
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
        measure(&self.open()?).ok()
    }

    fn open(&self) -> Option<Transcript> {
        Transcript::open(self.path.as_deref()?).ok()
    }
}
