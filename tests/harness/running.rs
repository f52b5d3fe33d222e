//! A program that runs, and what it came to.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// No run here takes a quarter of it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(240);

/// A program that runs.
#[derive(Debug)]
pub struct Running {
    child: Child,
    output: TempDir,
}

impl Running {
    /// Starts it with this on its stdin. What it prints is kept in files, below
    /// the folder: what it leaves running may hold them open.
    pub(crate) fn start(command: &mut Command, folder: &Path, input: &str) -> Running {
        let output = TempDir::new_in(folder).unwrap();
        let create = |name| fs_err::File::create(output.path().join(name)).unwrap().into_file();
        fs_err::write(output.path().join("in"), input).unwrap();
        let stdin = fs_err::File::open(output.path().join("in")).unwrap().into_file();
        command.stdin(stdin).stdout(create("out")).stderr(create("err"));
        // A group of its own, which can be ended as a whole.
        command.process_group(0);
        Running { child: command.spawn().unwrap(), output }
    }

    /// Sends it a signal, by its name without SIG.
    pub fn signal(&self, name: &str) {
        let process = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &process]).status().unwrap();
        assert!(status.success());
    }

    /// Kills it; what it started goes on.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Kills it and what it started, as a machine that goes down does.
    pub fn crash(mut self) {
        let group = format!("-{}", self.child.id());
        let status = Command::new("kill").args(["-s", "KILL", "--", &group]).status().unwrap();
        assert!(status.success());
        self.child.wait().unwrap();
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// It does not end.
    pub fn end(mut self) -> Ran {
        let started = Instant::now();
        let mut asked = false;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > PATIENCE && !asked {
                asked = true;
                self.signal("TERM");
            }
            if started.elapsed() > PATIENCE * 2 {
                self.child.kill().unwrap();
            }
            thread::sleep(Duration::from_millis(20));
        };
        let read = |name| {
            let bytes = fs_err::read(self.output.path().join(name)).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let ran = Ran { code: code(status), stdout: read("out"), stderr: read("err") };
        assert!(!asked, "it did not end: {ran:#?}");
        ran
    }
}

fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

/// A program that has ended.
#[derive(Debug)]
pub struct Ran {
    /// Its exit status, as a shell has it.
    pub code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it said.
    pub stderr: String,
}

impl Ran {
    /// Asserts the exit status and the whole of stdout.
    #[track_caller]
    pub fn came_to(&self, code: i32, stdout: &str) -> &Ran {
        assert_eq!((self.code, self.stdout.as_str()), (code, stdout), "stderr:\n{}", self.stderr);
        self
    }

    /// Asserts that these words stand on stderr.
    #[track_caller]
    pub fn said(&self, words: &str) -> &Ran {
        assert!(self.stderr.contains(words), "not said: {words}\nstderr:\n{}", self.stderr);
        self
    }
}
