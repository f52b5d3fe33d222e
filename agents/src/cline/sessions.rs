//! Where Cline keeps its sessions.

use std::io;
use std::path::{Path, PathBuf};

use crate::agent::{Session, sessions_below, set, started_in};
use crate::probe::Probe;

const MESSAGES: &str = ".messages.json";

/// The folder that a session was started in, which the file beside its messages
/// names.
pub(super) fn folder_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(MESSAGES)?;
    let bytes = fs_err::read(path.with_file_name(format!("{name}.json"))).ok()?;
    Probe::new(&bytes).text("cwd").map(str::to_owned)
}

pub(super) fn by_id(id: &str) -> io::Result<Vec<PathBuf>> {
    // An id is part of a path here.
    let is_id = !id.is_empty() && id.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    let Some(sessions) = sessions().filter(|_| is_id) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    let is_his = |name: &str| name.strip_suffix(MESSAGES) == Some(id);
    sessions_below(&sessions.join(id), 0, &is_his, &mut found)?;
    Ok(found.into_iter().map(|session| session.path).collect())
}

pub(super) fn by_folder(folder: &Path) -> io::Result<Vec<Session>> {
    let Some(sessions) = sessions() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    sessions_below(&sessions, 1, &|name| name.ends_with(MESSAGES), &mut found)?;
    started_in(folder, &mut found);
    Ok(found)
}

fn sessions() -> Option<PathBuf> {
    Some(set("HOME")?.join(".cline/data/sessions"))
}
