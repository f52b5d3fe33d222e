//! ctx-guard: called by an agent CLI as a hook.
//!
//! Its exit codes are those hooks have: 0 with or without an answer on stdout. 2
//! would block the call, so it is used for nothing here but `--fail-closed`. What
//! goes wrong lets the call through: exit 1 with one line on stderr the first
//! time in a session, and 0 without a word after that.

mod deadline;
mod mishap;

use std::env;
use std::io::{self, Read};
use std::process::ExitCode;

use ctx_guard::{Decision, Rules, decide};
use terminal::print_line;

use mishap::Mishap;

const HELP: &str = "\
Keep an agent session within its limit: a hook for agent CLIs

Usage: ctx-guard [--agent NAME] [--fail-closed] < PAYLOAD

      --agent NAME   the agent CLI that calls: claude-code, ... [default: claude-code]
      --fail-closed  refuse the call (exit 2) when something goes wrong
  -h, --help         print help
  -V, --version      print version

Environment:
  CTX_GUARD_SESSION   the id of the session that the rules hold for
  CTX_GUARD_STOP_AT   N|due: end the run at so many tokens, or at the handoff line
  CTX_GUARD_WINDOW    N: the context window in tokens [default: as ctx-meter finds it]
  CTX_GUARD_HEADROOM  N|N%|auto: what the handoff line keeps free [default: 50000]
  CTX_GUARD_JUDGE     context|projected: which number is judged [default: projected]
  CTX_GUARD_TURN      handoff: the document is being written; every tool is denied
  CTX_GUARD           off: let everything through

Exit codes: 0 answered or let through, 1 something went wrong and the call goes
through, 2 refused because of --fail-closed
";

fn main() -> ExitCode {
    let mut mishap = Mishap::new();
    let mut agent = "claude-code".to_owned();
    let mut arguments = env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--fail-closed") => mishap.fail_closed = true,
            Some("--agent") => match arguments.next().and_then(|name| name.into_string().ok()) {
                Some(name) => agent = name,
                None => return mishap.report("a value is required for '--agent'"),
            },
            Some("-h" | "--help") => return shown(HELP.trim_end()),
            Some("-V" | "--version") => {
                return shown(concat!("ctx-guard ", env!("CARGO_PKG_VERSION")));
            }
            _ => {
                let argument = argument.display().to_string();
                return mishap.report(&format!("unexpected argument '{argument}'"));
            }
        }
    }
    mishap.on_panic();
    deadline::set(&mishap);
    match answer(&agent) {
        Ok(Decision::Pass) => ExitCode::SUCCESS,
        Ok(Decision::Answer(answer)) => match print_line(answer) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => mishap.report(&failure.message),
        },
        Err(why) => mishap.report(&why),
    }
}

fn answer(agent: &str) -> Result<Decision, String> {
    let Some(rules) = Rules::from_env()? else { return Ok(Decision::Pass) };
    let agent = agents::named(agent).ok_or_else(|| format!("unknown agent '{agent}'"))?;
    let hooks = agent.hooks().ok_or_else(|| format!("{} calls no hooks", agent.name()))?;
    let mut payload = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut payload)
        .map_err(|error| format!("cannot read the payload: {}", terminal::reason(&error)))?;
    decide(&payload, hooks, &rules)
}

fn shown(text: &str) -> ExitCode {
    match print_line(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure.exit.code()),
    }
}
