//! The successor's command line: found before anything is written, filled in
//! when it is launched.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use terminal::Failure;

/// A program and its arguments, with places to fill in: `{prompt}`, `{file}`,
/// `{step}`, `{session}`.
#[derive(Clone, Debug)]
pub struct Successor {
    name: OsString,
    program: PathBuf,
    arguments: Vec<OsString>,
}

/// What stands in the places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling<'a> {
    pub(crate) prompt: &'a [u8],
    pub(crate) file: &'a Path,
    pub(crate) step: &'a str,
    pub(crate) session: &'a str,
}

impl Successor {
    /// Finds the program of a command line, as a shell would.
    ///
    /// # Errors
    /// Exit 127 where there is none, 126 where it cannot be run.
    pub fn find(argv: &[OsString]) -> Result<Successor, Failure> {
        let Some((name, arguments)) = argv.split_first() else {
            return Err(Failure::usage("no successor after '--'"));
        };
        let program = processes::find(name).map_err(|failure| {
            let hint = failure.hint.as_ref().map_or_else(String::new, |hint| format!("{hint}; "));
            failure.hint(format!("{hint}nothing was written"))
        })?;
        Ok(Successor { name: name.clone(), program, arguments: arguments.to_vec() })
    }

    /// The name it was called by.
    pub fn name(&self) -> Cow<'_, str> {
        self.name.to_string_lossy()
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Whether a place occurs in the arguments.
    pub(crate) fn uses(&self, place: &str) -> bool {
        let place = place.as_bytes();
        let has =
            |argument: &OsString| argument.as_bytes().windows(place.len()).any(|w| w == place);
        self.arguments.iter().any(has)
    }

    /// Whether an argument is this session id, or an option with it.
    pub(crate) fn names(&self, session: &str) -> bool {
        let names = |argument: &OsString| {
            let rest = argument.as_bytes().strip_suffix(session.as_bytes());
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(b"="))
        };
        self.arguments.iter().any(names)
    }

    /// The arguments with every place filled in; each stays one argument, and
    /// what is filled in is not looked at again.
    pub(crate) fn arguments(&self, filling: &Filling<'_>) -> Vec<OsString> {
        self.arguments.iter().map(|argument| fill(argument, filling)).collect()
    }
}

fn fill(argument: &OsStr, filling: &Filling<'_>) -> OsString {
    let places: [(&[u8], &[u8]); 4] = [
        (b"{prompt}", filling.prompt),
        (b"{file}", filling.file.as_os_str().as_bytes()),
        (b"{step}", filling.step.as_bytes()),
        (b"{session}", filling.session.as_bytes()),
    ];
    let mut filled = Vec::new();
    let mut rest = argument.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        match places.iter().find(|(place, _)| rest.starts_with(place)) {
            Some((place, text)) => {
                filled.extend_from_slice(text);
                rest = &rest[place.len()..];
            }
            None => {
                filled.push(first);
                rest = after;
            }
        }
    }
    OsString::from_vec(filled)
}

/// Fills in the step and the session only, for names that are needed before
/// there is a prompt.
pub(crate) fn fill_name(name: &OsStr, step: &str, session: &str) -> OsString {
    fill(name, &Filling { prompt: b"{prompt}", file: Path::new("{file}"), step, session })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_in_once() {
        let filling = Filling {
            prompt: b"say {file}\n--x",
            file: Path::new("/tmp/a b"),
            step: "s",
            session: "id",
        };
        for (argument, filled) in [
            ("{prompt}", "say {file}\n--x"),
            ("--file={file}", "--file=/tmp/a b"),
            ("{step}{session}{step}", "sids"),
            ("{other} {", "{other} {"),
            ("", ""),
        ] {
            assert_eq!(fill(OsStr::new(argument), &filling), OsStr::new(filled));
        }
        assert_eq!(fill_name(OsStr::new("{session}.{prompt}"), "s", "id"), "id.{prompt}");
    }
}
