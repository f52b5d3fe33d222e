//! The CLI's own compaction: a boundary, a summary, a conversation begun anew.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::Refusal;
use crate::session::Session;

/// Tokens that are left of a conversation, by the CLI's estimate.
const LEFT: u64 = 800;

/// Compacts the conversation.
pub(crate) fn run(session: &mut Session) -> Result<(), Refusal> {
    let asked = json!({"trigger": "auto", "custom_instructions": null});
    session.hooks.fire("PreCompact", Some("auto"), asked);
    session.stream.system("status", json!({"status": "compacting"}));
    let conversation = &session.transcript.conversation;
    let before = conversation.projected();
    let after = LEFT.min(before);
    let dropped = conversation.dropped + (before - after);
    let kept: Vec<String> =
        conversation.uuids.iter().rev().take(3).rev().map(String::clone).collect();
    let (head, tail) = (kept.first().cloned(), kept.last().cloned());
    let leaf = conversation.leaf.clone();
    let summary = Uuid::new_v4().to_string();
    let boundary = session.transcript.say_after(
        None,
        json!({
            "logicalParentUuid": leaf, "type": "system", "subtype": "compact_boundary",
            "content": "Conversation compacted", "isMeta": false, "level": "info",
            "compactMetadata": {
                "trigger": "auto", "preTokens": before, "durationMs": 1,
                "preservedSegment": {"headUuid": head, "anchorUuid": summary, "tailUuid": tail},
                "preservedMessages": {"anchorUuid": summary, "uuids": kept, "allUuids": kept},
                "postTokens": after, "cumulativeDroppedTokens": dropped,
            },
        }),
    )?;
    session.stream.system("status", json!({"status": null, "compact_result": "success"}));
    session.stream.system(
        "compact_boundary",
        json!({
            "uuid": boundary,
            "compact_metadata": {
                "trigger": "auto", "pre_tokens": before, "post_tokens": after,
                "cumulative_dropped_tokens": dropped, "duration_ms": 1,
            },
        }),
    );
    let text = format!(
        "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\nWork is under way; what is done is in the files.\n\nIf you need specific details from before compaction (like exact code snippets, error messages, or content you generated), read the full transcript at: {}",
        session.transcript.path().display()
    );
    session.tell(
        Some(&boundary),
        &Value::String(text),
        json!({"isVisibleInTranscriptOnly": true, "isCompactSummary": true, "uuid": summary}),
        json!({"isSynthetic": true}),
    )?;
    let started = json!({"source": "compact", "model": session.model.asked});
    session.hooks.fire("SessionStart", Some("compact"), started);
    let ended = json!({"trigger": "auto", "compact_summary": "Work is under way."});
    session.hooks.fire("PostCompact", Some("auto"), ended);
    Ok(())
}
