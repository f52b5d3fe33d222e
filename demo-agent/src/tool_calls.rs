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

/// What the calls of an answer have in common.
struct Batch<'a> {
    session: &'a mut Session,
    /// The answer's lines, until they are written.
    pending: Option<Pending>,
    /// The ids of the lines that call a tool.
    lines: Vec<String>,
    sub_agent: Option<&'a SubAgent>,
    /// What PostToolBatch is told.
    entries: Vec<Value>,
    /// The first hook that ended the run, and its reason.
    stop: Option<(String, String)>,
}

/// Runs the calls of an answer, one after the other.
pub(crate) fn run(
    session: &mut Session,
    answer: &Answer,
    pending: Pending,
    sub_agent: Option<&SubAgent>,
) -> Result<After, Refusal> {
    let mut batch = Batch {
        session,
        pending: Some(pending),
        lines: Vec::new(),
        sub_agent,
        entries: Vec::new(),
        stop: None,
    };
    for (number, (id, call)) in answer.calls.iter().enumerate() {
        if !batch.call(number, id, call)? {
            return Ok(After::Signalled);
        }
    }
    let last = answer.calls.last().map_or("", |(id, _)| id);
    batch.end(last)
}

impl Batch<'_> {
    /// Runs one call; false when a signal came in it.
    fn call(&mut self, number: usize, id: &str, call: &ToolCall) -> Result<bool, Refusal> {
        let asked = json!({"tool_name": call.name, "tool_input": call.input, "tool_use_id": id});
        let before = self.session.hooks.fire("PreToolUse", Some(&call.name), asked.clone());
        if let Some(pending) = self.pending.take() {
            self.lines = self.session.write(pending)?;
        }
        self.session.attach(before.attachments)?;
        self.stops(before.stop, "PreToolUse", call);
        let line = self.lines.get(number).cloned();
        if interrupt::came().is_some() {
            broken_off(self.session, id, line.as_deref())?;
            return Ok(false);
        }
        let mut attachments = Vec::new();
        let outcome = if let Some(reason) = before.block {
            self.session.tally.denials.push(json!({
                "tool_name": call.name, "tool_use_id": id, "tool_input": call.input,
            }));
            Outcome::failure(&reason)
        } else {
            let started = Instant::now();
            let outcome = match self.sub_agent {
                Some(agent) if call.name == "Agent" => sub_agent::run(self.session, id, agent)?,
                _ => tools::run(call, &self.session.place, &self.session.id),
            };
            if interrupt::came().is_some() {
                broken_off(self.session, id, line.as_deref())?;
                return Ok(false);
            }
            let after = after_call(self.session, call, asked, &outcome, started);
            self.stops(after.stop, "PostToolUse", call);
            attachments = after.attachments;
            outcome
        };
        report(self.session, id, line.as_deref(), &outcome)?;
        self.session.attach(attachments)?;
        self.entries.push(json!({
            "tool_name": call.name, "tool_input": call.input, "tool_use_id": id,
            "tool_response": outcome.content,
        }));
        Ok(true)
    }

    fn stops(&mut self, reason: Option<String>, event: &str, call: &ToolCall) {
        let named = reason.map(|reason| (reason, format!("{event}:{}", call.name)));
        self.stop = self.stop.take().or(named);
    }

    /// Runs the batch's own hooks; a stop takes effect here, when every call has
    /// its answer.
    fn end(self, last: &str) -> Result<After, Refusal> {
        let Batch { session, entries, stop, .. } = self;
        let after = session.hooks.fire("PostToolBatch", None, json!({"tool_calls": entries}));
        session.attach(after.attachments)?;
        if interrupt::came().is_some() {
            return Ok(After::Signalled);
        }
        let own = after.stop.map(|reason| (reason, "PostToolBatch".to_owned()));
        let Some((reason, hook)) = stop.or(own) else {
            return Ok(After::GoOn);
        };
        let event = hook.split(':').next().unwrap_or_default();
        session.attach(vec![json!({
            "type": "hook_stopped_continuation", "message": reason, "hookName": hook,
            "toolUseID": last, "hookEvent": event,
        })])?;
        Ok(After::Stopped)
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
fn broken_off(session: &mut Session, id: &str, line: Option<&str>) -> Result<(), Refusal> {
    if interrupt::came() == Some(interrupt::Signal::Interrupt) {
        let mut outcome = Outcome::failure(REJECTED);
        outcome.detail = json!("User rejected tool use");
        report(session, id, line, &outcome)?;
        let text = json!([{"type": "text", "text": "[Request interrupted by user for tool use]"}]);
        session.tell(None, &text, json!({}), json!({}))?;
    }
    Ok(())
}
