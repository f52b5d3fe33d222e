//! Codex's hooks: the names, the payload and the refusal of Claude Code's. The transcript
//! is the rollout; a sub-agent's calls come under its parent's session, with an id and a
//! rollout of their own.
//!
//! Measured trap: no answer ends a run. Claude Code's, at `PostToolUse`, puts its reason
//! in the place of the tool's result, and the turn goes on.

use crate::claude_code;
use crate::hook::{HookEvent, Hooks, Payload};

pub(super) struct Dialect;

const CLAUDES: claude_code::hooks::Dialect = claude_code::hooks::Dialect;

impl Hooks for Dialect {
    fn read<'p>(&self, payload: &'p [u8]) -> Result<Payload<'p>, serde_json::Error> {
        CLAUDES.read(payload)
    }

    fn can_stop_at(&self, _event: HookEvent) -> bool {
        false
    }

    fn stop(&self, reason: &str) -> String {
        CLAUDES.stop(reason)
    }

    fn deny(&self, reason: &str) -> String {
        CLAUDES.deny(reason)
    }
}
