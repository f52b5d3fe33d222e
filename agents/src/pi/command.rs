//! pi's command line, headless.
//!
//! Measured traps: the id of a session is its own to choose; part of an id joins
//! any session that begins with it; for a session of another folder it asks whether
//! to fork it and takes the prompt for the answer, so that a session is named by its
//! file; there is no switch for its compaction; only `--model NAME` names a model,
//! `--model=NAME` does not, and a session goes on with its own where none is named.

use std::ffi::OsString;
use std::io;

use serde_json::{Value, json};

use super::sessions;
use crate::passed;
use crate::run::{Invocation, Run, SessionChoice};

/// Options that would join another session than the one that is meant, or put it
/// where nobody finds it.
const SESSION: [&str; 9] = [
    "--continue",
    "-c",
    "--resume",
    "-r",
    "--session",
    "--session-id",
    "--session-dir",
    "--fork",
    "--no-session",
];

/// Options with which a run could be neither watched nor resumed.
const UNWATCHED: [&str; 1] = ["--mode"];

/// What pi loads for one run; its last lines, the orders, are the run's.
const EXTENSION: &str = concat!(include_str!("../ask.js"), include_str!("extension.ts"));

pub(super) fn invocation(run: &Run) -> io::Result<Invocation> {
    let passed = &run.arguments;
    passed::refuse_sessions(passed, &SESSION)?;
    passed::refuse_unwatched(passed, &UNWATCHED)?;
    let extension = run.scratch.join("ctxutils.ts");
    let mut arguments: Vec<OsString> =
        ["--print", "--mode", "json", "--extension"].map(OsString::from).into();
    arguments.push(extension.clone().into());
    if let SessionChoice::Resume(id) = &run.session {
        arguments.extend(["--session".into(), session(id)]);
    }
    passed::name_model(&mut arguments, run, &["--model"]);
    arguments.extend(passed.iter().cloned());
    let files = vec![(extension, format!("{EXTENSION}{}", orders(run)))];
    Ok(Invocation { program: "pi".into(), arguments, files, ..Invocation::default() })
}

/// The session's file where it is found, else the id: the person's settings may have
/// put it elsewhere.
fn session(id: &str) -> OsString {
    match sessions::by_id(id).unwrap_or_default().pop() {
        Some(path) => path.into(),
        None => id.into(),
    }
}

fn orders(run: &Run) -> String {
    let guard = run.hook.as_ref().map_or(
        Value::Null,
        |hook| json!({"command": hook.command, "stops": hook.stops, "denies": hook.denies}),
    );
    let orders = json!({"guard": guard, "compaction": run.compaction});
    format!("export default (pi: any) => drive(pi, {orders});\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Hook, sample};

    fn run(session: SessionChoice, passed: &str) -> Run {
        Run { model: Some("anthropic/opus".to_owned()), ..sample::run(session, passed) }
    }

    fn arguments(session: SessionChoice, passed: &str) -> String {
        sample::words(&invocation(&run(session, passed)).unwrap())
    }

    #[test]
    fn starts_and_resumes() {
        let common = "--print --mode json --extension /scratch/ctxutils.ts";
        let start = || SessionChoice::Start("made".to_owned());
        assert_eq!(
            arguments(start(), "--tools bash"),
            format!("{common} --model anthropic/opus --tools bash")
        );
        assert_eq!(
            arguments(SessionChoice::Resume("id".to_owned()), "--model x:high"),
            format!("{common} --session id --model x:high")
        );
        for option in SESSION.into_iter().chain(UNWATCHED) {
            assert!(invocation(&run(start(), option)).is_err(), "{option}");
        }
    }

    #[test]
    fn the_extension_has_its_orders() {
        let hook = Hook { command: "'/a \"b/ctx-guard'".into(), stops: true, denies: false };
        let run = Run { hook: Some(hook), ..run(SessionChoice::Start("made".to_owned()), "") };
        let (path, text) = invocation(&run).unwrap().files.remove(0);
        assert_eq!(path.to_str(), Some("/scratch/ctxutils.ts"));
        let orders = text.strip_prefix(EXTENSION).unwrap();
        let orders = orders.strip_prefix("export default (pi: any) => drive(pi, ").unwrap();
        let orders: Value = serde_json::from_str(orders.strip_suffix(");\n").unwrap()).unwrap();
        let guard = json!({"command": "'/a \"b/ctx-guard'", "stops": true, "denies": false});
        assert_eq!(orders, json!({"compaction": false, "guard": guard}));
    }
}
