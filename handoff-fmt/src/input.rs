//! Where the text comes from: a file, stdin, or the operand itself.

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use terminal::{Failure, warn};

use crate::TOOL;

/// The text of a file, or of stdin where the operand is `-` or left out.
pub(crate) fn read(file: Option<PathBuf>) -> Result<String, Failure> {
    let Some(file) = file.filter(|file| file.as_os_str() != "-") else {
        return read_stdin();
    };
    let bytes = fs_err::read(&file).map_err(|error| Failure::reading(&file, &error))?;
    Ok(decoded(bytes, &file.display().to_string()))
}

fn read_stdin() -> Result<String, Failure> {
    let mut stdin = io::stdin().lock();
    if stdin.is_terminal() {
        return Err(Failure::usage("no file given, and stdin is a terminal")
            .hint("name a file, or pipe the text in"));
    }
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes).map_err(|error| Failure::reading(Path::new("stdin"), &error))?;
    Ok(decoded(bytes, "stdin"))
}

/// What the operand holds if it names a file, else the operand.
pub(crate) fn text_or_file(operand: PathBuf) -> Result<String, Failure> {
    if operand.as_os_str() == "-" {
        return read_stdin();
    }
    match fs_err::metadata(&operand) {
        Ok(_) => read(Some(operand)),
        Err(error) if names_no_file(error.kind()) => {
            let text = operand.to_string_lossy();
            // A path that was mistyped would otherwise pass for a text.
            if text.contains('/') && !text.contains(char::is_whitespace) {
                warn(TOOL, &format!("no file '{text}': taken as the text itself"));
            }
            Ok(text.into_owned())
        }
        Err(error) => Err(Failure::reading(&operand, &error)),
    }
}

fn names_no_file(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

fn decoded(bytes: Vec<u8>, name: &str) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        warn(TOOL, &format!("'{name}' is not all UTF-8: bad bytes are shown as \u{fffd}"));
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    })
}
