//! Command lines, by clap, with its errors reprinted in the house's form.

use std::env;
use std::ffi::OsString;
use std::time::Duration;

use clap::Parser;
use clap::error::ErrorKind;

use crate::{Exit, Failure, print};

/// Parses the process's arguments.
///
/// # Errors
/// Exit 2 with clap's complaint as one lower-case line. `--help` and
/// `--version` print to stdout and end with a silent success.
pub fn parse<A: Parser>() -> Result<A, Failure> {
    parse_from(env::args_os())
}

/// Reads a number of seconds, fractions allowed, as an argument's value parser.
///
/// # Errors
/// Says what was wrong.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| format!("'{text}' is not a number of seconds"))
}

fn parse_from<A: Parser>(arguments: impl IntoIterator<Item = OsString>) -> Result<A, Failure> {
    A::try_parse_from(arguments).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match print(error.render().to_string()) {
                Ok(()) => Failure::silent(Exit::Ok),
                Err(failure) => failure,
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Failure::usage("a subcommand is missing").hint("see --help")
        }
        _ => reworded(&error.render().to_string()),
    })
}

/// clap writes `error: X`, then tips and usage in paragraphs of their own. X
/// becomes the message; a tip, or else the usage line, becomes the hint.
fn reworded(text: &str) -> Failure {
    let mut paragraphs = text
        .split("\n\n")
        .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    let first = paragraphs.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(&first).trim_end_matches('.');
    let mut message = message.to_owned();
    let mut hint = None;
    for paragraph in paragraphs {
        if let Some(tip) = paragraph.strip_prefix("tip: ") {
            hint = Some(tip.to_owned());
        } else if let Some(usage) = paragraph.strip_prefix("Usage: ") {
            hint = hint.or_else(|| Some(format!("usage: {usage}")));
        } else if !paragraph.starts_with("For more information") && !paragraph.is_empty() {
            message = format!("{message} {paragraph}");
        }
    }
    Failure { hint, ..Failure::usage(message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Parser)]
    #[command(name = "try")]
    struct Try {
        #[arg(long)]
        window: Option<u64>,
    }

    fn fail(arguments: &[&str]) -> Failure {
        parse_from::<Try>(arguments.iter().map(OsString::from)).unwrap_err()
    }

    #[test]
    fn seconds_may_be_fractions() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        for text in ["", "x", "-1", "inf", "NaN", "1e300"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn errors_are_one_lower_case_line() {
        let failure = fail(&["try", "--windw", "3"]);
        assert_eq!(failure.exit, Exit::Usage);
        assert_eq!(failure.message, "unexpected argument '--windw' found");
        let failure = fail(&["try", "--window", "x"]);
        assert!(
            failure.message.starts_with("invalid value 'x' for '--window <WINDOW>'"),
            "{failure}"
        );
    }
}
