//! The frame around every tool: what `main` hands its work to.

use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;

use crate::{Exit, Failure, sanitise};

/// Runs a tool's work and turns what it returns into messages and an exit code.
/// A panic, which would be a bug of ours, becomes one line and exit 70.
pub fn run(tool: &'static str, work: impl FnOnce() -> Result<Exit, Failure>) -> ExitCode {
    panic::set_hook(Box::new(move |info| {
        let place =
            info.location().map_or_else(String::new, |l| format!(" at {}:{}", l.file(), l.line()));
        say(tool, &format!("internal error{place}"), Some("this is a bug; please report it"));
        #[allow(clippy::exit, reason = "release builds abort on a panic; this is the last word")]
        std::process::exit(Exit::Bug.code().into());
    }));
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

fn say(tool: &str, message: &str, hint: Option<&str>) {
    // A file name may hold a newline; the message stays one line.
    let message = sanitise(message).replace('\n', " ");
    let mut text = format!("{tool}: {message}\n");
    if let Some(hint) = hint {
        text += &format!("{}\n", sanitise(hint));
    }
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
