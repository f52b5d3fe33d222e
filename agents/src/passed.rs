//! The person's own arguments, which are passed on to a CLI.

use std::ffi::{OsStr, OsString};
use std::io;

use crate::run::Run;

/// Whether an argument is the option, with or without its value, which may follow a
/// short one at once.
fn names(argument: &OsStr, option: &str) -> bool {
    let text = argument.to_string_lossy();
    let is_short = option.starts_with('-') && !option.starts_with("--");
    let rest = text.strip_prefix(option);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('=') || is_short)
}

/// Whether one of these options is among the arguments.
pub(crate) fn name_any(arguments: &[OsString], options: &[&str]) -> bool {
    arguments.iter().any(|argument| options.iter().any(|option| names(argument, option)))
}

/// Refuses options that would join another session than the one that is meant: a
/// person's, at worst.
///
/// # Errors
/// One is among them: `InvalidInput`, and names it.
pub(crate) fn refuse_sessions(arguments: &[OsString], options: &[&str]) -> io::Result<()> {
    refuse(arguments, options, "choose the session")
}

/// Refuses options with which a run could be neither watched nor resumed: another form
/// of what is printed, say.
///
/// # Errors
/// One is among them: `InvalidInput`, and names it.
pub(crate) fn refuse_unwatched(arguments: &[OsString], options: &[&str]) -> io::Result<()> {
    refuse(arguments, options, "keep the run from being watched, or resumed")
}

fn refuse(arguments: &[OsString], options: &[&str], harm: &str) -> io::Result<()> {
    match arguments.iter().find(|a| options.iter().any(|option| names(a, option))) {
        None => Ok(()),
        Some(argument) => {
            let why = format!("'{}' would {harm}", argument.display());
            Err(io::Error::new(io::ErrorKind::InvalidInput, why))
        }
    }
}

/// The arguments without some options: those that a value follows, and those that
/// stand alone.
pub(crate) fn without(arguments: Vec<OsString>, valued: &[&str], alone: &[&str]) -> Vec<OsString> {
    let mut rest = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if valued.iter().any(|option| argument == *option) {
            arguments.next();
        } else if !valued.iter().chain(alone).any(|option| names(&argument, option)) {
            rest.push(argument);
        }
    }
    rest
}

/// Names the model that is wanted, unless the person's arguments do, by one of these
/// options, the first of which is taken.
pub(crate) fn name_model(arguments: &mut Vec<OsString>, run: &Run, options: &[&str]) {
    if let Some(model) = run.model.as_ref().filter(|_| !name_any(&run.arguments, options)) {
        arguments.extend(options.first().map(OsString::from));
        arguments.push(model.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn options_go_with_their_values() {
        let rest =
            without(words("-s a --sandbox=b --full x --fuller"), &["-s", "--sandbox"], &["--full"]);
        assert_eq!(rest, words("x --fuller"));
        assert_eq!(without(words("x -s"), &["-s"], &[]), words("x"));
    }

    #[test]
    fn a_persons_session_is_not_joined() {
        let refused =
            |text| refuse_sessions(&words(text), &["--resume", "-c"]).map_err(|e| e.to_string());
        assert_eq!(refused("--resumed x --c"), Ok(()));
        assert!(refused("-clatest").is_err());
        let command = |text| refuse_sessions(&words(text), &["review"]).is_err();
        assert!(command("review") && !command("--profile reviewer"));
        assert_eq!(
            refused("-v --resume=id"),
            Err("'--resume=id' would choose the session".to_owned())
        );
        assert!(name_any(&words("x --model=y"), &["-m", "--model"]));
    }
}
