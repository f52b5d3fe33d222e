//! The tool calls of one answer, with the hooks around them.

use std::time::Instant;

use serde_json::{Value, json};

use crate::Refusal;
use crate::interrupt;
use crate::scenario::{SubAgent, ToolCall};
use crate::session::{Answer, Pending, Session};
use crate::sub_agent;
use crate::tools::{self, Outcome};

/// How a batch of tool calls left the run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The model is asked again.
    GoOn,
    /// A hook ended the run.
    Stopped,
    /// A signal came.
    Signalled,
}

/// What the model is told of a call that a person broke off.
const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

/// Runs the calls of an answer, one after the other.
pub(crate) fn run(
    session: &mut Session,
    answer: &Answer,
    pending: Pending,
    sub_agent: Option<&SubAgent>,
) -> Result<After, Refusal> {
    let mut pending = Some(pending);
    let mut lines = Vec::new();
    let mut batch = Vec::new();
    let mut stop = None;
    for (number, (id, call)) in answer.calls.iter().enumerate() {
        let asked = json!({"tool_name": call.name, "tool_input": call.input, "tool_use_id": id});
        let before = session.hooks.fire("PreToolUse", Some(&call.name), asked.clone());
        if let Some(pending) = pending.take() {
            lines = session.write(pending)?;
        }
        session.attach(before.attachments)?;
        stop = stop.or(before.stop.map(|reason| (reason, hook_of("PreToolUse", call))));
        let line = lines.get(number).cloned();
        if interrupt::came().is_some() {
            return broken_off(session, id, line.as_deref());
        }
        let outcome = match before.block {
            Some(reason) => {
                session.tally.denials.push(json!({
                    "tool_name": call.name, "tool_use_id": id, "tool_input": call.input,
                }));
                Outcome::failure(&denial(call, &reason))
            }
            None => {
                let started = Instant::now();
                let outcome = match sub_agent {
                    Some(agent) if call.name == "Agent" => sub_agent::run(session, id, agent)?,
                    _ => tools::run(call, &session.place, &session.id),
                };
                if interrupt::came().is_some() {
                    return broken_off(session, id, line.as_deref());
                }
                let after = after_call(session, call, asked, &outcome, started);
                stop = stop.or(after.stop.map(|reason| (reason, hook_of("PostToolUse", call))));
                report(session, id, line.as_deref(), &outcome)?;
                session.attach(after.attachments)?;
                batch.push(entry(id, call, &outcome));
                continue;
            }
        };
        report(session, id, line.as_deref(), &outcome)?;
        batch.push(entry(id, call, &outcome));
    }
    let after = session.hooks.fire("PostToolBatch", None, json!({"tool_calls": batch}));
    session.attach(after.attachments)?;
    let stop = stop.or(after.stop.map(|reason| (reason, "PostToolBatch".to_owned())));
    if interrupt::came().is_some() {
        return Ok(After::Signalled);
    }
    let Some((reason, hook)) = stop else {
        return Ok(After::GoOn);
    };
    let event = hook.split(':').next().unwrap_or_default().to_owned();
    let id = answer.calls.last().map_or("", |(id, _)| id);
    session.attach(vec![json!({
        "type": "hook_stopped_continuation", "message": reason, "hookName": hook,
        "toolUseID": id, "hookEvent": event,
    })])?;
    Ok(After::Stopped)
}

fn hook_of(event: &str, call: &ToolCall) -> String {
    format!("{event}:{}", call.name)
}

/// Exit 2 is reported with the command in front, an answer in JSON as it is.
fn denial(call: &ToolCall, reason: &str) -> String {
    if reason.starts_with('[') {
        format!("PreToolUse:{} hook error: {reason}", call.name)
    } else {
        reason.to_owned()
    }
}

/// A call that failed has an event of its own.
fn after_call(
    session: &Session,
    call: &ToolCall,
    mut asked: Value,
    outcome: &Outcome,
    started: Instant,
) -> crate::hook_answer::Verdict {
    let took = json!(started.elapsed().as_millis());
    if outcome.failed() {
        asked["error"] = outcome.content.clone();
        asked["is_interrupt"] = json!(false);
        asked["duration_ms"] = took;
        return session.hooks.fire("PostToolUseFailure", Some(&call.name), asked);
    }
    let id = asked["tool_use_id"].take();
    let payload = json!({
        "tool_name": call.name, "tool_input": call.input, "tool_response": outcome.detail,
        "tool_use_id": id, "duration_ms": took,
    });
    session.hooks.fire("PostToolUse", Some(&call.name), payload)
}

fn entry(id: &str, call: &ToolCall, outcome: &Outcome) -> Value {
    json!({
        "tool_name": call.name, "tool_input": call.input, "tool_use_id": id,
        "tool_response": outcome.content,
    })
}

/// Tells the model what a call came to.
fn report(
    session: &mut Session,
    id: &str,
    line: Option<&str>,
    outcome: &Outcome,
) -> Result<(), Refusal> {
    let block = outcome.block(id);
    let kept = json!({"toolUseResult": outcome.detail, "sourceToolAssistantUUID": line});
    session.tell(line, &block, kept, json!({"tool_use_result": outcome.detail}))?;
    Ok(())
}

/// SIGINT: the call is answered in the person's name. SIGTERM leaves it open.
fn broken_off(session: &mut Session, id: &str, line: Option<&str>) -> Result<After, Refusal> {
    if interrupt::came() == Some(interrupt::Signal::Interrupt) {
        let mut outcome = Outcome::failure(REJECTED);
        outcome.detail = json!("User rejected tool use");
        report(session, id, line, &outcome)?;
        let text = json!([{"type": "text", "text": "[Request interrupted by user for tool use]"}]);
        session.tell(None, &text, json!({}), json!({}))?;
    }
    Ok(After::Signalled)
}
