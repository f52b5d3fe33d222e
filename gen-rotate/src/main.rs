//! gen-rotate: the command line of the change of generation.

mod arguments;

use std::io::{self, IsTerminal, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use arguments::{Arguments, Command, EventCommand, PathOf, RecordCommand, Rotate};
use gen_rotate::{
    Ended, Events, Figures, Finding, Handoff, Home, Launch, Limits, Order, Prune, Record, Report,
    Row, Step, Successor, describe,
};
use terminal::{Exit, Failure, Language, print, print_line, warn};

const TOOL: &str = "gen-rotate";
/// A healthy long run does not come to so many.
const MAX_GENERATIONS: u64 = 8;

fn main() -> ExitCode {
    terminal::run(TOOL, || {
        let Arguments { common, rotate, command } = terminal::parse()?;
        let home = Home::at(common.home);
        let named = common.step.as_deref().map(Step::named);
        let step = || named.clone().ok_or_else(|| Failure::usage("which step? --step is missing"));
        let patience = common.lock_timeout;
        if command.is_some() && rotate.is_given() {
            return Err(Failure::usage("options of a rotation in front of a subcommand")
                .hint("a document named like a subcommand is written as './record'"));
        }
        match command {
            None => rotate_or_relaunch(&home, &step()?, rotate, patience),
            Some(Command::Record { command }) => {
                let opens = matches!(command, RecordCommand::Start { .. });
                let run = gen_rotate::record(&home, &step()?, record_of(command), patience)?;
                if opens {
                    print_line(run)?;
                }
                Ok(Exit::Ok)
            }
            Some(Command::Check { max_generations, figures }) => {
                let limits = Limits { max_generations, figures: figures.into() };
                gen_rotate::check(&home, &step()?, &limits).map(|()| Exit::Ok)
            }
            Some(Command::Log { json }) => log(&home, named.as_ref(), json),
            Some(Command::Prune { keep, dry_run, null }) => {
                let prune = Prune { step: named.as_ref(), keep, dry_run };
                let end = if null { b'\0' } else { b'\n' };
                let mut tell = |path: &Path| print([path.as_os_str().as_bytes(), &[end]].concat());
                gen_rotate::prune(&home, prune, patience, &mut tell)?;
                Ok(Exit::Ok)
            }
            Some(Command::Fsck { repair, json }) => {
                let report = gen_rotate::fsck(&home, named.as_ref(), repair, patience)?;
                check(&report, json)
            }
            Some(Command::Session) => match gen_rotate::session(&home, &step()?, patience)? {
                Some(session) => print_line(session).map(|()| Exit::Ok),
                None => Ok(Exit::No),
            },
            Some(Command::State) => {
                let progress = gen_rotate::progress(&home, &step()?, patience)?;
                print_line(progress.name()).map(|()| Exit::Ok)
            }
            Some(Command::Hold) => {
                gen_rotate::hold(&home, &step()?, io::stdin().as_fd()).map(|()| Exit::Ok)
            }
            Some(Command::Event { command }) => event(&home, &step()?, command, patience),
            Some(Command::Path { of }) => path(&home, &step()?, of),
        }
    })
}

fn rotate_or_relaunch(
    home: &Home,
    step: &Step,
    arguments: Rotate,
    patience: Duration,
) -> Result<Exit, Failure> {
    if arguments.resume || arguments.again {
        let again = arguments.again;
        let mut say = |message: &str| warn(TOOL, message);
        let order = order(home, step, arguments, patience)?;
        return gen_rotate::relaunch(order, again, &mut say).map(|ended| report(&ended));
    }
    let is_loose = arguments.handoff.as_deref().is_none_or(|path| path.as_os_str() == "-");
    let mut handoff = Handoff {
        document: read_document(arguments.handoff.as_deref())?,
        retired: None,
        why: None,
        keep: !arguments.no_document,
    };
    let keep = handoff.keep;
    let rotated = rotate(home, step, arguments, &mut handoff, patience);
    // One that is not complete is refused for what it says.
    rotated.map_err(|failure| match is_loose && keep && failure.exit != Exit::No {
        true => put_aside(home, step, &handoff.document, failure),
        false => failure,
    })
}

fn rotate(
    home: &Home,
    step: &Step,
    mut arguments: Rotate,
    handoff: &mut Handoff,
    patience: Duration,
) -> Result<Exit, Failure> {
    (handoff.retired, handoff.why) = (arguments.retired.take(), arguments.why.take());
    let ended = gen_rotate::rotate(order(home, step, arguments, patience)?, handoff)?;
    Ok(ended.map_or(Exit::Ok, |ended| report(&ended)))
}

/// What a failing run read from a pipe is nowhere else.
fn put_aside(home: &Home, step: &Step, document: &[u8], failure: Failure) -> Failure {
    let place = match gen_rotate::put_aside(home, step, document) {
        Ok(None) => return failure,
        Ok(Some(path)) => format!("the document is kept in '{}'", path.display()),
        Err(error) => format!("the document could not be kept: {}", terminal::reason(&error)),
    };
    let hint = failure.hint.as_ref().map_or_else(String::new, |hint| format!("{hint}; "));
    failure.hint(format!("{hint}{place}"))
}

fn order<'a>(
    home: &'a Home,
    step: &'a Step,
    arguments: Rotate,
    patience: Duration,
) -> Result<Order<'a>, Failure> {
    let launch = match arguments.successor.as_slice() {
        [] => None,
        argv => Some(Launch {
            successor: Successor::find(argv)?,
            raw: arguments.raw,
            language: Language::from_env(),
            detach: arguments.detach,
            start_timeout: arguments.start_timeout,
            transcript: arguments.transcript,
        }),
    };
    let limits = Limits {
        max_generations: arguments.max_generations.unwrap_or(MAX_GENERATIONS),
        figures: arguments.figures.into(),
    };
    Ok(Order { home, step, limits, patience, launch, events: Events::to(arguments.events)? })
}

fn read_document(path: Option<&Path>) -> Result<Vec<u8>, Failure> {
    match path {
        Some(path) if path.as_os_str() != "-" => {
            fs_err::read(path).map_err(|error| Failure::reading(path, &error))
        }
        path => {
            if path.is_none() && io::stdin().is_terminal() {
                return Err(Failure::usage("no document: name a file, or give one on stdin"));
            }
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|error| Failure::reading(Path::new("-"), &error))?;
            Ok(bytes)
        }
    }
}

/// Says who spoke, where the exit status is not our own.
fn report(ended: &Ended) -> Exit {
    if let Some(trouble) = &ended.trouble {
        warn(TOOL, &trouble.message);
    }
    let name = &ended.name;
    if ended.timed_out {
        warn(TOOL, &format!("successor '{name}' gave no sign of life in time and was ended"));
    } else if let Some(signal) = ended.status.signal() {
        warn(TOOL, &format!("successor '{name}' was ended by signal {signal}"));
    } else if let Some(status) = ended.status.code().filter(|&status| status != 0) {
        warn(TOOL, &format!("successor '{name}' exited with status {status}"));
    }
    if ended.undelivered {
        warn(TOOL, "the document is published and pending; --resume delivers it");
    }
    ended.exit()
}

fn record_of(command: RecordCommand) -> Record {
    match command {
        RecordCommand::Start { session, given, window } => Record::Start { session, given, window },
        RecordCommand::Attempt { why } => Record::Attempt { why },
        RecordCommand::Generation { session, figures, add, why } => {
            Record::Generation { session, figures: figures.into(), add, why }
        }
        RecordCommand::End { ok, failed, session, error } => {
            let ok = ok.then_some(true).or((failed || error.is_some()).then_some(false));
            Record::End { ok, session, error }
        }
    }
}

fn check(report: &Report, json: bool) -> Result<Exit, Failure> {
    let mut text = String::new();
    for finding in &report.findings {
        text += &match json {
            true => finding.to_json(),
            false => finding.to_string(),
        };
        text.push('\n');
    }
    if !json {
        text += &format!("{report}\n");
    }
    print(text)?;
    let is_sound = !report.findings.iter().any(Finding::is_fault);
    Ok(if is_sound { Exit::Ok } else { Exit::No })
}

fn log(home: &Home, step: Option<&Step>, json: bool) -> Result<Exit, Failure> {
    let log = gen_rotate::log(home)?;
    if log.is_new {
        let error = io::Error::from_raw_os_error(libc::ENOENT);
        return Err(Failure::reading(&home.manifest(), &error));
    }
    for line in log.unreadable {
        let history = home.history();
        warn(TOOL, &format!("'{}', line {line}: no row, passed over", history.display()));
    }
    let wanted = |row: &&Row| step.is_none_or(|step| row.step == step.name());
    let rows: Vec<_> = log.rows.iter().filter(wanted).collect();
    if rows.is_empty() {
        return Ok(Exit::No);
    }
    let mut text = String::new();
    for row in rows {
        if json {
            let mut object = serde_json::json!({ "v": 1 });
            let row = serde_json::to_value(row)
                .map_err(|error| Failure::data(format!("cannot show the ledger: {error}")))?;
            if let (Some(object), serde_json::Value::Object(row)) = (object.as_object_mut(), row) {
                // A field of that name is a person's own.
                object.extend(row.into_iter().filter(|(field, _)| field != "v"));
            }
            text += &format!("{object}\n");
        } else {
            text += &describe(row);
        }
    }
    print(text).map(|()| Exit::Ok)
}

fn event(
    home: &Home,
    step: &Step,
    command: EventCommand,
    patience: Duration,
) -> Result<Exit, Failure> {
    match command {
        EventCommand::Near { context, window, at, events } => {
            let mut events = Events::to(Some(events))?;
            let figures = (context, window, at);
            gen_rotate::announce_near(home, step, figures, &mut events, patience)?;
        }
        EventCommand::Writing { context, window, events } => {
            let event = gen_rotate::writing(step.name(), context, window);
            Events::to(Some(events))?.emit(&event)?;
        }
    }
    Ok(Exit::Ok)
}

fn path(home: &Home, step: &Step, of: PathOf) -> Result<Exit, Failure> {
    let path = match of {
        PathOf::Document => home.document(step),
        PathOf::Keep => home.keep(step),
        PathOf::Task => home.task(step),
        PathOf::Archive => home.archive(),
        PathOf::Ledger => home.manifest(),
        PathOf::Lock => home.held(step),
    };
    let mut line = path.as_os_str().as_bytes().to_vec();
    line.push(b'\n');
    print(line).map(|()| Exit::Ok)
}

impl From<arguments::FigureArguments> for Figures {
    fn from(given: arguments::FigureArguments) -> Figures {
        Figures {
            context: given.context,
            window: given.window,
            cost_usd: given.cost,
            num_turns: given.turns,
            first_context: given.first_context,
            at: given.at,
        }
    }
}
