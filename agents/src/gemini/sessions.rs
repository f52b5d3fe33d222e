//! Where Gemini CLI keeps its sessions.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::agent::{Session, sessions_below, set};
use crate::fact::Fact;
use crate::transcript::{OpenError, Transcript};

/// The folder that a session was started in, which a file beside its own folder
/// names.
pub(super) fn folder_of(path: &Path) -> Option<String> {
    let project = path.parent()?.parent()?;
    let root = fs_err::read_to_string(project.join(".project_root")).ok()?;
    Some(root.trim_end().to_owned()).filter(|root| !root.is_empty())
}

pub(super) fn by_id(id: &str) -> io::Result<Vec<PathBuf>> {
    Ok(without_stubs(files_of(id)?).into_iter().map(|session| session.path).collect())
}

/// Removes what resumes of a session left: files that hold nothing, beside one that
/// holds answers. One of them costs the session its transcript at the CLI's next start,
/// whoever starts it.
pub(super) fn remove_stubs(id: &str) -> io::Result<()> {
    let (answered, others): (Vec<_>, Vec<_>) =
        files_of(id)?.into_iter().partition(|session| has_answer(&session.path));
    if answered.is_empty() {
        return Ok(());
    }
    let is_stub = |session: &&Session| holds_nothing(&session.path);
    others.iter().filter(is_stub).try_for_each(|stub| fs_err::remove_file(&stub.path))
}

fn files_of(id: &str) -> io::Result<Vec<Session>> {
    let (Some(tmp), Some(short)) = (tmp(), id.get(..8)) else { return Ok(Vec::new()) };
    let end = format!("-{short}.jsonl");
    let mut found = Vec::new();
    // Projects, their chats, the files.
    sessions_below(&tmp, 2, &|name| is_session(name) && name.ends_with(&end), &mut found)?;
    let is_his = |session: &Session| id_of(&session.path).as_deref() == Some(id);
    found.retain(is_his);
    Ok(found)
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
    holds(path, |fact| matches!(fact, Fact::Answer(_) | Fact::Compaction(_))).unwrap_or(false)
}

/// Not even a prompt.
fn holds_nothing(path: &Path) -> bool {
    holds(path, |_| true).is_ok_and(|holds| !holds)
}

/// Whether a transcript has a fact of that kind.
///
/// # Errors
/// It cannot be read.
fn holds(path: &Path, is_one: fn(&Fact<'_>) -> bool) -> Result<bool, OpenError> {
    let mut found = false;
    Transcript::open(path)?
        .newest_first(&mut |fact| {
            found |= is_one(&fact);
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map_err(OpenError::Io)?;
    Ok(found)
}

fn tmp() -> Option<PathBuf> {
    let home = set("GEMINI_CLI_HOME").or_else(|| set("HOME"))?;
    Some(home.join(".gemini/tmp"))
}
