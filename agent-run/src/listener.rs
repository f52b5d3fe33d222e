//! Whoever is told of a run while it lasts.

use ctx_meter::limits::Limits;

/// Hears what others must know before the run is over, which it may never be told of.
pub trait Listener {
    /// The session has begun under an id that the CLI chose: the one it was given is
    /// no session's.
    fn begun(&mut self, session_id: &str);

    /// The handoff line comes near, which is told once: the context in tokens, and the
    /// lines.
    fn near(&mut self, context: u64, limits: &Limits);
}
