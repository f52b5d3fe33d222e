//! What the environment tells the guard to do.

use std::env;

use ctx_meter::limits;
use ctx_meter::report::Told;

/// The rules of a run that is driven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The session they hold for.
    pub session_id: String,
    /// The rule.
    pub rule: Rule,
}

/// What is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The run ends at a line.
    Stop(Stop),
    /// The document is written, with no tools.
    Handoff,
}

/// Where a run is stopped, and by which number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The line.
    pub at: StopAt,
    /// What the next request will carry is judged, or else the plain context.
    pub projected: bool,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopAt {
    /// So many tokens.
    Tokens(u64),
    /// The handoff line of the session's window.
    Due(Told),
}

impl Rules {
    /// The rules of the environment; `None` where it has none.
    ///
    /// # Errors
    /// A value is wrong; says which.
    pub fn from_env() -> Result<Option<Rules>, String> {
        let Some(session_id) = set("CTX_GUARD_SESSION") else { return Ok(None) };
        if set("CTX_GUARD").as_deref() == Some("off") {
            return Ok(None);
        }
        let rule = match (set("CTX_GUARD_TURN").as_deref(), set("CTX_GUARD_STOP_AT").as_deref()) {
            (Some("handoff"), _) => Rule::Handoff,
            (Some(other), _) => return Err(format!("CTX_GUARD_TURN: unknown turn '{other}'")),
            (None, Some(line)) => Rule::Stop(Stop { at: stop_at(line)?, projected: projected()? }),
            (None, None) => return Ok(None),
        };
        Ok(Some(Rules { session_id, rule }))
    }
}

fn stop_at(line: &str) -> Result<StopAt, String> {
    if line == "due" {
        let window = parsed("CTX_GUARD_WINDOW", limits::window)?;
        let headroom = parsed("CTX_GUARD_HEADROOM", str::parse)?.unwrap_or_default();
        return Ok(StopAt::Due(Told { window, headroom }));
    }
    match limits::tokens(line) {
        Ok(0) => Err("CTX_GUARD_STOP_AT: a line at 0 tokens stops everything".to_owned()),
        Ok(tokens) => Ok(StopAt::Tokens(tokens)),
        Err(why) => Err(format!("CTX_GUARD_STOP_AT: {why}")),
    }
}

fn projected() -> Result<bool, String> {
    match set("CTX_GUARD_JUDGE").as_deref() {
        None | Some("projected") => Ok(true),
        Some("context") => Ok(false),
        Some(other) => Err(format!("CTX_GUARD_JUDGE: unknown number '{other}'")),
    }
}

fn parsed<T>(name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    let value = set(name).map(|text| parse(&text)).transpose();
    value.map_err(|why| format!("{name}: {why}"))
}

fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
