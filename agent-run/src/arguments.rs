//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use agent_run::StopAt;
use clap::{Args, Parser, Subcommand, ValueEnum};
use ctx_meter::limits;

/// One run of an agent CLI, headless: start or resume a session with the prompt
/// on stdin, watch it, say what it came to. The answer goes to stdout.
#[derive(Parser)]
#[command(
    name = "agent-run",
    version,
    after_help = "Verdicts and exit codes: done, stopped 0; overflow, blocked, empty, failed 1; rate, \
                  network 75; credentials, model 77; hung 124; interrupted 128 + signal; else 2 usage, \
                  66 no input, 73, 74 cannot write, 75 the session runs already, 126, 127 the agent cannot be run, is not found"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) options: Options,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Start a new session
    Start {
        /// Its id, a UUID; a fresh one by default
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Go on with a session
    Resume {
        /// Its id
        #[arg(value_name = "ID")]
        session: String,
        /// What the turn is for
        #[arg(long, value_enum, default_value = "work")]
        turn: TurnName,
    },
    /// Say whether a run could start, with these options; nothing is run
    Check,
    /// List the agent CLIs that can be run, a line each: name, what stops a run at its
    /// line (hook, interrupt), what keeps the handoff turn from acting (hook, command-line)
    Agents,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum TurnName {
    /// Work
    Work,
    /// Writing the handoff document: no tools, no limit, not shown
    Handoff,
}

#[derive(Args)]
pub(crate) struct Options {
    /// The agent CLI, one of those that `agent-run agents` lists, or the path of your own
    #[arg(long, value_name = "NAME", default_value = "claude", global = true)]
    pub(crate) agent: String,
    /// Stop at so many tokens, or at the handoff line: at a message boundary, or when no
    /// tool runs
    #[arg(long, value_name = "N|due", value_parser = stop_at, global = true)]
    pub(crate) stop_at: Option<StopAt>,
    /// The context window in tokens
    #[arg(long, value_name = "N", value_parser = limits::window, global = true)]
    pub(crate) window: Option<u64>,
    /// What the handoff line keeps free
    #[arg(long, value_name = "N|N%|auto", default_value = "50000", global = true)]
    pub(crate) headroom: String,
    /// Which number is judged: the last answer's context, or the next request's
    #[arg(long, value_parser = ["context", "projected"], default_value = "projected", global = true)]
    pub(crate) judge: String,
    /// The agent's own compaction
    #[arg(long, value_parser = ["off", "auto"], default_value = "off", global = true)]
    pub(crate) compact: String,
    /// End a run from which nothing came for so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = terminal::seconds, global = true)]
    pub(crate) timeout: Option<Duration>,
    /// Write the outcome to a file, as one line of JSON
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) outcome: Option<PathBuf>,
    /// Write the outcome to a file, as run_key='value' lines
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) shell: Option<PathBuf>,
    /// Write the answer to a file instead of stdout
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) text: Option<PathBuf>,
    /// An argument of the agent's own; may be repeated
    #[arg(long, value_name = "ARG", allow_hyphen_values = true, global = true)]
    pub(crate) agent_arg: Vec<OsString>,
    /// Tell gen-rotate's listeners when the handoff line is near (with --step)
    #[arg(long, value_name = "FILE", global = true, requires = "step")]
    pub(crate) events: Option<OsString>,
    /// The step that the run is of, whose ledger is told the id that the CLI chooses for
    /// the session as soon as it is known
    #[arg(long, value_name = "STEP", global = true)]
    pub(crate) step: Option<OsString>,
    /// The folder of documents and ledger that the step is in
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) home: Option<OsString>,
    /// Show nothing of the run on stderr
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

fn stop_at(text: &str) -> Result<StopAt, String> {
    if text == "due" {
        return Ok(StopAt::Due);
    }
    limits::tokens(text).map(StopAt::Tokens)
}
