//! Qwen Code's hooks, which are Claude Code's but for what they tell and do.
//!
//! Measured traps: no event tells which sub-agent acts, but those of its start and end;
//! no answer ends a run; the id of a tool call is not the one that the transcript has;
//! a prompt is told of again, empty, whenever results of tools are sent.

use crate::claude_code;
use crate::hook::{HookEvent, Hooks, Payload};

pub(super) struct Dialect;

const CLAUDES: claude_code::hooks::Dialect = claude_code::hooks::Dialect;

impl Hooks for Dialect {
    fn read<'p>(&self, payload: &'p [u8]) -> Result<Payload<'p>, serde_json::Error> {
        CLAUDES.read(payload)
    }

    fn can_stop_at(&self, _: HookEvent) -> bool {
        false
    }

    /// It fails the tool, and the run goes on.
    fn stop(&self, reason: &str) -> String {
        CLAUDES.stop(reason)
    }

    fn deny(&self, reason: &str) -> String {
        CLAUDES.deny(reason)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_of_tools_are_no_prompt() {
        for (prompt, event) in [("go on", HookEvent::UserPromptSubmit), ("", HookEvent::Other)] {
            let told = json!({"hook_event_name": "UserPromptSubmit", "session_id": "id",
                "transcript_path": "", "prompt": prompt})
            .to_string();
            let payload = Dialect.read(told.as_bytes()).unwrap();
            assert_eq!((payload.event, payload.transcript), (event, None), "{prompt}");
            assert_eq!(payload.session_id, "id");
        }
    }
}
