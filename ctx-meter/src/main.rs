//! ctx-meter: how full is an agent session?

mod arguments;
mod modes;

use std::process::ExitCode;

fn main() -> ExitCode {
    terminal::run("ctx-meter", || modes::run(terminal::parse()?))
}
