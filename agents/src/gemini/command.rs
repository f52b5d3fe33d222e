//! Gemini CLI's command line, headless.
//!
//! Measured traps: it starts itself again as a child, which hears no signal that its
//! parent gets and outlives it, unless it is told not to; options that take lists
//! swallow the words behind them; a rule that denies a tool takes it off the list of
//! tools, unless the rule looks at the arguments as well; hooks and settings for one
//! run have no place: a settings file that a variable names must belong to root, all
//! folders above it too, and what lies there otherwise is passed over.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::passed;
use crate::run::{Invocation, Run, SessionChoice};

/// Options that would join another session than the one that is meant, or none.
const SESSION: [&str; 7] = [
    "-r",
    "--resume",
    "--session-id",
    "--session-file",
    "--list-sessions",
    "--delete-session",
    "--acp",
];

/// Options with which a run could be neither watched nor resumed.
const UNWATCHED: [&str; 10] = [
    "-o",
    "--output-format",
    "--outputFormat",
    "-i",
    "--prompt-interactive",
    "--promptInteractive",
    "--experimental-acp",
    "--experimentalAcp",
    "-w",
    "--worktree",
];

/// Every tool may be asked for, and none is used.
const NO_TOOLS: &str = r#"[[rule]]
toolName = "*"
argsPattern = "^"
decision = "deny"
priority = 999
denyMessage = "No tools in this turn: write the handoff document as your answer, from what you know now."
"#;

/// Where a system's own policies lie. With any there, such files as we name do not
/// count as an administrator's.
const SYSTEM_POLICIES: [&str; 2] =
    ["/etc/gemini-cli/policies", "/Library/Application Support/GeminiCli/policies"];

pub(super) fn invocation(run: &Run) -> io::Result<Invocation> {
    let passed = &run.arguments;
    passed::refuse_sessions(passed, &SESSION)?;
    passed::refuse_unwatched(passed, &UNWATCHED)?;
    let mut arguments: Vec<OsString> = ["--output-format", "stream-json"].map(Into::into).into();
    let (option, id) = match &run.session {
        SessionChoice::Start(id) => ("--session-id", id),
        SessionChoice::Resume(id) => ("--resume", id),
    };
    arguments.extend([option.into(), id.into()]);
    let mut files = Vec::new();
    if run.is_handoff {
        let path = run.scratch.join("no-tools.toml");
        arguments.extend(without_tools(&path, SYSTEM_POLICIES.iter().any(has_policies)));
        files.push((path, NO_TOOLS.to_owned()));
    }
    passed::name_model(&mut arguments, run, &["--model", "-m"]);
    arguments.extend(passed.iter().cloned());
    Ok(Invocation {
        program: "gemini".into(),
        arguments,
        environment: vec![("GEMINI_CLI_NO_RELAUNCH", "true".to_owned())],
        files,
        ..Invocation::default()
    })
}

/// An administrator's policy goes before any of the person's. Where none but the
/// system's own counts as that, it at least goes before what yolo allows.
fn without_tools(policy: &Path, system_has_policies: bool) -> Vec<OsString> {
    let option = if system_has_policies { "--policy" } else { "--admin-policy" };
    vec![option.into(), policy.into()]
}

fn has_policies(folder: impl Into<PathBuf>) -> bool {
    let mut entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| entry.path().extension() == Some(OsStr::new("toml")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sample;

    fn run(session: SessionChoice, is_handoff: bool, passed: &str) -> Run {
        Run { is_handoff, ..sample::run(session, passed) }
    }

    fn arguments(session: SessionChoice, is_handoff: bool, passed: &str) -> String {
        sample::words(&invocation(&run(session, is_handoff, passed)).unwrap())
    }

    #[test]
    fn starts_resumes_and_hands_over() {
        let common = "--output-format stream-json";
        let start = || SessionChoice::Start("made".to_owned());
        let resume = || SessionChoice::Resume("id".to_owned());
        let yolo = "--approval-mode yolo";
        assert_eq!(
            arguments(start(), false, yolo),
            format!("{common} --session-id made --model m {yolo}")
        );
        for model in ["--model=x", "-m x", "-mx"] {
            let expected = format!("{common} --resume id {model}");
            assert_eq!(arguments(resume(), false, model), expected);
        }
        let handoff = invocation(&run(resume(), true, yolo)).unwrap();
        assert_eq!(handoff.files, [("/scratch/no-tools.toml".into(), NO_TOOLS.to_owned())]);
        assert!(handoff.arguments.contains(&"/scratch/no-tools.toml".into()));
        assert!(handoff.arguments.ends_with(&["--approval-mode".into(), "yolo".into()]));
    }

    #[test]
    fn what_denies_goes_before_what_allows() {
        let policy = Path::new("/p");
        assert_eq!(without_tools(policy, false), ["--admin-policy", "/p"]);
        assert_eq!(without_tools(policy, true), ["--policy", "/p"]);
    }

    #[test]
    fn a_persons_session_is_not_joined() {
        for option in SESSION.into_iter().chain(UNWATCHED).chain(["-rlatest", "--resume=latest"]) {
            let run = run(SessionChoice::Start("made".to_owned()), false, option);
            assert!(invocation(&run).is_err(), "{option}");
        }
    }
}
