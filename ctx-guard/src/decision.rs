//! One call: what the payload and the transcript come to under the rules.

use std::borrow::Cow;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use agents::{Answer, Fact, HookEvent, Hooks, Input, OpenError, Payload, Transcript};
use ctx_meter::report::Report;
use ctx_meter::{State, measure};
use serde_json::error::Category;
use terminal::Language;

use crate::rules::{Rule, Rules, Stop, StopAt};

/// How long a transcript that lags is waited for; well within the deadline.
const PATIENCE: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(4);

/// What the guard answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing: the call goes through.
    Pass,
    /// The CLI's own form of a refusal or an end, to be printed.
    Answer(String),
}

/// Decides about a payload.
///
/// # Errors
/// The payload or the transcript cannot be read; says what was wrong. The call
/// is then to be let through, unless the caller chose otherwise.
pub fn decide(payload: &[u8], hooks: &dyn Hooks, rules: &Rules) -> Result<Decision, String> {
    let payload = hooks.read(payload).map_err(|error| {
        let why = match error.classify() {
            Category::Eof => "it is empty or cut short",
            Category::Syntax => "it is not JSON",
            Category::Data | Category::Io => "it is no JSON object of a hook",
        };
        format!("bad payload: {why}")
    })?;
    if payload.session_id != rules.session_id.as_str() || payload.agent_id.is_some() {
        return Ok(Decision::Pass);
    }
    match &rules.rule {
        Rule::Handoff if payload.event == HookEvent::PreToolUse => {
            Ok(Decision::Answer(hooks.deny(only_the_document(Language::from_env()))))
        }
        Rule::Stop(rule) => match hooks.stop_at(payload.event) {
            Some(answer) => stop(&payload, answer, rule),
            None => Ok(Decision::Pass),
        },
        Rule::Handoff => Ok(Decision::Pass),
    }
}

fn stop(
    payload: &Payload<'_>,
    answer: fn(&str) -> String,
    rule: &Stop,
) -> Result<Decision, String> {
    let path = payload.transcript.as_deref().ok_or("the payload names no transcript")?;
    let transcript = caught_up(path, &payload.answered)?;
    let measured = measure(&transcript).map_err(|error| unreadable(path, &OpenError::Io(error)))?;
    let tokens = if rule.projected { measured.projected() } else { measured.context };
    let Some(tokens) = tokens else { return Ok(Decision::Pass) };
    let (reached, line) = match rule.at {
        StopAt::Tokens(line) => (tokens >= line, line),
        StopAt::Due(told) => {
            let limits = Report::new(&transcript, Some(path), measured, told)?.limits;
            (limits.state(Some(tokens)) == State::Due, limits.at)
        }
    };
    if !reached {
        return Ok(Decision::Pass);
    }
    Ok(Decision::Answer(answer(&due(tokens, line, Language::from_env()))))
}

/// The transcript once it holds the results of these tool calls, or as it is when
/// patience ends. The session has answered, so one that is not there by then, or
/// has nothing in it, is a fault.
///
/// Transcripts are written in batches, about ten a second: a quick hook that reads
/// at once sees the session as it was one answer before.
fn caught_up(path: &Path, answered: &[Cow<'_, str>]) -> Result<Transcript, String> {
    let started = Instant::now();
    loop {
        let is_late = started.elapsed() >= PATIENCE;
        match Transcript::open(path) {
            Ok(transcript) => {
                let is_current = holds(&transcript, answered)
                    .map_err(|error| unreadable(path, &OpenError::Io(error)))?;
                if is_current || is_late {
                    return Ok(transcript);
                }
            }
            Err(error) if is_late || !may_come(&error) => return Err(unreadable(path, &error)),
            Err(_) => {}
        }
        thread::sleep(PAUSE);
    }
}

fn may_come(error: &OpenError) -> bool {
    match error {
        OpenError::Empty => true,
        OpenError::Io(error) => error.kind() == io::ErrorKind::NotFound,
        OpenError::Database | OpenError::NotRecognised => false,
    }
}

/// Whether all these calls have their results among the records since the last
/// answer.
fn holds(transcript: &Transcript, answered: &[Cow<'_, str>]) -> io::Result<bool> {
    let mut missing: Vec<&str> = answered.iter().map(|id| &**id).collect();
    let mut answer: Option<Option<String>> = None;
    transcript.newest_first(&mut |fact| {
        match fact {
            Fact::Input(Input { tool_use_id: Some(id), .. }) => missing.retain(|&m| m != id),
            Fact::Answer(Answer { id, .. }) => {
                let id = id.map(Cow::into_owned);
                if *answer.get_or_insert_with(|| id.clone()) != id {
                    return ControlFlow::Break(());
                }
            }
            _ => {}
        }
        if missing.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(missing.is_empty())
}

fn unreadable(path: &Path, error: &OpenError) -> String {
    let why = match error {
        OpenError::Io(error) => terminal::reason(error),
        other => other.to_string(),
    };
    format!("cannot read '{}': {why}", path.display())
}

/// Why the run ends.
fn due(tokens: u64, line: u64, language: Language) -> String {
    match language {
        Language::En => format!("{tokens} tokens of context, handoff due at {line}"),
        Language::Zh => format!("上下文 {tokens} 个 token,换代线在 {line}"),
        Language::Ko => format!("컨텍스트 {tokens} 토큰, 핸드오프 선 {line}"),
        Language::Ja => format!("コンテキスト {tokens} トークン、引き継ぎの線は {line}"),
    }
}

/// What the model reads when it reaches for a tool while it should write.
fn only_the_document(language: Language) -> &'static str {
    match language {
        Language::En => {
            "No tools in this turn: write the handoff document as your answer, from what you know now."
        }
        Language::Zh => "这一轮不能用工具：请凭你现在知道的，把交接书直接写成你的回答。",
        Language::Ko => {
            "이번 턴에는 도구를 쓸 수 없다. 지금 아는 것만으로 인계서를 답변에 바로 써라."
        }
        Language::Ja => {
            "このターンではツールは使えません。いま分かっていることだけで、引き継ぎ書を回答としてそのまま書いてください。"
        }
    }
}
