//! Whether a rollout that is being written stands between an answer, whose tools have
//! all returned, and the next request.
//!
//! Measured on 0.171.0: the items of an answer, its calls among them, are written when
//! it is complete; results follow in the order of the calls, the first maybe while the
//! second call still runs; the request goes out right behind the last. The stream is no
//! help: it tells nothing of a command that the sandbox denied, an end of a quick one
//! before its result is written, and no end of one that runs on while the model is asked.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;

use serde::Deserialize;

use crate::See;
use crate::lines::{self, Format, Huge};
use crate::probe::Probe;
use crate::scalar::Text;
use crate::source::Source;

/// What stands between a turn and what was before it.
const DELIMITERS: [&str; 6] =
    ["session_meta", "turn_context", "compacted", "task_started", "task_complete", "turn_aborted"];

/// Whether all tools of the last answer have returned, and there were some.
pub(super) fn is_at_boundary(source: &Source) -> io::Result<bool> {
    let mut round = Round::default();
    lines::newest_first(&mut round, source, &mut |_| ControlFlow::Continue(()))?;
    Ok(round.has_calls && round.is_answered)
}

/// An answer's calls and their results, met newest first.
struct Round {
    /// The calls whose results were met.
    returned: HashSet<String>,
    has_calls: bool,
    is_answered: bool,
}

impl Default for Round {
    fn default() -> Round {
        Round { returned: HashSet::new(), has_calls: false, is_answered: true }
    }
}

impl Round {
    /// A record with its kinds, the outer one last, and the call that it is of.
    fn meet(&mut self, kinds: [&str; 2], call: Option<&str>) -> ControlFlow<()> {
        if kinds.iter().any(|kind| DELIMITERS.contains(kind)) {
            return ControlFlow::Break(());
        }
        let ([item, "response_item"], Some(call)) = (kinds, call) else {
            return ControlFlow::Continue(());
        };
        if item.ends_with("_output") {
            if self.has_calls {
                // Of the answer before.
                return ControlFlow::Break(());
            }
            self.returned.insert(call.to_owned());
            return ControlFlow::Continue(());
        }
        self.has_calls = true;
        self.is_answered &= self.returned.contains(call);
        if self.is_answered { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[derive(Deserialize)]
struct Record<'l> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(borrow)]
    payload: Payload<'l>,
}

#[derive(Deserialize)]
struct Payload<'l> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'l>,
    #[serde(borrow)]
    call_id: Option<Text<'l>>,
}

impl Format for Round {
    type Record<'l> = Record<'l>;
    const COPIES: &'static [u8] = b"";

    fn facts(&mut self, record: Record<'_>, _: See<'_>) -> ControlFlow<()> {
        let Record { kind, payload } = record;
        self.meet([&payload.kind.0, &kind.0], payload.call_id.as_ref().map(|id| &*id.0))
    }

    fn facts_of_huge(&mut self, huge: &Huge<'_>, _: See<'_>) -> ControlFlow<()> {
        let probe = Probe::new(huge.head);
        let payload = probe.object("payload");
        let of_payload = |key| payload.and_then(|payload| payload.text(key));
        let kinds = [of_payload("type"), probe.text("type")].map(Option::unwrap_or_default);
        self.meet(kinds, of_payload("call_id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_between(records: &str) -> bool {
        let line = |word: &str| match word.split_once(':') {
            Some((kind, id)) => format!(
                r#"{{"type":"response_item","payload":{{"type":"{kind}","call_id":"{id}"}}}}"#
            ),
            None if word == "turn_context" || word == "compacted" => {
                format!(r#"{{"type":"{word}","payload":{{}}}}"#)
            }
            None => format!(r#"{{"type":"event_msg","payload":{{"type":"{word}"}}}}"#),
        };
        let text: String = records.split(' ').map(|word| line(word) + "\n").collect();
        is_at_boundary(&Source::stream(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn every_call_of_the_last_answer_has_its_result() {
        let one = "turn_context function_call:a function_call_output:a token_count";
        assert!(is_between(one));
        for (more, expected) in [
            ("agent_message", true),
            ("function_call:b", false),
            ("function_call:b custom_tool_call:c", false),
            ("function_call:b custom_tool_call:c function_call_output:b", false),
            (
                "function_call:b custom_tool_call:c function_call_output:b custom_tool_call_output:c",
                true,
            ),
            ("task_complete", false),
            ("turn_aborted", false),
            ("compacted", false),
            ("task_started", false),
            ("task_complete task_started turn_context", false),
        ] {
            assert_eq!(is_between(&format!("{one} {more}")), expected, "{more}");
        }
        assert!(!is_between("turn_context agent_message"));
    }

    #[test]
    fn a_result_too_long_to_hold_is_one() {
        let long = "x".repeat(5 << 20);
        let text = format!(
            r#"{{"type":"response_item","payload":{{"type":"function_call","call_id":"a"}}}}
{{"type":"response_item","payload":{{"type":"function_call_output","call_id":"a","output":"{long}"}}}}
"#
        );
        assert!(is_at_boundary(&Source::stream(text.as_bytes()).unwrap()).unwrap());
    }
}
