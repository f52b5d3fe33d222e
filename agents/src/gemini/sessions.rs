//! Where Gemini CLI keeps its sessions.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::agent::{Session, sessions_below, set};
use crate::fact::Fact;
use crate::transcript::Transcript;

/// The folder that a session was started in, which a file beside its own folder
/// names.
pub(super) fn folder_of(path: &Path) -> Option<String> {
    let project = path.parent()?.parent()?;
    let root = fs_err::read_to_string(project.join(".project_root")).ok()?;
    Some(root.trim_end().to_owned()).filter(|root| !root.is_empty())
}

pub(super) fn by_id(id: &str) -> io::Result<Vec<PathBuf>> {
    let (Some(tmp), Some(short)) = (tmp(), id.get(..8)) else { return Ok(Vec::new()) };
    let end = format!("-{short}.jsonl");
    let mut found = Vec::new();
    // Projects, their chats, the files.
    sessions_below(&tmp, 2, &|name| is_session(name) && name.ends_with(&end), &mut found)?;
    let is_his = |session: &Session| id_of(&session.path).as_deref() == Some(id);
    found.retain(is_his);
    Ok(without_stubs(found).into_iter().map(|session| session.path).collect())
}

pub(super) fn by_folder(folder: &Path) -> io::Result<Vec<Session>> {
    let Some(tmp) = tmp() else { return Ok(Vec::new()) };
    let mut projects = Vec::new();
    sessions_below(&tmp, 1, &|name| name == ".project_root", &mut projects)?;
    let mut found = Vec::new();
    for project in projects {
        let chats = project.path.with_file_name("chats");
        let first = chats.join("session");
        if folder_of(&first).as_deref().map(Path::new) == Some(folder) {
            sessions_below(&chats, 0, &is_session, &mut found)?;
        }
    }
    Ok(without_stubs(found))
}

fn is_session(name: &str) -> bool {
    name.starts_with("session-") && name.ends_with(".jsonl")
}

fn id_of(path: &Path) -> Option<String> {
    Transcript::open(path).ok()?.identity().session_id.clone()
}

/// Of several files of one id, those without an answer are what a resume left. One
/// that is alone with its id may just have begun.
fn without_stubs(found: Vec<Session>) -> Vec<Session> {
    // The id's beginning stands in the name, so that most files need no look.
    let short = |session: &Session| {
        let name = session.path.file_stem().and_then(|name| name.to_str());
        name.and_then(|name| name.rsplit_once('-')).map(|(_, short)| short.to_owned())
    };
    let mut once = HashSet::new();
    let twice: HashSet<_> =
        found.iter().filter_map(short).filter(|short| !once.insert(short.clone())).collect();
    let is_stub = |session: &Session| {
        short(session).is_some_and(|short| twice.contains(&short)) && !has_answer(&session.path)
    };
    found.into_iter().filter(|session| !is_stub(session)).collect()
}

fn has_answer(path: &Path) -> bool {
    let mut found = false;
    let Ok(transcript) = Transcript::open(path) else { return false };
    let looked = transcript.newest_first(&mut |fact| {
        found |= matches!(fact, Fact::Answer(_) | Fact::Compaction(_));
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    looked.is_ok() && found
}

fn tmp() -> Option<PathBuf> {
    let home = set("GEMINI_CLI_HOME").or_else(|| set("HOME"))?;
    Some(home.join(".gemini/tmp"))
}
