//! One row of the ledger: one run of one step, and its generations.
//!
//! Everything in it can be read by a person and edited by one: keys that are not
//! ours are kept, and what is not known is null, never 0.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::archived::Archived;
use crate::figures::{Figures, sum};
use crate::generation::{Generation, Source, State, or_default};
use crate::{Step, publish, stamp};

/// One run of one step. Its sums are those of its generations.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// The run; a new wake is a new run.
    pub run: String,
    /// The step, as it was named.
    pub step: String,
    /// The session of the last generation: never one that is retired.
    #[serde(default)]
    pub session_id: Option<String>,
    /// The sessions that gave way to a successor, in order.
    #[serde(default, deserialize_with = "or_default")]
    pub retired: Vec<String>,
    /// Failed tries count; a rotation is none.
    #[serde(default, deserialize_with = "or_default")]
    pub attempts: u64,
    /// What the last answer saw, in tokens.
    #[serde(default)]
    pub context: Option<u64>,
    /// The window it was judged by, in tokens.
    #[serde(default)]
    pub window: Option<u64>,
    /// Over all generations, in US dollars.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Over all generations.
    #[serde(default)]
    pub num_turns: Option<u64>,
    /// What went wrong, in order.
    #[serde(default, deserialize_with = "or_default")]
    pub errors: Vec<String>,
    /// Null until the run ends.
    #[serde(default)]
    pub ok: Option<bool>,
    /// UTC.
    #[serde(default)]
    pub started_at: Option<String>,
    /// UTC; null until the run ends.
    #[serde(default)]
    pub ended_at: Option<String>,
    /// One entry a session, the first included.
    #[serde(default, deserialize_with = "or_default")]
    pub generations: Vec<Generation>,
    /// Archived documents that no generation wrote: a person did, or what wrote them
    /// is forgotten. Paths from the HOME on.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub unattributed: Vec<String>,
    /// A rotation that is decided and not yet finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Intent>,
    /// Whatever else a person wrote here.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The moves of files that a decided rotation still needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Intent {
    /// The name under which the new document lies in `notes/`.
    pub temporary: String,
    /// The name that the current document gets in the archive; null where there
    /// was none.
    pub archive: Option<String>,
}

impl Row {
    /// A new run of a step, at its first attempt, with its first generation.
    pub fn open(step: &str, session: Option<&str>) -> Row {
        let first = match session {
            Some(session) => Generation::of(session, Source::Reported, State::Launched),
            None => Generation { state: State::Launched, ..Generation::default() },
        };
        Row {
            run: stamp::run_id(),
            step: step.to_owned(),
            session_id: session.map(str::to_owned),
            attempts: 1,
            started_at: Some(stamp::now()),
            generations: vec![Generation { started_at: Some(stamp::now()), ..first }],
            ..Row::default()
        }
    }

    /// Whether the run still goes on.
    pub fn is_open(&self) -> bool {
        self.ended_at.is_none()
    }

    /// The newest generation.
    pub fn last(&self) -> Option<&Generation> {
        self.generations.last()
    }

    /// The newest generation, which every row of ours has; one that a person
    /// emptied gets a new one.
    pub(crate) fn last_mut(&mut self) -> &mut Generation {
        if self.generations.is_empty() {
            self.generations.push(Generation { state: State::Launched, ..Generation::default() });
        }
        let last = self.generations.len() - 1;
        &mut self.generations[last]
    }

    /// How many sessions gave way: those whose ids are known, or else as many as
    /// wrote a document.
    pub fn retirements(&self) -> u64 {
        let wrote = self.generations.iter().filter(|generation| generation.degraded.is_some());
        self.retired.len().max(wrote.count()) as u64
    }

    /// The newest generation of which a session exists, or may.
    pub(crate) fn newest_session(&mut self) -> usize {
        let exists = |g: &Generation| !matches!(g.state, State::Pending | State::Superseded);
        self.generations.iter().rposition(exists).unwrap_or_else(|| {
            self.generations.push(Generation { state: State::Launched, ..Generation::default() });
            self.generations.len() - 1
        })
    }

    /// Whether nothing is known of the run but that it started.
    pub(crate) fn is_fresh(&self) -> bool {
        matches!(self.generations.as_slice(), [only]
            if only.session_id.is_none() && only.context.is_none() && only.cost_usd.is_none()
                && only.num_turns.is_none() && only.degraded.is_none())
    }

    /// The generation of a session. An id that is not known yet is that of the
    /// newest generation, if nobody told that one's id (a pending one was then
    /// started by hand); else it is a session more.
    pub(crate) fn generation_of(&mut self, session: &str) -> usize {
        let is_his = |g: &Generation| g.session_id.as_deref() == Some(session);
        let counts = |g: &Generation| g.state != State::Superseded;
        let untold =
            |&index: &usize| self.generations[index].session_source != Some(Source::Reported);
        let index = self
            .generations
            .iter()
            .rposition(is_his)
            .or_else(|| self.generations.iter().rposition(counts).filter(untold))
            .unwrap_or_else(|| {
                let next = Generation { started_at: Some(stamp::now()), ..Generation::default() };
                self.generations.push(Generation { state: State::Launched, ..next });
                self.generations.len() - 1
            });
        if index == self.generations.len() - 1 {
            self.session_id = Some(session.to_owned());
        }
        self.generations[index].session_id = Some(session.to_owned());
        self.generations[index].session_source = Some(Source::Reported);
        index
    }

    /// Notes figures of one generation, then counts the sums anew. Returns its
    /// number.
    pub(crate) fn note(&mut self, session: Option<&str>, figures: &Figures, add: bool) -> usize {
        let index = match session {
            Some(session) => self.generation_of(session),
            None => self.newest_session(),
        };
        self.generations[index].note(figures, add);
        self.count();
        index
    }

    pub(crate) fn count(&mut self) {
        let generations = || self.generations.iter().rev();
        let context = generations().find_map(|g| g.context).or(self.context);
        let window = generations().find_map(|g| g.window).or(self.window);
        let costs: Vec<f64> = generations().rev().filter_map(|g| g.cost_usd).collect();
        let turns: Vec<u64> = generations().filter_map(|g| g.num_turns).collect();
        (self.context, self.window) = (context, window);
        if !costs.is_empty() {
            self.cost_usd = Some(sum(costs.into_iter()));
        }
        if !turns.is_empty() {
            self.num_turns = Some(turns.iter().fold(0, |all, &n| all.saturating_add(n)));
        }
    }

    /// Its archived documents, pruned ones included, each with the number of the
    /// generation that has it.
    pub(crate) fn archived(&self) -> impl Iterator<Item = (Option<usize>, &str)> {
        let of_generations =
            self.generations.iter().enumerate().filter_map(|(number, one)| {
                one.archive.as_deref().map(|path| (Some(number), path))
            });
        of_generations.chain(self.unattributed.iter().map(|path| (None, path.as_str())))
    }

    /// Whether the session gave way, in this run.
    pub(crate) fn has_retired(&self, session: &str) -> bool {
        self.retired.iter().any(|retired| retired == session)
    }

    /// Ends the run.
    pub(crate) fn close(&mut self, ok: Option<bool>) {
        self.ok = ok;
        self.ended_at = Some(stamp::now());
    }

    /// What a person's edit must not break.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        if self.run.is_empty() {
            Some("a row has an empty run")
        } else if self.intent.as_ref().is_some_and(|intent| !intent.is_of(&self.step)) {
            Some("an intent is not one of its step")
        } else {
            None
        }
    }
}

impl Intent {
    /// Whether it names what a rotation of the step would, and nothing else.
    pub(crate) fn is_of(&self, step: &str) -> bool {
        let step = Step::named(step);
        let number = self.temporary.strip_prefix(&publish::temporary_front(&step));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_his =
            |name: &str| Archived::parse(name).is_some_and(|(stem, _)| stem == step.stem());
        number.is_some_and(is_number) && self.archive.as_deref().is_none_or(is_his)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_generations() {
        let mut row = Row::open("s", None);
        let figures = |context, cost| Figures {
            context: Some(context),
            cost_usd: Some(cost),
            num_turns: Some(3),
            ..Figures::default()
        };
        row.note(Some("a"), &figures(10, 0.1), false);
        row.note(Some("b"), &figures(20, 0.1), false);
        row.note(Some("b"), &figures(25, 0.1), true);
        row.note(Some("a"), &figures(11, 0.1), false);
        assert_eq!(row.generations.len(), 2);
        assert_eq!((row.context, row.cost_usd, row.num_turns), (Some(25), Some(0.3), Some(9)));
        assert_eq!(row.session_id.as_deref(), Some("b"));
    }

    #[test]
    fn a_made_up_id_gives_way_to_the_real_one() {
        let mut row = Row::open("s", Some("a"));
        row.generations.push(Generation::of("made", Source::Given, State::Delivered));
        row.generation_of("real");
        assert_eq!(row.generations.len(), 2);
        assert_eq!(row.session_id.as_deref(), Some("real"));
        row.generation_of("more");
        assert_eq!(row.generations.len(), 3);
    }
}
