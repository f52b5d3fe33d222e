//! The command line, as clap has it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use gen_rotate::figures::{dollars, size, tokens, turns};

const EXIT_CODES: &str = "\
In the successor's arguments {prompt}, {file} (with the prompt in it), {step} and
{session} (a fresh UUID) are filled in; with neither of the first two the prompt
is on its stdin.

Exit codes: 0 launched and ended well, or published where no successor was given
  1  the document is not complete; nothing to resume; no such session
  2  usage                           3  a breaker holds: a person must answer
  65 the manifest is no ledger       66 no input
  73 cannot create                   74 cannot read or write
  75 locked, or a successor runs     124 no sign of life from the successor
  126, 127 the successor cannot be run, is not found
else the successor's own, and stderr says so";

/// Publish a session's handoff document, archive the one before, note both in
/// the ledger, and start a successor from the file on disk.
#[derive(Debug, Parser)]
#[command(
    name = "gen-rotate",
    version,
    verbatim_doc_comment,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    override_usage = "gen-rotate --step S [OPTIONS] [HANDOFF|-] [-- SUCCESSOR ARGV...]\n       \
                      gen-rotate record|check|session|state|hold|event|path --step S ...\n       \
                      gen-rotate log|prune|fsck [--step S] ...",
    after_help = EXIT_CODES
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) rotate: Rotate,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Args, Debug)]
pub(crate) struct Common {
    /// The step that it is about
    #[arg(long, global = true, value_name = "S", allow_hyphen_values = true)]
    pub(crate) step: Option<String>,
    /// Where all lies [default: $HANDOFF_HOME or .handoff]
    #[arg(long, global = true, value_name = "DIR", allow_hyphen_values = true)]
    pub(crate) home: Option<PathBuf>,
    /// Seconds to wait while it is busy
    #[arg(long, global = true, value_name = "S", default_value = "10", value_parser = terminal::seconds)]
    pub(crate) lock_timeout: Duration,
}

#[derive(Args, Debug)]
pub(crate) struct Rotate {
    /// The session that retires [default: the ledger's]
    #[arg(long, value_name = "ID", value_parser = session, allow_hyphen_values = true)]
    pub(crate) retired: Option<String>,
    #[command(flatten)]
    pub(crate) figures: FigureArguments,
    /// Why the document is degraded
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    pub(crate) why: Option<String>,
    /// So many sessions may retire in one run [default: 8]
    #[arg(long, value_name = "N", value_parser = turns)]
    pub(crate) max_generations: Option<u64>,
    /// End a successor silent for S seconds from its start
    #[arg(long, value_name = "S", value_parser = timeout)]
    pub(crate) start_timeout: Option<Duration>,
    /// Its transcript, whose growth is a sign of life too
    #[arg(long, value_name = "FILE", requires = "start_timeout")]
    pub(crate) transcript: Option<OsString>,
    /// Give the document itself, no prompt made from it
    #[arg(long)]
    pub(crate) raw: bool,
    /// Keep the document off the disk, in the prompt only
    #[arg(long, conflicts_with_all = ["resume", "again"])]
    pub(crate) no_document: bool,
    /// Deliver a published document that reached nobody
    #[arg(long, conflicts_with_all = ["again", "handoff", "retired", "why"])]
    pub(crate) resume: bool,
    /// Start another successor from the document on disk
    #[arg(long, conflicts_with_all = ["handoff", "retired", "why"])]
    pub(crate) again: bool,
    /// The command returns at once; its 0 says: delivered
    #[arg(long)]
    pub(crate) detach: bool,
    /// Append events as JSON lines; - is stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// The document; none or - is stdin
    #[arg(value_name = "HANDOFF")]
    pub(crate) handoff: Option<PathBuf>,
    /// The successor's command line
    #[arg(last = true, value_name = "SUCCESSOR")]
    pub(crate) successor: Vec<OsString>,
}

impl Rotate {
    /// Whether anything was given that a subcommand would pass over.
    pub(crate) fn is_given(&self) -> bool {
        let Rotate { retired, figures, why, max_generations, start_timeout, transcript, .. } = self;
        retired.is_some()
            || *figures != FigureArguments::default()
            || why.is_some()
            || max_generations.is_some()
            || start_timeout.is_some()
            || transcript.is_some()
            || self.raw
            || self.no_document
            || self.resume
            || self.again
            || self.detach
            || self.events.is_some()
            || self.handoff.is_some()
            || !self.successor.is_empty()
    }
}

/// Figures of a session.
#[derive(Args, Debug, Default, PartialEq)]
pub(crate) struct FigureArguments {
    /// What the session's last answer saw, in tokens
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub(crate) context: Option<u64>,
    /// The context window, in tokens
    #[arg(long, value_name = "N", value_parser = size)]
    pub(crate) window: Option<u64>,
    /// What the session cost, in US dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) cost: Option<f64>,
    /// The turns it took
    #[arg(long, value_name = "N", value_parser = turns)]
    pub(crate) turns: Option<u64>,
    /// What its first answer saw; a breaker if at the line
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub(crate) first_context: Option<u64>,
    /// The handoff line [default: window - 50000]
    #[arg(long, value_name = "N", value_parser = size)]
    pub(crate) at: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write to the ledger what is no rotation
    Record {
        #[command(subcommand)]
        command: RecordCommand,
    },
    /// Say whether a breaker holds (exit 3), before a document is paid for
    Check {
        /// So many sessions may retire in one run
        #[arg(long, value_name = "N", default_value = "8", value_parser = turns)]
        max_generations: u64,
        #[command(flatten)]
        figures: FigureArguments,
    },
    /// Show the runs of a step, or of all, oldest first
    Log {
        /// One JSON object a run
        #[arg(long)]
        json: bool,
    },
    /// Remove archived documents but for the newest, and copies of them
    Prune {
        /// So many archived documents of a step stay
        #[arg(long, value_name = "N")]
        keep: usize,
        /// Print what would be removed
        #[arg(short = 'n', long)]
        dry_run: bool,
        /// End each path with NUL instead of a newline
        #[arg(short = '0', long)]
        null: bool,
    },
    /// Say where documents, archive, copies and ledger disagree; 1 if so
    Fsck {
        /// Repair what can be, without removing or changing a document
        #[arg(long)]
        repair: bool,
        /// One JSON object a finding
        #[arg(long)]
        json: bool,
    },
    /// Print the session that the next wake should join; none: exit 1
    Session,
    /// Print running, pending, unfinished, finished or none: the work so far
    State,
    /// Lock the step for whoever has `path lock` open, which is to be on stdin
    Hold,
    /// Tell whoever listens that a handoff comes
    Event {
        #[command(subcommand)]
        command: EventCommand,
    },
    /// Print the path of one of the step's files, which need not exist
    Path {
        /// Which
        of: PathOf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RecordCommand {
    /// A new run begins; its name is printed
    Start {
        /// Its first session
        #[arg(long, value_name = "ID", value_parser = session, allow_hyphen_values = true)]
        session: Option<String>,
        /// That id was made up for the session, which may choose another
        #[arg(long, requires = "session")]
        given: bool,
        /// The context window it is judged by, in tokens
        #[arg(long, value_name = "N", value_parser = size)]
        window: Option<u64>,
    },
    /// One more attempt
    Attempt {
        /// What went wrong with the last
        #[arg(long, value_name = "W", allow_hyphen_values = true)]
        why: Option<String>,
    },
    /// Figures of one session; the run's sums follow
    Generation {
        /// Which [default: the newest]
        #[arg(long, value_name = "ID", value_parser = session, allow_hyphen_values = true)]
        session: Option<String>,
        #[command(flatten)]
        figures: FigureArguments,
        /// Add cost and turns to what is there
        #[arg(long)]
        add: bool,
        /// What there is to say about it
        #[arg(long, value_name = "W", allow_hyphen_values = true)]
        why: Option<String>,
    },
    /// The run ends
    End {
        /// It came to what it was for
        #[arg(long, conflicts_with_all = ["failed", "error"])]
        ok: bool,
        /// It did not
        #[arg(long)]
        failed: bool,
        /// Its last session
        #[arg(long, value_name = "ID", value_parser = session, allow_hyphen_values = true)]
        session: Option<String>,
        /// What it ended with; it then failed
        #[arg(long, value_name = "E", allow_hyphen_values = true)]
        error: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventCommand {
    /// The handoff line comes near; told once a generation
    Near {
        /// What the last answer saw, in tokens
        #[arg(long, value_name = "N", value_parser = tokens)]
        context: u64,
        /// The context window, in tokens
        #[arg(long, value_name = "N", value_parser = size)]
        window: u64,
        /// The handoff line [default: window - 50000]
        #[arg(long, value_name = "N", value_parser = size)]
        at: Option<u64>,
        /// Where to; - is stdout
        #[arg(long, value_name = "FILE")]
        events: PathBuf,
    },
    /// The session writes its document
    Writing {
        /// What the last answer saw, in tokens
        #[arg(long, value_name = "N", value_parser = tokens)]
        context: u64,
        /// The context window, in tokens
        #[arg(long, value_name = "N", value_parser = size)]
        window: u64,
        /// Where to; - is stdout
        #[arg(long, value_name = "FILE")]
        events: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PathOf {
    /// The current document
    Document,
    /// What a person wants kept
    Keep,
    /// The task
    Task,
    /// The folder of earlier documents
    Archive,
    /// The ledger
    Ledger,
    /// The lock of whoever works on the step over many calls
    Lock,
}

/// An empty id would match every session there is.
fn session(text: &str) -> Result<String, String> {
    match text {
        "" => Err("an empty session id".to_owned()),
        _ if text.chars().any(char::is_control) => Err("not a session id".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

fn timeout(text: &str) -> Result<Duration, String> {
    match terminal::seconds(text)? {
        Duration::ZERO => Err("must be more than 0".to_owned()),
        limit => Ok(limit),
    }
}
