//! One run: a session is started or resumed, the prompt goes in, answers come
//! until one calls no tool, and the run ends.

use std::env;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde_json::json;
use terminal::{Exit, Failure, Language};
use uuid::Uuid;

use crate::api_error::{Circumstances, ErrorKind};
use crate::arguments::{Arguments, Refusal};
use crate::ending::{Ending, finish};
use crate::hooks::Hooks;
use crate::interrupt::Signal;
use crate::model::Model;
use crate::place::Place;
use crate::scenario::{AutoCompact, HandoffTurn, Step, ToolCall};
use crate::script::Script;
use crate::session::{Answer, Session, Tally, api_id};
use crate::settings::Settings;
use crate::stream::Stream;
use crate::tool_calls::After;
use crate::transcript::{self, Transcript};
use crate::usage::Usage;
use crate::{compaction, handoff, interrupt, prompt, sub_agent, tool_calls};

/// Runs once and returns the exit code.
///
/// # Errors
/// What is said instead, where no session begins or its files fail.
pub fn run(arguments: &Arguments, out: Box<dyn Write>) -> Result<u8, Refusal> {
    interrupt::listen();
    let place = Place::here()?;
    let settings = Settings::load(&place, arguments.settings.as_deref())?;
    let prompt = prompt::read(arguments)?;
    let mut script = Script::load().map_err(|failure| Refusal::scenario(&failure))?;
    let mut opened = open(arguments, &place, &mut script)?;
    if script.peek().is_some_and(|step| step.silent) {
        script.advance().map_err(|failure| Refusal::scenario(&failure))?;
        interrupt::wait(None);
    }
    interrupt::begin();
    let no_auto_compact = settings.no_auto_compact || is_set("DISABLE_AUTO_COMPACT");
    let model = model_of(arguments, &settings, &opened, &script);
    let prompt_id = Uuid::new_v4().to_string();
    let agent = arguments.agent.clone().or(opened.transcript.conversation.agent.take());
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
        tally: Tally {
            started: Instant::now(),
            usage: Usage::default(),
            billed: Usage::default(),
            answers: 0,
            denials: Vec::new(),
        },
    };
    let ending = match begin(&mut session, opened.source, agent.as_deref())? {
        Some(ending) => ending,
        None => {
            let asked = handoff::asked(&session.prompt, &session.transcript.conversation);
            let max_turns = arguments.max_turns;
            Turns { session: &mut session, script, asked, stage: 0, no_auto_compact, max_turns }
                .go()?
        }
    };
    let code = finish(&mut session, &ending)?;
    match session.stream.failed {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let why = format!("cannot write to stdout: {}", terminal::reason(&error));
            Err(Refusal::scenario(&Failure::new(Exit::Io, why)))
        }
        _ => Ok(code),
    }
}

struct Opened {
    id: String,
    transcript: Transcript,
    /// As the SessionStart hook is told.
    source: &'static str,
}

/// Finds or makes the session.
fn open(arguments: &Arguments, place: &Place, script: &mut Script) -> Result<Opened, Refusal> {
    let known = |failure: Failure| Refusal::scenario(&failure);
    let parent = match &arguments.resume {
        Some(id) => Some(id.to_lowercase()),
        None if arguments.continue_newest => newest(place),
        None => None,
    };
    let own = arguments.session_id.as_ref().map(|id| id.to_lowercase());
    if let Some(parent) = &parent {
        let path = place.transcript(parent);
        if fs_err::metadata(&path).is_err() {
            return Err(Refusal::bare(format!("No conversation found with session ID: {parent}")));
        }
        let mut old = Transcript::new(path, parent, &place.cwd);
        let lines = old.recall()?;
        if !arguments.fork_session {
            script.open(parent, None).map_err(known)?;
            return Ok(Opened { id: parent.clone(), transcript: old, source: "resume" });
        }
        let id = fresh(own, place)?;
        let mut copy = Transcript::new(place.transcript(&id), &id, &place.cwd);
        for mut line in lines {
            line["sessionId"] = json!(id);
            copy.note(&line)?;
        }
        script.open(&id, Some(parent)).map_err(known)?;
        return Ok(Opened { id, transcript: copy, source: "resume" });
    }
    let id = fresh(own, place)?;
    script.open(&id, None).map_err(known)?;
    let transcript = Transcript::new(place.transcript(&id), &id, &place.cwd);
    Ok(Opened { id, transcript, source: "startup" })
}

/// The id of a new session.
fn fresh(own: Option<String>, place: &Place) -> Result<String, Refusal> {
    match own {
        Some(id) if fs_err::metadata(place.transcript(&id)).is_ok() => {
            Err(Refusal::error(format!("Session ID {id} is already in use.")))
        }
        Some(id) => Ok(id),
        None => Ok(Uuid::new_v4().to_string()),
    }
}

/// The newest session of the directory.
fn newest(place: &Place) -> Option<String> {
    let files = fs_err::read_dir(place.project()).ok()?;
    let sessions = files.filter_map(Result::ok).filter_map(|file| {
        let name = file.file_name().into_string().ok()?;
        let id = name.strip_suffix(".jsonl")?.to_owned();
        Some((file.metadata().ok()?.modified().ok()?, id))
    });
    sessions.max().map(|(_, id)| id)
}

/// A resumed session that names no model gets the recorded one, which has lost
/// its `[1m]`.
fn model_of(arguments: &Arguments, settings: &Settings, opened: &Opened, script: &Script) -> Model {
    let recorded = opened.transcript.conversation.model.clone();
    let by_variable = env::var("ANTHROPIC_MODEL").ok().filter(|name| !name.is_empty());
    let name = arguments
        .model
        .clone()
        .or(by_variable)
        .or_else(|| settings.model.clone())
        .or(recorded)
        .or_else(|| script.scenario.model.clone());
    Model::named(name.as_deref(), script.scenario.window)
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
    if let Some(agent) = agent
        && source == "startup"
    {
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

/// The model's turns.
struct Turns<'a> {
    session: &'a mut Session,
    script: Script,
    /// The prompt asks for the handoff document, in this language.
    asked: Option<Language>,
    /// How far a handoff turn has come.
    stage: u32,
    no_auto_compact: bool,
    max_turns: Option<u64>,
}

impl Turns<'_> {
    fn go(&mut self) -> Result<Ending, Refusal> {
        let mut stopping = false;
        loop {
            let step = self.next()?;
            let pause = (step.delay_ms > 0).then(|| Duration::from_millis(step.delay_ms));
            let signal = pause.map_or_else(interrupt::came, |pause| interrupt::wait(Some(pause)));
            if let Some(signal) = signal {
                return Ok(while_waiting(signal));
            }
            if step.hang || step.silent {
                let signal = interrupt::wait(None).unwrap_or(Signal::Terminate);
                return Ok(while_waiting(signal));
            }
            if let Some(code) = step.exit {
                return Ok(Ending::Exit(code, step.message));
            }
            if step.compact {
                if !self.no_auto_compact {
                    compaction::run(self.session)?;
                }
                continue;
            }
            if step.text.is_none()
                && step.thinking.is_none()
                && step.tools.is_empty()
                && step.sub_agent.is_none()
                && step.error.is_none()
            {
                continue;
            }
            let context = self.context_of(&step);
            if let Some(kind) = self.obstacle(&step, context) {
                let too_long = kind == ErrorKind::PromptTooLong;
                if too_long && self.compacts() {
                    compaction::run(self.session)?;
                    continue;
                }
                return Ok(self.error(kind, &step, context));
            }
            if let Some(ending) = self.answer(step, context, &mut stopping)? {
                return Ok(ending);
            }
        }
    }

    /// What comes next, by the kind of turn.
    fn next(&mut self) -> Result<Step, Refusal> {
        if let Some(language) = self.asked {
            self.stage += 1;
            return Ok(self.handoff_step(language));
        }
        let conversation = &self.session.transcript.conversation;
        let place = &self.session.place;
        let scripted = self.script.peek().cloned();
        let Some(step) = scripted else {
            return Ok(match &self.script.scenario.job {
                Some(job) => job.step(place, conversation),
                None => Step { text: Some("Done.".to_owned()), ..Step::default() },
            });
        };
        let Some(job) = step.units.and(self.script.scenario.job.as_ref()) else {
            self.script.advance().map_err(|failure| Refusal::scenario(&failure))?;
            return Ok(step);
        };
        if job.next(place).is_none() {
            self.script.advance().map_err(|failure| Refusal::scenario(&failure))?;
            return Ok(Step::default());
        }
        let work = job.step(place, conversation);
        // The detour into a dead end is not the unit.
        if work.tools.first().is_none_or(|tool| tool.name == "Write") {
            self.script.advance().map_err(|failure| Refusal::scenario(&failure))?;
        }
        Ok(Step { delay_ms: step.delay_ms + work.delay_ms, ..work })
    }

    fn handoff_step(&self, language: Language) -> Step {
        let script = &self.script.session;
        let job = self.script.scenario.job.as_ref();
        let conversation = &self.session.transcript.conversation;
        let place = &self.session.place;
        let write = |with_next| match &script.handoff_text {
            Some(text) => text.clone(),
            None => handoff::document(language, job, place, conversation, with_next),
        };
        let said = |text: String| Step { text: Some(text), output: Some(900), ..Step::default() };
        match script.handoff {
            HandoffTurn::Good => said(write(true)),
            HandoffTurn::NoNext => said(write(false)),
            HandoffTurn::Empty => said(String::new()),
            HandoffTurn::Prose => said(format!(
                "Certainly! Here is the handoff document you asked for.\n\n{}\nLet me know if anything is unclear.\n",
                write(true)
            )),
            HandoffTurn::Error => Step { error: Some(script.handoff_error), ..Step::default() },
            HandoffTurn::Hang => Step { hang: true, ..Step::default() },
            HandoffTurn::ToolFirst if self.stage == 1 => Step {
                text: Some("Let me look around first.".to_owned()),
                tools: vec![ToolCall {
                    name: "Bash".to_owned(),
                    input: json!({"command": "ls", "description": "look around"}),
                }],
                ..Step::default()
            },
            HandoffTurn::ToolFirst => said(write(true)),
        }
    }

    /// What an answer sees.
    fn context_of(&self, step: &Step) -> u64 {
        let start = self.script.scenario.job.as_ref().map_or(20_000, |job| job.start);
        let conversation = &self.session.transcript.conversation;
        match (&step.usage, step.context) {
            (Some(usage), _) => usage.context(),
            (None, Some(context)) => context,
            (None, None) if conversation.context.is_none() => start,
            (None, None) => conversation.projected(),
        }
    }

    /// What stands in the way of an answer.
    fn obstacle(&self, step: &Step, context: u64) -> Option<ErrorKind> {
        let conversation = &self.session.transcript.conversation;
        if self.no_auto_compact && conversation.projected() >= self.wall() {
            return Some(ErrorKind::BlockingLimit);
        }
        if step.error.is_some() {
            return step.error;
        }
        let is_handoff = self.asked.is_some();
        let full = is_handoff && conversation.overflowed;
        let at_line = self.script.scenario.auto_compact == AutoCompact::AtLine
            && self.compacts()
            && conversation.projected() >= self.session.model.compaction_line();
        (full || at_line || context > self.session.model.window).then_some(ErrorKind::PromptTooLong)
    }

    /// Whether the CLI would compact: it must be allowed, and there must be
    /// something to compact.
    fn compacts(&self) -> bool {
        !self.no_auto_compact
            && self.script.scenario.auto_compact != AutoCompact::Off
            && self.session.transcript.conversation.context.is_some()
    }

    fn wall(&self) -> u64 {
        let moved = env::var("CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE").ok();
        let moved = moved.and_then(|limit| limit.parse().ok()).filter(|limit| *limit > 0);
        moved.unwrap_or_else(|| self.session.model.blocking_limit())
    }

    fn error(&mut self, kind: ErrorKind, step: &Step, context: u64) -> Ending {
        let conversation = &self.session.transcript.conversation;
        let window = self.session.model.window;
        let own = self.session.prompt.len() as u64 / 4;
        let given = Circumstances {
            model: &self.session.model.asked,
            // An error of the script's need not come at a context of its own.
            used: if context > window { context } else { window + window / 40 },
            window,
            first_exchange: conversation.context.is_none().then_some(own),
            message: step.message.as_deref(),
        };
        let error = kind.report(&given);
        if error.retried {
            let delay = step
                .retry_after
                .map_or(577.0, |seconds| Duration::from_secs(seconds).as_secs_f64() * 1000.0);
            let word = if kind == ErrorKind::Overloaded { "overloaded" } else { error.word };
            self.session.stream.system(
                "api_retry",
                json!({
                    "attempt": 1, "max_retries": 1, "retry_delay_ms": delay,
                    "error_status": error.status, "error": word,
                }),
            );
        }
        Ending::Error(Box::new(error))
    }

    /// Gives an answer, runs its tools, asks the Stop hooks. `None`: go on.
    fn answer(
        &mut self,
        step: Step,
        context: u64,
        stopping: &mut bool,
    ) -> Result<Option<Ending>, Refusal> {
        let known = self.session.transcript.conversation.context.unwrap_or(0);
        let output = step.output.unwrap_or(60);
        let mut usage = step.usage.unwrap_or_else(|| Usage::of(context, known, output));
        if step.output.is_some() {
            usage.output_tokens = output;
        }
        let delegated = step.sub_agent.as_ref().map(sub_agent::call);
        let calls = step.tools.into_iter().chain(delegated);
        let answer = Answer {
            thinking: step.thinking,
            text: step.text,
            calls: calls.map(|call| (api_id("toolu"), call)).collect(),
            usage,
        };
        let pending = self.session.print(&answer);
        if answer.calls.is_empty() {
            self.session.write(pending)?;
            return self.stop(answer.text.unwrap_or_default(), stopping);
        }
        let agent = step.sub_agent.as_ref();
        Ok(match tool_calls::run(self.session, &answer, pending, agent)? {
            After::Stopped => Some(Ending::HookStopped),
            After::Signalled if interrupt::came() == Some(Signal::Interrupt) => {
                Some(Ending::Interrupted)
            }
            After::Signalled => Some(Ending::Terminated),
            After::GoOn => {
                let most = self.max_turns.filter(|most| self.session.tally.answers >= *most);
                most.map(Ending::MaxTurns)
            }
        })
    }

    /// The model has said its last word: do the Stop hooks agree?
    fn stop(&mut self, text: String, stopping: &mut bool) -> Result<Option<Ending>, Refusal> {
        let verdict = self.session.hooks.fire(
            "Stop",
            None,
            json!({
                "stop_hook_active": *stopping, "last_assistant_message": text,
                "background_tasks": [], "session_crons": [],
            }),
        );
        if let Some(reason) = verdict.stop {
            self.session.attach(vec![json!({
                "type": "hook_stopped_continuation", "message": reason, "hookName": "Stop",
                "toolUseID": Uuid::new_v4().to_string(), "hookEvent": "Stop",
            })])?;
            self.session.attach(verdict.attachments)?;
            return Ok(Some(Ending::StopHookPrevented(text)));
        }
        let Some(reason) = verdict.block else {
            self.session.attach(verdict.attachments)?;
            return Ok(Some(Ending::Answered(text)));
        };
        *stopping = true;
        let said = json!(format!("Stop hook feedback:\n{reason}"));
        let meta = json!({"isMeta": true});
        self.session.tell(None, &said, meta, json!({"isSynthetic": true}))?;
        self.session.attach(verdict.attachments)?;
        Ok(None)
    }
}

fn while_waiting(signal: Signal) -> Ending {
    match signal {
        Signal::Interrupt => Ending::Abandoned,
        Signal::Terminate => Ending::Terminated,
    }
}
