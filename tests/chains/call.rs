//! A call of a script, while it runs and when it is over.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::place::{PATIENCE, Place, TOOLS, send, wait_until};
use crate::shell::{SYSTEM, Shell};

/// A script with its arguments, alone in the world but for the tools.
pub(crate) struct Call<'p> {
    place: &'p Place,
    shell: Shell,
    script: PathBuf,
    arguments: Vec<OsString>,
    input: Option<Vec<u8>>,
    folder: PathBuf,
    variables: Vec<(&'static str, OsString)>,
}

impl<'p> Call<'p> {
    pub(crate) fn new(place: &'p Place, script: PathBuf) -> Call<'p> {
        let mut path = tools().into_os_string();
        path.push(":/usr/bin:/bin");
        let variables = vec![
            ("PATH", path),
            ("HOME", place.path("home").into()),
            ("TMPDIR", place.path("tmp").into()),
            ("DEMO_AGENT_SCENARIO", place.path("scenario.json").into()),
            ("HANDOFF_PAUSE", "0".into()),
            ("LC_ALL", "C".into()),
            ("TZ", "UTC".into()),
        ];
        let folder = place.path("work");
        let arguments = Vec::new();
        Call { place, shell: SYSTEM, script, arguments, input: None, folder, variables }
    }

    pub(crate) fn under(mut self, shell: Shell) -> Self {
        self.shell = shell;
        self
    }

    pub(crate) fn arguments<A: AsRef<OsStr>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.arguments.extend(arguments.into_iter().map(|a| a.as_ref().to_owned()));
        self
    }

    /// What it finds on stdin; nothing unless this is called.
    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = Some(input.into());
        self
    }

    pub(crate) fn in_folder(mut self, folder: PathBuf) -> Self {
        self.folder = folder;
        self
    }

    pub(crate) fn with(mut self, variable: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((variable, value.into()));
        self
    }

    pub(crate) fn without(mut self, variable: &str) -> Self {
        self.variables.retain(|(name, _)| *name != variable);
        self
    }

    pub(crate) fn script(mut self, script: PathBuf) -> Self {
        self.script = script;
        self
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Ran<'p> {
        self.start().wait()
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.shell.0[0]);
        command.args(&self.shell.0[1..]).arg(&self.script).args(&self.arguments);
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.current_dir(&self.folder);
        command
    }

    pub(crate) fn start(self) -> Running<'p> {
        let stdin = if self.input.is_some() { Stdio::piped() } else { Stdio::null() };
        let mut command = self.command();
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        if let (Some(input), Some(mut stdin)) = (self.input, child.stdin.take()) {
            // A script that refuses its arguments does not read it.
            thread::spawn(move || stdin.write_all(&input));
        }
        let stdout = Listener::to(child.stdout.take().unwrap());
        let stderr = Listener::to(child.stderr.take().unwrap());
        let title = format!("{:?} {:?}", self.shell, self.arguments);
        Running { place: self.place, title, child, stdout, stderr }
    }
}

/// The folder of the tools, built if need be.
pub(crate) fn tools() -> PathBuf {
    ctxutils_tests::programs(&TOOLS)
}

/// A script that runs.
pub(crate) struct Running<'p> {
    place: &'p Place,
    title: String,
    child: Child,
    stdout: Listener,
    stderr: Listener,
}

impl<'p> Running<'p> {
    /// Sends it, and nobody else, a signal.
    pub(crate) fn signal(&self, signal: i32) {
        send(libc::pid_t::try_from(self.child.id()).unwrap(), signal);
    }

    /// Waits until it has said this on stderr.
    pub(crate) fn wait_for(&self, words: &str) {
        wait_until(words, || self.stderr.text().contains(words));
    }

    pub(crate) fn wait(mut self) -> Ran<'p> {
        let begun = std::time::Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                self.place.kill_all();
                let _ = self.child.wait();
                panic!("{} does not end: {}", self.title, self.stderr.text());
            }
            thread::sleep(std::time::Duration::from_millis(5));
        };
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap());
        let (stdout, stderr) = (self.stdout.end(), self.stderr.end());
        Ran { place: self.place, title: self.title, code, stdout, stderr }
    }
}

/// A script that is over.
pub(crate) struct Ran<'p> {
    place: &'p Place,
    title: String,
    code: i32,
    stdout: String,
    pub(crate) stderr: String,
}

impl Ran<'_> {
    /// Asserts the exit code and the whole of stdout, and that nothing is left.
    #[track_caller]
    pub(crate) fn ends(self, code: i32, stdout: &str) -> Self {
        assert_eq!((self.code, self.stdout.as_str()), (code, stdout), "{}", self.report());
        self.place.assert_clean();
        self
    }

    /// Asserts success, and gives stdout back to be looked at.
    #[track_caller]
    pub(crate) fn succeeds(self) -> (Self, String) {
        let stdout = self.stdout.clone();
        (self.ends(0, &stdout), stdout)
    }

    /// Asserts that it failed with one of these.
    #[track_caller]
    pub(crate) fn fails(self, codes: &[i32]) -> Self {
        assert!(codes.contains(&self.code), "{}", self.report());
        let code = self.code;
        self.ends(code, "")
    }

    /// Asserts that stderr holds each of these.
    #[track_caller]
    pub(crate) fn says(self, words: &[&str]) -> Self {
        for words in words {
            assert!(self.stderr.contains(words), "not said: {words}\n{}", self.report());
        }
        self
    }

    /// Asserts that these few lines are all of stderr.
    #[track_caller]
    pub(crate) fn says_only(self, text: &str) -> Self {
        assert_eq!(self.stderr, text, "{}", self.title);
        self
    }

    fn report(&self) -> String {
        let Ran { title, code, stdout, stderr, .. } = self;
        format!("{title} => {code}\n-- stdout\n{stdout}\n-- stderr\n{stderr}\n--")
    }
}

/// Reads a stream as it comes.
struct Listener {
    heard: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

impl Listener {
    fn to(mut stream: impl Read + Send + 'static) -> Listener {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&heard);
        let thread = thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(size @ 1..) = stream.read(&mut buffer) {
                shared.lock().unwrap().extend_from_slice(&buffer[..size]);
            }
        });
        Listener { heard, thread }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.heard.lock().unwrap()).into_owned()
    }

    fn end(self) -> String {
        self.thread.join().unwrap();
        String::from_utf8_lossy(&self.heard.lock().unwrap()).into_owned()
    }
}
