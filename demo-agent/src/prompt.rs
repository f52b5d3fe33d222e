//! The prompt: the arguments, and what comes on stdin.

use std::io::{self, IsTerminal, Read};

use crate::Refusal;
use crate::arguments::Arguments;

/// How long stdin may stay silent where the arguments hold a prompt.
const PATIENCE_MS: i32 = 3000;

/// The prompt of a run.
///
/// # Errors
/// There is none.
pub(crate) fn read(arguments: &Arguments) -> Result<String, Refusal> {
    let given = arguments.prompt.join(" ");
    let mut stdin = io::stdin();
    let mut piped = Vec::new();
    if !stdin.is_terminal() {
        if given.is_empty() || is_ready() {
            let _ = stdin.read_to_end(&mut piped);
        } else {
            terminal::warn(
                "Warning",
                "no stdin data received in 3s, proceeding without it. If piping from a slow command, redirect stdin explicitly: < /dev/null to skip, or wait longer.",
            );
        }
    }
    let piped = String::from_utf8_lossy(&piped);
    let parts = [given.as_str(), piped.as_ref()];
    let prompt = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    if prompt.trim().is_empty() {
        return Err(Refusal::error(
            "Input must be provided either through stdin or as a prompt argument when using --print",
        ));
    }
    Ok(prompt)
}

/// Whether stdin has something to say, or has ended.
fn is_ready() -> bool {
    let mut watched = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
    // SAFETY: one live pollfd, and its count is 1.
    unsafe { libc::poll(&raw mut watched, 1, PATIENCE_MS) > 0 }
}
