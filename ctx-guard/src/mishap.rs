//! What happens when something goes wrong: the call goes through, and it is said
//! once a session, since a hook that complains at every tool call is turned off.

use std::env;
use std::ffi::CString;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;

/// The policy for mishaps, prepared so that a signal handler can follow it.
#[derive(Clone)]
pub(crate) struct Mishap {
    /// Refuse the call instead of letting it through.
    pub(crate) fail_closed: bool,
    folder: Option<PathBuf>,
    /// The file whose existence says that it was said; none without a state
    /// folder: then it is said every time.
    mark: Option<CString>,
}

impl Mishap {
    pub(crate) fn new() -> Mishap {
        let session = env::var_os("CTX_GUARD_SESSION").unwrap_or_default();
        let folder = durable::state_folder().map(|folder| folder.join("guard"));
        let mark = folder.as_ref().and_then(|folder| {
            let name = durable::file_name(&session.to_string_lossy());
            CString::new(folder.join(name).as_os_str().as_bytes()).ok()
        });
        Mishap { fail_closed: false, folder, mark }
    }

    /// Says what was wrong, if it is the first time, and gives the exit code.
    pub(crate) fn report(&self, why: &str) -> ExitCode {
        ExitCode::from(self.say(why))
    }

    fn say(&self, why: &str) -> u8 {
        crate::deadline::lift();
        self.make_room();
        let code = self.code();
        if code != 0 {
            let text = format!("ctx-guard: {}\n", terminal::sanitise(why).replace('\n', " "));
            let _ = io::stderr().lock().write_all(text.as_bytes());
        }
        code
    }

    /// Makes the folder of the marks, and forgets those of sessions long gone.
    /// Without the folder it is said every time, which is no harm.
    fn make_room(&self) {
        if let Some(folder) = &self.folder {
            let _ = fs_err::create_dir_all(folder);
            durable::forget_older(folder, durable::MONTH);
        }
    }

    /// The exit code: 2 when closed, 1 the first time, 0 after. Uses system calls
    /// alone, for the signal handler.
    pub(crate) fn code(&self) -> u8 {
        if self.fail_closed {
            return 2;
        }
        let Some(mark) = &self.mark else { return 1 };
        let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_CLOEXEC;
        // SAFETY: the path is a valid C string for the length of the call.
        let file = unsafe { libc::open(mark.as_ptr(), flags, 0o600) };
        if file >= 0 {
            // SAFETY: the descriptor is ours and used by nobody else.
            unsafe { libc::close(file) };
            return 1;
        }
        let exists = io::Error::last_os_error().raw_os_error() == Some(libc::EEXIST);
        u8::from(!exists)
    }

    /// A panic, a bug of ours, is a mishap too.
    pub(crate) fn on_panic(&self) {
        let mishap = self.clone();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map_or_else(String::new, |place| format!(" at {place}"));
            let code = mishap.say(&format!("internal error{place}"));
            #[allow(
                clippy::exit,
                reason = "release builds abort on a panic, which is no hook's answer"
            )]
            std::process::exit(code.into());
        }));
    }
}
