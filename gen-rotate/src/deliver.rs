//! The document on disk becomes a prompt, and the prompt a successor.
//!
//! The ledger says `launched` before anything is launched, so a breaker cannot
//! count too few; a launch that fails sets it back to `pending`. Whoever
//! supervises holds the step's proof of life until the successor has ended.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use durable::{Access, Lock};
use handoff_fmt::Document;
use serde_json::Value;
use terminal::{Exit, Failure, Language};

use crate::events::{Done, Events, done};
use crate::fate::{Place, record_end, undo, update};
use crate::generation::{Source, State};
use crate::locked::LockedLedger;
use crate::successor::{Filling, Successor, fill_name};
use crate::supervise::{self, Charge, Input};
use crate::{Home, Step, recover, stamp};

/// How a successor is launched.
#[derive(Debug)]
pub struct Launch {
    /// Its command line.
    pub successor: Successor,
    /// It gets the document itself and no prompt made from it.
    pub raw: bool,
    /// The language of the prompt.
    pub language: Language,
    /// The command returns at once; its exit status 0 says that it delivered.
    pub detach: bool,
    /// After so long without a sign of life it is ended.
    pub start_timeout: Option<Duration>,
    /// A file whose growth is a sign of life; `{step}` and `{session}` are filled
    /// in.
    pub transcript: Option<OsString>,
}

/// How a successor ended.
#[derive(Debug)]
pub struct Ended {
    /// Its name, to say who spoke.
    pub name: String,
    /// What it ended with.
    pub status: ExitStatus,
    /// It was ended, since nothing came from it.
    pub timed_out: bool,
    /// The command was to deliver and did not.
    pub undelivered: bool,
    /// What went wrong beside it; the successor ran all the same.
    pub trouble: Option<Failure>,
}

impl Ended {
    /// The exit status to pass through.
    pub fn exit(&self) -> Exit {
        match (self.timed_out, supervise::code_of(self.status), &self.trouble) {
            (true, ..) => Exit::Timeout,
            (_, 0, Some(trouble)) => trouble.exit,
            (_, code, _) => Exit::Of(code),
        }
    }
}

const PENDING: &str = "the document is published and pending; --resume delivers it";
const NOT_KEPT: &str = "the document was not kept (--no-document)";

/// A successor about to be launched: the newest generation of a row.
pub(crate) struct Delivery<'a> {
    pub(crate) home: &'a Home,
    pub(crate) step: &'a Step,
    pub(crate) launch: &'a Launch,
    /// The document where it lies in no file.
    pub(crate) loose: Option<&'a [u8]>,
    pub(crate) events: &'a mut Events,
}

/// What a successor is given.
struct Given {
    document: Document,
    session: String,
    prompt: Vec<u8>,
    file: Option<PathBuf>,
    context: Option<u64>,
    window: Option<u64>,
}

impl Delivery<'_> {
    /// Launches the newest generation of the row and stays with it to its end.
    pub(crate) fn make(
        mut self,
        mut locked: LockedLedger,
        life: Lock,
        index: usize,
    ) -> Result<Ended, Failure> {
        let given = match self.prepare(&mut locked, index) {
            Ok(given) => given,
            Err(failure) => {
                // What was published stays so. If even this cannot be written,
                // the intent on disk says the same.
                locked.row(index).intent = None;
                undo(locked.row(index).last_mut(), self.loose.is_none());
                let _ = locked.save().and_then(|()| recover::sweep(&locked));
                let hint = if self.loose.is_none() { PENDING } else { NOT_KEPT };
                return Err(failure.hint(hint));
            }
        };
        let row = locked.row(index);
        let (run, step) = (row.run.clone(), row.step.clone());
        let place = Place { run, step, number: row.generations.len() - 1 };
        row.intent = None;
        let entry = row.last_mut();
        entry.state = State::Launched;
        entry.started_at = Some(stamp::now());
        entry.given = given.file.as_deref().map(|file| self.home.relative(file));
        let told = self.launch.successor.uses("{session}");
        entry.session_source = Some(if told { Source::Given } else { Source::Made });
        locked.save()?;
        drop(locked);
        let ended = self.launch(&place, &given);
        drop(life);
        ended
    }

    fn prepare(&self, locked: &mut LockedLedger, index: usize) -> Result<Given, Failure> {
        let bytes = match self.loose {
            Some(bytes) => Cow::Borrowed(bytes),
            None => {
                let path = self.home.document(self.step);
                let read = durable::read_regular(&path);
                Cow::Owned(read.map_err(|error| Failure::reading(&path, &error))?)
            }
        };
        let document = crate::document::complete(&bytes)?;
        let prompt = if self.launch.raw {
            bytes.into_owned()
        } else {
            document.to_prompt(self.launch.language).into_bytes()
        };
        let row = locked.row(index);
        let number = row.generations.len() - 1;
        let session = row.session_id.clone().unwrap_or_default();
        let writer = row.generations[..number].iter().rfind(|g| g.degraded.is_some());
        let mut given = Given {
            document,
            session,
            prompt,
            file: None,
            context: writer.and_then(|writer| writer.context),
            window: writer.and_then(|writer| writer.window).or(row.window),
        };
        if self.loose.is_none() {
            let copy = self.home.delivered(&row.run, self.step, number);
            let folder = durable::folder_of(&copy);
            let written = durable::create_folders(folder)
                .and_then(|_| durable::create(&copy, &given.prompt, Access::AsFolder))
                .and_then(|()| durable::sync_folder(folder));
            written.map_err(|error| Failure::writing(&copy, &error))?;
            given.file = Some(copy);
        }
        Ok(given)
    }

    fn launch(&mut self, place: &Place, given: &Given) -> Result<Ended, Failure> {
        let (home, detach) = (self.home, self.launch.detach);
        let name = self.launch.successor.name().into_owned();
        let mut trouble = None;
        let done = self.done(place, given);
        let started = || {
            if !detach {
                trouble = self.events.emit(&done).err();
            }
        };
        let lives = || {
            if !detach {
                // The end is recorded again, so a failure here loses nothing.
                let _ = update(home, place, |entry| {
                    if entry.state == State::Launched {
                        entry.state = State::Delivered;
                    }
                });
            }
        };
        let end = match charge(self.launch, &name, self.step, given) {
            Ok(charge) => supervise::run(charge, started, lives)
                .map_err(|error| self.not_launched(place, &name, &error))?,
            Err(failure) => {
                let _ = update(home, place, |entry| undo(entry, true));
                return Err(failure.hint(PENDING));
            }
        };
        let undelivered = detach && !end.status.success();
        let recorded = update(home, place, |entry| record_end(entry, &end, detach));
        if detach && !undelivered {
            trouble = self.events.emit(&done).err();
        }
        let lost = end.lost.map(|error| {
            let reason = terminal::reason(&error);
            Failure::new(Exit::Io, format!("cannot pass on what '{name}' said: {reason}"))
        });
        let trouble = lost.or(recorded.err()).or(trouble);
        Ok(Ended { name, status: end.status, timed_out: end.timed_out, undelivered, trouble })
    }

    fn done(&self, place: &Place, given: &Given) -> Value {
        done(&Done {
            step: self.step.name(),
            context: given.context,
            window: given.window,
            degraded: given.document.degraded(),
            path: self.loose.is_none().then(|| self.home.document(self.step).display().to_string()),
            document: &given.document,
            session_id: &given.session,
            generation: place.number,
        })
    }

    fn not_launched(&self, place: &Place, name: &str, error: &io::Error) -> Failure {
        let kept = self.loose.is_none();
        // If this fails the entry stays `launched` without a supervisor, which a
        // resume takes for the same.
        let _ = update(self.home, place, |entry| undo(entry, kept));
        let exit = match error.kind() {
            io::ErrorKind::NotFound => Exit::NotFound,
            _ => Exit::CannotRun,
        };
        let message = format!("cannot run '{name}': {}", terminal::reason(error));
        let hint = match error.kind() {
            io::ErrorKind::ArgumentListTooLong => {
                format!("the prompt is too long for an argument; take stdin or {{file}}; {PENDING}")
            }
            _ if kept => PENDING.to_owned(),
            _ => NOT_KEPT.to_owned(),
        };
        Failure::new(exit, message).hint(hint)
    }
}

fn charge<'a>(
    launch: &'a Launch,
    name: &'a str,
    step: &Step,
    given: &Given,
) -> Result<Charge<'a>, Failure> {
    let successor = &launch.successor;
    let unreadable = |error: io::Error| {
        Failure::reading(given.file.as_deref().unwrap_or(Path::new(".")), &error)
    };
    let file = given.file.as_deref().map(std::path::absolute).transpose().map_err(unreadable)?;
    let as_argument = successor.uses("{prompt}") || successor.uses("{file}");
    let input = match &file {
        _ if as_argument => Input::Nothing,
        Some(file) => Input::File(fs_err::File::open(file).map_err(unreadable)?),
        None => Input::Bytes(given.prompt.clone()),
    };
    let filling = Filling {
        prompt: &given.prompt,
        file: &file.unwrap_or_default(),
        step: step.name(),
        session: &given.session,
    };
    let transcript = launch.transcript.as_deref();
    Ok(Charge {
        program: successor.program(),
        name,
        arguments: successor.arguments(&filling),
        input,
        start_timeout: launch.start_timeout,
        transcript: transcript
            .map(|path| PathBuf::from(fill_name(path, step.name(), &given.session))),
    })
}
