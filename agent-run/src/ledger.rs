//! The ledger of the step that a run is of. gen-rotate keeps it, owns the form of
//! events, and knows what was told already.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use agent_run::Listener;
use ctx_meter::limits::Limits;
use terminal::{Exit, Failure, warn};

use crate::TOOL;
use crate::arguments::Options;

/// Tells gen-rotate, where a step is given.
pub(crate) struct Ledger<'o>(pub(crate) &'o Options);

impl Listener for Ledger<'_> {
    fn begun(&mut self, session_id: &str) {
        let arguments = ["record", "generation", "--session", session_id].map(OsStr::new);
        if let Err(failure) = self.tell(&arguments) {
            warn(TOOL, &format!("cannot note the id of the session: {failure}"));
        }
    }

    fn near(&mut self, context: u64, limits: &Limits) {
        let Some(events) = &self.0.events else { return };
        let [context, window, at] =
            [context, limits.window, limits.at].map(|number| number.to_string());
        let arguments =
            ["event", "near", "--context", &context, "--window", &window, "--at", &at, "--events"];
        let arguments = [&arguments.map(OsStr::new)[..], &[events.as_os_str()]].concat();
        if let Err(failure) = self.tell(&arguments) {
            warn(TOOL, &format!("cannot tell that the line is near: {failure}"));
        }
    }
}

impl Ledger<'_> {
    fn tell(&self, arguments: &[&OsStr]) -> Result<(), Failure> {
        let Some(step) = &self.0.step else { return Ok(()) };
        let mut command = Command::new(processes::find(OsStr::new("gen-rotate"))?);
        command.args(arguments).arg("--step").arg(step);
        if let Some(home) = &self.0.home {
            command.arg("--home").arg(home);
        }
        let status = command.stdin(Stdio::null()).status();
        let failed = |why: String| Failure::new(Exit::Io, why);
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(failed(format!("gen-rotate: {status}"))),
            Err(error) => Err(failed(terminal::reason(&error))),
        }
    }
}
