//! The shells that must be able to run the scripts.

use std::process::{Command, Stdio};

/// A shell, as the first words of a command line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shell(pub(crate) &'static [&'static str]);

/// Whatever the system has for `sh`.
pub(crate) const SYSTEM: Shell = Shell(&["sh"]);

const ALL: [Shell; 3] = [Shell(&["dash"]), Shell(&["bash"]), Shell(&["busybox", "sh"])];

/// Those of the three that are there; one that is not is told of, or fails the
/// test where tests are required.
pub(crate) fn shells() -> impl Iterator<Item = Shell> {
    ALL.into_iter().filter(|shell| {
        let mut command = Command::new(shell.0[0]);
        command.args(&shell.0[1..]).args(["-c", "exit 0"]);
        let works = command.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if !works {
            ctxutils_tests::missing(&format!("{} (apt-get install dash bash busybox)", shell.0[0]));
        }
        works
    })
}
