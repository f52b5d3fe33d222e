//! JSON lines about a handoff, for whoever shows it: near, writing, done.
//!
//! One line is one write in append mode, so lines of several writers do not mix.

use std::io::{self, Write};
use std::path::PathBuf;

use fs_err::{File, OpenOptions};
use handoff_fmt::{Document, Section};
use serde_json::{Map, Value, json};
use terminal::Failure;

/// Where events go.
#[derive(Debug)]
pub struct Events {
    to: Target,
}

#[derive(Debug)]
enum Target {
    Nowhere,
    Stdout,
    File(File, PathBuf),
}

impl Events {
    /// Opens the target: `-` is stdout, `None` is nowhere.
    ///
    /// # Errors
    /// The file can neither be opened nor created.
    pub fn to(target: Option<PathBuf>) -> Result<Events, Failure> {
        let to = match target {
            None => Target::Nowhere,
            Some(path) if path.as_os_str() == "-" => Target::Stdout,
            Some(path) => match OpenOptions::new().create(true).append(true).open(&path) {
                Ok(file) => Target::File(file, path),
                Err(error) => return Err(Failure::writing(&path, &error)),
            },
        };
        Ok(Events { to })
    }

    /// Writes one event.
    ///
    /// # Errors
    /// It is not, or not wholly, written.
    pub fn emit(&mut self, event: &Value) -> Result<(), Failure> {
        let line = format!("{event}\n");
        match &mut self.to {
            Target::Nowhere => Ok(()),
            Target::Stdout => {
                let mut stdout = io::stdout().lock();
                let written = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
                written.or_else(|error| match error.kind() {
                    io::ErrorKind::BrokenPipe => Ok(()),
                    _ => Err(Failure::new(
                        terminal::Exit::Io,
                        format!("cannot write to stdout: {}", terminal::reason(&error)),
                    )),
                })
            }
            Target::File(file, path) => {
                file.write_all(line.as_bytes()).map_err(|error| Failure::writing(path, &error))
            }
        }
    }
}

/// The handoff line comes near.
pub(crate) fn near(step: &str, context: u64, window: u64, at: u64) -> Value {
    json!({ "v": 1, "phase": "near", "step": step, "context": context, "window": window, "at": at })
}

/// The session writes its document, which takes a while.
pub fn writing(step: &str, context: u64, window: u64) -> Value {
    json!({ "v": 1, "phase": "writing", "step": step, "context": context, "window": window })
}

/// What the last event of a handoff tells.
#[derive(Debug)]
pub(crate) struct Done<'a> {
    pub(crate) step: &'a str,
    pub(crate) context: Option<u64>,
    pub(crate) window: Option<u64>,
    pub(crate) degraded: bool,
    pub(crate) path: Option<String>,
    pub(crate) document: &'a Document,
    pub(crate) session_id: &'a str,
    pub(crate) generation: usize,
}

/// A successor took over.
pub(crate) fn done(done: &Done<'_>) -> Value {
    let section =
        |section: Section| (section.field().to_owned(), done.document.section(section).into());
    let sections: Map<String, Value> = Section::ALL.into_iter().map(section).collect();
    json!({
        "v": 1,
        "phase": "done",
        "step": done.step,
        "context": done.context,
        "window": done.window,
        "degraded": done.degraded,
        "path": done.path,
        "sections": sections,
        "session_id": done.session_id,
        "generation": done.generation,
    })
}
