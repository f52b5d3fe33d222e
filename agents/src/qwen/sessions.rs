//! Where Qwen Code keeps its sessions.

use std::io;
use std::path::{Path, PathBuf};

use crate::agent::{Session, sessions_below, set, started_in};

pub(super) fn by_id(id: &str) -> io::Result<Vec<PathBuf>> {
    let Some(projects) = projects().filter(|_| is_id(id)) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    // Projects, their folders, their files.
    sessions_below(&projects, 2, &|name| name.strip_suffix(".jsonl") == Some(id), &mut found)?;
    found.retain(|session| is_chat(&session.path));
    Ok(found.into_iter().map(|session| session.path).collect())
}

pub(super) fn by_folder(folder: &Path) -> io::Result<Vec<Session>> {
    let Some(projects) = projects() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    let chats = projects.join(key(folder)).join("chats");
    let is_session = |name: &str| name.strip_suffix(".jsonl").is_some_and(is_id);
    sessions_below(&chats, 0, &is_session, &mut found)?;
    // Two folders may have one key.
    started_in(folder, &mut found);
    Ok(found)
}

/// The key of a folder: every character that is no ASCII letter or digit becomes a
/// dash.
fn key(folder: &Path) -> String {
    let units = folder.to_string_lossy().encode_utf16().collect::<Vec<_>>();
    let kept = |unit: u16| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric);
    units.into_iter().map(|unit| kept(unit).map_or('-', char::from)).collect()
}

/// An id is part of a path here.
fn is_id(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b == b'-' || b.is_ascii_alphanumeric())
}

fn is_chat(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|name| name == "chats")
}

fn projects() -> Option<PathBuf> {
    let home = set("QWEN_RUNTIME_DIR").or_else(|| set("QWEN_HOME"));
    Some(home.or_else(|| Some(set("HOME")?.join(".qwen")))?.join("projects"))
}
