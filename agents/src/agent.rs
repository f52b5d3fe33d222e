//! What an agent CLI must tell us, and the list of those that do.

use std::cmp::Reverse;
use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::hook::Hooks;
use crate::probe::Probe;
use crate::run::Driver;
use crate::source::Source;
use crate::transcript::{Identity, Transcript};
use crate::{See, claude_code, cline, codex, copilot, demo, gemini, kimi, opencode, own, pi, qwen};

/// One agent CLI.
pub trait Agent: Sync {
    /// The name on command lines and in JSON.
    fn name(&self) -> &'static str;

    /// Whether a record with these keys begins a session of this CLI.
    fn recognises(&self, probe: &Probe) -> bool;

    /// Whether a document with these keys is a session of this CLI, whose sessions
    /// are no lists of lines.
    fn recognises_document(&self, _document: &Probe) -> bool {
        false
    }

    /// Whether these records say all that [`Agent::identity`] wants to know.
    fn is_identified_by(&self, probes: &[Probe]) -> bool;

    /// What the first records, the last of which may be cut, say of the session.
    fn identity(&self, probes: &[Probe], path: Option<&Path>) -> Identity;

    /// Shows the main thread's facts, newest first, until told to stop.
    ///
    /// # Errors
    /// Reading failed.
    fn newest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()>;

    /// Shows the main thread's facts in the order they were written.
    ///
    /// # Errors
    /// Reading failed.
    fn oldest_first(&self, transcript: &Transcript, see: See<'_>) -> io::Result<()>;

    /// The transcripts of the session with this id; sub-agents have none.
    ///
    /// # Errors
    /// A folder of sessions exists and cannot be read.
    fn by_id(&self, id: &str) -> io::Result<Vec<PathBuf>>;

    /// The session with this id, of a CLI that keeps its sessions where only it can
    /// read them. It is run for that.
    ///
    /// # Errors
    /// The CLI is there and cannot be run.
    fn fetch(&self, _id: &str) -> io::Result<Option<Source>> {
        Ok(None)
    }

    /// The main sessions that were started in a folder.
    ///
    /// # Errors
    /// A folder of sessions exists and cannot be read.
    fn by_folder(&self, folder: &Path) -> io::Result<Vec<Session>>;

    /// How the CLI speaks with hooks; `None` where it has none that we know.
    fn hooks(&self) -> Option<&'static dyn Hooks> {
        None
    }
}

/// A session found in a CLI's store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its transcript.
    pub path: PathBuf,
    /// When the transcript was last written to.
    pub modified: SystemTime,
}

/// Every CLI that is known, in the order in which they are asked whether they
/// recognise a transcript.
pub fn all() -> &'static [&'static dyn Agent] {
    &[
        &codex::Codex,
        &pi::Pi,
        &gemini::Gemini,
        &qwen::Qwen,
        &copilot::Copilot,
        &kimi::Kimi,
        &opencode::OpenCode,
        &cline::Cline,
        &claude_code::ClaudeCode,
    ]
}

/// The CLI of that name, its program's name included.
pub fn named(name: &str) -> Option<&'static dyn Agent> {
    let runnable = || RUNNABLE.iter().find(|(known, ..)| *known == name);
    let by_name = all().iter().copied().find(|agent| agent.name() == name);
    by_name.or_else(|| runnable().map(|(_, _, agent)| *agent))
}

/// A CLI that can be run headless: its name on command lines, how it is run, and the
/// CLI whose sessions it writes.
type Runnable = (&'static str, &'static dyn Driver, &'static dyn Agent);

const RUNNABLE: [Runnable; 8] = [
    ("claude", &claude_code::ClaudeCode, &claude_code::ClaudeCode),
    ("codex", &codex::Codex, &codex::Codex),
    ("copilot", &copilot::Copilot, &copilot::Copilot),
    ("gemini", &gemini::Gemini, &gemini::Gemini),
    ("opencode", &opencode::OpenCode, &opencode::OpenCode),
    ("pi", &pi::Pi, &pi::Pi),
    ("qwen", &qwen::Qwen, &qwen::Qwen),
    ("demo", &demo::Demo, &claude_code::ClaudeCode),
];

/// The CLIs that can be run headless: their names, and how they are run.
pub fn runnable() -> impl Iterator<Item = (&'static str, &'static dyn Driver)> {
    RUNNABLE.iter().map(|(name, driver, _)| (*name, *driver))
}

/// How the CLI of that name is run, and whose sessions it writes. A path is the name of
/// an agent of the person's own.
pub fn driver(name: &str) -> Option<(&'static dyn Driver, &'static dyn Agent)> {
    if own::is_path(name) {
        return Some((&own::Own, &own::Own));
    }
    let name = if name == "claude-code" { "claude" } else { name };
    let found = RUNNABLE.iter().find(|(known, ..)| *known == name);
    found.map(|(_, driver, agent)| (*driver, *agent))
}

/// The value of a variable, as a path; an empty one counts as unset.
pub(crate) fn set(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Of so many newest transcripts it is looked up what they say of themselves: the
/// cost of a lookup stays bounded however many there are.
const MOST_OPENED: usize = 500;

/// Leaves the main sessions that say that they were started in the folder. One that
/// cannot be read is not offered; named explicitly, it says why.
pub(crate) fn started_in(folder: &Path, found: &mut Vec<Session>) {
    found.sort_by_key(|session| Reverse(session.modified));
    found.truncate(MOST_OPENED);
    found.retain(|session| {
        Transcript::open(&session.path).is_ok_and(|transcript| {
            let identity = transcript.identity();
            !identity.sub_agent && identity.folder.as_deref().map(Path::new) == Some(folder)
        })
    });
}

/// The main sessions below a folder that may not exist: regular files that
/// `is_session` accepts by name, this many folders deep.
pub(crate) fn sessions_below(
    folder: &Path,
    depth: usize,
    is_session: &dyn Fn(&str) -> bool,
    found: &mut Vec<Session>,
) -> io::Result<()> {
    let entries = match fs_err::read_dir(folder) {
        Ok(entries) => entries,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let wanted = depth > 0 || entry.file_name().to_str().is_some_and(is_session);
        if !wanted {
            continue;
        }
        // Followed: a store, or a project in it, may be a link.
        let metadata = match fs_err::metadata(entry.path()) {
            Ok(metadata) => metadata,
            // One that vanished since it was listed is no session any more.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        if depth > 0 && metadata.is_dir() {
            sessions_below(&entry.path(), depth - 1, is_session, found)?;
        } else if depth == 0 && metadata.is_file() {
            found.push(Session { path: entry.path(), modified: metadata.modified()? });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{SessionChoice, sample};

    /// Before anything is paid for.
    #[test]
    fn what_would_keep_a_run_from_being_watched_is_refused() {
        for (name, passed) in [
            ("claude", "--output-format=json"),
            ("claude", "--worktree x"),
            ("codex", "--ephemeral"),
            ("copilot", "--output-format text"),
            ("gemini", "-o text"),
            ("gemini", "--prompt-interactive x"),
            ("opencode", "--format=default"),
            ("pi", "--mode rpc"),
            ("qwen", "-otext"),
        ] {
            let run = sample::run(SessionChoice::Start("made".to_owned()), passed);
            let refused = driver(name).unwrap().0.invocation(&run).unwrap_err();
            assert!(refused.to_string().contains("being watched"), "{name}: {refused}");
        }
    }
}
