//! A run from its order to its outcome.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use agents::{Agent, Driver, EndKind, Run, SessionChoice, Transcript};
use ctx_meter::find::{self, FindError};
use ctx_meter::learn::{self, About};
use ctx_meter::learned::{self, Key, Origin};
use ctx_meter::limits::Limits;
use ctx_meter::window::{self, Known, Window};
use ctx_meter::{Measure, measure};
use terminal::{Exit, Failure, reason};

use crate::claim::claim;
use crate::guard::{self, Guard};
use crate::heard::{Heard, Watcher, usable};
use crate::memory::{self, Remembered};
use crate::order::{Order, Turn};
use crate::outcome::Outcome;
use crate::outside::Outside;
use crate::scratch::Scratch;
use crate::transcripts;
use crate::verdict::{Judged, Verdict, verdict};
use crate::view::View;
use crate::watch::{End, Watching, watch};

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

/// Runs an agent. `near` is called once, with the context and the lines, when
/// the handoff line comes near.
///
/// # Errors
/// The run could not be started: the session runs already (75), say.
pub fn run(
    order: &Order,
    view: &View,
    near: &mut dyn FnMut(u64, &Limits),
) -> Result<Report, Failure> {
    let Ready { driver, agent, launch, scratch, folder, session_id, model } = ready(order)?;
    let Launch { mut command, files, is_group } = launch;
    let _running = claim(&session_id)?;
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
        agent: agent.name(),
        view,
        near,
        order,
        heard: Heard { session_id, model, ..Heard::default() },
        outside: (!driver.stops_by_hook()).then(|| Outside::of(agent, driver.transcript_lags())),
        compacts_at: driver.compacts_at().filter(|_| !order.compaction),
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

/// Where the agent does not call its hooks, nothing stops it at the line.
const UNHEARD: &str = "the agent went on beyond its line: it called no hook, or ctx-guard failed \
                       (disableAllHooks in its settings turns hooks off)";

/// An answer that never came, for want of room.
const NO_ROOM: &str = "the agent ended without an answer, and its context is full";

/// Of a window so many hundredths are as good as all of it.
const FULL: u64 = 97;

const COMPACTS: &str = "the agent's own compaction, which its settings alone switch off, comes";

fn is_full(measured: &Measure, window: Window) -> bool {
    let tokens = measured.projected().max(measured.context).unwrap_or(0);
    tokens.saturating_mul(100) >= window.size.saturating_mul(FULL)
}

fn finish(
    order: &Order,
    agent: &dyn Agent,
    mut watcher: Watcher<'_>,
    end: &End,
    folder: &Path,
) -> Report {
    let mut warnings = Vec::new();
    let heard = &watcher.heard;
    let mut judged = judge(order, heard, end);
    let measured = measured(agent, &heard.session_id, &mut warnings).unwrap_or_default();
    if judged.verdict == Verdict::Overflow {
        tell_more(&mut judged, measured.error.as_deref());
    }
    if heard.went_on && judged.verdict != Verdict::Stopped {
        warnings.push(UNHEARD.to_owned());
    }
    keep(order, heard, &judged, folder, &mut warnings);
    let window = window(order, agent, heard, &measured, &mut warnings);
    if judged.verdict == Verdict::Empty && window.is_some_and(|window| is_full(&measured, window)) {
        judged = Judged::telling(Verdict::Overflow, NO_ROOM.to_owned());
    }
    let window = window.map(|window| {
        let usable = usable(window, watcher.compacts_at);
        if usable != window && order.stop_at.is_some() && order.turn == Turn::Work {
            warnings.push(format!("{COMPACTS} at {} tokens: no room beyond is used", usable.size));
        }
        usable
    });
    let heard = &watcher.heard;
    let limits = window.map(|window| Limits::new(window.size, order.headroom));
    let context = measured.context.or(heard.context);
    if let (Verdict::Stopped, Some(context), Some(limits)) = (judged.verdict, context, &limits) {
        // One step led across both lines.
        watcher.say_near(context, limits);
    }
    let heard = watcher.heard;
    let ended = heard.ended.clone().unwrap_or_default();
    let outcome = Outcome {
        v: 1,
        verdict: judged.verdict.word(),
        agent: order.agent.clone(),
        session_id: Some(heard.session_id).filter(|id| !id.is_empty()),
        model: ended.model.clone().or(heard.model).or(measured.model.clone()),
        cost_usd: ended.cost_usd.or(heard.cost_usd),
        num_turns: ended.num_turns.or(Some(heard.turns).filter(|&turns| turns > 0)),
        context,
        projected: measured.projected().or(context),
        first_context: heard.first_context,
        window: window.map(|window| window.size),
        window_source: window.map(|window| window.source.word()),
        warn_at: limits.map(|limits| limits.warn_at),
        at: limits.map(|limits| limits.at),
        near: heard.near,
        error: judged.error,
        reservation: judged.reservation,
        limit: judged.limit.filter(|&limit| learned::is_plausible(limit)),
        retry_after: judged.retry_after,
        exit_status: end.status.code(),
        text_file: None,
    };
    let answer = if judged.verdict == Verdict::Done { ended.text } else { String::new() };
    Report { outcome, answer, exit: exit(judged.verdict, end), warnings }
}

fn judge(order: &Order, heard: &Heard, end: &End) -> Judged {
    if end.signal.is_some() {
        return Judged::plain(Verdict::Interrupted);
    }
    if end.cut && heard.ended.as_ref().is_none_or(|ended| ended.kind != EndKind::Answered) {
        return Judged::plain(Verdict::Stopped);
    }
    if end.hung {
        let silence = order.silence.unwrap_or_default().as_secs_f64();
        return Judged::telling(
            Verdict::Hung,
            format!("nothing came from the agent for {silence} s"),
        );
    }
    let printed = if end.status.success() {
        heard.text.clone()
    } else {
        format!("{}{}", heard.text, String::from_utf8_lossy(&heard.noise))
    };
    let mut judged = verdict(heard.ended.as_ref(), &printed, end.status.success());
    if judged.error.is_none() {
        judged.error = match (judged.verdict, end.status.code(), end.status.signal()) {
            (Verdict::Empty, ..) => Some("the agent ended without an answer".to_owned()),
            (Verdict::Failed, _, Some(signal)) => {
                Some(format!("the agent was ended by signal {signal}"))
            }
            (Verdict::Failed, Some(status), _) => {
                Some(format!("the agent exited with status {status}"))
            }
            _ => None,
        };
    }
    judged
}

/// What the service's own words for an overflow, in the transcript, tell more
/// than the result's, which are cut short: the limit, and what does not fit.
fn tell_more(judged: &mut Judged, error: Option<&str>) {
    let meaning = error.and_then(overflow_detect::classify);
    if let Some(meaning) = meaning.filter(|m| m.class == overflow_detect::Class::Overflow) {
        judged.limit = judged.limit.or(meaning.limit);
        judged.reservation |= meaning.reservation;
    }
}

/// Learns the window and remembers the session. A run is not worse for it when
/// that fails.
fn keep(order: &Order, heard: &Heard, judged: &Judged, folder: &Path, warnings: &mut Vec<String>) {
    let about = About {
        session: Some(heard.session_id.clone()),
        endpoint: window::endpoint(),
        model: order.model.clone().or_else(|| heard.model.clone()),
    };
    let mut kept = Ok(());
    if let Some(ended) = &heard.ended {
        let record = serde_json::from_str(&ended.record).unwrap_or_default();
        kept = learn::learn(&learn::lessons(&record, &about)).map(|_| ());
    }
    if let (Some(limit), Some(model), false) = (judged.limit, about.model, judged.reservation) {
        let key = Key::Model { endpoint: about.endpoint, model };
        kept = kept.and(learned::keep(&key, limit, Origin::Overflow).map(|_| ()));
    }
    let model = heard.model.clone();
    kept = kept.and(memory::remember(&heard.session_id, &Remembered::new(model, folder)));
    let why = kept.err().map(|error| reason(&error)).or_else(|| heard.unkept.clone());
    if let Some(why) = why {
        warnings.push(format!("cannot keep what was learned: {why}"));
    }
}

fn measured(agent: &dyn Agent, session_id: &str, warnings: &mut Vec<String>) -> Option<Measure> {
    let measure = || -> io::Result<Option<Measure>> {
        let transcript = match find::by_id(session_id, &[agent]) {
            Ok(path) => Transcript::open(&path).ok(),
            Err(FindError::Io(error)) => return Err(error),
            Err(_) => {
                let fetched = agent.fetch(session_id)?;
                fetched.and_then(|source| Transcript::recognise(source, None).ok())
            }
        };
        // One that cannot be read yet, or holds no usage, is simply not known.
        transcript.map(|transcript| measure(&transcript)).transpose()
    };
    measure().unwrap_or_else(|error| {
        warnings.push(format!("cannot read the session: {}", reason(&error)));
        None
    })
}

fn window(
    order: &Order,
    agent: &dyn Agent,
    heard: &Heard,
    measured: &Measure,
    warnings: &mut Vec<String>,
) -> Option<Window> {
    let known = Known {
        flag: order.window,
        recorded: measured.window,
        session_id: Some(&heard.session_id),
        agent: Some(agent.name()),
        model: heard.model.as_deref().or(measured.model.as_deref()),
    };
    window::window(known).map_err(|why| warnings.push(why)).ok()
}

fn exit(verdict: Verdict, end: &End) -> Exit {
    match verdict {
        Verdict::Done | Verdict::Stopped => Exit::Ok,
        Verdict::Rate | Verdict::Network => Exit::Busy,
        Verdict::Credentials | Verdict::Model => Exit::Credentials,
        Verdict::Hung => Exit::Timeout,
        Verdict::Interrupted => {
            Exit::Of(128 + u8::try_from(end.signal.unwrap_or(libc::SIGINT)).unwrap_or(0))
        }
        Verdict::Overflow | Verdict::Blocked | Verdict::Empty | Verdict::Failed => Exit::No,
    }
}
