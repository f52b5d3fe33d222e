//! Where pi keeps its sessions.

use std::io;
use std::path::{Path, PathBuf};

use crate::agent::{Session, sessions_below, set, started_in};

pub(super) fn by_id(id: &str) -> io::Result<Vec<PathBuf>> {
    let Some(sessions) = folder().filter(|_| !id.is_empty()) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    sessions_below(&sessions, 1, &|name| id_of(name) == Some(id), &mut found)?;
    Ok(found.into_iter().map(|session| session.path).collect())
}

pub(super) fn by_folder(folder: &Path) -> io::Result<Vec<Session>> {
    let Some(sessions) = self::folder() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    sessions_below(&sessions.join(key(folder)), 0, &|name| id_of(name).is_some(), &mut found)?;
    // Two folders may have one key.
    started_in(folder, &mut found);
    Ok(found)
}

/// The key of a folder: `--home-dev-proj--`.
fn key(folder: &Path) -> String {
    let folder = folder.to_string_lossy();
    let inner = folder.trim_start_matches(['/', '\\']).replace(['/', '\\', ':'], "-");
    format!("--{inner}--")
}

/// The id in `<time>_<id>.jsonl`.
fn id_of(name: &str) -> Option<&str> {
    name.strip_suffix(".jsonl")?.split_once('_').map(|(_, id)| id).filter(|id| !id.is_empty())
}

fn folder() -> Option<PathBuf> {
    set("PI_CODING_AGENT_SESSION_DIR").or_else(|| {
        let agent = set("PI_CODING_AGENT_DIR").or_else(|| Some(set("HOME")?.join(".pi/agent")));
        agent.map(|agent| agent.join("sessions"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_the_cli_makes() {
        assert_eq!(key(Path::new("/home/dev/a.b proj")), "--home-dev-a.b proj--");
        let name = "2026-11-30T17-51-15-472Z_01a22d95-180f-74d9-9a6b-6a104458ef2a.jsonl";
        assert_eq!(id_of(name), Some("01a22d95-180f-74d9-9a6b-6a104458ef2a"));
        assert_eq!(id_of("notes.jsonl"), None);
        assert_eq!(id_of("x_.jsonl"), None);
    }
}
