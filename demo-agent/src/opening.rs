//! Which session a run is of: a new one, one that is resumed, or a copy of it.

use std::env;

use serde_json::json;
use uuid::Uuid;

use crate::arguments::{Arguments, Refusal};
use crate::model::Model;
use crate::place::Place;
use crate::script::Script;
use crate::settings::Settings;
use crate::transcript::Transcript;

/// A session found or made.
#[derive(Debug)]
pub(crate) struct Opened {
    /// Its id.
    pub(crate) id: String,
    /// Its transcript, with what it remembers.
    pub(crate) transcript: Transcript,
    /// As the SessionStart hook is told.
    pub(crate) source: &'static str,
}

/// Finds or makes the session.
///
/// # Errors
/// The id is taken, or names no session of this directory.
pub(crate) fn open(
    arguments: &Arguments,
    place: &Place,
    script: &mut Script,
) -> Result<Opened, Refusal> {
    let parent = match &arguments.resume {
        Some(id) => Some(id.to_lowercase()),
        None if arguments.continue_newest => newest(place),
        None => None,
    };
    let own = arguments.session_id.as_ref().map(|id| id.to_lowercase());
    if let Some(parent) = &parent {
        let path = place.transcript(parent);
        if fs_err::metadata(&path).is_err() {
            return Err(Refusal::bare(format!("No conversation found with session ID: {parent}")));
        }
        let mut old = Transcript::new(path, parent, &place.cwd);
        let lines = old.recall()?;
        if !arguments.fork_session {
            script.open(parent, None)?;
            return Ok(Opened { id: parent.clone(), transcript: old, source: "resume" });
        }
        let id = fresh(own, place)?;
        let mut copy = Transcript::new(place.transcript(&id), &id, &place.cwd);
        for mut line in lines {
            line["sessionId"] = json!(id);
            copy.note(&line)?;
        }
        script.open(&id, Some(parent))?;
        return Ok(Opened { id, transcript: copy, source: "resume" });
    }
    let id = fresh(own, place)?;
    script.open(&id, None)?;
    let transcript = Transcript::new(place.transcript(&id), &id, &place.cwd);
    Ok(Opened { id, transcript, source: "startup" })
}

/// The id of a new session.
fn fresh(own: Option<String>, place: &Place) -> Result<String, Refusal> {
    match own {
        Some(id) if fs_err::metadata(place.transcript(&id)).is_ok() => {
            Err(Refusal::error(format!("Session ID {id} is already in use.")))
        }
        Some(id) => Ok(id),
        None => Ok(Uuid::new_v4().to_string()),
    }
}

/// The newest session of the directory.
fn newest(place: &Place) -> Option<String> {
    let files = fs_err::read_dir(place.project()).ok()?;
    let sessions = files.filter_map(Result::ok).filter_map(|file| {
        let name = file.file_name().into_string().ok()?;
        let id = name.strip_suffix(".jsonl")?.to_owned();
        Some((file.metadata().ok()?.modified().ok()?, id))
    });
    sessions.max().map(|(_, id)| id)
}

/// A resumed session that names no model gets the recorded one, which has lost
/// its `[1m]`.
pub(crate) fn model_of(
    arguments: &Arguments,
    settings: &Settings,
    opened: &Opened,
    script: &Script,
) -> Model {
    let recorded = opened.transcript.conversation.model.clone();
    let by_variable = env::var("ANTHROPIC_MODEL").ok().filter(|name| !name.is_empty());
    let name = arguments
        .model
        .clone()
        .or(by_variable)
        .or_else(|| settings.model.clone())
        .or(recorded)
        .or_else(|| script.scenario.model.clone());
    Model::named(name.as_deref(), script.scenario.window)
}
