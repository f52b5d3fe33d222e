//! demo-agent: a scripted agent that speaks Claude Code's headless command line.

use std::io::{self, Write};
use std::process::ExitCode;

use terminal::Exit;

fn main() -> ExitCode {
    terminal::run("demo-agent", || {
        let ended = demo_agent::parse().and_then(|arguments| {
            let stdout: Box<dyn Write> = Box::new(io::stdout());
            demo_agent::run(&arguments, stdout)
        });
        match ended {
            Ok(code) => Ok(Exit::Of(code)),
            Err(refusal) => {
                // The wording belongs to the CLI that is played, not to the house.
                if !refusal.stdout.is_empty() {
                    terminal::print(&refusal.stdout)?;
                }
                let _ = io::stderr().lock().write_all(refusal.stderr.as_bytes());
                Ok(Exit::Of(refusal.code))
            }
        }
    })
}
