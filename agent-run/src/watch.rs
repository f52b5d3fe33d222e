//! The agent's process: fed, listened to, and ended when it must be.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use processes::{Caught, Running};

/// How long an agent that is asked to end may take before it is made to.
const GRACE: Duration = Duration::from_secs(10);

/// How often it is looked at whether the agent still runs, and at what it writes: a
/// request that has just been made is not answered so soon.
const LOOK: Duration = Duration::from_millis(20);

/// How long what an agent that was asked to end had started may take to end with it.
const FOLLOW: Duration = Duration::from_millis(300);

/// How long what an agent that has ended left in its pipes is waited for.
const DRAIN: Duration = Duration::from_millis(500);

/// Hears what comes from the agent.
pub(crate) type Hear<'h> = &'h mut dyn FnMut(Word<'_>) -> ControlFlow<()>;

/// What comes from the agent.
pub(crate) enum Word<'w> {
    /// It runs.
    Started(Running),
    /// A line of its stdout, without the newline, and when it came.
    Line(&'w str, Instant),
    /// A piece of its stderr.
    Noise(&'w [u8]),
    /// Nothing came for a moment.
    Pause,
}

/// How the process is watched.
pub(crate) struct Watching {
    /// How long it may be silent.
    pub(crate) silence: Option<Duration>,
    /// Whether it leads a process group of its own, all of which is signalled, and
    /// which the terminal does not know.
    pub(crate) is_group: bool,
}

/// How the process ended.
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    /// The signal that we were told to pass on.
    pub(crate) signal: Option<i32>,
    /// Whether it was ended because nothing came from it.
    pub(crate) hung: bool,
    /// Whether it was interrupted because enough was heard.
    pub(crate) cut: bool,
    /// What it had started, of an agent that was asked to end, and did not end with it.
    pub(crate) left: Vec<Running>,
}

enum News {
    Line(Vec<u8>, Instant),
    Noise(Vec<u8>),
    /// One of its two streams has ended.
    Silence,
    Signal(Caught),
}

/// Runs the command to its end, with the prompt on its stdin. Whoever hears a word
/// says whether to go on; if not, the agent is interrupted.
///
/// # Errors
/// It cannot be started.
pub(crate) fn watch(
    command: &mut Command,
    prompt: Vec<u8>,
    watching: Watching,
    hear: Hear<'_>,
) -> io::Result<End> {
    let (sender, news) = channel();
    let _signals = processes::catch(sender.clone(), News::Signal)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(process) = Running::of(child.id(), watching.is_group) {
        let _ = hear(Word::Started(process));
    }
    if let Some(mut stdin) = child.stdin.take() {
        // An agent that ends without reading its prompt says why elsewhere.
        thread::spawn(move || stdin.write_all(&prompt));
    }
    let streams = listen(&mut child, &sender);
    drop(sender);
    let watched = Watched {
        watching,
        asked: None,
        started: Vec::new(),
        heard: Instant::now(),
        end_signal: None,
        hung: false,
        cut: false,
    };
    watched.follow(child, streams, &news, hear)
}

fn listen(child: &mut Child, sender: &Sender<News>) -> usize {
    let mut streams = 0;
    if let Some(stdout) = child.stdout.take() {
        let sender = sender.clone();
        thread::spawn(move || read_lines(stdout, &sender));
        streams += 1;
    }
    if let Some(stderr) = child.stderr.take() {
        let sender = sender.clone();
        thread::spawn(move || read_noise(stderr, &sender));
        streams += 1;
    }
    streams
}

fn read_lines(stdout: ChildStdout, sender: &Sender<News>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        match stdout.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) if sender.send(News::Line(line, Instant::now())).is_err() => return,
            Ok(_) => {}
        }
    }
    let _ = sender.send(News::Silence);
}

fn read_noise(mut stderr: ChildStderr, sender: &Sender<News>) {
    let mut buffer = [0; 8192];
    while let Ok(size @ 1..) = stderr.read(&mut buffer) {
        if sender.send(News::Noise(buffer[..size].to_vec())).is_err() {
            return;
        }
    }
    let _ = sender.send(News::Silence);
}

struct Watched {
    watching: Watching,
    /// When it was asked to end.
    asked: Option<Instant>,
    /// What it had started by then.
    started: Vec<Running>,
    heard: Instant,
    end_signal: Option<i32>,
    hung: bool,
    cut: bool,
}

impl Watched {
    /// A child of the agent's may keep its streams open, and talk, for ever: the
    /// process's own end counts, and then what is still in the pipes.
    fn follow(
        mut self,
        mut child: Child,
        mut streams: usize,
        news: &Receiver<News>,
        hear: Hear<'_>,
    ) -> io::Result<End> {
        let mut end: Option<(ExitStatus, Instant)> = None;
        let mut last_look = Instant::now();
        // How long nothing came since the end. What came before it may take its time to
        // be heard.
        let mut idle = Duration::ZERO;
        loop {
            let waiting = Instant::now();
            let news = news.recv_timeout(LOOK);
            if end.is_some() {
                idle += waiting.elapsed();
            }
            match news {
                Ok(News::Line(line, came)) => {
                    self.heard = Instant::now();
                    let line = String::from_utf8_lossy(&line);
                    let line = line.trim_end_matches(['\n', '\r']);
                    if hear(Word::Line(line, came)).is_break() && end.is_none() {
                        self.cut_off(&child);
                    }
                }
                Err(RecvTimeoutError::Timeout) if end.is_none() => {
                    if hear(Word::Pause).is_break() {
                        self.cut_off(&child);
                    }
                }
                Ok(News::Noise(noise)) => {
                    self.heard = Instant::now();
                    let _ = hear(Word::Noise(&noise));
                }
                Ok(News::Silence) => streams -= 1,
                // What ended well is not interrupted any more.
                Ok(News::Signal(caught)) if end.is_none() => self.pass_on(&child, caught),
                Ok(News::Signal(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => streams = 0,
            }
            if end.is_none() && (streams == 0 || last_look.elapsed() >= LOOK) {
                last_look = Instant::now();
                end = child.try_wait()?.map(|status| (status, last_look));
                if end.is_none() {
                    self.end_if_due(&child);
                }
            }
            // A launcher that was signalled may be gone before what it launched.
            if end.is_some() && self.group_lives(&child) {
                self.kill_if_due(&child);
                continue;
            }
            if let Some((status, at)) = end
                && (streams == 0 || idle > DRAIN || at.elapsed() > GRACE)
            {
                let left = self.left(at);
                let Watched { end_signal: signal, hung, cut, .. } = self;
                return Ok(End { status, signal, hung, cut, left });
            }
        }
    }

    /// Notes that it is about to be asked to end: afterwards nothing tells any more whose
    /// child was whose.
    fn ask(&mut self, child: &Child) {
        if self.asked.is_none() {
            self.asked = Some(Instant::now());
            self.started = processes::descendants(child.id());
        }
    }

    /// What still runs of that, a moment after the end.
    fn left(&mut self, end: Instant) -> Vec<Running> {
        let mut left = std::mem::take(&mut self.started);
        loop {
            left.retain(Running::lives);
            if left.is_empty() || end.elapsed() > FOLLOW {
                return left;
            }
            thread::sleep(LOOK);
        }
    }

    fn pass_on(&mut self, child: &Child, caught: Caught) {
        // Whoever started us may pass on what the terminal sent to all of us; a
        // signal that comes later than that is impatience.
        let asked = self.asked;
        self.ask(child);
        match asked {
            Some(asked) if asked.elapsed() >= Duration::from_secs(1) => {
                self.send(child, libc::SIGKILL);
            }
            Some(_) => {}
            None if caught.from_terminal && !self.watching.is_group => {}
            None => self.send(child, caught.signal),
        }
        self.end_signal.get_or_insert(caught.signal);
    }

    fn cut_off(&mut self, child: &Child) {
        if self.asked.is_none() {
            self.cut = true;
            self.ask(child);
            self.send(child, libc::SIGINT);
        }
    }

    /// Whether something lives of a group that was asked to end.
    fn group_lives(&self, child: &Child) -> bool {
        let Ok(leader) = libc::pid_t::try_from(child.id()) else { return false };
        // SAFETY: signal 0 is sent to nobody; the number is that of our own group.
        self.watching.is_group && self.asked.is_some() && unsafe { libc::kill(-leader, 0) } == 0
    }

    fn kill_if_due(&self, child: &Child) {
        if self.asked.is_some_and(|asked| asked.elapsed() > GRACE) {
            self.send(child, libc::SIGKILL);
        }
    }

    fn end_if_due(&mut self, child: &Child) {
        self.kill_if_due(child);
        let is_silent = self.watching.silence.is_some_and(|silence| self.heard.elapsed() > silence);
        if is_silent && self.asked.is_none() {
            self.hung = true;
            self.ask(child);
            self.send(child, libc::SIGTERM);
        }
    }

    fn send(&self, child: &Child, signal: i32) {
        if let Ok(process) = libc::pid_t::try_from(child.id()) {
            let target = if self.watching.is_group { -process } else { process };
            // SAFETY: the child has not been waited for, or others live in its group, so
            // that its number is its own.
            unsafe { libc::kill(target, signal) };
        }
    }
}
