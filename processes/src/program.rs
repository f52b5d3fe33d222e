//! Finding a program as a shell would, the tools of this house beside the caller
//! first: cron's PATH seldom has them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use terminal::{Exit, Failure};

/// The tools of this house, which are found beside this one before anywhere else.
const SISTERS: [&str; 8] = [
    "agent-run",
    "ctx-guard",
    "ctx-meter",
    "demo-agent",
    "gen-rotate",
    "handoff-fmt",
    "handoff-loop",
    "overflow-detect",
];

/// The file that a program's name stands for, from the root on, so that it stays
/// the same in another folder.
///
/// # Errors
/// Exit 127 where there is none, 126 where it cannot be run.
pub fn find(name: &OsStr) -> Result<PathBuf, Failure> {
    let found = found(name)?;
    std::path::absolute(&found).map_err(|error| Failure::reading(&found, &error))
}

fn found(name: &OsStr) -> Result<PathBuf, Failure> {
    if name.as_bytes().contains(&b'/') {
        return runnable(Path::new(name)).map(|()| PathBuf::from(name));
    }
    let beside = env::current_exe().ok().filter(|_| SISTERS.iter().any(|sister| name == *sister));
    let beside = beside.and_then(|tool| tool.parent().map(Path::to_owned));
    // Without a PATH the system looks in these two.
    let path = env::var_os("PATH").unwrap_or_else(|| OsString::from("/bin:/usr/bin"));
    let mut refused = None;
    for folder in beside.into_iter().chain(env::split_paths(&path)) {
        // An empty entry of PATH is the current folder.
        let candidate = Path::new(".").join(&folder).join(name);
        let candidate = if folder.is_absolute() { folder.join(name) } else { candidate };
        match runnable(&candidate) {
            Ok(()) if !name.is_empty() => return Ok(candidate),
            Err(failure) if failure.exit == Exit::CannotRun => refused = Some(failure),
            _ => {}
        }
    }
    Err(refused.unwrap_or_else(|| {
        let message = format!("cannot find '{}'", name.to_string_lossy());
        Failure::new(Exit::NotFound, message).hint(format!("PATH is '{}'", path.to_string_lossy()))
    }))
}

fn runnable(path: &Path) -> Result<(), Failure> {
    let refused = |exit, why: &str| {
        Err(Failure::new(exit, format!("cannot run '{}': {why}", path.display())))
    };
    match durable::uninterrupted(|| fs_err::metadata(path)) {
        Ok(found) if !found.is_file() => refused(Exit::CannotRun, "not a program"),
        Ok(found) if found.permissions().mode() & 0o111 == 0 => {
            refused(Exit::CannotRun, "permission denied")
        }
        Ok(_) => Ok(()),
        Err(error) => refused(Exit::NotFound, &terminal::reason(&error)),
    }
}
