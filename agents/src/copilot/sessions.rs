//! Where Copilot CLI keeps its sessions.

use std::io;
use std::path::{Path, PathBuf};

use crate::agent::{Session, sessions_below, set, started_in};

const EVENTS: &str = "events.jsonl";

/// The id is the name of the folder.
pub(super) fn id_of(path: &Path) -> Option<String> {
    let is_events = path.file_name().is_some_and(|name| name == EVENTS);
    let folder = path.parent().filter(|_| is_events)?.file_name()?;
    folder.to_str().map(str::to_owned)
}

pub(super) fn by_id(id: &str) -> io::Result<Vec<PathBuf>> {
    let Some(state) = state().filter(|_| is_id(id)) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    sessions_below(&state.join(id), 0, &|name| name == EVENTS, &mut found)?;
    Ok(found.into_iter().map(|session| session.path).collect())
}

pub(super) fn by_folder(folder: &Path) -> io::Result<Vec<Session>> {
    let Some(state) = state() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    sessions_below(&state, 1, &|name| name == EVENTS, &mut found)?;
    started_in(folder, &mut found);
    Ok(found)
}

/// Where the session with this id lies, or will lie.
pub(super) fn place_of(id: &str) -> Option<PathBuf> {
    Some(state().filter(|_| is_id(id))?.join(id).join(EVENTS))
}

/// An id is part of a path here.
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|b| b == b'-' || b.is_ascii_alphanumeric())
}

fn state() -> Option<PathBuf> {
    let home = set("COPILOT_HOME").or_else(|| Some(set("HOME")?.join(".copilot")))?;
    Some(home.join("session-state"))
}
