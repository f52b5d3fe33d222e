//! Where Codex keeps its threads.

use std::io;
use std::path::{Path, PathBuf};

use crate::agent::{Session, sessions_below, set, started_in};

/// The id in `rollout-<time>-<id>.jsonl`, compressed or not; a UUID is 36 characters long.
pub(super) fn id_of(name: &str) -> Option<&str> {
    let name = name.strip_suffix(".zst").unwrap_or(name);
    let stem = name.strip_prefix("rollout-")?.strip_suffix(".jsonl")?;
    stem.get(stem.len().checked_sub(36)?..)
}

pub(super) fn by_id(id: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if let Some(folder) = home().filter(|_| !id.is_empty()) {
        let is_his = |name: &str| id_of(name) == Some(id);
        sessions_below(&folder.join("sessions"), 3, &is_his, &mut found)?;
        if found.is_empty() {
            sessions_below(&folder.join("archived_sessions"), 0, &is_his, &mut found)?;
            sessions_below(&folder.join("archived_sessions"), 3, &is_his, &mut found)?;
        }
    }
    Ok(found.into_iter().map(|session| session.path).collect())
}

pub(super) fn by_folder(folder: &Path) -> io::Result<Vec<Session>> {
    let Some(home) = home() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    sessions_below(&home.join("sessions"), 3, &|name| id_of(name).is_some(), &mut found)?;
    started_in(folder, &mut found);
    Ok(found)
}

fn home() -> Option<PathBuf> {
    set("CODEX_HOME").or_else(|| Some(set("HOME")?.join(".codex")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_ends_the_name() {
        let name = "rollout-2026-11-30T17-41-42-01a22d8c-59e1-7280-a232-291f04971f23.jsonl";
        assert_eq!(id_of(name), Some("01a22d8c-59e1-7280-a232-291f04971f23"));
        assert_eq!(id_of(&format!("{name}.zst")), id_of(name));
        assert_eq!(id_of("rollout-x.jsonl"), None);
        assert_eq!(id_of("notes.jsonl"), None);
    }
}
