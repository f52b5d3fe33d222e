//! The exit codes that all tools share. 64 to 77 are those of BSD sysexits,
//! 124 is that of timeout(1), 126 to 128+n those of the shell.

/// What a tool's exit status says. Each tool's man page lists those it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, or yes.
    Ok,
    /// 1: no, or not complete.
    No,
    /// 2: the command line is wrong.
    Usage,
    /// 3: a breaker holds; a person must answer.
    Breaker,
    /// 65: the data is bad, or what was asked for is not known.
    Data,
    /// 66: an input is missing or cannot be opened.
    NoInput,
    /// 70: a bug of ours.
    Bug,
    /// 73: an output cannot be created.
    CannotCreate,
    /// 74: reading or writing failed half-way.
    Io,
    /// 75: busy; the same call may work later.
    Busy,
    /// 77: credentials, or the model, are refused.
    Credentials,
    /// 124: a time limit passed.
    Timeout,
    /// 126: a program was found but cannot be run.
    CannotRun,
    /// 127: a program was not found.
    NotFound,
    /// The status of a command that was launched, passed through.
    Of(u8),
}

impl Exit {
    /// The number handed to the system.
    pub fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::No => 1,
            Exit::Usage => 2,
            Exit::Breaker => 3,
            Exit::Data => 65,
            Exit::NoInput => 66,
            Exit::Bug => 70,
            Exit::CannotCreate => 73,
            Exit::Io => 74,
            Exit::Busy => 75,
            Exit::Credentials => 77,
            Exit::Timeout => 124,
            Exit::CannotRun => 126,
            Exit::NotFound => 127,
            Exit::Of(code) => code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_documented_ones() {
        let table = [
            (Exit::Ok, 0),
            (Exit::No, 1),
            (Exit::Usage, 2),
            (Exit::Breaker, 3),
            (Exit::Data, 65),
            (Exit::NoInput, 66),
            (Exit::Bug, 70),
            (Exit::CannotCreate, 73),
            (Exit::Io, 74),
            (Exit::Busy, 75),
            (Exit::Credentials, 77),
            (Exit::Timeout, 124),
            (Exit::CannotRun, 126),
            (Exit::NotFound, 127),
            (Exit::Of(130), 130),
        ];
        for (exit, code) in table {
            assert_eq!(exit.code(), code, "{exit:?}");
        }
    }
}
