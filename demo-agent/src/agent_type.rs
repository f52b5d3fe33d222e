//! The agent type that hooks are told.
//!
//! A type is known when it is built in, defined by a file, or given by
//! `--agents` in this very run. A resumed session whose type is no longer known
//! goes on without one, as the real CLI does.

use serde_json::Value;

use crate::Refusal;
use crate::arguments::Arguments;
use crate::opening::Opened;
use crate::place::Place;

const BUILT_IN: [&str; 5] = ["claude", "Explore", "general-purpose", "Plan", "statusline-setup"];

/// The session's agent type.
///
/// # Errors
/// `--agent` names one that is not known.
pub(crate) fn of(
    arguments: &Arguments,
    place: &Place,
    opened: &Opened,
) -> Result<Option<String>, Refusal> {
    let known = known(arguments, place);
    if let Some(named) = &arguments.agent {
        if !known.contains(named) {
            return Err(Refusal::bare(format!(
                "--agent '{named}' not found. Available agents: {}",
                known.join(", ")
            )));
        }
        return Ok(Some(named.clone()));
    }
    let recorded = opened.transcript.conversation.agent.clone();
    Ok(recorded.filter(|recorded| known.contains(recorded)))
}

fn known(arguments: &Arguments, place: &Place) -> Vec<String> {
    let mut known: Vec<String> = BUILT_IN.iter().map(|name| (*name).to_owned()).collect();
    let given = arguments.agents.as_deref().and_then(|json| serde_json::from_str(json).ok());
    if let Some(Value::Object(given)) = given {
        known.extend(given.into_iter().map(|(name, _)| name));
    }
    for folder in [place.cwd.join(".claude/agents"), place.config.join("agents")] {
        let Ok(files) = fs_err::read_dir(folder) else { continue };
        for file in files.filter_map(Result::ok) {
            let path = file.path();
            if path.extension().is_some_and(|ending| ending == "md") {
                let text = fs_err::read_to_string(&path).unwrap_or_default();
                let name = text.lines().find_map(|line| line.strip_prefix("name:"));
                known.extend(name.map(|name| name.trim().to_owned()));
            }
        }
    }
    known
}
