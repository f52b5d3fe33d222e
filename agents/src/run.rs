//! Runs: how a CLI is started and resumed headless, and what it says meanwhile.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::transcript::Transcript;

/// What is wanted of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The agent's name as it was given: a path, of one of the person's own.
    pub agent: String,
    /// The session: a new one with this id, or one that goes on.
    pub session: SessionChoice,
    /// The turn that writes the handoff document: it must not fail for want of
    /// budget or turns, nor at a wall of the CLI's own.
    pub is_handoff: bool,
    /// The model as asked for.
    pub model: Option<String>,
    /// Whether the CLI's own compaction is left on.
    pub compaction: bool,
    /// Arguments of the person's, passed through.
    pub arguments: Vec<OsString>,
    /// A command, for a shell, to be called at these events.
    pub hook: Option<Hook>,
    /// A folder of this run's own, for [`Invocation::files`]; it goes when the run ends.
    pub scratch: PathBuf,
}

/// Which session a run is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionChoice {
    /// A new one.
    Start(String),
    /// An earlier one, resumed.
    Resume(String),
}

/// A hook to be registered for one run.
#[derive(Clone, Debug)]
pub struct Hook {
    /// For /bin/sh.
    pub command: String,
    /// Whether it may end the run.
    pub stops: bool,
    /// Whether it denies tools.
    pub denies: bool,
}

/// A command line with its environment. The prompt goes to stdin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The program's name, to be found on PATH.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables that are set beside the inherited ones.
    pub environment: Vec<(&'static str, String)>,
    /// Inherited variables that do not hold.
    pub unset: Vec<&'static str>,
    /// Files that are to be there: settings, or an extension, that hold for this run
    /// alone.
    pub files: Vec<(PathBuf, String)>,
    /// Whether the program may be one that launches the real one and passes no signal
    /// on: all of its process group is then signalled, which is one of its own.
    pub is_launcher: bool,
}

/// What a running CLI says, as it comes.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'l> {
    /// It has begun, or more is known of it than before.
    Begun {
        /// The session's id.
        session_id: Option<Cow<'l, str>>,
        /// The model with its marks.
        model: Option<Cow<'l, str>>,
    },
    /// A new answer of the main thread begins: nothing that was said or ended before it
    /// is the end of the run.
    Answering,
    /// The main thread says something.
    Words(Cow<'l, str>),
    /// A piece of what the main thread says, which the next piece goes on with. What was
    /// said before a tool is then no final answer.
    Piece(Cow<'l, str>),
    /// The main thread uses a tool: its name, and what for in a few words.
    Tool(Cow<'l, str>, String),
    /// A tool has ended.
    ToolEnded,
    /// The context that the main thread's answer saw, in tokens.
    Context(u64),
    /// What goes into the next request beside that, in tokens, told before the
    /// [`Event::Context`] it comes on top of; of a CLI whose transcript cannot be looked
    /// at while it runs.
    Pending(u64),
    /// The context that the main thread's answer saw whose tools run now, in tokens. It
    /// counts once they have ended; of a CLI whose transcript lags behind what it tells.
    UnderWay(u64),
    /// The main thread has had an answer, which cost so many US dollars; of a CLI that
    /// tells no sum of the run.
    Turn(Option<f64>),
    /// A request is tried again.
    Retry(String),
    /// It is over.
    Ended(Box<Ended>),
}

/// The arguments of tools that tell best what one is used for, in this order, as any CLI
/// names them.
const TELLING: [&str; 11] = [
    "command",
    "file_path",
    "filePath",
    "path",
    "dir_path",
    "pattern",
    "url",
    "query",
    "description",
    "agent_name",
    "prompt",
];

/// What a tool is used for, by its arguments.
pub(crate) fn purpose(arguments: &Value) -> String {
    let told = TELLING.iter().find_map(|key| arguments[key].as_str());
    told.unwrap_or_default().to_owned()
}

/// What a CLI says of a run that is over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ended {
    /// The final answer, or the error's text.
    pub text: String,
    /// Whether the final answer is what the main thread said last, and `text` is
    /// empty for that.
    pub was_said: bool,
    /// What it came to, as far as the CLI tells apart.
    pub kind: EndKind,
    /// What this run cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// The turns of this run.
    pub num_turns: Option<u64>,
    /// The session's main model with its marks.
    pub model: Option<String>,
    /// The record as it was printed, with halves of UTF-16 pairs replaced.
    pub record: String,
}

/// How a run ended, as its CLI tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndKind {
    /// With an answer.
    #[default]
    Answered,
    /// A hook ended it.
    StoppedByHook,
    /// A hook refused the prompt.
    PromptBlocked,
    /// A limit of turns or budget was reached.
    LimitReached,
    /// With an error, which the record tells.
    Failed,
}

/// Whether a transcript that is being written stands between an answer, whose tools have
/// all returned, and the next request.
pub type Boundary = fn(&Transcript) -> io::Result<bool>;

/// A CLI that can be run headless.
pub trait Driver: Sync {
    /// The command line of a run.
    ///
    /// # Errors
    /// An argument names a file that cannot be read.
    fn invocation(&self, run: &Run) -> io::Result<Invocation>;

    /// Whether a hook, registered for one run, stops the run at its line, at a message
    /// boundary. Otherwise a run is watched from outside: what its answers saw is
    /// looked up in its transcript, or told by its stream, and it is interrupted when a
    /// tool has ended.
    fn stops_by_hook(&self) -> bool {
        true
    }

    /// Whether a hook, registered for one run, keeps the turn that writes the document
    /// free of tools. Otherwise the command line does.
    fn denies_by_hook(&self) -> bool {
        true
    }

    /// Tells a message boundary by the transcript, where the stream does not: a run that
    /// is watched from outside is then followed in its transcript.
    fn boundary(&self) -> Option<Boundary> {
        None
    }

    /// Whether its transcript is written later than its stream tells of what stands in
    /// it, by tenths of a second.
    fn transcript_lags(&self) -> bool {
        false
    }

    /// Whether a resume may cost the CLI the session's transcript, so that it is copied
    /// first.
    fn resume_endangers(&self) -> bool {
        false
    }

    /// Takes away what resumes of a session left behind that would cost it its
    /// transcript.
    ///
    /// # Errors
    /// It is still there.
    fn tidy(&self, _session_id: &str) -> io::Result<()> {
        Ok(())
    }

    /// How far a session in that folder can be filled, in tokens of context, where less
    /// than its window can be used: beyond that the CLI compacts it, in the run or when it
    /// is resumed, and nothing switches that off for one run.
    fn room(&self, _folder: &Path) -> Option<u64> {
        None
    }

    /// Shows what a line of the CLI's stdout says; `false` where the line is none
    /// of the CLI's records, and so a text.
    fn line(&self, line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool;
}

/// What tests of drivers share.
#[cfg(test)]
pub(crate) mod sample {
    use super::{Event, Invocation, Run, SessionChoice};

    /// How a CLI's lines are read.
    type Line = fn(&str, &mut dyn FnMut(Event<'_>)) -> bool;

    /// A run of a session with the model `m` and these words of the person's.
    pub(crate) fn run(session: SessionChoice, passed: &str) -> Run {
        Run {
            agent: "agent".to_owned(),
            session,
            is_handoff: false,
            model: Some("m".to_owned()),
            compaction: false,
            arguments: passed.split_whitespace().map(Into::into).collect(),
            hook: None,
            scratch: "/scratch".into(),
        }
    }

    /// The arguments, in one line.
    pub(crate) fn words(invocation: &Invocation) -> String {
        let words = invocation.arguments.iter().map(|word| word.to_str().unwrap());
        words.collect::<Vec<_>>().join(" ")
    }

    /// What the lines of a text say, of which each must be a record.
    pub(crate) fn events(line: Line, text: &str) -> Vec<String> {
        let mut events = Vec::new();
        for text in text.lines() {
            let is_record = line(text, &mut |event| {
                events.push(match event {
                    Event::Ended(ended) => format!("{:?} {}", ended.kind, ended.text),
                    event => format!("{event:?}"),
                });
            });
            assert!(is_record, "{text}");
        }
        events
    }
}
