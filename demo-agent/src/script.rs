//! Which session this is, and where its script stands.
//!
//! Sessions are counted in a state file beside the scenario, under a lock, so
//! that runs at the same time get different scripts. A step is noted as used
//! before it happens: a run that is killed in it goes on with the next one.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use terminal::{Exit, Failure};

use crate::scenario::{Scenario, SessionScript, Step};

/// Where the script of one session stands.
#[derive(Debug)]
pub(crate) struct Script {
    /// The whole scenario.
    pub(crate) scenario: Scenario,
    /// The part of it that is this session's.
    pub(crate) session: SessionScript,
    id: String,
    position: usize,
    /// None with the built-in scenario, in which all sessions are alike.
    state: Option<PathBuf>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    v: u32,
    sessions: Vec<Entry>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    id: String,
    /// Which of the scenario's sessions it is, from 0.
    index: usize,
    /// Steps used.
    position: usize,
}

impl Script {
    /// The scenario of the environment, before it is known for which session.
    pub(crate) fn load() -> Result<Script, Failure> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let path = set("DEMO_AGENT_SCENARIO");
        let scenario = match &path {
            Some(path) => Scenario::read(path)?,
            None => Scenario::built_in(),
        };
        let state = set("DEMO_AGENT_STATE").or(path.as_deref().map(Scenario::state_beside));
        Ok(Script {
            scenario,
            session: SessionScript::default(),
            id: String::new(),
            position: 0,
            state,
        })
    }

    /// Finds the session's script: the next one for a new session, its parent's
    /// for a fork, its own for a resumed one.
    pub(crate) fn open(&mut self, id: &str, parent: Option<&str>) -> Result<(), Failure> {
        id.clone_into(&mut self.id);
        let scenario_sessions = self.scenario.sessions.len();
        let entry = self.update(|state| {
            let known = |id: &str| state.sessions.iter().find(|entry| entry.id == id).cloned();
            if let Some(entry) = known(id) {
                return entry;
            }
            let mut entry = parent.and_then(known).unwrap_or(Entry {
                id: String::new(),
                index: state.sessions.len().min(scenario_sessions),
                position: 0,
            });
            id.clone_into(&mut entry.id);
            state.sessions.push(entry.clone());
            entry
        })?;
        self.position = entry.position;
        self.session = self.scenario.session(entry.index).clone();
        Ok(())
    }

    /// The step that comes next; `None` when all are used.
    pub(crate) fn peek(&self) -> Option<&Step> {
        self.session.steps.get(self.position)
    }

    /// Notes the next step as used.
    pub(crate) fn advance(&mut self) -> Result<(), Failure> {
        self.position += 1;
        let (id, position) = (self.id.clone(), self.position);
        self.update(|state| {
            if let Some(entry) = state.sessions.iter_mut().find(|entry| entry.id == id) {
                entry.position = position;
            }
        })
    }

    fn update<T>(&self, change: impl FnOnce(&mut State) -> T) -> Result<T, Failure> {
        let Some(path) = &self.state else {
            return Ok(change(&mut State::default()));
        };
        let beside = |ending: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let unwritable = |error| Failure::writing(path, &error);
        let _lock =
            durable::lock(&beside(".lock"), Duration::from_secs(10))
                .map_err(unwritable)?
                .ok_or_else(|| Failure::new(Exit::Busy, "the state of the scenario is locked"))?;
        let mut state = read(path)?;
        let result = change(&mut state);
        state.v = 1;
        let bytes = serde_json::to_vec(&state)
            .map_err(|error| Failure::new(Exit::Bug, error.to_string()))?;
        // Renamed but not synced: it has to outlive this process, not the machine.
        let new = beside(".new");
        fs_err::write(&new, bytes).map_err(unwritable)?;
        fs_err::rename(&new, path).map_err(unwritable)?;
        Ok(result)
    }
}

fn read(path: &Path) -> Result<State, Failure> {
    match fs_err::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
            Failure::data(format!("'{}' is no state of a scenario: {error}", path.display()))
                .hint("remove it to begin again")
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(State::default()),
        Err(error) => Err(Failure::reading(path, &error)),
    }
}
