//! A run from its order to its outcome.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use agents::{Agent, Driver, Run, SessionChoice};
use ctx_meter::window::{self, Known};
use terminal::{Exit, Failure, reason};

use crate::claim::claim;
use crate::finish::finish;
use crate::guard::{self, Guard};
use crate::heard::{Heard, Watcher};
use crate::listener::Listener;
use crate::memory::{self, Remembered};
use crate::order::{Order, Turn};
use crate::outcome::Outcome;
use crate::outside::Outside;
use crate::scratch::Scratch;
use crate::transcripts;
use crate::view::View;
use crate::watch::{Watching, watch};

/// A run that is over.
#[derive(Debug)]
pub struct Report {
    /// What is told of it.
    pub outcome: Outcome,
    /// The agent's final answer.
    pub answer: String,
    /// The verdict's exit code.
    pub exit: Exit,
    /// What went wrong beside the run and cost it nothing.
    pub warnings: Vec<String>,
}

/// Runs an agent.
///
/// # Errors
/// The run could not be started: the session runs already (75), say.
pub fn run(order: &Order, view: &View, listener: &mut dyn Listener) -> Result<Report, Failure> {
    let Ready { driver, agent, launch, scratch, folder, session_id, model } = ready(order)?;
    let Launch { mut command, files, is_group } = launch;
    let claim = claim(&session_id)?;
    let is_endangered =
        driver.resume_endangers() && matches!(order.session, SessionChoice::Resume(_));
    if is_endangered {
        // One that was killed may have left what it should have taken away.
        driver.tidy(&session_id).map_err(untidy)?;
        transcripts::copy(agent, &session_id)?;
    }
    scratch.fill(files).map_err(|error| Failure::writing(scratch.path(), &error))?;
    let program = command.get_program().to_owned();
    let mut watcher = Watcher {
        driver,
        claim,
        process: None,
        agent: agent.name(),
        view,
        listener,
        order,
        outside: (!driver.stops_by_hook()).then(|| Outside::of(agent, driver, &session_id)),
        heard: Heard { session_id, model, ..Heard::default() },
        room: driver.room(&folder).filter(|_| !order.compaction),
    };
    let watching = Watching { silence: order.silence, is_group };
    let end = watch(&mut command, order.prompt.clone(), watching, &mut |word| watcher.hear(word))
        .map_err(|error| {
        let message = format!("cannot run '{}': {}", program.display(), reason(&error));
        Failure::new(Exit::CannotRun, message)
    })?;
    let tidied = if is_endangered { driver.tidy(&watcher.heard.session_id) } else { Ok(()) };
    let mut report = finish(order, agent, watcher, &end, &folder);
    report.warnings.extend(tidied.err().map(|error| untidy(error).to_string()));
    Ok(report)
}

fn untidy(error: io::Error) -> Failure {
    let why = reason(&error);
    Failure::new(Exit::Io, format!("cannot take away what a resume left of the session: {why}"))
        .hint("it would cost the agent the transcript")
}

/// Whether a run could start: the agent is known, its program and the guard are
/// found. Whoever runs many learns it before anything is noted or paid for.
///
/// # Errors
/// It could not.
pub fn check(order: &Order) -> Result<(), Failure> {
    ready(order).map(drop)
}

/// A run that is about to start.
struct Ready {
    driver: &'static dyn Driver,
    agent: &'static dyn Agent,
    launch: Launch,
    /// Where its files lie.
    scratch: Scratch,
    folder: PathBuf,
    session_id: String,
    model: Option<String>,
}

/// A command, with the files that are to be there.
struct Launch {
    command: Command,
    files: Vec<(PathBuf, String)>,
    /// Whether it leads a process group of its own.
    is_group: bool,
}

fn ready(order: &Order) -> Result<Ready, Failure> {
    let (driver, agent) = agents::driver(&order.agent).ok_or_else(|| {
        Failure::usage(format!("unknown agent '{}'", order.agent))
            .hint("'agent-run agents' lists them; the path of one of your own has a slash in it")
    })?;
    // A window that is no number is told before anything is paid for.
    window::window(Known { flag: order.window, ..Known::default() }).map_err(Failure::usage)?;
    let (SessionChoice::Start(id) | SessionChoice::Resume(id)) = &order.session;
    let remembered =
        memory::recall(id).filter(|_| order.session == SessionChoice::Resume(id.clone()));
    let Guard { hook, environment } = guard::guard(order, driver, agent, id)?;
    let scratch = Scratch::new();
    let asked = order.model.clone().or_else(|| remembered.as_ref().and_then(|r| r.model.clone()));
    let wanted = Run {
        agent: order.agent.clone(),
        session: order.session.clone(),
        is_handoff: order.turn == Turn::Handoff,
        model: asked.clone(),
        compaction: order.compaction,
        arguments: order.arguments.clone(),
        hook,
        scratch: scratch.path().to_owned(),
    };
    let mut launch = launch(driver, &wanted, environment)?;
    let folder = folder(&mut launch.command, remembered.as_ref())?;
    let session_id = id.clone();
    Ok(Ready { driver, agent, launch, scratch, folder, session_id, model: asked })
}

fn launch(
    driver: &dyn Driver,
    run: &Run,
    environment: Vec<(&'static str, String)>,
) -> Result<Launch, Failure> {
    let invocation = driver.invocation(run).map_err(|error| {
        if error.kind() == io::ErrorKind::InvalidInput {
            return Failure::usage(reason(&error)).hint("agent-run chooses it");
        }
        Failure::usage(format!("cannot use the agent's settings: {}", reason(&error)))
    })?;
    let mut command = Command::new(processes::find(&invocation.program)?);
    command.args(invocation.arguments);
    for variable in guard::VARIABLES.into_iter().chain(invocation.unset) {
        command.env_remove(variable);
    }
    command.envs(invocation.environment).envs(environment);
    if invocation.is_launcher {
        command.process_group(0);
    }
    Ok(Launch { command, files: invocation.files, is_group: invocation.is_launcher })
}

/// The folder of the run: that of the session where it is remembered.
fn folder(command: &mut Command, remembered: Option<&Remembered>) -> Result<PathBuf, Failure> {
    if let Some(remembered) = remembered {
        let folder = remembered.folder();
        fs_err::read_dir(&folder).map_err(|error| {
            Failure::reading(&folder, &error).hint("the session was started there")
        })?;
        command.current_dir(&folder);
        return Ok(folder);
    }
    std::env::current_dir().map_err(|error| Failure::reading(Path::new("."), &error))
}
