//! The hook that watches a run from inside, and its orders.

use std::ffi::OsStr;

use agents::{Agent, Driver, Hook};
use terminal::{Exit, Failure};

use crate::order::{Order, StopAt, Turn};

/// The variables by which the guard is told what to do. Those of a run around
/// this one, in which an agent may have called us, do not hold for it.
pub(crate) const VARIABLES: [&str; 6] = [
    "CTX_GUARD_SESSION",
    "CTX_GUARD_STOP_AT",
    "CTX_GUARD_HEADROOM",
    "CTX_GUARD_JUDGE",
    "CTX_GUARD_TURN",
    "CTX_GUARD_WINDOW",
];

/// The hook of a run and the environment that gives it its orders.
pub(crate) struct Guard {
    pub(crate) hook: Option<Hook>,
    pub(crate) environment: Vec<(&'static str, String)>,
}

/// # Errors
/// The guard is needed and not to be found.
pub(crate) fn guard(
    order: &Order,
    driver: &dyn Driver,
    agent: &dyn Agent,
    session_id: &str,
) -> Result<Guard, Failure> {
    let is_handoff = order.turn == Turn::Handoff;
    let denies = is_handoff && driver.denies_by_hook();
    let stop_at = order.stop_at.filter(|_| !is_handoff && driver.stops_by_hook());
    let mut environment = Vec::new();
    if is_handoff {
        // Where the command line keeps the turn from acting, a guard that the person
        // registered by hand does so too.
        environment.push(("CTX_GUARD_SESSION", session_id.to_owned()));
        environment.push(("CTX_GUARD_TURN", "handoff".to_owned()));
    }
    if !denies && stop_at.is_none() {
        return Ok(Guard { hook: None, environment });
    }
    let program = processes::find(OsStr::new("ctx-guard"))?;
    // Settings are JSON, which holds no other names.
    let program = program.to_str().ok_or_else(|| {
        let message = format!("the name of '{}' is no UTF-8", program.display());
        Failure::new(Exit::CannotRun, message).hint("a hook cannot be registered under it")
    })?;
    let command = format!("{} --agent {}", quoted(program), agent.name());
    if let Some(stop_at) = stop_at {
        environment.push(("CTX_GUARD_SESSION", session_id.to_owned()));
        let at = match stop_at {
            StopAt::Tokens(tokens) => tokens.to_string(),
            StopAt::Due => "due".to_owned(),
        };
        environment.push(("CTX_GUARD_STOP_AT", at));
        environment.push(("CTX_GUARD_HEADROOM", order.headroom_text.clone()));
        environment.push(("CTX_GUARD_JUDGE", order.judge.clone()));
    }
    if let Some(window) = order.window {
        environment.push(("CTX_GUARD_WINDOW", window.to_string()));
    }
    let hook = Hook { command, stops: stop_at.is_some(), denies };
    Ok(Guard { hook: Some(hook), environment })
}

/// A word for /bin/sh.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
