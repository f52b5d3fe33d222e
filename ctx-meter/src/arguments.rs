//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use ctx_meter::Headroom;
use ctx_meter::limits;

/// How full is an agent session? Prints the tokens of context that its last
/// answer saw.
#[derive(Parser)]
#[command(
    name = "ctx-meter",
    version,
    args_conflicts_with_subcommands = true,
    group = ArgGroup::new("mode"),
    after_help = "Exit codes: 0 ok or yes, 1 no, 2 usage, 65 unknown, 66 no such session, 74 I/O, 124 timeout"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) meter: Meter,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Learn windows from a CLI's result or status JSON, or from overflow-detect --json, on stdin
    Learn(Learn),
    /// Print the window that a session started here would have, and the rule that gives it
    Window(WindowOf),
}

#[derive(Args)]
pub(crate) struct Meter {
    /// A transcript file, a session id, or - for stdin; by default the newest main session of the
    /// current directory
    #[arg(value_name = "SESSION")]
    pub(crate) sessions: Vec<OsString>,
    /// One JSON object a session
    #[arg(long, group = "mode")]
    pub(crate) json: bool,
    /// A line for people
    #[arg(short = 'H', long, group = "mode")]
    pub(crate) human: bool,
    /// The window as a scale with its lines
    #[arg(long, group = "mode")]
    pub(crate) gauge: bool,
    /// Say by the exit code whether a handoff is due
    #[arg(long, group = "mode")]
    pub(crate) due: bool,
    /// Say by the exit code whether the handoff line is near, or passed
    #[arg(long, group = "mode")]
    pub(crate) near: bool,
    /// Wait until the session is near or due, or its context changes
    #[arg(long, value_name = "WHAT", group = "mode")]
    pub(crate) wait: Option<WaitFor>,
    /// One line an answer: number, time, context, output, mark; with tabs between
    #[arg(long, group = "mode")]
    pub(crate) turns: bool,
    /// Read Claude Code's status JSON on stdin, print a status line, learn the window
    #[arg(long, group = "mode")]
    pub(crate) statusline: bool,
    /// Judge, and print, what the next request will carry
    #[arg(long)]
    pub(crate) projected: bool,
    /// The context window in tokens (also 200k, 1M); else HANDOFF_WINDOW, what the session
    /// records, what was learned, the model's name
    #[arg(long, value_name = "N", value_parser = limits::window)]
    pub(crate) window: Option<u64>,
    /// What is kept free: tokens, a percentage, or auto [default: 50000]
    #[arg(long, value_name = "N|N%|auto", default_value = "50000", hide_default_value = true)]
    pub(crate) headroom: Headroom,
    /// Only sessions of this agent CLI
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Look for the newest session of this directory
    #[arg(short = 'C', value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// With --wait: end when this process ends (exit 1)
    #[arg(long, value_name = "PID", requires = "wait", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pid: Option<u32>,
    /// With --wait: end after so many seconds (exit 124)
    #[arg(long, value_name = "SECONDS", requires = "wait", value_parser = terminal::seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Say on stderr which session is measured
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Args)]
pub(crate) struct Learn {
    /// The session that the JSON is about
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The base URL that its requests went to; by default ANTHROPIC_BASE_URL
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    /// The model as it was asked for
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
}

#[derive(Args)]
pub(crate) struct WindowOf {
    /// The window as it would be told
    #[arg(long, value_name = "N", value_parser = limits::window)]
    pub(crate) window: Option<u64>,
    /// The model as it would be asked for
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum WaitFor {
    Near,
    Due,
    Change,
}
