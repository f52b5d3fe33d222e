//! How a run ends: the result, the exit code, and what the transcript is told.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::Refusal;
use crate::api_error::ApiError;
use crate::session::{Session, api_id};
use crate::stream::extend;
use crate::usage::Usage;

/// How a run ends.
#[derive(Debug)]
pub(crate) enum Ending {
    /// With a final answer.
    Answered(String),
    /// The same, but a Stop hook ended the run.
    StopHookPrevented(String),
    /// A hook ended it at a message boundary.
    HookStopped,
    /// A hook refused the prompt: what is said.
    Blocked(String),
    /// An error of the API.
    Error(Box<ApiError>),
    /// `--max-turns`.
    MaxTurns(u64),
    /// SIGINT in a tool call.
    Interrupted,
    /// SIGINT while the model was awaited: no result is printed.
    Abandoned,
    /// SIGTERM.
    Terminated,
    /// The scenario ends the process.
    Exit(u8, Option<String>),
}

/// Ends a run: transcript, hooks, result. Returns the exit code.
pub(crate) fn finish(session: &mut Session, ending: &Ending) -> Result<u8, Refusal> {
    match ending {
        Ending::Exit(code, message) => {
            // What a crash leaves behind: nothing but the words.
            if let Some(message) = message {
                terminal::warn("demo-agent", message);
            }
            return Ok(*code);
        }
        Ending::Error(error) => synthetic(session, error)?,
        Ending::MaxTurns(most) => {
            let turns = most + 1;
            let kind = "max_turns_reached";
            session.attach(vec![json!({"type": kind, "maxTurns": most, "turnCount": turns})])?;
        }
        _ => {}
    }
    let prompt = session.prompt.clone();
    let kept = !matches!(ending, Ending::Blocked(text) if text.starts_with("UserPromptSubmit"));
    session.close(kept.then_some(prompt.as_str()))?;
    if !matches!(ending, Ending::Interrupted | Ending::Abandoned) {
        session.hooks.fire("SessionEnd", Some("other"), json!({"reason": "other"}));
    }
    let (result, code) = match ending {
        Ending::Terminated => return Ok(143),
        Ending::Abandoned => return Ok(0),
        Ending::Exit(code, _) => return Ok(*code),
        Ending::Answered(text) => (success(session, text, "end_turn", "completed"), 0),
        Ending::StopHookPrevented(text) => {
            (success(session, text, "end_turn", "stop_hook_prevented"), 0)
        }
        Ending::HookStopped => (success(session, "", "tool_use", "hook_stopped"), 0),
        Ending::Blocked(text) => (blocked(session, text), 0),
        Ending::Error(error) => (failure(session, error), 1),
        Ending::MaxTurns(most) => {
            let why = format!("Reached maximum number of turns ({most})");
            (broken(session, "error_max_turns", "max_turns", &why), 1)
        }
        Ending::Interrupted => {
            let why =
                "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use";
            (broken(session, "error_during_execution", "aborted_tools", why), 1)
        }
    };
    let broken = match ending {
        Ending::MaxTurns(most) => format!("Error: Reached max turns ({most})"),
        _ => "Execution error".to_owned(),
    };
    session.stream.end(&result, &broken);
    Ok(code)
}

/// The line that an API error leaves, and before it what had come of an answer.
fn synthetic(session: &mut Session, error: &ApiError) -> Result<(), Refusal> {
    let request = api_id("req");
    if error.partial {
        let usage = Usage { input_tokens: 10, output_tokens: 1, ..Usage::default() };
        session.tally.billed.add(&usage);
        session.transcript.say(json!({
            "message": {
                "id": api_id("msg"), "type": "message", "role": "assistant",
                "model": session.model.recorded(),
                "content": [{"type": "text", "text": "partial"}], "stop_reason": null,
                "stop_sequence": null, "usage": usage.to_started_json(),
            },
            "requestId": request, "type": "assistant",
        }))?;
    }
    let message = json!({
        "id": Uuid::new_v4().to_string(), "container": null, "model": "<synthetic>",
        "role": "assistant", "stop_details": null, "stop_reason": "stop_sequence",
        "stop_sequence": "", "type": "message",
        "usage": {
            "input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": null,
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
            "inference_geo": null, "iterations": null, "speed": null,
        },
        "content": [{"type": "text", "text": error.text}], "context_management": null,
    });
    let mut line = json!({"type": "assistant", "message": message});
    let mut event = json!({"error": error.word});
    if error.has_request_id {
        extend(&mut line, json!({"requestId": request}));
        extend(&mut event, json!({"request_id": request}));
    }
    extend(&mut line, json!({"error": error.word}));
    if let Some(details) = &error.details {
        extend(&mut line, json!({"errorDetails": details}));
    }
    extend(&mut line, json!({"isApiErrorMessage": true}));
    if let Some(status) = error.status {
        extend(&mut line, json!({"apiErrorStatus": status}));
    }
    let uuid = session.transcript.say(line)?;
    session.stream.assistant(&message, &uuid, None, event);
    Ok(())
}

fn success(session: &Session, text: &str, stop_reason: &str, terminal_reason: &str) -> Value {
    let head = json!({
        "type": "result", "subtype": "success", "is_error": false, "api_error_status": null,
        "duration_ms": elapsed(session), "duration_api_ms": 0, "ttft_ms": 0,
        "num_turns": turns(session), "result": text, "stop_reason": stop_reason,
    });
    complete(session, head, Some(terminal_reason))
}

fn failure(session: &Session, error: &ApiError) -> Value {
    let head = json!({
        "type": "result", "subtype": "success", "is_error": true,
        "api_error_status": error.status, "duration_ms": elapsed(session), "duration_api_ms": 0,
        "num_turns": turns(session), "result": error.text, "stop_reason": "stop_sequence",
    });
    complete(session, head, Some(error.terminal_reason))
}

fn blocked(session: &Session, text: &str) -> Value {
    let head = json!({
        "type": "result", "subtype": "success", "is_error": false,
        "duration_ms": elapsed(session), "duration_api_ms": 0, "num_turns": 0, "result": text,
        "stop_reason": null,
    });
    complete(session, head, None)
}

fn broken(session: &Session, subtype: &str, terminal_reason: &str, why: &str) -> Value {
    let head = json!({
        "type": "result", "subtype": subtype, "duration_ms": elapsed(session),
        "duration_api_ms": 0, "is_error": true, "num_turns": turns(session),
        "stop_reason": "tool_use",
    });
    let mut result = complete(session, head, Some(terminal_reason));
    extend(&mut result, json!({"errors": [why]}));
    result
}

/// The keys that all results have.
fn complete(session: &Session, mut head: Value, terminal_reason: Option<&str>) -> Value {
    let tally = &session.tally;
    let cost = tally.billed.cost(&session.model);
    let models = if tally.billed == Usage::default() {
        json!({})
    } else {
        json!({session.model.asked.as_str(): {
            "inputTokens": tally.billed.input_tokens, "outputTokens": tally.billed.output_tokens,
            "cacheReadInputTokens": tally.billed.cache_read_input_tokens,
            "cacheCreationInputTokens": tally.billed.cache_creation_input_tokens,
            "webSearchRequests": 0, "costUSD": cost, "contextWindow": session.model.window,
            "maxOutputTokens": session.model.max_output(),
        }})
    };
    extend(
        &mut head,
        json!({
            "session_id": session.id, "total_cost_usd": cost, "usage": tally.usage.to_json(),
            "modelUsage": models, "permission_denials": tally.denials,
        }),
    );
    if let Some(reason) = terminal_reason {
        extend(&mut head, json!({"terminal_reason": reason}));
    }
    extend(&mut head, json!({"fast_mode_state": "off", "uuid": Uuid::new_v4().to_string()}));
    head
}

/// The CLI counts the first prompt and every user event after it.
fn turns(session: &Session) -> u64 {
    1 + session.stream.user_events
}

fn elapsed(session: &Session) -> u128 {
    session.tally.started.elapsed().as_millis()
}
