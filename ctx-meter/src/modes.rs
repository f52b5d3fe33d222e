//! The modes: what each prints and how it ends.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use agents::{Agent, OpenError, Source, Transcript};
use ctx_meter::find::{self, FindError};
use ctx_meter::gauge::gauge;
use ctx_meter::learn::{self, About};
use ctx_meter::limits::Limits;
use ctx_meter::report::{Report, Told};
use ctx_meter::statusline::Status;
use ctx_meter::turns::turns;
use ctx_meter::wait::{Ended, wait};
use ctx_meter::window::{self, Known};
use ctx_meter::{State, measure, phrase};
use serde_json::Value;
use terminal::{Exit, Failure, Language, print, print_line, reason, sanitise, warn};

use crate::arguments::{Arguments, Command, Learn, Meter, WaitFor};

const TOOL: &str = "ctx-meter";

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    match arguments.command {
        Some(Command::Learn(learn)) => run_learn(learn),
        Some(Command::Window(of)) => {
            let known = Known { flag: of.window, model: of.model.as_deref(), ..Known::default() };
            let window = window::window(known).map_err(Failure::usage)?;
            print_line(format!("{} {}", window.size, window.source.word()))?;
            Ok(Exit::Ok)
        }
        None if arguments.meter.statusline => run_statusline(&arguments.meter),
        None => run_meter(&arguments.meter),
    }
}

fn run_meter(meter: &Meter) -> Result<Exit, Failure> {
    let agents = chosen_agents(meter)?;
    let is_predicate = meter.due || meter.near || meter.wait.is_some();
    if meter.sessions.len() > 1 && (is_predicate || meter.turns) {
        return Err(Failure::usage("one session at a time can be asked about"));
    }
    let Some(operand) = meter.sessions.first() else {
        return one(meter, &agents, None);
    };
    if meter.sessions.len() == 1 {
        return one(meter, &agents, Some(operand));
    }
    several(meter, &agents)
}

fn chosen_agents(meter: &Meter) -> Result<Vec<&'static dyn Agent>, Failure> {
    let Some(name) = &meter.agent else { return Ok(agents::all().to_vec()) };
    let known: Vec<&str> = agents::all().iter().map(|agent| agent.name()).collect();
    agents::named(name).map(|agent| vec![agent]).ok_or_else(|| {
        Failure::usage(format!("unknown agent '{name}'"))
            .hint(format!("known: {}", known.join(", ")))
    })
}

fn one(meter: &Meter, agents: &[&dyn Agent], operand: Option<&OsStr>) -> Result<Exit, Failure> {
    if let Some(what) = meter.wait {
        return run_wait(meter, agents, operand, what);
    }
    let (path, transcript) = open(meter, agents, operand)?;
    if meter.turns {
        return run_turns(meter, &transcript, path.as_deref());
    }
    let report = report(meter, &transcript, path.as_deref())?;
    if meter.due || meter.near {
        return judge(meter, &report);
    }
    show(meter, &report, None)
}

/// wc-like: the rest go on where one cannot be measured.
fn several(meter: &Meter, agents: &[&dyn Agent]) -> Result<Exit, Failure> {
    let mut worst = Exit::Ok;
    for operand in &meter.sessions {
        let shown = open(meter, agents, Some(operand)).and_then(|(path, transcript)| {
            let report = report(meter, &transcript, path.as_deref())?;
            show(meter, &report, Some(operand))
        });
        if let Err(failure) = shown {
            // The reader of stdout has gone away.
            if failure.exit == Exit::Ok {
                return Err(failure);
            }
            if !failure.message.is_empty() {
                warn(TOOL, &failure.message);
            }
            worst =
                if worst == Exit::Ok || failure.exit == Exit::Data { failure.exit } else { worst };
        }
    }
    Ok(worst)
}

fn open(
    meter: &Meter,
    agents: &[&dyn Agent],
    operand: Option<&OsStr>,
) -> Result<(Option<PathBuf>, Transcript), Failure> {
    if operand == Some(OsStr::new("-")) {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            return Err(Failure::usage("no session on stdin, which is a terminal"));
        }
        let source = Source::stream(stdin.lock())
            .map_err(|error| Failure::reading(Path::new("-"), &error))?;
        return Transcript::recognise(source, None)
            .map(|transcript| (None, transcript))
            .map_err(|error| not_opened(Path::new("-"), &error));
    }
    let path = match find(meter, agents, operand) {
        Err(failure) => match operand.map(|id| fetch(agents, id)).transpose()?.flatten() {
            Some(transcript) => return Ok((None, transcript)),
            None => return Err(failure),
        },
        found => found?,
    };
    if meter.verbose {
        warn(TOOL, &format!("measuring '{}'", path.display()));
    }
    let transcript = Transcript::open(&path).map_err(|error| not_opened(&path, &error))?;
    Ok((Some(path), transcript))
}

/// A session that its CLI alone can read.
fn fetch(agents: &[&dyn Agent], id: &OsStr) -> Result<Option<Transcript>, Failure> {
    let Some(id) = id.to_str() else { return Ok(None) };
    for agent in agents {
        let fetched = agent.fetch(id).map_err(|error| Failure::reading(Path::new(id), &error))?;
        if let Some(source) = fetched {
            let transcript = Transcript::recognise(source, None);
            return transcript.map(Some).map_err(|error| not_opened(Path::new(id), &error));
        }
    }
    Ok(None)
}

fn find(meter: &Meter, agents: &[&dyn Agent], operand: Option<&OsStr>) -> Result<PathBuf, Failure> {
    let here = meter.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let found = match operand {
        Some(operand) => find::named(operand, agents),
        None => find::newest(&here, agents),
    };
    found.map_err(|error| match error {
        FindError::NoSuchSession => {
            let name = operand.unwrap_or_default().display().to_string();
            Failure::new(Exit::NoInput, format!("no such file or session '{name}'"))
        }
        FindError::NoneInFolder(folder) => Failure::new(
            Exit::NoInput,
            format!("no session was started in '{}' or above", folder.display()),
        )
        .hint("name a transcript file or a session id"),
        FindError::Io(error) => {
            Failure::new(Exit::NoInput, format!("cannot look for sessions: {error}"))
        }
    })
}

fn not_opened(path: &Path, error: &OpenError) -> Failure {
    let name = path.display();
    match error {
        OpenError::Io(error) if error.kind() == io::ErrorKind::InvalidInput => {
            Failure::new(Exit::NoInput, format!("cannot read '{name}': not a regular file"))
        }
        OpenError::Io(error) => Failure::reading(path, error),
        OpenError::Empty => Failure::data(format!("no usage recorded in '{name}': it is empty")),
        OpenError::Database => Failure::data(format!("'{name}' is a database, not a transcript"))
            .hint("let its CLI export the session ('opencode export ID', 'kilo export ID')"),
        OpenError::NotRecognised => {
            Failure::data(format!("'{name}' is not a transcript of a known agent CLI"))
        }
    }
}

fn report(meter: &Meter, transcript: &Transcript, path: Option<&Path>) -> Result<Report, Failure> {
    let measured = measure(transcript)
        .map_err(|error| Failure::reading(path.unwrap_or(Path::new("-")), &error))?;
    let told = Told { window: meter.window, headroom: meter.headroom };
    let report = Report::new(transcript, path, measured, told).map_err(Failure::usage)?;
    if report.window_too_small() {
        let used = report.measure.context.unwrap_or_default();
        warn(
            TOOL,
            &format!(
                "{used} tokens are in a window of {}: the window is set too small",
                report.window.size
            ),
        );
    }
    Ok(report)
}

fn tokens(meter: &Meter, report: &Report) -> Option<u64> {
    if meter.projected { report.measure.projected() } else { report.measure.context }
}

fn state(meter: &Meter, report: &Report) -> State {
    if meter.projected { report.state_projected() } else { report.state() }
}

fn show(meter: &Meter, report: &Report, name: Option<&OsString>) -> Result<Exit, Failure> {
    let tokens = tokens(meter, report);
    if meter.json {
        print_line(report.json(jiff::Timestamp::now().to_string()))?;
    }
    let Some(tokens) = tokens else { return Err(unknown(report, meter.json)) };
    let language = Language::from_env();
    let name = name.map(|name| name.display().to_string());
    if meter.human {
        let line = phrase::line(Some(tokens), &report.limits, language);
        print_line(
            name.map_or_else(|| line.clone(), |name| format!("{line} · {}", sanitise(&name))),
        )?;
    } else if meter.gauge {
        let title = name.map_or_else(String::new, |name| format!("{}\n", sanitise(&name)));
        print(format!("{title}{}", gauge(Some(tokens), &report.limits, language)))?;
    } else if !meter.json {
        print_line(name.map_or_else(|| tokens.to_string(), |name| format!("{tokens:>7} {name}")))?;
    }
    Ok(Exit::Ok)
}

/// With `--json` the object with nulls has said it, on one session.
fn unknown(report: &Report, said: bool) -> Failure {
    if said {
        return Failure::silent(Exit::Data);
    }
    let name = report.path.as_deref().unwrap_or("-");
    Failure::data(format!("no usage recorded in '{name}'"))
}

fn judge(meter: &Meter, report: &Report) -> Result<Exit, Failure> {
    let state = state(meter, report);
    if state == State::Unknown {
        return Err(unknown(report, false));
    }
    let reached = matches!(state, State::Due | State::Full) || meter.near && state == State::Near;
    Ok(if reached { Exit::Ok } else { Exit::No })
}

fn run_turns(meter: &Meter, transcript: &Transcript, path: Option<&Path>) -> Result<Exit, Failure> {
    let mut failure = None;
    let mut any = false;
    turns(transcript, &mut |turn| {
        any = true;
        match print(turn.row()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    })
    .map_err(|error| Failure::reading(path.unwrap_or(Path::new("-")), &error))?;
    match failure {
        Some(failure) => Err(failure),
        None if any => Ok(Exit::Ok),
        None => Err(unknown(&report(meter, transcript, path)?, false)),
    }
}

/// A session that is not there yet may appear, and one without an answer may
/// answer; everything else that is wrong ends the wait.
fn run_wait(
    meter: &Meter,
    agents: &[&dyn Agent],
    operand: Option<&OsStr>,
    what: WaitFor,
) -> Result<Exit, Failure> {
    if operand == Some(OsStr::new("-")) {
        return Err(Failure::usage("cannot wait for stdin to grow"));
    }
    let mut first: Option<Option<u64>> = None;
    let holds = || {
        let looked = open(meter, agents, operand)
            .and_then(|(path, transcript)| report(meter, &transcript, path.as_deref()));
        let report = match looked {
            Ok(report) => Some(report),
            Err(failure) if matches!(failure.exit, Exit::NoInput | Exit::Data) => None,
            Err(failure) => return Err(failure),
        };
        let reached = report.as_ref().map_or(State::Unknown, |report| state(meter, report));
        Ok(match what {
            WaitFor::Due => matches!(reached, State::Due | State::Full),
            WaitFor::Near => matches!(reached, State::Near | State::Due | State::Full),
            WaitFor::Change => {
                let now = report.as_ref().and_then(|report| tokens(meter, report));
                *first.get_or_insert(now) != now
            }
        })
    };
    Ok(match wait(holds, meter.pid, meter.timeout)? {
        Ended::Holds => Exit::Ok,
        Ended::ProcessEnded => Exit::No,
        Ended::TimedOut => Exit::Timeout,
    })
}

/// A status line that fails goes blank, so this one always says what it can.
fn run_statusline(meter: &Meter) -> Result<Exit, Failure> {
    let json: Value = serde_json::from_str(&stdin_text()?).unwrap_or_default();
    let status = Status::new(&json);
    let about = About { endpoint: window::endpoint(), ..About::default() };
    if let Err(error) = learn::learn(&learn::lessons(&json, &about)) {
        warn(TOOL, &format!("cannot keep the window: {}", reason(&error)));
    }
    let context = status.context.or_else(|| {
        let transcript = Transcript::open(Path::new(status.transcript_path.as_deref()?)).ok()?;
        measure(&transcript).ok()?.context
    });
    let known = Known {
        flag: meter.window,
        recorded: status.window,
        session_id: status.session_id.as_deref(),
        agent: Some("claude-code"),
        model: status.model.as_deref(),
    };
    let window = window::window(known).unwrap_or_else(|why| {
        warn(TOOL, &why);
        window::guess(status.model.as_deref())
    });
    let limits = Limits::new(window.size, meter.headroom);
    print_line(phrase::line(context, &limits, Language::from_env()))?;
    Ok(Exit::Ok)
}

fn run_learn(options: Learn) -> Result<Exit, Failure> {
    let about = About {
        session: options.session,
        endpoint: options.endpoint.or_else(window::endpoint),
        model: options.model,
    };
    let text = stdin_text()?;
    // A CLI's events are JSON lines, and other lines may stand between them.
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut lessons: Vec<_> = lines.flat_map(|json| learn::lessons(&json, &about)).collect();
    if lessons.is_empty()
        && let Ok(json) = serde_json::from_str(&text)
    {
        lessons = learn::lessons(&json, &about);
    }
    if lessons.is_empty() {
        return Err(Failure::data("no window is told on stdin"));
    }
    let folder = durable::state_folder().ok_or_else(|| {
        Failure::new(Exit::CannotCreate, "there is no state folder")
            .hint("set CTXUTILS_STATE, XDG_STATE_HOME or HOME")
    })?;
    learn::learn(&lessons).map_err(|error| Failure::writing(&folder, &error))?;
    Ok(Exit::Ok)
}

fn stdin_text() -> Result<String, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(Failure::usage("expected JSON on stdin, which is a terminal"));
    }
    let mut bytes = Vec::new();
    stdin
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::reading(Path::new("-"), &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
