//! Claude Code's command line, headless.
//!
//! Measured traps: `stream-json` wants `--verbose`; `--resume` finds a session
//! only from the folder it was started in, and without `--model` a session of a
//! million tokens may go on with 200,000; with auto-compaction off the CLI itself
//! refuses requests from the window's end less 23,000 on, the handoff turn
//! included, unless that wall is moved.

use std::ffi::OsString;
use std::io;

use serde_json::{Value, json};

use crate::passed;
use crate::run::{Hook, Invocation, Run, SessionChoice};

/// Beyond any window.
const NO_WALL: &str = "100000000";

/// Limits that must not starve the handoff turn, each followed by its value.
const LIMITS: [&str; 2] = ["--max-budget-usd", "--max-turns"];

/// Options that would join another session than the one that is meant.
const SESSION: [&str; 7] =
    ["--continue", "-c", "--resume", "-r", "--session-id", "--fork-session", "--from-pr"];

/// Options with which a run could be neither watched nor resumed.
const UNWATCHED: [&str; 6] =
    ["--output-format", "--input-format", "--no-session-persistence", "--worktree", "-w", "--tmux"];

/// Seconds that a hook may take; the guard's own deadline is far below.
const HOOK_TIMEOUT: u32 = 5;

pub(crate) fn invocation(program: &str, run: &Run) -> io::Result<Invocation> {
    let (settings, mut passed) = split_settings(&run.arguments);
    passed::refuse_sessions(&passed, &SESSION)?;
    passed::refuse_unwatched(&passed, &UNWATCHED)?;
    if run.is_handoff {
        passed = passed::without(passed, &LIMITS, &[]);
    }
    let mut arguments: Vec<OsString> =
        ["-p", "--output-format", "stream-json", "--verbose"].map(OsString::from).into();
    let (option, id) = match &run.session {
        SessionChoice::Start(id) => ("--session-id", id),
        SessionChoice::Resume(id) => ("--resume", id),
    };
    arguments.extend([option.into(), id.into()]);
    passed::name_model(&mut arguments, run, &["--model"]);
    if let Some(hook) = &run.hook {
        arguments.extend(["--settings".into(), with_hook(settings, hook)?.into()]);
    } else if let Some(settings) = settings {
        arguments.extend(["--settings".into(), settings]);
    }
    arguments.extend(passed);
    let mut environment = Vec::new();
    let mut unset = Vec::new();
    if run.compaction {
        // A run around this one may have set it.
        unset.push("DISABLE_AUTO_COMPACT");
    } else {
        environment.push(("DISABLE_AUTO_COMPACT", "1".to_owned()));
    }
    if run.is_handoff {
        environment.push(("CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE", NO_WALL.to_owned()));
    }
    let program = program.into();
    Ok(Invocation { program, arguments, environment, unset, ..Invocation::default() })
}

/// The person's own `--settings` apart from the other arguments: the CLI takes
/// the option once.
fn split_settings(arguments: &[OsString]) -> (Option<OsString>, Vec<OsString>) {
    let mut settings = None;
    let mut rest = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--settings" {
            settings = arguments.next().cloned();
        } else if let Some(value) = argument.to_str().and_then(|a| a.strip_prefix("--settings=")) {
            settings = Some(value.into());
        } else {
            rest.push(argument.clone());
        }
    }
    (settings, rest)
}

/// The person's settings, a file or JSON, with our hook added to theirs.
fn with_hook(settings: Option<OsString>, hook: &Hook) -> io::Result<String> {
    let mut json: Value = match settings {
        None => json!({}),
        Some(text) if text.to_string_lossy().trim_start().starts_with('{') => {
            serde_json::from_str(&text.to_string_lossy())?
        }
        Some(path) => serde_json::from_slice(&fs_err::read(path)?)?,
    };
    let entry = json!({"hooks": [
        {"type": "command", "command": hook.command, "timeout": HOOK_TIMEOUT}]});
    let events = [("PostToolBatch", hook.stops), ("PreToolUse", hook.denies)];
    for (event, _) in events.into_iter().filter(|(_, wanted)| *wanted) {
        let list = &mut json["hooks"][event];
        match list.as_array_mut() {
            Some(list) => list.push(entry.clone()),
            None => *list = json!([entry]),
        }
    }
    Ok(json.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sample;

    fn run(arguments: &[&str]) -> Run {
        Run {
            model: Some("opus[1m]".into()),
            arguments: arguments.iter().map(OsString::from).collect(),
            ..sample::run(SessionChoice::Resume("id".into()), "")
        }
    }

    fn arguments(run: &Run) -> String {
        sample::words(&invocation("claude", run).unwrap())
    }

    #[test]
    fn a_resume_names_the_model_again() {
        let base = "-p --output-format stream-json --verbose --resume id";
        assert_eq!(arguments(&run(&[])), format!("{base} --model opus[1m]"));
        assert_eq!(arguments(&run(&["--model=x"])), format!("{base} --model=x"));
    }

    #[test]
    fn the_handoff_turn_has_neither_budget_nor_wall() {
        let given = ["--max-budget-usd", "1", "--max-turns=3", "--allowedTools", "Bash"];
        let handoff = Run { is_handoff: true, ..run(&given) };
        assert!(arguments(&handoff).ends_with("--model opus[1m] --allowedTools Bash"));
        let environment = invocation("claude", &handoff).unwrap().environment;
        assert!(environment.iter().any(|(name, _)| *name == "CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE"));
        assert!(environment.contains(&("DISABLE_AUTO_COMPACT", "1".into())));
        assert!(arguments(&run(&given)).contains("--max-budget-usd 1 --max-turns=3"));
        let compacting = Run { compaction: true, ..run(&[]) };
        assert_eq!(invocation("claude", &compacting).unwrap().environment, []);
    }

    #[test]
    fn our_hook_stands_beside_the_persons() {
        let hook = Hook { command: "'/a b/ctx-guard'".into(), stops: true, denies: false };
        let own = r#"{"env":{"A":"1"},"hooks":{"PostToolBatch":[{"hooks":[]}],"Stop":[]}}"#;
        let run = Run { hook: Some(hook), ..run(&["--settings", own, "--agent", "worker"]) };
        let invocation = invocation("claude", &run).unwrap();
        let at = invocation.arguments.iter().position(|a| a == "--settings").unwrap();
        let json: Value =
            serde_json::from_str(invocation.arguments[at + 1].to_str().unwrap()).unwrap();
        assert_eq!(json["env"]["A"], "1");
        assert_eq!(json["hooks"]["PostToolBatch"].as_array().unwrap().len(), 2);
        assert_eq!(json["hooks"]["PostToolBatch"][1]["hooks"][0]["command"], "'/a b/ctx-guard'");
        assert!(json["hooks"]["PreToolUse"].is_null());
        assert_eq!(invocation.arguments.iter().filter(|a| *a == "--settings").count(), 1);
        assert!(invocation.arguments.ends_with(&["--agent".into(), "worker".into()]));
    }
}
