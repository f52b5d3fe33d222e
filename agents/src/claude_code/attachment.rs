//! What the harness attaches to a conversation.
//!
//! New kinds appear with every version, so the rule is by exception: all text of
//! an attachment reaches the model, except in the kinds that only report to the
//! person, and except the keys that name things.

use std::ops::ControlFlow;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::See;
use crate::fact::{Fact, Input, InputKind, Size};
use crate::lines::without_lone_surrogates;

/// Seen in the file and not in the next request.
const NOT_SENT: [&str; 8] = [
    "command_permissions",
    "hook_cancelled",
    "hook_non_blocking_error",
    "hook_permission_decision",
    "hook_stopped_continuation",
    "hook_success",
    "hook_system_message",
    "max_turns_reached",
];

const NAMES: [&str; 9] = [
    "addedTypes",
    "commandMode",
    "hookEvent",
    "hookName",
    "names",
    "removedTypes",
    "timestamp",
    "toolUseID",
    "type",
];

/// What an attachment carries into the next request.
pub(super) fn inputs(raw: &RawValue, see: See<'_>) -> ControlFlow<()> {
    // Read as it stands first: seldom is a text cut in the middle of a pair.
    let attachment = serde_json::from_str::<Value>(raw.get())
        .or_else(|_| serde_json::from_str(&without_lone_surrogates(raw.get())));
    let Ok(attachment) = attachment else {
        return ControlFlow::Continue(());
    };
    let kind = attachment["type"].as_str().unwrap_or_default();
    if NOT_SENT.contains(&kind) {
        return ControlFlow::Continue(());
    }
    let kind = if kind == "queued_command" { InputKind::Prompt } else { InputKind::Attachment };
    let text = attachment["prompt"].as_str().map(|prompt| prompt.to_owned().into());
    let (bytes, media) = weigh(&attachment);
    if bytes > 0 {
        see(Fact::Input(Input { kind, size: Size::Text(bytes), text, tool_use_id: None }))?;
    }
    for _ in 0..media {
        see(Fact::Input(Input::media(kind)))?;
    }
    ControlFlow::Continue(())
}

/// Bytes of text, and images or documents, anywhere inside.
fn weigh(value: &Value) -> (u64, u64) {
    let add = |(bytes, media): (u64, u64), value: &Value| {
        let (more_bytes, more_media) = weigh(value);
        (bytes + more_bytes, media + more_media)
    };
    match value {
        Value::String(text) => (text.len() as u64, 0),
        Value::Array(values) => values.iter().fold((0, 0), add),
        Value::Object(map) if matches!(value["type"].as_str(), Some("image" | "document")) => {
            (0, u64::from(!map.is_empty()))
        }
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| !NAMES.contains(&key.as_str()))
            .fold((0, 0), |sum, (_, value)| add(sum, value)),
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(json: &str) -> Vec<Size> {
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        let mut sizes = Vec::new();
        let _ = inputs(raw, &mut |fact| {
            if let Fact::Input(input) = fact {
                sizes.push(input.size);
            }
            ControlFlow::Continue(())
        });
        sizes
    }

    #[test]
    fn what_the_model_sees_is_weighed() {
        for (json, expected) in [
            (
                r#"{"type":"queued_command","prompt":"do it","commandMode":"prompt"}"#,
                vec![Size::Text(5)],
            ),
            (
                r#"{"type":"hook_additional_context","content":["ab","cd"],"hookName":"x"}"#,
                vec![Size::Text(4)],
            ),
            (r#"{"type":"hook_success","stdout":"long"}"#, vec![]),
            (
                r#"{"type":"file","content":[{"type":"image","source":{"data":"AAAA"}},"x"]}"#,
                vec![Size::Text(1), Size::Media],
            ),
            (r#"{"type":"unheard_of","text":"abc","nested":{"n":1,"t":"d"}}"#, vec![Size::Text(4)]),
        ] {
            assert_eq!(sizes(json), expected, "{json}");
        }
    }

    #[test]
    fn half_a_character_is_no_reason_to_lose_the_rest() {
        let json = r#"{"type":"file","content":["cut \ud83d",{"type":"image","source":"AAAA"}]}"#;
        assert_eq!(sizes(json), [Size::Text(7), Size::Media]);
    }
}
