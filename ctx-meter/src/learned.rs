//! Windows learned from what CLIs report and overflows prove.
//!
//! One small file an entry in the state folder, so that the meter opens two at
//! most and writers need no lock: per session id, and per endpoint and model as
//! asked for. What a CLI reported stands for 30 days, what an overflow proved
//! for one, since some limits are an endpoint's passing trouble; the former
//! beats the latter as long as it stands.

use std::io;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Below this no model has served for years; such limits are a tool's, or an
/// endpoint's passing trouble.
const LEAST: u64 = 16_000;
const MOST: u64 = 20_000_000;

const DAY: u64 = 24 * 60 * 60;

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A CLI's result or status.
    Reported,
    /// The limit in an overflow's text.
    Overflow,
    /// The session's model by its full name, marks included, which no transcript
    /// records: still a guess, and weaker than anything else that is known.
    Name,
}

/// What a figure is known of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A session, by id.
    Session(String),
    /// A model as asked for, at an endpoint (`None`: the vendor's own).
    Model {
        /// The base URL.
        endpoint: Option<String>,
        /// The name with its marks.
        model: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Entry {
    v: u32,
    window: u64,
    origin: Origin,
    /// Seconds since 1970, UTC.
    learned_at: u64,
}

impl Entry {
    fn expired(&self, now: u64) -> bool {
        let days = match self.origin {
            Origin::Reported | Origin::Name => 30,
            Origin::Overflow => 1,
        };
        self.learned_at + days * DAY < now
    }
}

/// The window learned of a session, or else of its model at its endpoint, or else
/// what the session's full model name suggests.
pub fn window(
    session_id: Option<&str>,
    endpoint: Option<&str>,
    model: Option<&str>,
) -> Option<(u64, Origin)> {
    let known = |key: Key| {
        let entry = read(&path(&key)?)?;
        (!entry.expired(now())).then_some((entry.window, entry.origin))
    };
    let of_session = session_id.and_then(|id| known(Key::Session(id.to_owned())));
    let of_model = || {
        let endpoint = endpoint.map(str::to_owned);
        known(Key::Model { endpoint, model: model?.to_owned() })
    };
    of_session.filter(|(_, origin)| *origin != Origin::Name).or_else(of_model).or(of_session)
}

/// Whether a number of tokens can be a model's window, and is no tool's limit or
/// trouble of an endpoint's.
pub fn is_plausible(window: u64) -> bool {
    (LEAST..=MOST).contains(&window)
}

/// Keeps a figure; returns whether it was kept. An absurd one is not, nor one
/// that an overflow proved while a reported one stands.
///
/// # Errors
/// The state folder cannot be written.
pub fn keep(key: &Key, window: u64, origin: Origin) -> io::Result<bool> {
    let Some(path) = path(key) else { return Ok(false) };
    let now = now();
    let beaten = read(&path).is_some_and(|old| {
        let is_stronger = match origin {
            Origin::Reported => false,
            Origin::Overflow => old.origin == Origin::Reported,
            Origin::Name => old.origin != Origin::Name,
        };
        is_stronger && !old.expired(now)
    });
    if beaten || !is_plausible(window) {
        return Ok(false);
    }
    let entry = Entry { v: 1, window, origin, learned_at: now };
    durable::write_entry(&path, &serde_json::to_vec(&entry)?)?;
    Ok(true)
}

/// An entry that cannot be read is as good as none: it is learned again.
fn read(path: &std::path::Path) -> Option<Entry> {
    serde_json::from_slice(&fs_err::read(path).ok()?).ok()
}

fn path(key: &Key) -> Option<PathBuf> {
    let name = match key {
        Key::Session(id) if id.is_empty() => return None,
        Key::Session(id) => format!("session-{}", durable::file_name(id)),
        Key::Model { endpoint, model } => {
            let endpoint = endpoint.as_deref().unwrap_or("default").trim_end_matches('/');
            format!("model-{}", durable::file_name(&format!("{model} {endpoint}")))
        }
    };
    Some(durable::state_folder()?.join("windows").join(name))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reported_stands_longer() {
        let entry = |origin| Entry { v: 1, window: 200_000, origin, learned_at: 0 };
        assert!(!entry(Origin::Reported).expired(29 * DAY));
        assert!(entry(Origin::Reported).expired(31 * DAY));
        assert!(entry(Origin::Overflow).expired(2 * DAY));
    }
}
