//! Codex's command line, headless.
//!
//! Measured traps: it waits for a stdin that is not closed; outside of a git
//! repository it wants to be told that this is meant; the id of a session is its
//! own to choose; its compaction cannot be switched off, and comes at nine tenths of
//! the raw window, on a resume before the prompt; hooks that nobody trusted by hand
//! are passed over without a word, so none are registered.

use std::ffi::OsString;
use std::io;

use crate::passed;
use crate::run::{Invocation, Run, SessionChoice};

/// Options that would join another session than the one that is meant.
const SESSION: [&str; 4] = ["resume", "fork", "--last", "review"];

/// Options with which a run could be neither watched nor resumed.
const UNWATCHED: [&str; 2] = ["--ephemeral", "--worktree"];

/// Options that let tools write; the first are followed by a value.
const SANDBOX: [&str; 2] = ["-s", "--sandbox"];
const PERMISSIONS: [&str; 3] =
    ["--full-auto", "--approve-for-me", "--dangerously-bypass-approvals-and-sandbox"];

/// With these the tool that searches the web has another form, which is part of the
/// list of tools.
const FULL_ACCESS: [&str; 2] = ["danger-full-access", "dangerously-bypass-approvals-and-sandbox"];

pub(super) fn invocation(run: &Run) -> io::Result<Invocation> {
    let mut passed = run.arguments.clone();
    passed::refuse_sessions(&passed, &SESSION)?;
    passed::refuse_unwatched(&passed, &UNWATCHED)?;
    if run.is_handoff {
        // The tools stay, since another list of them would throw the cache of the
        // prompt away; they may read and change nothing.
        let reaches_web = passed.iter().any(|argument| {
            let text = argument.to_string_lossy();
            FULL_ACCESS.iter().any(|access| text.ends_with(access))
        });
        passed = passed::without(passed, &SANDBOX, &PERMISSIONS);
        passed.extend(["-s", "read-only"].map(OsString::from));
        if reaches_web {
            passed.extend(["-c", "web_search=live"].map(OsString::from));
        }
    }
    let mut arguments: Vec<OsString> =
        ["exec", "--json", "--skip-git-repo-check"].map(OsString::from).into();
    passed::name_model(&mut arguments, run, &["-m", "--model"]);
    arguments.extend(passed);
    if let SessionChoice::Resume(id) = &run.session {
        arguments.extend(["resume".into(), id.into()]);
    }
    arguments.push("-".into());
    Ok(Invocation { program: "codex".into(), arguments, ..Invocation::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sample;

    fn arguments(session: SessionChoice, is_handoff: bool, passed: &str) -> String {
        let run = Run { is_handoff, ..sample::run(session, passed) };
        sample::words(&invocation(&run).unwrap())
    }

    #[test]
    fn starts_resumes_and_hands_over() {
        let common = "exec --json --skip-git-repo-check";
        let start = SessionChoice::Start("made".to_owned());
        let resume = SessionChoice::Resume("id".to_owned());
        assert_eq!(
            arguments(start, false, "-s workspace-write"),
            format!("{common} -m m -s workspace-write -")
        );
        assert_eq!(
            arguments(resume.clone(), false, "--model=x"),
            format!("{common} --model=x resume id -")
        );
        assert_eq!(
            arguments(resume, true, "-s workspace-write --full-auto --sandbox=x -c a=b"),
            format!("{common} -m m -c a=b -s read-only resume id -")
        );
        let resume = SessionChoice::Resume("id".to_owned());
        assert_eq!(
            arguments(resume, true, "-s danger-full-access"),
            format!("{common} -m m -s read-only -c web_search=live resume id -")
        );
    }
}
