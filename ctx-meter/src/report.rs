//! All that is said of one session.

use std::path::Path;

use agents::Transcript;
use serde::Serialize;

use crate::limits::{Headroom, Limits, State};
use crate::measure::Measure;
use crate::window::{self, Known, Window};

/// A measured session with its window and lines.
#[derive(Clone, Debug)]
pub struct Report {
    /// The CLI's name.
    pub agent: &'static str,
    /// The session's id.
    pub session_id: Option<String>,
    /// Its transcript; `None` for a stream.
    pub path: Option<String>,
    /// Whether it is a sub-agent's own.
    pub sub_agent: bool,
    /// The figures.
    pub measure: Measure,
    /// The window.
    pub window: Window,
    /// The lines.
    pub limits: Limits,
}

/// What is told from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// `--window`, in tokens.
    pub window: Option<u64>,
    /// `--headroom`.
    pub headroom: Headroom,
}

impl Report {
    /// Joins what was measured with what is told.
    ///
    /// # Errors
    /// The environment names a window that is no number.
    pub fn new(
        transcript: &Transcript,
        path: Option<&Path>,
        measure: Measure,
        told: Told,
    ) -> Result<Report, String> {
        let identity = transcript.identity();
        let agent = transcript.agent().name();
        let window = window::window(Known {
            flag: told.window,
            recorded: measure.window,
            session_id: identity.session_id.as_deref(),
            agent: Some(agent),
            model: measure.model.as_deref(),
        })?;
        Ok(Report {
            agent,
            session_id: identity.session_id.clone(),
            path: path.map(|path| path.to_string_lossy().into_owned()),
            sub_agent: identity.sub_agent,
            limits: Limits::new(window.size, told.headroom),
            window,
            measure,
        })
    }

    /// Where the session stands by what its last answer saw.
    pub fn state(&self) -> State {
        self.state_of(self.measure.context)
    }

    /// Where it stands by what the next request will carry.
    pub fn state_projected(&self) -> State {
        self.state_of(self.measure.projected())
    }

    fn state_of(&self, tokens: Option<u64>) -> State {
        if self.measure.full || self.overflowed() {
            return State::Full;
        }
        self.limits.state(tokens)
    }

    /// Whether the error recorded last says that the prompt no longer fits.
    fn overflowed(&self) -> bool {
        let error = self.measure.error.as_deref();
        error.and_then(overflow_detect::classify).is_some_and(|verdict| verdict.overflow)
    }

    /// Whether more was seen than the window holds.
    pub fn window_too_small(&self) -> bool {
        self.measure.context.is_some_and(|context| context > self.window.size)
    }

    /// The report as one compact JSON object. `measured_at` is the time in UTC,
    /// RFC 3339.
    pub fn json(&self, measured_at: String) -> String {
        let Report { measure, limits, .. } = self;
        let json = Json {
            v: 1,
            agent: self.agent,
            session_id: self.session_id.as_deref(),
            path: self.path.as_deref(),
            model: measure.model.as_deref(),
            context: measure.context,
            projected: measure.projected(),
            output: measure.context.map(|_| measure.output),
            pending: measure.context.map(|_| measure.pending),
            window: limits.window,
            window_source: self.window.source.word(),
            window_too_small: self.window_too_small(),
            headroom: limits.headroom,
            warn_at: limits.warn_at,
            at: limits.at,
            state: self.state().word(),
            state_projected: self.state_projected().word(),
            compacted: measure.compacted,
            stale: measure.stale,
            sub_agent: self.sub_agent,
            measured_at,
        };
        serde_json::to_string(&json).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct Json<'r> {
    v: u32,
    agent: &'r str,
    session_id: Option<&'r str>,
    path: Option<&'r str>,
    model: Option<&'r str>,
    context: Option<u64>,
    projected: Option<u64>,
    output: Option<u64>,
    pending: Option<u64>,
    window: u64,
    window_source: &'r str,
    window_too_small: bool,
    headroom: u64,
    warn_at: u64,
    at: u64,
    state: &'r str,
    state_projected: &'r str,
    compacted: bool,
    stale: bool,
    sub_agent: bool,
    measured_at: String,
}
