//! What the environment tells the guard to do.

use std::env;

use ctx_meter::Headroom;
use ctx_meter::limits;

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
    Stop(StopAt),
    /// The document is written, with no tools.
    Handoff,
}

/// Where a run is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopAt {
    /// At so many tokens.
    Tokens(u64),
    /// At the handoff line of the session's window.
    Due(Headroom),
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
            (None, Some("due")) => Rule::Stop(StopAt::Due(headroom()?)),
            (None, Some(tokens)) => {
                let tokens = limits::tokens(tokens);
                let tokens = tokens.map_err(|why| format!("CTX_GUARD_STOP_AT: {why}"))?;
                if tokens == 0 {
                    return Err("CTX_GUARD_STOP_AT: a line at 0 tokens stops everything".to_owned());
                }
                Rule::Stop(StopAt::Tokens(tokens))
            }
            (None, None) => return Ok(None),
        };
        Ok(Some(Rules { session_id, rule }))
    }
}

fn headroom() -> Result<Headroom, String> {
    set("CTX_GUARD_HEADROOM").map_or(Ok(Headroom::default()), |text| {
        text.parse().map_err(|why| format!("CTX_GUARD_HEADROOM: {why}"))
    })
}

/// Whether the plain context is judged, as `CTX_GUARD_JUDGE=context` asks,
/// instead of what the next request will carry.
pub(crate) fn judges_context() -> bool {
    set("CTX_GUARD_JUDGE").as_deref() == Some("context")
}

fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
