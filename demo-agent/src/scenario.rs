//! The scenario file: what happens, session by session.
//!
//! Every key is optional and an unknown key is an error. A step is exactly one
//! of: an answer, an error, a hang, silence, an exit, a compaction, units of the
//! job, or a pause. The README has an example of each.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use terminal::Failure;

use crate::api_error::ErrorKind;
use crate::job::Job;
use crate::usage::Usage;

/// A whole scenario.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Scenario {
    /// The model where the command line and `ANTHROPIC_MODEL` name none.
    pub(crate) model: Option<String>,
    /// The window, in tokens, where the model's name would say otherwise.
    pub(crate) window: Option<u64>,
    /// When a session that is too long is compacted.
    pub(crate) auto_compact: AutoCompact,
    /// What a session works at when its steps are used up. None: it says so and ends.
    pub(crate) job: Option<Job>,
    /// The sessions, in the order in which they start.
    pub(crate) sessions: Vec<SessionScript>,
    /// Every session after those.
    pub(crate) more: SessionScript,
}

/// When a session is compacted; `DISABLE_AUTO_COMPACT` overrules it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AutoCompact {
    /// Never.
    Off,
    /// After the API said that the prompt is too long.
    #[default]
    Reactive,
    /// At the window less 33,000 tokens, too.
    AtLine,
}

/// One session.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SessionScript {
    /// What happens, in order, over all runs of the session.
    pub(crate) steps: Vec<Step>,
    /// How a turn goes that asks for the handoff document.
    pub(crate) handoff: HandoffTurn,
    /// The document, word for word, instead of one about the real state.
    pub(crate) handoff_text: Option<String>,
    /// With `"handoff": "error"`: which.
    pub(crate) handoff_error: ErrorKind,
}

/// How a handoff turn goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HandoffTurn {
    /// Five sections about the real state.
    #[default]
    Good,
    /// The same without its next step.
    NoNext,
    /// An answer without text.
    Empty,
    /// The good document with talk before and after it.
    Prose,
    /// A tool call first, then the good document.
    ToolFirst,
    /// An API error.
    Error,
    /// Nothing, for ever.
    Hang,
}

/// One step; see the module's text for what may stand together.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Step {
    /// An answer's text.
    pub(crate) text: Option<String>,
    /// An answer's thinking, before the text.
    pub(crate) thinking: Option<String>,
    /// The tools the answer calls. None: the run ends with this answer.
    pub(crate) tools: Vec<ToolCall>,
    /// A sub-agent the answer starts.
    pub(crate) sub_agent: Option<SubAgent>,
    /// What the answer saw, in tokens; default: the last one and what came since.
    pub(crate) context: Option<u64>,
    /// The same in its parts.
    pub(crate) usage: Option<Usage>,
    /// The answer's output tokens.
    pub(crate) output: Option<u64>,
    /// An API error, at which the run ends.
    pub(crate) error: Option<ErrorKind>,
    /// The API's words for it, or for `exit` a line on stderr.
    pub(crate) message: Option<String>,
    /// With an error: what the API asks to wait, in seconds.
    pub(crate) retry_after: Option<u64>,
    /// The step, this many times over.
    pub(crate) times: Option<u32>,
    /// Nothing more happens until a signal comes.
    pub(crate) hang: bool,
    /// The same before anything at all is written or printed.
    pub(crate) silent: bool,
    /// The process ends with this code, saying no more.
    pub(crate) exit: Option<u8>,
    /// The conversation is compacted, unless that is switched off.
    pub(crate) compact: bool,
    /// Units of the job to do.
    pub(crate) units: Option<u32>,
    /// A pause before the step, in milliseconds.
    pub(crate) delay_ms: u64,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolCall {
    /// `Bash`, `Read`, `Write` or `Edit` really run; any other answers nothing.
    pub(crate) name: String,
    /// Its input.
    pub(crate) input: Value,
}

/// A sub-agent with one tool call of its own.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SubAgent {
    /// Its context, in tokens: it may be far above the main session's.
    pub(crate) context: u64,
    /// Its type.
    pub(crate) agent_type: String,
    /// What it is asked.
    pub(crate) prompt: String,
    /// What it answers.
    pub(crate) text: String,
    /// The command it runs.
    pub(crate) command: String,
}

impl Default for SubAgent {
    fn default() -> SubAgent {
        SubAgent {
            context: 90_000,
            agent_type: "general-purpose".to_owned(),
            prompt: "Count the files.".to_owned(),
            text: "Counted.".to_owned(),
            command: "ls | wc -l".to_owned(),
        }
    }
}

impl Step {
    /// Whether the model says or does something.
    pub(crate) fn is_answer(&self) -> bool {
        self.text.is_some()
            || self.thinking.is_some()
            || !self.tools.is_empty()
            || self.sub_agent.is_some()
    }

    /// How many of the kinds this step has: it must be one, or none (a pause).
    fn kinds(&self) -> usize {
        [
            self.is_answer(),
            self.error.is_some(),
            self.hang,
            self.silent,
            self.exit.is_some(),
            self.compact,
            self.units.is_some(),
        ]
        .iter()
        .filter(|kind| **kind)
        .count()
    }
}

impl Scenario {
    /// The scenario of a file.
    ///
    /// # Errors
    /// Exit 66 where it cannot be read, 65 where it is no scenario.
    pub(crate) fn read(path: &Path) -> Result<Scenario, Failure> {
        let text = fs_err::read(path).map_err(|error| Failure::reading(path, &error))?;
        let bad = |why: String| {
            Failure::data(format!("'{}' is no scenario: {why}", path.display()))
                .hint("see 'demo-agent --help' for the format")
        };
        let mut scenario: Scenario =
            serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))?;
        for (index, session) in scenario.sessions.iter_mut().enumerate() {
            session.check().map_err(|why| bad(format!("session {}: {why}", index + 1)))?;
        }
        scenario.more.check().map_err(|why| bad(format!("more: {why}")))?;
        Ok(scenario)
    }

    /// The one that runs without a file: a job over three generations or so.
    pub(crate) fn built_in() -> Scenario {
        Scenario {
            model: Some("claude-sonnet-4-5".to_owned()),
            job: Some(Job::default()),
            ..Scenario::default()
        }
    }

    /// The script of the session that started as number `index`, from 0.
    pub(crate) fn session(&self, index: usize) -> &SessionScript {
        self.sessions.get(index).unwrap_or(&self.more)
    }

    /// Where sessions are counted by default.
    pub(crate) fn state_beside(path: &Path) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(".state");
        PathBuf::from(name)
    }
}

impl SessionScript {
    /// Refuses steps that are two things at once and writes repeated ones out.
    fn check(&mut self) -> Result<(), String> {
        let mut steps = Vec::new();
        for (index, step) in self.steps.drain(..).enumerate() {
            let number = index + 1;
            if step.kinds() > 1 {
                return Err(format!("step {number} is several things at once"));
            }
            if step.kinds() == 0 && step.delay_ms == 0 && step != Step::default() {
                return Err(format!("step {number} has numbers but says nothing"));
            }
            let times = step.times.unwrap_or(1);
            if times > 1000 {
                return Err(format!("step {number} repeats more than 1000 times"));
            }
            let units = step.units.unwrap_or(1);
            if units == 0 || units > 1000 {
                return Err(format!("step {number} has {units} units: 1 to 1000 are possible"));
            }
            let one = Step { units: step.units.map(|_| 1), ..step };
            steps.extend((0..times * units).map(|_| one.clone()));
        }
        self.steps = steps;
        Ok(())
    }
}
