//! Copilot's command line, headless.
//!
//! Measured traps: npm's program only launches the one that works, and passes no signal
//! on; no hook ends a run; `--allow-tool` takes any number of values; permissions that
//! were granted once are remembered, so that to grant none is not enough: a denial goes
//! before all of them; its compaction has no switch, but two variables that nothing
//! documents put off where it begins, by shares of the window.

use std::ffi::OsString;
use std::io;

use crate::passed;
use crate::run::{Invocation, Run, SessionChoice};

/// Options that would join another session than the one that is meant.
const SESSION: [&str; 5] = ["--continue", "--resume", "-r", "--session-id", "--connect"];

/// Options with which a run could be neither watched nor resumed.
const UNWATCHED: [&str; 6] =
    ["--output-format", "-i", "--interactive", "--acp", "--worktree", "-w"];

/// Options that grant what the values behind them say, of which there may be any number.
const PERMISSION_LISTS: [&str; 2] = ["--allow-tool", "--allow-url"];

/// Options that grant something by themselves.
const PERMISSIONS: [&str; 6] = [
    "--allow-all-tools",
    "--allow-all-paths",
    "--allow-all-urls",
    "--allow-all",
    "--yolo",
    "--assisted-approval",
];

/// A limit that must not starve the handoff turn.
const LIMIT: &str = "--max-ai-credits";

/// Grant what the options grant.
const GRANTING: [&str; 2] = ["COPILOT_ALLOW_ALL", "COPILOT_ASSISTED_APPROVAL"];

/// Shares of the window at which compaction begins beside the work, and instead of it.
const THRESHOLDS: [&str; 2] =
    ["COPILOT_BACKGROUND_COMPACTION_THRESHOLD", "COPILOT_BUFFER_EXHAUSTION_THRESHOLD"];

/// Beyond any window.
const NEVER: &str = "100";

pub(super) fn invocation(run: &Run) -> io::Result<Invocation> {
    let mut passed = run.arguments.clone();
    passed::refuse_sessions(&passed, &SESSION)?;
    passed::refuse_unwatched(&passed, &UNWATCHED)?;
    let mut arguments: Vec<OsString> = ["--output-format", "json"].map(OsString::from).into();
    arguments.push(match &run.session {
        SessionChoice::Start(id) => format!("--session-id={id}").into(),
        SessionChoice::Resume(id) => format!("--resume={id}").into(),
    });
    passed::name_model(&mut arguments, run, &["--model"]);
    let mut environment = Vec::new();
    let mut unset = Vec::new();
    if run.is_handoff {
        // The tools stay, since another list of them would throw the cache of the
        // prompt away; they may read and change nothing.
        passed = without_permissions(passed);
        passed.extend(["--deny-tool=shell", "--deny-tool=write"].map(OsString::from));
        unset.extend(GRANTING);
    }
    if run.compaction {
        // A run around this one may have set them.
        unset.extend(THRESHOLDS);
    } else {
        environment.extend(THRESHOLDS.map(|name| (name, NEVER.to_owned())));
    }
    arguments.extend(passed);
    Ok(Invocation {
        program: "copilot".into(),
        arguments,
        environment,
        unset,
        is_launcher: true,
        ..Invocation::default()
    })
}

fn without_permissions(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut rest = Vec::new();
    let mut arguments = arguments.into_iter().peekable();
    while let Some(argument) = arguments.next() {
        if PERMISSION_LISTS.iter().any(|option| argument == *option) {
            while arguments.next_if(|value| !value.to_string_lossy().starts_with('-')).is_some() {}
        } else {
            rest.push(argument);
        }
    }
    let alone: Vec<_> = PERMISSION_LISTS.into_iter().chain(PERMISSIONS).collect();
    passed::without(rest, &[LIMIT], &alone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sample;

    fn run(session: SessionChoice, is_handoff: bool, passed: &str) -> Run {
        Run { is_handoff, ..sample::run(session, passed) }
    }

    fn arguments(run: &Run) -> String {
        sample::words(&invocation(run).unwrap())
    }

    #[test]
    fn starts_resumes_and_hands_over() {
        let start = SessionChoice::Start("made".to_owned());
        let resume = SessionChoice::Resume("id".to_owned());
        assert_eq!(
            arguments(&run(start, false, "--allow-all-tools")),
            "--output-format json --session-id=made --model m --allow-all-tools"
        );
        assert_eq!(
            arguments(&run(resume.clone(), false, "--model=x")),
            "--output-format json --resume=id --model=x"
        );
        let granted = "--yolo --allow-tool shell write --add-dir d --allow-tool=x --max-ai-credits \
                       30 --allow-all-tools --agent worker";
        assert_eq!(
            arguments(&run(resume, true, granted)),
            "--output-format json --resume=id --model m --add-dir d --agent worker \
             --deny-tool=shell --deny-tool=write"
        );
    }

    #[test]
    fn the_environment_grants_nothing_in_the_handoff_turn() {
        let resume = SessionChoice::Resume("id".to_owned());
        let work = invocation(&run(resume.clone(), false, "")).unwrap();
        assert_eq!(work.unset, <[&str; 0]>::default());
        assert_eq!(work.environment.len(), 2);
        assert_eq!(invocation(&run(resume.clone(), true, "")).unwrap().unset, GRANTING);
        let compacting = Run { compaction: true, ..run(resume, false, "") };
        assert_eq!(invocation(&compacting).unwrap().environment, []);
    }

    #[test]
    fn a_persons_session_is_not_joined() {
        for option in SESSION.into_iter().chain(UNWATCHED).chain(["--resume=other", "-rother"]) {
            let start = SessionChoice::Start("made".to_owned());
            assert!(invocation(&run(start, false, option)).is_err(), "{option}");
        }
        let start = SessionChoice::Start("made".to_owned());
        assert!(invocation(&run(start, false, "--remote --reasoning-effort high")).is_ok());
    }
}
