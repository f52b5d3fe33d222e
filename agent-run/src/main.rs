//! agent-run: one run of an agent CLI.

mod arguments;
mod ledger;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;

use agent_run::{Order, Report, Turn, View, check, run};
use agents::SessionChoice;
use terminal::{Exit, Failure, print, warn};
use uuid::Uuid;

use arguments::{Arguments, Command, Options, TurnName};
use ledger::Ledger;

const TOOL: &str = "agent-run";

fn main() -> ExitCode {
    terminal::run(TOOL, || work(terminal::parse()?))
}

fn work(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { command, options } = arguments;
    let (session, turn) = match command {
        Command::Start { session } => {
            (SessionChoice::Start(session.unwrap_or_else(new_id)), Turn::Work)
        }
        Command::Resume { session, turn: TurnName::Work } => {
            (SessionChoice::Resume(session), Turn::Work)
        }
        Command::Resume { session, turn: TurnName::Handoff } => {
            (SessionChoice::Resume(session), Turn::Handoff)
        }
        Command::Agents => return print(list()).map(|()| Exit::Ok),
        Command::Check => {
            let order = order(SessionChoice::Start(new_id()), Turn::Work, &options, Vec::new())?;
            return check(&order).map(|()| Exit::Ok);
        }
    };
    let order = order(session, turn, &options, prompt()?)?;
    if order.compaction && order.stop_at.is_some() {
        warn(
            TOOL,
            "the agent may compact by itself: a fall of its context can then no longer be explained",
        );
    }
    // A run is paid for: what it is told into must be there before.
    for path in [&options.outcome, &options.shell, &options.text].into_iter().flatten() {
        writable(path)?;
    }
    if durable::state_folder().is_none() {
        warn(TOOL, "there is no state folder (HOME is not set): nothing is remembered");
    }
    let view = View::new(!options.quiet && order.turn == Turn::Work);
    let mut report = run(&order, &view, &mut Ledger(&options))?;
    for warning in &report.warnings {
        warn(TOOL, warning);
    }
    report.outcome.text_file =
        options.text.as_ref().map(|path| path.to_string_lossy().into_owned());
    if let Some(error) = &report.outcome.error {
        warn(TOOL, &format!("{}: {}", report.outcome.verdict, error.trim()));
    }
    // All are tried: neither must be lost to a disk or a reader that has no room
    // for the other.
    let told = tell(&options, &report);
    answer(&options, report.answer).and(told)?;
    Ok(report.exit)
}

/// The agent CLIs that can be run.
fn list() -> String {
    let word = |by_hook, otherwise| if by_hook { "hook" } else { otherwise };
    agents::runnable()
        .map(|(name, driver)| {
            let stop = word(driver.stops_by_hook(), "interrupt");
            let guard = word(driver.denies_by_hook(), "command-line");
            format!("{name}\t{stop}\t{guard}\n")
        })
        .collect()
}

fn tell(options: &Options, report: &Report) -> Result<(), Failure> {
    let outcome = &report.outcome;
    let json = options.outcome.as_ref().map(|path| write(path, outcome.json().as_bytes()));
    let shell = options.shell.as_ref().map(|path| write(path, outcome.shell().as_bytes()));
    json.unwrap_or(Ok(())).and(shell.unwrap_or(Ok(())))
}

fn answer(options: &Options, mut answer: String) -> Result<(), Failure> {
    if !answer.is_empty() && !answer.ends_with('\n') {
        answer.push('\n');
    }
    match &options.text {
        Some(path) => write(path, answer.as_bytes()),
        None => print(answer),
    }
}

/// A file that is not there yet is made and taken away again: one that nothing
/// was told into would look like an outcome.
fn writable(path: &Path) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::writing(path, &error);
    // A link counts as there, whatever it leads to.
    let is_there = fs_err::symlink_metadata(path).is_ok();
    fs_err::OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
    if is_there { Ok(()) } else { fs_err::remove_file(path).map_err(failed) }
}

fn new_id() -> String {
    Uuid::new_v4().to_string()
}

fn order(
    session: SessionChoice,
    turn: Turn,
    options: &Options,
    prompt: Vec<u8>,
) -> Result<Order, Failure> {
    let headroom = options
        .headroom
        .parse()
        .map_err(|why: String| Failure::usage(format!("invalid value for '--headroom': {why}")))?;
    Ok(Order {
        agent: options.agent.clone(),
        session,
        turn,
        stop_at: options.stop_at,
        window: options.window,
        headroom,
        headroom_text: options.headroom.clone(),
        judge: options.judge.clone(),
        compaction: options.compact == "auto",
        model: model(&options.agent_arg),
        arguments: options.agent_arg.clone(),
        silence: options.timeout,
        prompt,
    })
}

/// The model among the agent's own arguments, as every CLI known spells it.
fn model(arguments: &[OsString]) -> Option<String> {
    let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(argument) = arguments.next() {
        if argument == "--model" || argument == "-m" {
            return arguments.next().map(std::borrow::Cow::into_owned);
        }
        let attached = ["--model=", "-m="].iter().find_map(|start| argument.strip_prefix(start));
        if let Some(model) = attached {
            return Some(model.to_owned());
        }
    }
    None
}

fn prompt() -> Result<Vec<u8>, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(Failure::usage("no prompt on stdin, which is a terminal"));
    }
    let mut prompt = Vec::new();
    stdin
        .lock()
        .read_to_end(&mut prompt)
        .map_err(|error| Failure::reading(Path::new("-"), &error))?;
    if prompt.trim_ascii().is_empty() {
        return Err(Failure::usage("the prompt on stdin is empty"));
    }
    Ok(prompt)
}

fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    fs_err::write(path, contents).map_err(|error| Failure::writing(path, &error))
}
