//! Why a tool stops early: a message, perhaps a hint, and the exit code.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

use crate::Exit;

/// Ends a tool. Printed by [`crate::run`] as `tool: message`, the hint on a
/// line of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was wrong, with which file: lower case, no full stop. Empty: nothing
    /// is printed.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The exit code that goes with it.
    pub exit: Exit,
}

impl Failure {
    /// A failure with its message.
    pub fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { message: message.into(), hint: None, exit }
    }

    /// Ends the tool with this code and without a word.
    pub fn silent(exit: Exit) -> Failure {
        Failure::new(exit, "")
    }

    /// A mistake in the command line: exit 2.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, message)
    }

    /// Bad data, or an unknown figure: exit 65.
    pub fn data(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Data, message)
    }

    /// An input that cannot be opened or read: exit 66 where it is missing or
    /// closed to us, 74 where reading failed.
    pub fn reading(path: &Path, error: &io::Error) -> Failure {
        let exit = match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidFilename => Exit::NoInput,
            _ => Exit::Io,
        };
        Failure::new(exit, format!("cannot read '{}': {}", path.display(), reason(error)))
    }

    /// An output that cannot be written: exit 73 where it could not be created,
    /// 74 where writing failed.
    pub fn writing(path: &Path, error: &io::Error) -> Failure {
        let exit = match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::AlreadyExists
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::InvalidFilename => Exit::CannotCreate,
            _ => Exit::Io,
        };
        Failure::new(exit, format!("cannot write '{}': {}", path.display(), reason(error)))
    }

    /// The same failure with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Failure {}

/// The system's own words for an I/O error, lower case: `permission denied`.
/// fs-err wraps the number away, so the chain is walked to find it.
pub fn reason(error: &io::Error) -> String {
    let mut code = error.raw_os_error();
    let mut inner: Option<&(dyn Error + 'static)> =
        error.get_ref().map(|inner| inner as &(dyn Error + 'static));
    let mut words = error.to_string();
    while let Some(cause) = inner {
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            code = code.or(io.raw_os_error());
        }
        words = cause.to_string();
        inner = cause.source();
    }
    if let Some(code) = code {
        words = io::Error::from_raw_os_error(code).to_string();
    }
    let words = words.split(" (os error").next().unwrap_or_default();
    let mut chars = words.chars();
    match (chars.next(), chars.next()) {
        // An acronym in front keeps its capitals.
        (Some(first), second) if second.is_none_or(|c| !c.is_uppercase()) => {
            first.to_lowercase().chain(words.chars().skip(1)).collect()
        }
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_is_the_systems_word() {
        let error = fs_err::File::open("/nonexistent/file").unwrap_err();
        assert_eq!(reason(&error), "no such file or directory");
        assert_eq!(reason(&io::Error::from_raw_os_error(28)), "no space left on device");
        assert_eq!(reason(&io::Error::other("it broke")), "it broke");
    }

    #[test]
    fn a_missing_input_and_a_failed_read_differ() {
        let missing = Failure::reading(Path::new("x"), &io::Error::from_raw_os_error(2));
        assert_eq!(missing.exit, Exit::NoInput);
        assert_eq!(missing.message, "cannot read 'x': no such file or directory");
        let broken = Failure::reading(Path::new("x"), &io::Error::from_raw_os_error(5));
        assert_eq!(broken.exit, Exit::Io);
    }
}
