//! One entry of a row: one session, and the document that it wrote.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::figures::{Figures, sum};

/// One session of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Generation {
    /// Its session; null where nobody told it.
    #[serde(default)]
    pub session_id: Option<String>,
    /// What its last answer saw, in tokens.
    #[serde(default)]
    pub context: Option<u64>,
    /// The window it was judged by, in tokens.
    #[serde(default)]
    pub window: Option<u64>,
    /// In US dollars.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Turns it took.
    #[serde(default)]
    pub num_turns: Option<u64>,
    /// Whether the document that it wrote is a degraded one; null before it
    /// wrote any.
    #[serde(default)]
    pub degraded: Option<bool>,
    /// Why it is degraded, or why the session failed.
    #[serde(default)]
    pub why: Option<String>,
    /// The document it wrote, as published, from the HOME on.
    #[serde(default)]
    pub document: Option<String>,
    /// Where that document lies now, if another took its place. Of a superseded
    /// generation: the document it would have been given.
    #[serde(default)]
    pub archive: Option<String>,
    /// Whether that archived document was removed because a person said so.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub pruned: bool,
    /// Whether it was found to be missing, for whatever reason.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub missing: bool,
    /// How far its start got.
    #[serde(default, deserialize_with = "or_default")]
    pub state: State,
    /// Where its id comes from; null where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_source: Option<Source>,
    /// What its first answer saw, in tokens: its startup floor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_context: Option<u64>,
    /// The handoff line it was judged by, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Whether the nearness of the line was announced.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub near: bool,
    /// The copy of what it was given, from the HOME on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// When it was launched, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When it ended, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// The exit status it ended with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Whatever else a person wrote here.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How far the start of a session got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Its document is published; nothing was launched.
    #[default]
    Pending,
    /// The ledger said so, then it was launched; no sign of life yet.
    Launched,
    /// It lives or lived: a byte came from it, or it ended well, or was reported.
    Delivered,
    /// It ended without a sign of life.
    Failed,
    /// Something newer took its place before it could take over.
    Superseded,
}

impl State {
    /// As in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Launched => "launched",
            State::Delivered => "delivered",
            State::Failed => "failed",
            State::Superseded => "superseded",
        }
    }
}

/// Where the id of a session comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Made up by gen-rotate, and nobody was told: no session has it.
    Made,
    /// Made up by gen-rotate and handed to the successor in its arguments.
    Given,
    /// Told by whoever runs the session.
    Reported,
}

impl Generation {
    /// The generation of a session.
    pub(crate) fn of(session: &str, source: Source, state: State) -> Generation {
        Generation {
            session_id: Some(session.to_owned()),
            session_source: Some(source),
            state,
            ..Generation::default()
        }
    }

    /// Whether its id is one that a session really has.
    pub(crate) fn is_told(&self) -> bool {
        // A row of a person's making tells an id without its source.
        self.session_id.is_some() && self.session_source != Some(Source::Made)
    }

    pub(crate) fn note(&mut self, figures: &Figures, add: bool) {
        self.context = figures.context.or(self.context);
        self.window = figures.window.or(self.window);
        self.first_context = self.first_context.or(figures.first_context);
        self.at = figures.at.or(self.at);
        self.cost_usd = match (self.cost_usd, figures.cost_usd) {
            (Some(before), Some(more)) if add => Some(sum([before, more].into_iter())),
            (before, now) => now.or(before),
        };
        self.num_turns = match (self.num_turns, figures.num_turns) {
            (Some(before), Some(more)) if add => Some(before.saturating_add(more)),
            (before, now) => now.or(before),
        };
    }
}

/// A person may write null for what is not known.
pub(crate) fn or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn is_false(flag: &bool) -> bool {
    !flag
}
