//! The whole chain with real agent CLIs, offline, against a scripted endpoint
//! (`endpoint/`): what each must do in [`every`], what is special to one in a module of
//! its name, and all else on Claude Code.
//!
//! `make check-agents` installs the versions that these tests are written for, in the
//! folder that `CTXUTILS_AGENTS` names, and runs them. Without it they print SKIPPED;
//! with `CI` or `CTXUTILS_REQUIRE` set they fail.
//!
//! In all of them the window is 200,000 tokens and the handoff line lies at
//! 150,000, unless said otherwise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on says so by panicking"
)]

mod attempts;
mod breakers;
mod codex;
mod compaction;
mod copilot;
mod degraded;
mod every;
mod gemini;
mod generations;
mod interruption;
mod limits;
mod opencode;
mod person;
mod pi;
mod qwen;

use ctxutils_tests::endpoint::Reply;
use ctxutils_tests::world::World;
use serde_json::Value;

/// The current document of the step `work`.
const DOCUMENT: &str = ".handoff/notes/交接-work.md";
const ARCHIVE: &str = ".handoff/notes/archive/交接";
const WINDOW: [&str; 2] = ["--window", "200000"];

/// What a session writes at its line, told from any other by its number.
fn document(number: u32) -> Reply {
    Reply::says(&format!(
        "## Doing now\nPart {number} is done.\n\n## Dead ends\nThe quick way {number}.\n\n\
         ## Next step\nDo part {}.\n",
        number + 1
    ))
}

/// Options of handoff-loop, behind those that all tests share.
fn with_window<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&WINDOW[..], arguments].concat()
}

/// One figure of each generation.
fn each<'a>(row: &'a Value, field: &str) -> Vec<&'a Value> {
    row["generations"].as_array().unwrap().iter().map(|generation| &generation[field]).collect()
}

/// The names in a folder of the project, in order; none where there is no folder.
fn names(world: &World, folder: &str) -> Vec<String> {
    let Ok(entries) = fs_err::read_dir(world.path(folder)) else { return Vec::new() };
    let name = |entry: std::io::Result<fs_err::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> =
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The prompts of all requests.
fn prompts(world: &World) -> Vec<String> {
    let requests = world.endpoint.requests();
    requests.iter().map(|request| request["last_user"].as_str().unwrap().to_owned()).collect()
}
