//! `overflow-detect`: does this error mean "it no longer fits"?

mod output;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use overflow_detect::Class;
use overflow_detect::records::{self, Failure as Record};
use terminal::{Exit, Failure, reason, warn};

const TOOL: &str = "overflow-detect";

/// Tell whether an error means that the prompt no longer fits the context window.
///
/// Reads error texts, logs, transcripts and results, and judges the last failure
/// of each. Exit status: 0 one of them is an overflow, 1 none is, 2 usage, 66 an
/// input is missing, 74 reading or writing failed.
#[derive(Debug, Parser)]
#[command(name = TOOL, version)]
struct Arguments {
    /// Inputs; `-` is stdin, which is also read where none is given.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Judge this text.
    #[arg(short = 'e', long = "text", value_name = "TEXT", allow_hyphen_values = true)]
    texts: Vec<String>,

    /// Print nothing.
    #[arg(short, long)]
    quiet: bool,

    /// Print one JSON object for each input, found or not.
    #[arg(long)]
    json: bool,

    /// Count these classes as found, too: payload, long_context_gate, output_cap,
    /// rate, network, credentials, silent, other.
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = class)]
    also: Vec<Class>,
}

fn class(name: &str) -> Result<Class, String> {
    Class::named(name).ok_or_else(|| {
        let names: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
        format!("known classes: {}", names.join(", "))
    })
}

fn main() -> ExitCode {
    terminal::run(TOOL, work)
}

fn work() -> Result<Exit, Failure> {
    let arguments: Arguments = terminal::parse()?;
    let mut files = arguments.files.clone();
    if files.is_empty() && arguments.texts.is_empty() {
        if io::IsTerminal::is_terminal(&io::stdin()) {
            return Err(Failure::usage("no input: name a FILE, give -e TEXT, or pipe one in"));
        }
        files.push(PathBuf::from("-"));
    }
    let several = files.len() + arguments.texts.len() > 1;
    let mut found = false;
    let mut trouble = None;
    for text in &arguments.texts {
        let record = records::last_failure(text.as_bytes()).unwrap_or_default();
        found |= report(&arguments, None, several, record.as_ref())?;
    }
    for file in &files {
        match read(file) {
            Ok(record) => found |= report(&arguments, Some(file), several, record.as_ref())?,
            Err(failure) => {
                warn(TOOL, &failure.message);
                trouble = Some(failure.exit);
            }
        }
    }
    Ok(match (trouble, found) {
        // As in grep, what -q asked for is known.
        (Some(_), true) if arguments.quiet => Exit::Ok,
        (Some(exit), _) => exit,
        (None, true) => Exit::Ok,
        (None, false) => Exit::No,
    })
}

fn read(file: &Path) -> Result<Option<Record>, Failure> {
    if file == Path::new("-") {
        return records::last_failure(io::stdin().lock()).map_err(|error| {
            Failure::new(Exit::Io, format!("cannot read stdin: {}", reason(&error)))
        });
    }
    fs_err::File::open(file)
        .and_then(records::last_failure)
        .map_err(|error| Failure::reading(file, &error))
}

/// Prints what one input came to; says whether it counts.
fn report(
    arguments: &Arguments,
    file: Option<&PathBuf>,
    several: bool,
    record: Option<&Record>,
) -> Result<bool, Failure> {
    let verdict = record.and_then(|record| record.verdict.as_ref());
    let found =
        verdict.is_some_and(|verdict| verdict.overflow || arguments.also.contains(&verdict.class));
    if arguments.quiet {
        return Ok(found);
    }
    if arguments.json {
        output::json(file, verdict)?;
    } else if let (true, Some(record)) = (found, record) {
        output::record(file.filter(|_| several), &record.record)?;
    }
    Ok(found)
}
