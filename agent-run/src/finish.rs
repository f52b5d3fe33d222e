//! What a run that is over came to: the verdict, the figures, what is remembered of it.

use std::io;
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use agents::{Agent, EndKind, Fact, SessionChoice, Transcript};
use ctx_meter::find::{self, FindError};
use ctx_meter::learn::{self, About};
use ctx_meter::learned::{self, Key, Origin};
use ctx_meter::limits::Limits;
use ctx_meter::window::{self, Known, Window};
use ctx_meter::{Measure, measure};
use processes::Running;
use terminal::{Exit, reason};

use crate::heard::{Heard, Watcher, usable};
use crate::memory::{self, Remembered};
use crate::order::{Order, Turn};
use crate::outcome::Outcome;
use crate::run::Report;
use crate::verdict::{Judged, Verdict, verdict, waited};
use crate::watch::End;

/// Where the agent does not call its hooks, nothing stops it at the line.
const UNHEARD: &str = "the agent went on beyond its line: it called no hook, or ctx-guard failed \
                       (settings like Claude Code's disableAllHooks turn hooks off)";

/// An answer that never came, for want of room.
const NO_ROOM: &str = "the agent ended without an answer, and its context is full";

/// Of a window so many hundredths are as good as all of it.
const FULL: u64 = 97;

const COMPACTS: &str = "beyond that the agent itself would compact what it resumes";

fn is_full(measured: &Measure, window: Window) -> bool {
    let tokens = measured.projected().max(measured.context).unwrap_or(0);
    tokens.saturating_mul(100) >= window.size.saturating_mul(FULL)
}

/// What a run came to.
pub(crate) fn finish(
    order: &Order,
    agent: &dyn Agent,
    mut watcher: Watcher<'_>,
    end: &End,
    folder: &Path,
) -> Report {
    let mut warnings = Vec::new();
    let heard = &watcher.heard;
    let mut judged = judge(order, heard, end);
    // From outside the first answers may have been too quick to be seen.
    let is_new = matches!(order.session, SessionChoice::Start(_)) && watcher.outside.is_some();
    let read = read(agent, &heard.session_id, is_new, &mut warnings);
    let measured = read.measure;
    if judged.verdict == Verdict::Overflow {
        tell_more(&mut judged, measured.error.as_deref());
    }
    if heard.went_on && judged.verdict != Verdict::Stopped {
        warnings.push(UNHEARD.to_owned());
    }
    keep(order, heard, &judged, folder, &mut warnings);
    let window = window(order, agent, heard, &measured, &mut warnings);
    if judged.verdict == Verdict::Empty {
        // One that was cut off had no time to answer.
        judged = match window.is_some_and(|window| is_full(&measured, window)) {
            true => Judged::telling(Verdict::Overflow, NO_ROOM.to_owned()),
            false if end.cut => Judged::plain(Verdict::Stopped),
            false => judged,
        };
    }
    let window = window.map(|window| usable(window, watcher.room));
    if let (Some(room), Some(Window { size, .. })) = (watcher.room, window)
        && room == size
        && order.stop_at.is_some()
        && order.turn == Turn::Work
    {
        warnings.push(format!("no more than {room} tokens of the window are used: {COMPACTS}"));
    }
    let limits = window.map(|window| Limits::new(window.size, order.headroom));
    let seen = Seen::of(&watcher.heard, &measured, end.cut);
    if let (Verdict::Stopped, Some(context), Some(limits)) = (judged.verdict, seen.context, &limits)
    {
        // One step led across both lines.
        watcher.say_near(context, limits);
    }
    warnings.extend(end.left.iter().map(left));
    let exit = exit(judged.verdict, end);
    let heard = watcher.heard;
    let ended = heard.ended.unwrap_or_default();
    let answer = if judged.verdict == Verdict::Done { ended.text } else { String::new() };
    let outcome = Outcome {
        v: 1,
        verdict: judged.verdict.word(),
        agent: order.agent.clone(),
        session_id: Some(heard.session_id).filter(|id| !id.is_empty()),
        model: ended.model.or(heard.model).or(measured.model),
        cost_usd: ended.cost_usd.or(heard.cost_usd),
        num_turns: ended.num_turns.or(Some(heard.turns).filter(|&turns| turns > 0)),
        context: seen.context,
        projected: seen.projected,
        first_context: read.first_context.or(heard.first_context),
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
    Report { outcome, answer, exit, warnings }
}

/// A tool that lives on: the session may not know that it ever ran.
fn left(process: &Running) -> String {
    let number = process.number;
    let line = processes::command_line(number).unwrap_or_default();
    let words: String = line.chars().take(60).collect();
    let cut = if words.len() < line.len() { "..." } else { "" };
    format!("the agent was ended, and what it had started runs on: process {number}: {words}{cut}")
}

/// What the session's last answer saw, and what the next request would carry.
struct Seen {
    context: Option<u64>,
    projected: Option<u64>,
}

impl Seen {
    /// The transcript knows best; of a run that was cut off it may not hold the last
    /// answer, for which it was.
    fn of(heard: &Heard, measured: &Measure, is_cut: bool) -> Seen {
        let read = (measured.context, measured.projected());
        let told = (heard.context, heard.projected);
        let (first, second) = if is_cut { (told, read) } else { (read, told) };
        let context = first.0.or(second.0);
        Seen { context, projected: first.1.or(second.1).or(context) }
    }
}

fn judge(order: &Order, heard: &Heard, end: &End) -> Judged {
    if end.signal.is_some() {
        return Judged::plain(Verdict::Interrupted);
    }
    if end.cut && heard.ended.as_ref().is_none_or(|ended| ended.kind != EndKind::Answered) {
        return Judged::plain(Verdict::Stopped);
    }
    if let Some(judged) = heard.retry.as_deref().filter(|_| end.hung).and_then(waited) {
        return judged;
    }
    if end.hung {
        let silence = order.silence.unwrap_or_default().as_secs_f64();
        return Judged::telling(
            Verdict::Hung,
            format!("nothing came from the agent for {silence} s"),
        );
    }
    let mut printed = heard.text.clone();
    if !end.status.success() {
        printed.extend_from_slice(&heard.noise);
    }
    let printed = String::from_utf8_lossy(&printed);
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

/// What the session's transcript says.
#[derive(Default)]
struct Read {
    measure: Measure,
    /// What its first answer saw, in tokens, where that was asked for.
    first_context: Option<u64>,
}

fn read(agent: &dyn Agent, session_id: &str, with_first: bool, warnings: &mut Vec<String>) -> Read {
    let read = || -> io::Result<Option<Read>> {
        let transcript = match find::by_id(session_id, &[agent]) {
            Ok(path) => Transcript::open(&path).ok(),
            Err(FindError::Io(error)) => return Err(error),
            Err(_) => {
                let fetched = agent.fetch(session_id)?;
                fetched.and_then(|source| Transcript::recognise(source, None).ok())
            }
        };
        // One that cannot be read yet, or holds no usage, is simply not known.
        let Some(transcript) = transcript else { return Ok(None) };
        let first_context = if with_first { first_context(&transcript)? } else { None };
        Ok(Some(Read { measure: measure(&transcript)?, first_context }))
    };
    let read = read().unwrap_or_else(|error| {
        warnings.push(format!("cannot read the session: {}", reason(&error)));
        None
    });
    read.unwrap_or_default()
}

fn first_context(transcript: &Transcript) -> io::Result<Option<u64>> {
    let mut first = None;
    transcript.oldest_first(&mut |fact| match fact {
        Fact::Answer(answer) if answer.context.is_some() => {
            first = answer.context;
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })?;
    Ok(first)
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
