//! Settings that hold for one run, in place of the system's, which win over a person's
//! and a project's own. What stood there before goes on holding.
//!
//! Measured traps:
//! - The system's defaults are looked for beside the system's settings, so that moving
//!   those moves these.
//! - A threshold of 0 switches the compaction off, the one after a refused request
//!   included.
//! - Hooks of the system are passed over where both the person and the project have some,
//!   and where the person switched all off. So rules of permission deny what writes, too:
//!   one that names a tool alone takes it off the list, which would throw the cache of
//!   the prompt away; with a pattern it stays.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::agent::set;
use crate::run::Run;

const SETTINGS: &str = "QWEN_CODE_SYSTEM_SETTINGS_PATH";
const DEFAULTS: &str = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";

/// Milliseconds that a hook may take; the guard's own deadline is far below.
const HOOK_TIMEOUT: u32 = 5_000;

/// The first covers all tools that run commands, the second all that write files.
const WRITING: [&str; 2] = ["Bash(*)", "Edit(//**)"];

/// Variables and files of a run.
type Told = (Vec<(&'static str, String)>, Vec<(PathBuf, String)>);

pub(super) fn of(run: &Run) -> io::Result<Told> {
    if run.compaction && run.hook.is_none() && !run.is_handoff {
        return Ok(Told::default());
    }
    let replaced = set(SETTINGS).unwrap_or_else(system);
    let settings = with_ours(earlier(&replaced)?, run)
        .ok_or_else(|| unusable(&replaced, "a section in it is no object"))?;
    let path = run.scratch.join("settings.json");
    let mut environment = vec![(SETTINGS, text(&path)?)];
    if set(DEFAULTS).is_none() {
        environment.push((DEFAULTS, text(&replaced.with_file_name("system-defaults.json"))?));
    }
    Ok((environment, vec![(path, Value::Object(settings).to_string())]))
}

/// Where the system's settings lie.
fn system() -> PathBuf {
    let place = if cfg!(target_os = "macos") {
        "/Library/Application Support/QwenCode/settings.json"
    } else {
        "/etc/qwen-code/settings.json"
    };
    place.into()
}

fn earlier(path: &Path) -> io::Result<Map<String, Value>> {
    match fs_err::read(path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| unusable(path, &error.to_string()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Map::new()),
        Err(error) => Err(error),
    }
}

/// `None` where a section that we write in is something else.
fn with_ours(mut settings: Map<String, Value>, run: &Run) -> Option<Map<String, Value>> {
    let model = section(&mut settings, "model")?;
    if !run.compaction {
        section(model, "chatCompression")?.insert("contextPercentageThreshold".into(), json!(0));
    }
    if run.is_handoff {
        // Limits of the session's that must not starve this turn.
        model.insert("maxSessionTurns".into(), json!(-1));
        model.insert("sessionTokenLimit".into(), json!(-1));
        for rule in WRITING {
            push(section(&mut settings, "permissions")?, "deny", json!(rule))?;
        }
    }
    if let Some(hook) = run.hook.as_ref().filter(|hook| hook.denies) {
        let entry = json!({"hooks": [
            {"type": "command", "command": hook.command, "timeout": HOOK_TIMEOUT}]});
        push(section(&mut settings, "hooks")?, "PreToolUse", entry)?;
    }
    Some(settings)
}

fn section<'s>(
    settings: &'s mut Map<String, Value>,
    name: &str,
) -> Option<&'s mut Map<String, Value>> {
    settings.entry(name).or_insert_with(|| json!({})).as_object_mut()
}

fn push(settings: &mut Map<String, Value>, name: &str, value: Value) -> Option<()> {
    settings.entry(name).or_insert_with(|| json!([])).as_array_mut()?.push(value);
    Some(())
}

/// Variables hold text here.
fn text(path: &Path) -> io::Result<String> {
    let text = path.to_str().ok_or_else(|| unusable(path, "its name is no UTF-8"))?;
    Ok(text.to_owned())
}

fn unusable(path: &Path, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("'{}': {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Hook, SessionChoice};

    fn run(compaction: bool, is_handoff: bool) -> Run {
        let hook = Hook { command: "guard".to_owned(), stops: false, denies: true };
        Run {
            agent: "qwen".to_owned(),
            session: SessionChoice::Resume("id".to_owned()),
            is_handoff,
            model: None,
            compaction,
            arguments: Vec::new(),
            hook: Some(hook).filter(|_| is_handoff),
            scratch: "/scratch".into(),
        }
    }

    fn settings(earlier: Value, run: &Run) -> Option<Value> {
        let Value::Object(earlier) = earlier else { return None };
        with_ours(earlier, run).map(Value::Object)
    }

    #[test]
    fn ours_stand_beside_what_was_there() {
        let earlier = json!({"model": {"name": "m", "chatCompression": {"other": 1}},
            "permissions": {"deny": ["Read(//etc/**)"]}, "hooks": {"PreToolUse": [{"hooks": []}]}});
        assert_eq!(
            settings(earlier.clone(), &run(false, false)).unwrap()["model"],
            json!({"name": "m",
                "chatCompression": {"other": 1, "contextPercentageThreshold": 0}})
        );
        let handoff = settings(earlier, &run(true, true)).unwrap();
        assert_eq!(handoff["model"]["chatCompression"], json!({"other": 1}));
        assert_eq!(handoff["model"]["sessionTokenLimit"], -1);
        assert_eq!(
            handoff["permissions"]["deny"],
            json!(["Read(//etc/**)", "Bash(*)", "Edit(//**)"])
        );
        assert_eq!(handoff["hooks"]["PreToolUse"][1]["hooks"][0]["command"], "guard");
        assert_eq!(settings(json!({"model": "m"}), &run(false, false)), None);
    }

    #[test]
    fn a_run_that_wants_none_has_none() {
        assert_eq!(of(&run(true, false)).unwrap(), Told::default());
        let (environment, files) = of(&run(false, false)).unwrap();
        assert_eq!(environment[0], (SETTINGS, "/scratch/settings.json".to_owned()));
        assert!(environment[1].1.ends_with("/system-defaults.json"), "{environment:?}");
        assert_eq!(files.len(), 1);
    }
}
