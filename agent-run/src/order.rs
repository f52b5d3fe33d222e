//! The order for a run.

use std::ffi::OsString;
use std::time::Duration;

use agents::SessionChoice;
use ctx_meter::limits::Headroom;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Order {
    /// The agent's name.
    pub agent: String,
    /// The session.
    pub session: SessionChoice,
    /// What the run is for.
    pub turn: Turn,
    /// Where it is stopped.
    pub stop_at: Option<StopAt>,
    /// `--window`, in tokens.
    pub window: Option<u64>,
    /// What the handoff line keeps free.
    pub headroom: Headroom,
    /// The same as it was written.
    pub headroom_text: String,
    /// `context` or `projected`: which number is judged.
    pub judge: String,
    /// Whether the agent's own compaction stays on.
    pub compaction: bool,
    /// The model as asked for.
    pub model: Option<String>,
    /// The agent's own arguments.
    pub arguments: Vec<OsString>,
    /// After so long without a word it is ended.
    pub silence: Option<Duration>,
    /// The prompt.
    pub prompt: Vec<u8>,
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Work.
    Work,
    /// Writing the handoff document.
    Handoff,
}

/// Where a run is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopAt {
    /// At so many tokens.
    Tokens(u64),
    /// At the handoff line.
    Due,
}
