//! OpenCode's command line, headless.
//!
//! Measured traps: an argument with a space in it reaches the model in quotation marks,
//! so that the prompt goes to stdin; the id of a session is its own to choose; in the
//! address of a plugin `%` and `#` are not what they are in its path; where there is no
//! network it waits a minute or two for a package of its own before any plugin is loaded,
//! so that none is where it can be helped. A session goes on with its own model where
//! none is named. What holds for one run is told in a variable, which is merged over the
//! person's own configuration.

use std::env;
use std::ffi::OsString;
use std::io;

use serde_json::{Value, json};

use crate::passed;
use crate::run::{Invocation, Run, SessionChoice};

/// Options that would join another session than the one that is meant, or run it
/// elsewhere.
const SESSION: [&str; 7] = ["-c", "--continue", "-s", "--session", "--fork", "--attach", "--dir"];

/// Options with which a run could be neither watched nor resumed.
const UNWATCHED: [&str; 3] = ["--format", "-i", "--interactive"];

/// The configuration of one run, as JSON.
const CONFIGURATION: &str = "OPENCODE_CONFIG_CONTENT";

/// What OpenCode loads for the turn that writes the document; its last line is the run's.
const PLUGIN: &str = concat!(include_str!("../ask.js"), include_str!("plugin.js"));

pub(super) fn invocation(run: &Run) -> io::Result<Invocation> {
    let mut passed = run.arguments.clone();
    passed::refuse_sessions(&passed, &SESSION)?;
    passed::refuse_unwatched(&passed, &UNWATCHED)?;
    let (mut files, mut unset) = (Vec::new(), Vec::new());
    let mut configuration = configured()?;
    if !run.compaction {
        if !configuration["compaction"].is_object() {
            configuration["compaction"] = json!({});
        }
        configuration["compaction"]["auto"] = json!(false);
    }
    if let Some(hook) = &run.hook {
        // Without plugins nothing would keep the turn from acting.
        passed = passed::without(passed, &[], &["--pure"]);
        unset.push("OPENCODE_PURE");
        let plugin = run.scratch.join("guard.js");
        // Under another name it would not be there, and nothing would refuse the tools.
        let named = plugin.to_str().ok_or_else(|| {
            let why = format!("'{}': its name is no UTF-8", plugin.display());
            io::Error::new(io::ErrorKind::InvalidData, why)
        })?;
        let own = json!(named);
        match configuration["plugin"].as_array_mut() {
            Some(plugins) => plugins.push(own),
            None => configuration["plugin"] = json!([own]),
        }
        let command = json!(hook.command);
        files.push((plugin, format!("{PLUGIN}export const Guard = guardedBy({command});\n")));
    }
    let mut arguments: Vec<OsString> = ["run", "--format", "json"].map(OsString::from).into();
    if let SessionChoice::Resume(id) = &run.session {
        arguments.extend(["--session".into(), id.into()]);
    }
    passed::name_model(&mut arguments, run, &["--model", "-m"]);
    arguments.extend(passed);
    let environment = vec![(CONFIGURATION, configuration.to_string())];
    let program = "opencode".into();
    Ok(Invocation { program, arguments, environment, unset, files, ..Invocation::default() })
}

/// What the person has put in that variable.
fn configured() -> io::Result<Value> {
    let Some(text) = env::var_os(CONFIGURATION).filter(|text| !text.is_empty()) else {
        return Ok(json!({}));
    };
    let configuration = serde_json::from_str(&text.to_string_lossy()).ok();
    configuration.filter(Value::is_object).ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidData, format!("{CONFIGURATION} is no JSON object"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Hook, sample};

    fn run(session: SessionChoice, passed: &str) -> Run {
        Run { model: Some("vendor/model".to_owned()), ..sample::run(session, passed) }
    }

    fn arguments(run: &Run) -> String {
        sample::words(&invocation(run).unwrap())
    }

    #[test]
    fn starts_and_resumes() {
        let start = run(SessionChoice::Start("made".to_owned()), "--auto");
        assert_eq!(arguments(&start), "run --format json --model vendor/model --auto");
        let resume = run(SessionChoice::Resume("ses_1".to_owned()), "-m other/one");
        assert_eq!(arguments(&resume), "run --format json --session ses_1 -m other/one");
        let environment = invocation(&start).unwrap().environment;
        assert_eq!(environment, [(CONFIGURATION, r#"{"compaction":{"auto":false}}"#.to_owned())]);
    }

    #[test]
    fn the_turn_that_writes_loads_the_guard() {
        let hook = Hook { command: "'/a \"b/ctx-guard'".into(), stops: false, denies: true };
        let resume = SessionChoice::Resume("ses_1".to_owned());
        let run = Run { hook: Some(hook), is_handoff: true, ..run(resume, "--pure --auto") };
        assert!(arguments(&run).ends_with("--model vendor/model --auto"));
        let Invocation { environment, files, .. } = invocation(&run).unwrap();
        let configuration: Value = serde_json::from_str(&environment[0].1).unwrap();
        assert_eq!(configuration["plugin"], json!(["/scratch/guard.js"]));
        assert!(files[0].1.ends_with("guardedBy(\"'/a \\\"b/ctx-guard'\");\n"), "{}", files[0].1);
    }
}
