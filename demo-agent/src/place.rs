//! Where a session's files lie.

use std::env;
use std::path::{Path, PathBuf};

use crate::Refusal;

/// The folders of one run.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The directory the agent works in.
    pub(crate) cwd: PathBuf,
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub(crate) config: PathBuf,
}

impl Place {
    /// As the environment has it.
    pub(crate) fn here() -> Result<Place, Refusal> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let config = set("CLAUDE_CONFIG_DIR")
            .or_else(|| set("HOME").map(|home| home.join(".claude")))
            .ok_or_else(|| Refusal::error("neither CLAUDE_CONFIG_DIR nor HOME is set"))?;
        let cwd = env::current_dir()
            .map_err(|error| Refusal::error(format!("no working directory: {error}")))?;
        Ok(Place { cwd, config })
    }

    /// The folder of this directory's sessions: one dash for every UTF-16 unit
    /// of the path that is no ASCII letter or digit.
    pub(crate) fn project(&self) -> PathBuf {
        let key: String = self
            .cwd
            .to_string_lossy()
            .encode_utf16()
            .map(|unit| match u8::try_from(unit) {
                Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
                _ => '-',
            })
            .collect();
        self.config.join("projects").join(key)
    }

    /// The transcript of a session.
    pub(crate) fn transcript(&self, session: &str) -> PathBuf {
        self.project().join(format!("{session}.jsonl"))
    }

    /// The transcript of a sub-agent; its description has the ending `meta.json`.
    pub(crate) fn sub_agent(&self, session: &str, agent: &str) -> PathBuf {
        self.project().join(session).join("subagents").join(format!("agent-{agent}.jsonl"))
    }

    /// A path as a tool call gives it.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        self.cwd.join(Path::new(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_directory_is_keyed_as_the_cli_keys_it() {
        let place = Place { cwd: "/home/dev/a.b_c 한글/x".into(), config: "/c".into() };
        assert_eq!(place.project(), Path::new("/c/projects/-home-dev-a-b-c----x"));
    }
}
