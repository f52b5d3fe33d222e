//! One run: a session is started or resumed, the prompt goes in, answers come
//! until one calls no tool, and the run ends.

use std::env;
use std::io::{self, Write};

use serde_json::json;
use terminal::{Exit, Failure};
use uuid::Uuid;

use crate::arguments::{Arguments, Refusal};
use crate::ending::{Ending, finish};
use crate::hooks::Hooks;
use crate::opening::{model_of, open};
use crate::place::Place;
use crate::script::Script;
use crate::session::{Session, Tally};
use crate::settings::Settings;
use crate::stream::Stream;
use crate::turns::Turns;
use crate::{agent_type, handoff, interrupt, prompt, transcript};

/// Runs once and returns the exit code.
///
/// # Errors
/// What is said instead, where no session begins or its files fail.
pub fn run(arguments: &Arguments, out: Box<dyn Write>) -> Result<u8, Refusal> {
    interrupt::listen();
    let place = Place::here()?;
    let settings = Settings::load(&place, arguments.settings.as_deref())?;
    let prompt = prompt::read(arguments)?;
    let mut script = Script::load()?;
    let opened = open(arguments, &place, &mut script)?;
    let agent = agent_type::of(arguments, &place, &opened)?;
    let asked = handoff::asked(&prompt, &opened.transcript.conversation);
    if asked.is_none() && script.peek().is_some_and(|step| step.silent) {
        script.advance()?;
        interrupt::wait(None);
    }
    interrupt::begin();
    let no_auto_compact = settings.no_auto_compact || is_set("DISABLE_AUTO_COMPACT");
    let model = model_of(arguments, &settings, &opened, &script);
    let prompt_id = Uuid::new_v4().to_string();
    let stream = Stream::new(arguments.output_format, out, &opened.id);
    let hooks = Hooks::new(settings.hooks, &place, &opened.id, &prompt_id, agent.clone());
    let mut session = Session {
        id: opened.id,
        place,
        model,
        prompt,
        prompt_id,
        transcript: opened.transcript,
        stream,
        hooks,
        tally: Tally::new(),
    };
    let ending = match begin(&mut session, opened.source, agent.as_deref())? {
        Some(ending) => ending,
        None => Turns {
            session: &mut session,
            script,
            asked,
            stage: 0,
            no_auto_compact,
            max_turns: arguments.max_turns,
            held: None,
        }
        .go()?,
    };
    let code = finish(&mut session, &ending)?;
    match session.stream.failed {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let why = format!("cannot write to stdout: {}", terminal::reason(&error));
            Err(Failure::new(Exit::Io, why).into())
        }
        _ => Ok(code),
    }
}

fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0" && value != "false")
}

/// Puts the prompt into the session, unless a hook refuses it.
fn begin(
    session: &mut Session,
    source: &'static str,
    agent: Option<&str>,
) -> Result<Option<Ending>, Refusal> {
    let memory = session.place.project().join("memory");
    session.hooks.fire("SessionStart", Some(source), json!({"source": source}));
    session.stream.init(&session.place.cwd, &session.model, &memory);
    let verdict = session.hooks.fire("UserPromptSubmit", None, json!({"prompt": session.prompt}));
    enqueue(session, agent.filter(|_| source == "startup"))?;
    let refused = match (&verdict.block, &verdict.stop) {
        (Some(reason), _) => Some(format!(
            "UserPromptSubmit operation blocked by hook:\n{reason}\n\nOriginal prompt: {}",
            session.prompt
        )),
        (None, Some(reason)) => Some(format!("Operation stopped by hook: {reason}")),
        (None, None) => None,
    };
    if verdict.block.is_none() {
        session.transcript.say(json!({
            "promptId": session.prompt_id, "type": "user",
            "message": {"role": "user", "content": session.prompt},
            "permissionMode": "default", "promptSource": "sdk",
        }))?;
        session.attach(verdict.attachments)?;
    }
    if let Some(text) = refused {
        if verdict.block.is_none() {
            session.transcript.say(json!({
                "promptId": session.prompt_id, "type": "user",
                "message": {"role": "user", "content": text},
            }))?;
        }
        let uuid = session.transcript.say(json!({
            "type": "system", "subtype": "informational", "content": text, "isMeta": false,
            "level": "warning", "preventContinuation": true,
        }))?;
        session.stream.system(
            "informational",
            json!({
                "content": text, "level": "warning", "prevent_continuation": true, "uuid": uuid,
            }),
        );
        return Ok(Some(Ending::Blocked(text)));
    }
    Ok(None)
}

/// The bookkeeping lines in front of a prompt; a new session's agent type comes
/// first.
fn enqueue(session: &mut Session, agent: Option<&str>) -> Result<(), Refusal> {
    if let Some(agent) = agent {
        let line = json!({"type": "agent-setting", "agentSetting": agent, "sessionId": session.id});
        session.transcript.note(&line)?;
    }
    for (operation, content) in [("enqueue", Some(&session.prompt)), ("dequeue", None)] {
        let mut line = json!({
            "type": "queue-operation", "operation": operation, "timestamp": transcript::now(),
            "sessionId": session.id,
        });
        if let Some(content) = content {
            line["content"] = json!(content);
        }
        session.transcript.note(&line)?;
    }
    Ok(())
}
