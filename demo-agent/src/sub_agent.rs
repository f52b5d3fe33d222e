//! A sub-agent: a file of its own, all sidechain, and hooks that bear its id.
//!
//! Its context is its own: a reader that takes it for the main session's is
//! wrong, and a scenario can make that plain.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::Refusal;
use crate::scenario::{SubAgent, ToolCall};
use crate::session::{Session, api_id};
use crate::tools::{self, Outcome};
use crate::transcript::Transcript;
use crate::usage::Usage;

/// The call that starts a sub-agent.
pub(crate) fn call(agent: &SubAgent) -> ToolCall {
    ToolCall {
        name: "Agent".to_owned(),
        input: json!({
            "description": "delegated work", "prompt": agent.prompt,
            "subagent_type": agent.agent_type, "run_in_background": false,
        }),
    }
}

/// Runs a sub-agent to its end: one command, one answer.
pub(crate) fn run(session: &mut Session, call: &str, agent: &SubAgent) -> Result<Outcome, Refusal> {
    let hex = Uuid::new_v4().simple().to_string();
    let id = format!("a{}", hex.get(..16).unwrap_or(&hex));
    let path = session.place.sub_agent(&session.id, &id);
    let mut transcript =
        Transcript::new(path.clone(), &session.id, &session.place.cwd).of_sub_agent(&id);
    session.hooks.sub_agent = Some((id.clone(), agent.agent_type.clone()));
    session.hooks.fire("SubagentStart", Some(&agent.agent_type), json!({}));
    transcript.say(json!({
        "promptId": session.prompt_id, "type": "user",
        "message": {"role": "user", "content": agent.prompt},
    }))?;
    let meta = json!({
        "agentType": agent.agent_type, "description": "delegated work", "toolUseId": call,
        "spawnDepth": 1,
    });
    let beside = path.with_extension("meta.json");
    fs_err::write(&beside, meta.to_string()).map_err(|error| Refusal::io(&beside, &error))?;

    let usage = Usage::of(agent.context, 0, 30);
    let command = ToolCall {
        name: "Bash".to_owned(),
        input: json!({"command": agent.command, "description": "delegated work"}),
    };
    let command_id = api_id("toolu");
    let block =
        json!({"name": "Bash", "input": command.input, "type": "tool_use", "id": command_id});
    answer(session, &mut transcript, agent, call, &block, usage)?;
    command_of(session, &mut transcript, agent, call, &command, &command_id)?;
    let last = Usage::of(agent.context + 250, agent.context, 12);
    let block = json!({"type": "text", "text": agent.text});
    answer(session, &mut transcript, agent, call, &block, last)?;
    session.hooks.fire(
        "SubagentStop",
        Some(&agent.agent_type),
        json!({
            "stop_hook_active": false, "agent_transcript_path": path.to_string_lossy(),
            "last_assistant_message": agent.text, "background_tasks": [], "session_crons": [],
        }),
    );
    session.hooks.sub_agent = None;
    session.tally.billed.add(&usage);
    session.tally.billed.add(&last);
    Ok(outcome(session, &id, agent, last))
}

fn answer(
    session: &mut Session,
    transcript: &mut Transcript,
    agent: &SubAgent,
    call: &str,
    block: &Value,
    usage: Usage,
) -> Result<(), Refusal> {
    let stop_reason = if block["type"] == "tool_use" { "tool_use" } else { "end_turn" };
    let mut message = json!({
        "id": api_id("msg"), "type": "message", "role": "assistant",
        "model": session.model.recorded(), "content": [block], "stop_reason": stop_reason,
        "stop_sequence": null, "usage": usage.to_json(), "stop_details": null,
    });
    let request = api_id("req");
    let uuid = transcript.say(json!({
        "message": message, "requestId": request, "attributionAgent": agent.agent_type,
        "type": "assistant",
    }))?;
    message["usage"] = usage.to_started_json();
    message["stop_reason"] = Value::Null;
    session.stream.assistant(
        &message,
        &uuid,
        Some(call),
        json!({
            "request_id": request, "subagent_type": agent.agent_type,
            "task_description": "delegated work",
        }),
    );
    Ok(())
}

/// The sub-agent's command, with the hooks that hear of it.
fn command_of(
    session: &mut Session,
    transcript: &mut Transcript,
    agent: &SubAgent,
    parent: &str,
    command: &ToolCall,
    id: &str,
) -> Result<(), Refusal> {
    let asked = json!({"tool_name": "Bash", "tool_input": command.input, "tool_use_id": id});
    let before = session.hooks.fire("PreToolUse", Some("Bash"), asked);
    let outcome = match before.block {
        Some(reason) => Outcome::failure(&reason),
        None => tools::run(command, &session.place, &session.id),
    };
    if !outcome.failed() {
        session.hooks.fire(
            "PostToolUse",
            Some("Bash"),
            json!({
                "tool_name": "Bash", "tool_input": command.input, "tool_response": outcome.detail,
                "tool_use_id": id, "duration_ms": 1,
            }),
        );
    }
    let content = outcome.block(id);
    let line = transcript.conversation.leaf.clone();
    let uuid = transcript.say(json!({
        "promptId": session.prompt_id, "type": "user",
        "message": {"role": "user", "content": content}, "sourceToolAssistantUUID": line,
    }))?;
    session.stream.user(
        &content,
        &uuid,
        Some(parent),
        json!({
            "subagent_type": agent.agent_type, "task_description": "delegated work",
        }),
    );
    session.hooks.fire(
        "PostToolBatch",
        None,
        json!({"tool_calls": [{
            "tool_name": "Bash", "tool_input": command.input, "tool_use_id": id,
            "tool_response": outcome.content,
        }]}),
    );
    Ok(())
}

/// What the main session is told.
fn outcome(session: &Session, id: &str, agent: &SubAgent, last: Usage) -> Outcome {
    let total = last.context() + last.output_tokens;
    let text = format!(
        "agentId: {id} (use SendMessage with to: '{id}', summary: '<5-10 word recap>' to continue this agent)\n<usage>subagent_tokens: {total}\ntool_uses: 1\nduration_ms: 1</usage>"
    );
    Outcome {
        content: json!([{"type": "text", "text": agent.text}, {"type": "text", "text": text}]),
        detail: json!({
            "status": "completed", "prompt": agent.prompt, "agentId": id,
            "agentType": agent.agent_type, "content": [{"type": "text", "text": agent.text}],
            "resolvedModel": session.model.asked, "totalDurationMs": 1, "totalTokens": total,
            "totalToolUseCount": 1, "usage": last.to_json(),
        }),
        is_error: None,
    }
}
