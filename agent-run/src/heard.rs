//! What is heard of a run while it lasts.

use std::ops::ControlFlow;
use std::time::Instant;

use agents::{Driver, EndKind, Ended, Event};
use ctx_meter::Measure;
use ctx_meter::learned::{self, Key, Origin};
use ctx_meter::limits::Limits;
use ctx_meter::window::{self, Known, Window};
use processes::Running;

use crate::claim::{Claim, claim};
use crate::listener::Listener;
use crate::order::{Order, StopAt, Turn};
use crate::outside::Outside;
use crate::view::View;
use crate::watch::Word;

/// What was heard of a run.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) session_id: String,
    pub(crate) model: Option<String>,
    pub(crate) first_context: Option<u64>,
    pub(crate) context: Option<u64>,
    /// What the next request would carry.
    pub(crate) projected: Option<u64>,
    /// What goes into the next request beside that.
    pub(crate) pending: u64,
    /// Answers that were told of one by one, and what they cost.
    pub(crate) turns: u64,
    pub(crate) cost_usd: Option<f64>,
    pub(crate) near: bool,
    /// The model whose window was noted.
    pub(crate) noted: Option<String>,
    /// Why the window of the session could not be noted.
    pub(crate) unkept: Option<String>,
    /// What the answer saw at which the run was to stop.
    pub(crate) reached: Option<u64>,
    /// Whether another answer came after that one.
    pub(crate) went_on: bool,
    /// Why a request is made again, if nothing came since.
    pub(crate) retry: Option<String>,
    pub(crate) ended: Option<Ended>,
    /// What the main thread said last.
    pub(crate) said: String,
    /// The pieces of what it says now.
    pub(crate) pieces: String,
    pub(crate) said_in_pieces: bool,
    /// The window that the session recorded.
    pub(crate) recorded: Option<u64>,
    /// The last lines of stdout that were no record.
    pub(crate) text: Vec<u8>,
    /// The end of stderr.
    pub(crate) noise: Vec<u8>,
}

/// What is kept of either, in bytes: the error stands at its end.
const NOISE: usize = 16 << 10;

fn keep_end(kept: &mut Vec<u8>, more: &[u8]) {
    kept.extend_from_slice(more);
    kept.drain(..kept.len().saturating_sub(NOISE));
}

pub(crate) struct Watcher<'w> {
    pub(crate) driver: &'w dyn Driver,
    /// Of the session; `None` where no state can be kept.
    pub(crate) claim: Option<Claim>,
    /// The agent's process.
    pub(crate) process: Option<Running>,
    /// The name of the CLI whose sessions it writes.
    pub(crate) agent: &'w str,
    pub(crate) view: &'w View,
    pub(crate) listener: &'w mut dyn Listener,
    pub(crate) order: &'w Order,
    pub(crate) heard: Heard,
    /// Where no hook watches the run from inside.
    pub(crate) outside: Option<Outside>,
    /// How far the session can be filled, where less than its window can be used.
    pub(crate) room: Option<u64>,
}

impl Watcher<'_> {
    /// Hears a word, and says whether to go on: to the line and no further, where
    /// no hook stops the run.
    pub(crate) fn hear(&mut self, word: Word<'_>) -> ControlFlow<()> {
        match word {
            Word::Started(process) => {
                self.process = Some(process);
                self.note_process();
            }
            Word::Noise(noise) => {
                self.view.noise(noise);
                keep_end(&mut self.heard.noise, noise);
            }
            Word::Line(line, came) => {
                let driver = self.driver;
                if !driver.line(line, &mut |event| self.see(event, came)) {
                    keep_end(&mut self.heard.text, line.as_bytes());
                    keep_end(&mut self.heard.text, b"\n");
                }
                self.follow();
            }
            Word::Pause => self.follow(),
        }
        let is_over = self.heard.ended.is_some();
        if self.outside.is_some() && self.heard.reached.is_some() && !is_over {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// What the CLI says, and when it came.
    fn see(&mut self, event: Event<'_>, came: Instant) {
        if matches!(event, Event::Tool(..) | Event::Ended(_)) {
            self.put_together();
        }
        self.view.event(&event);
        self.heard.retry = None;
        match event {
            Event::Piece(piece) => self.heard.pieces += &piece,
            Event::Begun { session_id, model } => {
                if let Some(id) = session_id {
                    self.begin(id.into_owned());
                }
                if let Some(model) = model {
                    self.heard.model = Some(model.into_owned());
                    self.tell_window();
                }
            }
            Event::Answering => {
                self.heard.said.clear();
                if self.heard.ended.take().is_some() {
                    // It may have compacted since.
                    self.heard.reached = None;
                }
            }
            Event::Context(context) => {
                let pending = std::mem::take(&mut self.heard.pending);
                self.see_context(context, context.saturating_add(pending));
            }
            Event::UnderWay(context) => {
                if let Some(outside) = &mut self.outside {
                    outside.tell(context);
                }
            }
            Event::Pending(tokens) => {
                self.heard.pending = self.heard.pending.saturating_add(tokens);
            }
            Event::Turn(cost) => {
                self.heard.turns += 1;
                if let Some(cost) = cost {
                    *self.heard.cost_usd.get_or_insert(0.0) += cost;
                }
            }
            Event::Ended(ended) => self.end(*ended),
            Event::Words(words) => self.heard.said = words.into_owned(),
            Event::Tool(..) => {
                // What ended before was a part of the run, a sub-agent say.
                self.heard.ended = None;
                if std::mem::take(&mut self.heard.said_in_pieces) {
                    self.heard.said.clear();
                }
                if let Some(outside) = &mut self.outside {
                    outside.begin();
                }
            }
            Event::ToolEnded => self.look(came),
            Event::Retry(why) => self.heard.retry = Some(why),
        }
    }

    /// What was said in pieces is shown as a whole.
    fn put_together(&mut self) {
        let words = std::mem::take(&mut self.heard.pieces);
        if !words.is_empty() {
            self.view.event(&Event::Words(words.as_str().into()));
            self.heard.said = words;
            self.heard.said_in_pieces = true;
        }
    }

    /// A CLI that chooses the id of a session itself has told it: from here on the
    /// session runs under that.
    fn begin(&mut self, id: String) {
        if id != self.heard.session_id {
            // Nobody else can know it yet, so that nobody can hold it.
            self.claim = claim(&id).ok().flatten();
            self.note_process();
            self.listener.begun(&id);
            self.heard.session_id = id;
            if let Some(outside) = &mut self.outside {
                outside.renamed();
            }
        }
    }

    fn note_process(&self) {
        if let (Some(claim), Some(process)) = (&self.claim, &self.process) {
            claim.note(process);
        }
    }

    fn end(&mut self, mut ended: Ended) {
        if ended.was_said {
            ended.text = std::mem::take(&mut self.heard.said);
        }
        // Some CLIs tell of a refusal first, and then of an end like any other.
        let refused = self.heard.ended.as_ref().is_some_and(|e| e.kind == EndKind::PromptBlocked);
        if refused && ended.kind == EndKind::Answered && ended.text.is_empty() {
            return;
        }
        self.heard.ended = Some(ended);
    }

    fn look(&mut self, came: Instant) {
        let id = &self.heard.session_id;
        let measured = self.outside.as_mut().and_then(|outside| outside.end(id, came));
        self.see_measured(measured);
    }

    fn follow(&mut self) {
        let id = &self.heard.session_id;
        let measured = self.outside.as_mut().and_then(|outside| outside.follow(id));
        self.see_measured(measured);
    }

    fn see_measured(&mut self, measured: Option<Measure>) {
        let Some(measured) = measured else { return };
        self.heard.recorded = measured.window.or(self.heard.recorded);
        if let (Some(context), Some(projected)) = (measured.context, measured.projected()) {
            self.see_context(context, projected);
        }
    }

    /// Notes the window of the session that has begun, where the guard and the
    /// meter look: they know its model from the transcript alone, which drops the
    /// marks that tell 200,000 tokens from a million. Some CLIs name the model with
    /// every answer.
    fn tell_window(&mut self) {
        let Some(model) = self.heard.model.as_deref() else { return };
        if self.heard.noted.as_deref() == Some(model) {
            return;
        }
        let learned = learned::window(None, window::endpoint().as_deref(), Some(model));
        let (window, origin) = learned.unwrap_or((window::by_name(model), Origin::Name));
        let key = Key::Session(self.heard.session_id.clone());
        if let Err(error) = learned::keep(&key, window, origin) {
            self.heard.unkept = Some(terminal::reason(&error));
        }
        self.heard.noted = self.heard.model.clone();
    }

    fn window(&self) -> Option<Window> {
        let known = Known {
            flag: self.order.window,
            session_id: Some(&self.heard.session_id),
            agent: Some(self.agent),
            model: self.heard.model.as_deref(),
            recorded: self.heard.recorded,
        };
        window::window(known).ok()
    }

    /// What an answer saw, and what the next request would carry.
    fn see_context(&mut self, context: u64, projected: u64) {
        self.heard.first_context.get_or_insert(context);
        self.heard.context = Some(context);
        self.heard.projected = Some(projected);
        if self.order.turn == Turn::Handoff {
            return;
        }
        let Some(window) = self.window() else { return };
        let window = usable(window, self.room);
        let limits = Limits::new(window.size, self.order.headroom);
        if context >= limits.warn_at {
            self.say_near(context, &limits);
        }
        self.see_line(if self.order.judge == "context" { context } else { projected }, &limits);
    }

    fn see_line(&mut self, context: u64, limits: &Limits) {
        let line = match self.order.stop_at {
            Some(StopAt::Tokens(tokens)) => tokens,
            Some(StopAt::Due) => limits.at,
            None => return,
        };
        match self.heard.reached {
            // The parts of one answer tell the same number. What is known from outside
            // grows with the results.
            Some(reached) => {
                self.heard.went_on |= self.outside.is_none() && reached != context;
            }
            None if context >= line => self.heard.reached = Some(context),
            None => {}
        }
    }

    /// Says that the handoff line is near, once.
    pub(crate) fn say_near(&mut self, context: u64, limits: &Limits) {
        if !std::mem::replace(&mut self.heard.near, true) {
            self.view.near(context, limits);
            self.listener.near(context, limits);
        }
    }
}

/// A window as far as it can be used.
pub(crate) fn usable(window: Window, room: Option<u64>) -> Window {
    Window { size: room.map_or(window.size, |room| window.size.min(room)), ..window }
}
