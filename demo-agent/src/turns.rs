//! The model's turns: what the script says next, what stands in its way, and
//! what comes of it.

use std::env;
use std::time::Duration;

use serde_json::json;
use terminal::Language;
use uuid::Uuid;

use crate::api_error::{Circumstances, ErrorKind};
use crate::ending::Ending;
use crate::interrupt::Signal;
use crate::scenario::{AutoCompact, HandoffTurn, Step, ToolCall};
use crate::script::Script;
use crate::session::{Answer, Session, api_id};
use crate::tool_calls::After;
use crate::usage::Usage;
use crate::{Refusal, compaction, handoff, interrupt, sub_agent, tool_calls};

/// Where a step comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Script,
    Job,
}

/// The model's turns.
pub(crate) struct Turns<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) script: Script,
    /// The prompt asks for the handoff document, in this language.
    pub(crate) asked: Option<Language>,
    /// How far a handoff turn has come.
    pub(crate) stage: u32,
    pub(crate) no_auto_compact: bool,
    pub(crate) max_turns: Option<u64>,
    /// A step that a compaction came before.
    pub(crate) held: Option<Step>,
}

impl Turns<'_> {
    /// Goes on until the run ends.
    pub(crate) fn go(&mut self) -> Result<Ending, Refusal> {
        let mut stopping = false;
        loop {
            let (step, origin) = self.next()?;
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
            if !step.is_answer() && step.error.is_none() {
                continue;
            }
            let context = self.context_of(&step);
            if let Some(kind) = self.obstacle(&step, origin, context) {
                if kind != ErrorKind::PromptTooLong || !self.compacts() {
                    return Ok(self.error(kind, &step, context));
                }
                compaction::run(self.session)?;
                // The request is made again; the job thinks of its own afresh.
                let again = origin == Origin::Script && step.error.is_none();
                self.held = again.then_some(step);
                continue;
            }
            if let Some(ending) = self.answer(step, context, &mut stopping)? {
                return Ok(ending);
            }
        }
    }

    /// What comes next, by the kind of turn.
    fn next(&mut self) -> Result<(Step, Origin), Refusal> {
        if let Some(step) = self.held.take() {
            return Ok((step, Origin::Script));
        }
        if let Some(language) = self.asked {
            self.stage += 1;
            return Ok((self.handoff_step(language), Origin::Script));
        }
        let conversation = &self.session.transcript.conversation;
        let place = &self.session.place;
        let scripted = self.script.peek().cloned();
        let Some(step) = scripted else {
            return Ok(match &self.script.scenario.job {
                Some(job) => (job.step(place, conversation), Origin::Job),
                None => {
                    (Step { text: Some("Done.".to_owned()), ..Step::default() }, Origin::Script)
                }
            });
        };
        let Some(job) = step.units.and(self.script.scenario.job.as_ref()) else {
            self.script.advance()?;
            return Ok((step, Origin::Script));
        };
        if job.next(place).is_none() {
            self.script.advance()?;
            return Ok((Step::default(), Origin::Script));
        }
        let work = job.step(place, conversation);
        // The detour into a dead end is not the unit.
        if work.tools.first().is_none_or(|tool| tool.name == "Write") {
            self.script.advance()?;
        }
        Ok((Step { delay_ms: step.delay_ms + work.delay_ms, ..work }, Origin::Job))
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
    fn obstacle(&self, step: &Step, origin: Origin, context: u64) -> Option<ErrorKind> {
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
        // A number that the scenario gives is given on purpose.
        let given = step.context.is_some() || step.usage.is_some();
        let over = context > self.session.model.window;
        let over = over && (origin == Origin::Job || !given);
        (full || at_line || over).then_some(ErrorKind::PromptTooLong)
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
