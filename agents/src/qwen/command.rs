//! Qwen Code's command line, headless.
//!
//! Measured traps: it starts itself again as a child, which goes on when the parent is
//! interrupted, unless it is told not to; hooks and a switch for its compaction can be
//! had from settings alone, and `--bare` passes those over; without a recording a
//! session can be neither resumed nor watched. Between the program's name and its
//! options nothing tells `-c` from `--continue`, nor `--session-id` from `--sessionId`.

use std::ffi::OsString;
use std::io;

use super::settings;
use crate::passed;
use crate::run::{Invocation, Run, SessionChoice};

/// Options that would join another session than the one that is meant, or wait for a
/// person.
const SESSION: [&str; 11] = [
    "--continue",
    "-c",
    "--resume",
    "-r",
    "--session-id",
    "--sessionId",
    "--prompt-interactive",
    "--promptInteractive",
    "-i",
    "--acp",
    "--experimental-acp",
];

/// Options with which a run could be neither watched nor resumed.
const UNWATCHED: [&str; 9] = [
    "--bare",
    "--chat-recording",
    "--chatRecording",
    "--no-chat-recording",
    "-o",
    "--output-format",
    "--outputFormat",
    "--input-format",
    "--inputFormat",
];

/// Limits that must not starve the handoff turn, each followed by its value.
const LIMITS: [&str; 2] = ["--max-session-turns", "--maxSessionTurns"];

/// The names of the option that chooses the model.
const MODEL: [&str; 2] = ["--model", "-m"];

pub(super) fn invocation(run: &Run) -> io::Result<Invocation> {
    passed::refuse_sessions(&run.arguments, &SESSION)?;
    passed::refuse_unwatched(&run.arguments, &UNWATCHED)?;
    let mut passed = run.arguments.clone();
    if run.is_handoff {
        passed = passed::without(passed, &LIMITS, &[]);
    }
    let mut arguments: Vec<OsString> = ["--output-format", "stream-json"].map(Into::into).into();
    let (option, id) = match &run.session {
        SessionChoice::Start(id) => ("--session-id", id),
        SessionChoice::Resume(id) => ("--resume", id),
    };
    arguments.extend([option.into(), id.into()]);
    passed::name_model(&mut arguments, run, &MODEL);
    arguments.extend(passed);
    let (mut environment, files) = settings::of(run)?;
    environment.push(("QWEN_CODE_NO_RELAUNCH", "true".to_owned()));
    Ok(Invocation {
        program: "qwen".into(),
        arguments,
        environment,
        files,
        ..Invocation::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sample;

    fn run(session: SessionChoice, is_handoff: bool, passed: &str) -> Run {
        Run { is_handoff, compaction: true, ..sample::run(session, passed) }
    }

    fn arguments(session: SessionChoice, is_handoff: bool, passed: &str) -> String {
        sample::words(&invocation(&run(session, is_handoff, passed)).unwrap())
    }

    #[test]
    fn starts_resumes_and_hands_over() {
        let common = "--output-format stream-json";
        let resume = || SessionChoice::Resume("id".to_owned());
        assert_eq!(
            arguments(SessionChoice::Start("id".to_owned()), false, "--yolo"),
            format!("{common} --session-id id --model m --yolo")
        );
        assert_eq!(
            arguments(resume(), false, "-m=x --max-session-turns 3"),
            format!("{common} --resume id -m=x --max-session-turns 3")
        );
        assert_eq!(
            arguments(resume(), true, "--yolo --max-session-turns 3 --maxSessionTurns=4"),
            format!("{common} --resume id --model m --yolo")
        );
    }

    #[test]
    fn an_interrupt_reaches_it() {
        let made = run(SessionChoice::Start("id".to_owned()), false, "");
        let environment = invocation(&made).unwrap().environment;
        assert_eq!(environment, [("QWEN_CODE_NO_RELAUNCH", "true".to_owned())]);
    }

    #[test]
    fn a_persons_session_is_not_joined_and_the_runs_own_is_kept() {
        for option in SESSION.iter().chain(&UNWATCHED) {
            for argument in [(*option).to_owned(), format!("{option}=x")] {
                let made = run(SessionChoice::Start("id".to_owned()), false, &argument);
                assert!(invocation(&made).is_err(), "{argument}");
            }
        }
    }
}
