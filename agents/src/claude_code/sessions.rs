//! Where Claude Code keeps its sessions.

use std::io;
use std::path::{Path, PathBuf};

use crate::agent::{Session, sessions_below, set};

/// The key of a folder: every UTF-16 unit that is no ASCII letter or digit
/// becomes a dash.
pub(super) fn key(folder: &Path) -> String {
    folder
        .to_string_lossy()
        .encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
            _ => '-',
        })
        .collect()
}

/// Whether a name is a session's id; sub-agents of older versions have files
/// named `agent-…` among the sessions.
pub(super) fn is_id(name: &str) -> bool {
    let groups: Vec<&str> = name.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12] && name.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

pub(super) fn by_id(id: &str) -> io::Result<Vec<PathBuf>> {
    // An id is part of a path here, and an empty one matches nothing.
    if !is_id(id) {
        return Ok(Vec::new());
    }
    let Some(projects) = projects() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    sessions_below(&projects, 1, &|name| name.strip_suffix(".jsonl") == Some(id), &mut found)?;
    Ok(found.into_iter().map(|session| session.path).collect())
}

pub(super) fn by_folder(folder: &Path) -> io::Result<Vec<Session>> {
    let Some(projects) = projects() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    let is_session = |name: &str| name.strip_suffix(".jsonl").is_some_and(is_id);
    sessions_below(&projects.join(key(folder)), 0, &is_session, &mut found)?;
    Ok(found)
}

fn projects() -> Option<PathBuf> {
    let config = set("CLAUDE_CONFIG_DIR").or_else(|| Some(set("HOME")?.join(".claude")))?;
    Some(config.join("projects"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_the_cli_makes() {
        assert_eq!(key(Path::new("/home/dev/a.b_c 한글/x")), "-home-dev-a-b-c----x");
        assert_eq!(key(Path::new("/a/😀")), "-a---");
        assert_eq!(key(Path::new(r"C:\Users\a.b\my_proj")), "C--Users-a-b-my-proj");
    }

    #[test]
    fn ids_are_uuids() {
        assert!(is_id("93db0fa4-fc44-4328-b146-939868f3acf3"));
        for name in ["", "agent-a78cf66b3f1c1db95", "../../../../etc/passwd", "93db0fa4"] {
            assert!(!is_id(name), "{name}");
        }
    }
}
