//! An agent of the person's own: an executable that speaks a small protocol
//! (docs/AGENT.md has it, with a template).
//!
//! It is called with `start` or `resume` and the session's id, and the person's own
//! arguments after those; the prompt is on its stdin; `AGENT_TURN`, `AGENT_MODEL` and
//! `AGENT_COMPACTION` say the rest. It prints events, one JSON object a line. Its
//! sessions are its own: nothing is looked up in them, and what its answers saw is what
//! it tells.

mod stream;

use std::io;
use std::path::{Path, PathBuf, absolute};

use crate::See;
use crate::agent::{Agent, Session};
use crate::probe::Probe;
use crate::run::{Driver, Event, Invocation, Run, SessionChoice};
use crate::transcript::{Identity, Transcript};

pub(crate) struct Own;

/// Whether it is an agent's name that stands for an executable.
pub(crate) fn is_path(name: &str) -> bool {
    name.contains('/')
}

impl Driver for Own {
    fn invocation(&self, run: &Run) -> io::Result<Invocation> {
        let (word, id) = match &run.session {
            SessionChoice::Start(id) => ("start", id),
            SessionChoice::Resume(id) => ("resume", id),
        };
        let mut arguments = vec![word.into(), id.into()];
        arguments.extend(run.arguments.iter().cloned());
        let mut environment = vec![
            ("AGENT_TURN", if run.is_handoff { "handoff" } else { "work" }.to_owned()),
            ("AGENT_COMPACTION", if run.compaction { "auto" } else { "off" }.to_owned()),
        ];
        // One of a run around this one does not hold.
        let mut unset = Vec::new();
        match &run.model {
            Some(model) => environment.push(("AGENT_MODEL", model.clone())),
            None => unset.push("AGENT_MODEL"),
        }
        // A resume may run in another folder.
        let program = absolute(&run.agent)?.into_os_string();
        Ok(Invocation { program, arguments, environment, unset, ..Invocation::default() })
    }

    fn stops_by_hook(&self) -> bool {
        false
    }

    fn denies_by_hook(&self) -> bool {
        false
    }

    fn line(&self, line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
        stream::line(line, see)
    }
}

/// It has no sessions that are known.
impl Agent for Own {
    fn name(&self) -> &'static str {
        "own"
    }

    fn recognises(&self, _: &Probe) -> bool {
        false
    }

    fn is_identified_by(&self, _: &[Probe]) -> bool {
        true
    }

    fn identity(&self, _: &[Probe], _: Option<&Path>) -> Identity {
        Identity::default()
    }

    fn newest_first(&self, _: &Transcript, _: See<'_>) -> io::Result<()> {
        Ok(())
    }

    fn oldest_first(&self, _: &Transcript, _: See<'_>) -> io::Result<()> {
        Ok(())
    }

    fn by_id(&self, _: &str) -> io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    fn by_folder(&self, _: &Path) -> io::Result<Vec<Session>> {
        Ok(Vec::new())
    }
}
