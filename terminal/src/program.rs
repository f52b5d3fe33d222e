//! The frame around every tool: what `main` hands its work to.

use std::panic;
use std::process::ExitCode;

use crate::output::say;
use crate::{Exit, Failure, limit};

/// Runs a tool's work and turns what it returns into messages and an exit code.
/// A panic, which would be a bug of ours, becomes one line and exit 70. A limit on
/// the size of files is an error like others.
pub fn run(tool: &'static str, work: impl FnOnce() -> Result<Exit, Failure>) -> ExitCode {
    panic::set_hook(Box::new(move |info| {
        let place =
            info.location().map_or_else(String::new, |l| format!(" at {}:{}", l.file(), l.line()));
        say(tool, &format!("internal error{place}"), Some("this is a bug; please report it"));
        #[allow(clippy::exit, reason = "release builds abort on a panic; this is the last word")]
        std::process::exit(Exit::Bug.code().into());
    }));
    limit::is_an_error();
    let exit = match work() {
        Ok(exit) => exit,
        Err(failure) => {
            if !failure.message.is_empty() {
                say(tool, &failure.message, failure.hint.as_deref());
            }
            failure.exit
        }
    };
    ExitCode::from(exit.code())
}
