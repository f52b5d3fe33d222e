//! How large is the window?
//!
//! Told by hand beats the environment beats what the session recorded beats what
//! was learned from the CLI beats a guess from the model's name. A transcript's
//! model never carries the `[1m]` mark, and gateways serve less than names say,
//! so the guess is often wrong; the true figure is in a CLI's result and status
//! JSON, which [`crate::learn`] keeps.

use std::env;

use crate::learned::{self, Origin};
use crate::limits;

/// Where nothing is known. Models of a million tokens are the rule by now, and
/// an overflow is survived.
const DEFAULT: u64 = 1_000_000;

/// A window and the rule that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// In tokens.
    pub size: u64,
    /// Which rule spoke.
    pub source: WindowSource,
}

/// Which rule gave a window, first the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSource {
    /// `--window`.
    Flag,
    /// `HANDOFF_WINDOW`.
    Environment,
    /// The transcript records it.
    Session,
    /// A CLI reported it earlier, or an overflow proved it.
    Learned,
    /// A guess from the model's name.
    Model,
    /// Nothing is known.
    Default,
}

impl WindowSource {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            WindowSource::Flag => "flag",
            WindowSource::Environment => "environment",
            WindowSource::Session => "session",
            WindowSource::Learned => "learned",
            WindowSource::Model => "model",
            WindowSource::Default => "default",
        }
    }
}

/// What is known of a session when its window is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'k> {
    /// `--window`.
    pub flag: Option<u64>,
    /// What the session recorded.
    pub recorded: Option<u64>,
    /// The session's id.
    pub session_id: Option<&'k str>,
    /// The session's CLI, by name.
    pub agent: Option<&'k str>,
    /// The model as recorded or asked for.
    pub model: Option<&'k str>,
}

/// The window of a session.
///
/// # Errors
/// `HANDOFF_WINDOW` is set and no number of tokens.
pub fn window(known: Known<'_>) -> Result<Window, String> {
    let found = |size, source| Ok(Window { size, source });
    if let Some(size) = known.flag {
        return found(size, WindowSource::Flag);
    }
    if let Some(text) = set("HANDOFF_WINDOW") {
        let size = limits::window(&text).map_err(|why| format!("HANDOFF_WINDOW: {why}"))?;
        return found(size, WindowSource::Environment);
    }
    if let Some(size) = known.recorded {
        return found(size, WindowSource::Session);
    }
    let name = model_name(known);
    match learned::window(known.session_id, endpoint().as_deref(), name.as_deref()) {
        Some((size, Origin::Name)) => return found(size, WindowSource::Model),
        Some((size, _)) => return found(size, WindowSource::Learned),
        None => {}
    }
    Ok(guess(name.as_deref()))
}

/// What a model's name suggests, and a million where there is none.
pub fn guess(model: Option<&str>) -> Window {
    match model {
        Some(name) => Window { size: by_name(name), source: WindowSource::Model },
        None => Window { size: DEFAULT, source: WindowSource::Default },
    }
}

/// Where requests go, as far as the environment says.
pub fn endpoint() -> Option<String> {
    set("ANTHROPIC_BASE_URL")
}

/// The model by the name it was asked for. The environment's name counts for
/// sessions of Claude Code alone, and only where it is the recorded one but for
/// the marks that recording drops: an `[1m]` there says nothing of a session
/// that runs on another model.
fn model_name(known: Known<'_>) -> Option<String> {
    let ours = known.agent.is_none_or(|agent| agent == "claude-code");
    let asked = ["ANTHROPIC_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL"].into_iter().find_map(set);
    match (asked.filter(|_| ours), known.model) {
        (Some(asked), None) => Some(asked),
        (Some(asked), Some(recorded)) if bare(&asked) == bare(recorded) => Some(asked),
        (_, recorded) => recorded.map(str::to_owned),
    }
}

/// A model's name without what recording drops or adds: a mark in brackets, a
/// date of eight digits.
fn bare(name: &str) -> String {
    let name = name.split('[').next().unwrap_or_default().to_lowercase();
    match name.rsplit_once('-') {
        Some((stem, date)) if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) => {
            stem.to_owned()
        }
        _ => name,
    }
}

/// The window that a model's name suggests. A mark `1m` standing alone comes
/// first, so that `claude-haiku[1m]` has a million.
pub fn by_name(name: &str) -> u64 {
    let name = name.to_lowercase();
    if has_mark(&name, "1m") {
        return 1_000_000;
    }
    if name.contains("haiku") {
        return 200_000;
    }
    OTHER_VENDORS
        .iter()
        .find(|(stem, _)| name.contains(stem))
        .map_or(DEFAULT, |(_, window)| *window)
}

/// Input windows of other vendors' models, from their public model pages, where
/// several sizes share a stem the smallest: handing over early wastes a little,
/// late loses the document.
const OTHER_VENDORS: [(&str, u64); 12] = [
    ("gpt-4o", 128_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-5", 272_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("gemini", 1_048_576),
    ("deepseek", 128_000),
    ("glm-", 128_000),
    ("grok-", 131_072),
    ("kimi", 131_072),
    ("mistral", 128_000),
    ("qwen3-coder", 262_144),
];

/// Whether a mark stands alone: no letter or digit beside it, and no decimal
/// point in front (`gpt-4.1m` is a version).
fn has_mark(name: &str, mark: &str) -> bool {
    let bytes = name.as_bytes();
    name.match_indices(mark).any(|(at, _)| {
        let before = bytes[..at].last();
        let after = bytes.get(at + mark.len());
        let decimal = before == Some(&b'.') && at >= 2 && bytes[at - 2].is_ascii_digit();
        !decimal
            && !before.is_some_and(u8::is_ascii_alphanumeric)
            && !after.is_some_and(u8::is_ascii_alphanumeric)
    })
}

fn set(name: &str) -> Option<String> {
    let value = env::var_os(name)?.to_string_lossy().into_owned();
    Some(value).filter(|value| !value.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_suggest_windows() {
        for (name, window) in [
            ("claude-haiku[1m]", 1_000_000),
            ("claude-haiku-4-5-20251001", 200_000),
            ("claude-opus-4-8", 1_000_000),
            ("CLAUDE[1M]", 1_000_000),
            ("claude_haiku-1m", 1_000_000),
            ("haiku x1m", 200_000),
            ("haiku-11m", 200_000),
            ("haiku-4.1m", 200_000),
            ("haiku 4.1mini", 200_000),
            ("haiku 1.1m", 200_000),
            ("gpt-5.2-codex", 272_000),
            ("unheard-of", 1_000_000),
        ] {
            assert_eq!(by_name(name), window, "{name}");
        }
    }

    #[test]
    fn marks_and_dates_do_not_tell_models_apart() {
        assert_eq!(bare("claude-opus-4-8[1m]"), bare("claude-opus-4-8"));
        assert_eq!(bare("claude-haiku-4-5"), bare("claude-haiku-4-5-20251001"));
        assert_ne!(bare("claude-opus-4-8[1m]"), bare("claude-haiku-4-5"));
    }
}
