//! How the tools speak: exit codes, messages, printing, language, untrusted text.
//!
//! Promises: stdout carries the datum and nothing else; every byte of it is
//! either delivered or reported (a reader that has gone away is quiet success,
//! any other write error is exit 74, one past `ulimit -f` included; a stdout that
//! was closed before we began is /dev/null); messages on stderr read `tool: problem`,
//! lower case, no full stop, with a hint on a line of its own; no panic, debug
//! dump or backtrace reaches a person.
//!
//! Refuses: colour, paging, prompting. Text from elsewhere is stripped of
//! control bytes before it reaches a terminal.

mod exit;
mod failure;
mod language;
mod limit;
mod output;
mod program;
mod sanitise;

#[cfg(feature = "arguments")]
mod arguments;

pub use exit::Exit;
pub use failure::{Failure, reason};
pub use language::Language;
pub use output::{print, print_line, warn};
pub use program::run;
pub use sanitise::sanitise;

#[cfg(feature = "arguments")]
pub use arguments::{parse, seconds};
