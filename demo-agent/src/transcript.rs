//! A session's transcript: JSON lines, appended whole, private to the user.
//!
//! Each line is one write, so a reader, or a signal, never meets half of one.

use std::io::Write;
use std::path::{Path, PathBuf};

use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::conversation::Conversation;
use crate::{Refusal, VERSION};

/// A transcript being written.
#[derive(Debug)]
pub(crate) struct Transcript {
    path: PathBuf,
    file: Option<File>,
    session: String,
    cwd: String,
    /// What the session remembers, kept up with every line.
    pub(crate) conversation: Conversation,
    /// A sub-agent's id: all its lines are sidechain.
    sub_agent: Option<String>,
}

/// The time as transcripts have it, UTC in milliseconds.
pub(crate) fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

impl Transcript {
    /// The transcript of a session; the file is created with its first line.
    pub(crate) fn new(path: PathBuf, session: &str, cwd: &Path) -> Transcript {
        Transcript {
            path,
            file: None,
            session: session.to_owned(),
            cwd: cwd.to_string_lossy().into_owned(),
            conversation: Conversation::default(),
            sub_agent: None,
        }
    }

    /// The same for a sub-agent.
    pub(crate) fn of_sub_agent(mut self, agent: &str) -> Transcript {
        self.sub_agent = Some(agent.to_owned());
        self
    }

    /// Takes in what an earlier run wrote. A line that is torn or no JSON is
    /// passed over, as the CLI does.
    pub(crate) fn recall(&mut self) -> Result<Vec<Value>, Refusal> {
        let text = fs_err::read(&self.path).map_err(|error| Refusal::io(&self.path, &error))?;
        let lines: Vec<Value> = text
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        for line in &lines {
            self.conversation.take(line);
        }
        Ok(lines)
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a bookkeeping line, which has no id of its own.
    pub(crate) fn note(&mut self, line: &Value) -> Result<(), Refusal> {
        let path = self.path.clone();
        self.append(line).map_err(|error| Refusal::io(&path, &error))
    }

    /// Appends a line of the conversation after the last one, with the common
    /// keys; returns its id.
    pub(crate) fn say(&mut self, body: Value) -> Result<String, Refusal> {
        let parent = self.conversation.leaf.clone();
        self.say_after(parent.as_deref(), body)
    }

    /// The same with the parent named.
    pub(crate) fn say_after(
        &mut self,
        parent: Option<&str>,
        body: Value,
    ) -> Result<String, Refusal> {
        let mut line = Map::new();
        line.insert("parentUuid".to_owned(), json!(parent));
        line.insert("isSidechain".to_owned(), json!(self.sub_agent.is_some()));
        if let Some(agent) = &self.sub_agent {
            line.insert("agentId".to_owned(), json!(agent));
        }
        if let Value::Object(body) = body {
            line.extend(body);
        }
        let uuid = match line.get("uuid").and_then(Value::as_str) {
            Some(uuid) => uuid.to_owned(),
            None => Uuid::new_v4().to_string(),
        };
        line.insert("uuid".to_owned(), json!(uuid));
        line.entry("timestamp").or_insert_with(|| json!(now()));
        line.insert("userType".to_owned(), json!("external"));
        line.insert("entrypoint".to_owned(), json!("sdk-cli"));
        line.insert("cwd".to_owned(), json!(self.cwd));
        line.insert("sessionId".to_owned(), json!(self.session));
        line.insert("version".to_owned(), json!(VERSION));
        line.insert("gitBranch".to_owned(), json!("HEAD"));
        self.note(&Value::Object(line))?;
        if self.sub_agent.is_some() {
            self.conversation.leaf = Some(uuid.clone());
        }
        Ok(uuid)
    }

    fn append(&mut self, line: &Value) -> std::io::Result<()> {
        if self.file.is_none() {
            if let Some(folder) = self.path.parent() {
                fs_err::create_dir_all(folder)?;
            }
            let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
            self.file = Some(file);
        }
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        if let Some(file) = &mut self.file {
            file.write_all(&bytes)?;
        }
        self.conversation.take(line);
        Ok(())
    }
}
