//! The command line, and how it is refused.
//!
//! Options that change what a run leaves behind are obeyed; those that only
//! steer a real model or its permissions are accepted and have no effect. An
//! unknown option is refused, so that a misspelt one shows here as it would
//! there. Errors read as Claude Code's do and exit 1.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, ValueEnum};
use terminal::Failure;

use crate::VERSION;

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "demo-agent", args_override_self = true, version = VERSION,
    about = "Play Claude Code headless, by a scenario: no key, no network", after_help = SCENARIO_HELP)]
pub struct Arguments {
    /// The prompt; what comes on stdin is added to it
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// Answer and exit (there is no other mode)
    #[arg(short, long)]
    pub(crate) print: bool,
    /// What stdout carries: text, json or stream-json
    #[arg(
        long,
        value_enum,
        value_name = "format",
        default_value = "text",
        hide_possible_values = true
    )]
    pub(crate) output_format: Format,
    /// Needed with stream-json
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Start the session under this id, a UUID
    #[arg(long, value_name = "UUID")]
    pub(crate) session_id: Option<String>,
    /// Go on with this session of this directory
    #[arg(short, long, value_name = "UUID")]
    pub(crate) resume: Option<String>,
    /// Go on with the newest session of this directory
    #[arg(short, long = "continue")]
    pub(crate) continue_newest: bool,
    /// Resume into a new session, the history copied
    #[arg(long)]
    pub(crate) fork_session: bool,
    /// The model to play
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Settings (hooks, autoCompactEnabled): a file, or JSON
    #[arg(long, value_name = "FILE-OR-JSON")]
    pub(crate) settings: Option<OsString>,
    /// Stop when this many answers asked for tools
    #[arg(long, value_name = "N")]
    pub(crate) max_turns: Option<u64>,
    /// The agent type that hooks are told
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Agent types that may be named, as JSON
    #[arg(long, value_name = "JSON")]
    pub(crate) agents: Option<String>,
    #[command(flatten)]
    ignored: Ignored,
}

/// Accepted without effect.
#[derive(Debug, clap::Args)]
struct Ignored {
    #[arg(long = "allowedTools", alias = "allowed-tools", num_args = 1.., hide = true)]
    allowed_tools: Vec<String>,
    #[arg(long = "disallowedTools", alias = "disallowed-tools", num_args = 1.., hide = true)]
    disallowed_tools: Vec<String>,
    #[arg(long, num_args = 1.., hide = true)]
    tools: Vec<String>,
    #[arg(long, num_args = 1.., hide = true)]
    add_dir: Vec<OsString>,
    #[arg(long, num_args = 1.., hide = true)]
    mcp_config: Vec<OsString>,
    #[arg(long, hide = true)]
    strict_mcp_config: bool,
    #[arg(long, hide = true)]
    permission_mode: Option<String>,
    #[arg(long, hide = true)]
    dangerously_skip_permissions: bool,
    #[arg(long, hide = true)]
    system_prompt: Option<String>,
    #[arg(long, hide = true)]
    append_system_prompt: Option<String>,
    #[arg(long, hide = true)]
    fallback_model: Option<String>,
    #[arg(long, hide = true)]
    max_budget_usd: Option<String>,
    #[arg(long, hide = true)]
    effort: Option<String>,
    #[arg(long, hide = true)]
    setting_sources: Option<String>,
    #[arg(long, hide = true)]
    input_format: Option<String>,
}

/// What stdout carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The last answer's text.
    Text,
    /// The result as one JSON line.
    Json,
    /// Every event as it comes, the result last.
    StreamJson,
}

const SCENARIO_HELP: &str = "\
Options of Claude Code that only steer a real model or its permissions, such as
--allowedTools, are accepted and have no effect: every tool is allowed.

Environment:
  DEMO_AGENT_SCENARIO  a JSON file that says what happens in each session, in the
                       order in which they start; without it: a job of 12 chapters
  DEMO_AGENT_STATE     where sessions are counted (default: SCENARIO.state)
  CLAUDE_CONFIG_DIR, DISABLE_AUTO_COMPACT, CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE,
  ANTHROPIC_MODEL      as Claude Code has them

Scenario, every key optional:
  {\"model\": \"claude-sonnet-4-5\", \"window\": 200000, \"auto_compact\": \"reactive\",
   \"job\": {\"units\": 12, \"file\": \"chapters/chapter-{unit}.md\", \"start\": 30000, \"grow\": 28000},
   \"sessions\": [{\"steps\": [STEP, ...], \"handoff\": \"good\"}, ...], \"more\": {...}}
STEP, one of:
  {\"text\": \"..\", \"context\": 41000, \"output\": 60, \"tools\": [{\"name\": \"Bash\", \"input\": {..}}]}
  {\"error\": \"overloaded\", \"times\": 2}   {\"hang\": true}   {\"silent\": true}   {\"exit\": 3}
  {\"sub_agent\": {\"context\": 400000, \"text\": \"..\"}}   {\"compact\": true}   {\"units\": 2}
An answer without tools ends the run; a resumed session goes on with its next step.
The whole format is in demo-agent's README.";

/// A command line that is not served: what the CLI says, and its exit code.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Whole lines for stdout (help and version).
    pub stdout: String,
    /// Whole lines for stderr, in Claude Code's own wording.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
}

impl Refusal {
    /// `Error: ...`, exit 1.
    pub(crate) fn error(message: impl std::fmt::Display) -> Refusal {
        Refusal::bare(format!("Error: {message}"))
    }

    /// Help or the version: no refusal but the answer asked for.
    fn shown(stdout: String) -> Refusal {
        Refusal { stdout, stderr: String::new(), code: 0 }
    }

    /// A line without the word in front, exit 1.
    pub(crate) fn bare(line: impl std::fmt::Display) -> Refusal {
        Refusal { stdout: String::new(), stderr: format!("{line}\n"), code: 1 }
    }

    /// A file of the session that cannot be read or written.
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Refusal {
        Failure::writing(path, error).into()
    }
}

/// What is wrong with the scenario, its state or a file is ours to say, in the
/// house's form.
impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        let mut stderr = format!("demo-agent: {failure}\n");
        if let Some(hint) = &failure.hint {
            stderr += &format!("{hint}\n");
        }
        Refusal { stdout: String::new(), stderr, code: failure.exit.code() }
    }
}

/// Parses the process's arguments.
///
/// # Errors
/// What is to be said instead of a run; help and version are among it.
pub fn parse() -> Result<Arguments, Refusal> {
    parse_from(env::args_os())
}

fn parse_from(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, Refusal> {
    let arguments = Arguments::try_parse_from(arguments).map_err(|error| refused(&error))?;
    if !arguments.print {
        return Err(Refusal::error("demo-agent has no interactive mode: use -p (--print)"));
    }
    if arguments.output_format == Format::StreamJson && !arguments.verbose {
        return Err(Refusal::error(
            "When using --print, --output-format=stream-json requires --verbose",
        ));
    }
    let resumes = arguments.resume.is_some() || arguments.continue_newest;
    if let Some(id) = &arguments.session_id {
        if resumes && !arguments.fork_session {
            return Err(Refusal::error(
                "--session-id can only be used with --continue or --resume if --fork-session is also specified.",
            ));
        }
        if uuid::Uuid::parse_str(id).is_err() {
            return Err(Refusal::error("Invalid session ID. Must be a valid UUID."));
        }
    }
    if let Some(id) = &arguments.resume
        && uuid::Uuid::parse_str(id).is_err()
    {
        return Err(Refusal::error(format!(
            "--resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>. Provided value \"{id}\" is not a UUID and does not match any session title.",
        )));
    }
    Ok(arguments)
}

/// clap's complaint in the words of the library that Claude Code uses.
fn refused(error: &clap::Error) -> Refusal {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(list)) => list.join(", "),
        _ => String::new(),
    };
    let line = match error.kind() {
        ErrorKind::DisplayHelp => return Refusal::shown(error.render().to_string()),
        ErrorKind::DisplayVersion => return Refusal::shown(format!("{VERSION} (Claude Code)\n")),
        ErrorKind::UnknownArgument => {
            format!("error: unknown option '{}'", context(ContextKind::InvalidArg))
        }
        ErrorKind::InvalidValue if !context(ContextKind::InvalidValue).is_empty() => format!(
            "error: option '{}' argument '{}' is invalid. Allowed choices are {}.",
            context(ContextKind::InvalidArg),
            context(ContextKind::InvalidValue),
            context(ContextKind::ValidValue),
        ),
        ErrorKind::InvalidValue => {
            format!("error: option '{}' argument missing", context(ContextKind::InvalidArg))
        }
        _ => error.render().to_string().lines().next().unwrap_or_default().to_owned(),
    };
    Refusal::bare(line)
}
