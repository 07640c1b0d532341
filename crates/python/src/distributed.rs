//! A match whose games are played anywhere: games by their numbers, and a collection of those that arrive.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nply::Error;
use nply_arena::statistics::{Referee, Tally};
use nply_arena::{GameRecord, Games, Match, MatchSettings, Memory, Store};
use pyo3::prelude::*;
use serde_json::Value;

use crate::running::{Stop, progress, run};
use crate::tournament::{Outcome, Prepared, Rate, begun, rates, registry_of};

/// Plays games of a match that is given as its description, and returns their records as JSON. `root` is the start of a game in
/// Python.
#[pyfunction]
pub(crate) fn play_games(
    py: Python<'_>,
    root: Option<Bound<'_, PyAny>>,
    description: &str,
    numbers: Vec<u64>,
) -> PyResult<Vec<String>> {
    let (own, registry) = registry_of(root.as_ref())?;
    let (stop, description) = (Stop::default(), description.to_string());
    let flag = stop.clone();
    let work = move || {
        let json: Value = serde_json::from_str(&description).map_err(|error| Error::usage(error.to_string()))?;
        let played = Match { progress, ..Match::from_json(&registry, &json)? };
        Memory::here().map_or(Ok(None), |memory| played.demand().check(memory))?;
        let games = played.play_games(&numbers, &flag, |_| ())?;
        Ok(games.iter().map(|record| record.to_json().to_string()).collect())
    };
    run(py, own.as_deref(), &stop, |_| Ok(()), work)
}

/// The games of a match as they arrive, in any order and some of them twice: kept in a file, and counted in the order of their
/// numbers, so that the result is that of one process.
#[pyclass(frozen, module = "nply")]
pub(crate) struct Collection {
    played: Match,
    name: String,
    settings: MatchSettings,
    names: Vec<String>,
    state: Arc<Mutex<State>>,
}

struct State {
    /// The file of games.
    store: Option<Store>,
    seatings: Games,
    tally: Tally,
    referee: Option<Referee>,
    /// The games that count, from the first on without a gap.
    games: Vec<GameRecord>,
    /// Games that wait for those before them.
    waiting: BTreeMap<u64, GameRecord>,
    /// All games below this number are there.
    next: u64,
}

impl State {
    fn is_there(&self, number: u64) -> bool {
        number < self.next || self.waiting.contains_key(&number)
    }

    fn enter(&mut self, record: GameRecord) {
        if self.is_there(record.number) {
            return;
        }
        self.waiting.insert(record.number, record);
        while let Some(record) = self.waiting.remove(&self.next) {
            self.next += 1;
            // Games beyond the verdict are kept, but do not count.
            if self.is_decided() {
                continue;
            }
            self.tally.add(&record);
            self.referee.as_mut().and_then(|referee| referee.see(&record));
            self.games.push(record);
        }
    }

    fn is_decided(&self) -> bool {
        self.referee.as_ref().is_some_and(|referee| referee.verdict().is_some())
    }

    /// Keeps games that were played somewhere, and counts them as they are in the file from now on.
    fn add(&mut self, name: &str, settings: &MatchSettings, records: Vec<GameRecord>) -> Result<(), Error> {
        for record in &records {
            if self.seatings.seating(record.number) != record.seating {
                let message = format!("game {} has another seating than this program would give it", record.number);
                return Err(Error::failed(message).help("install the same version of nply wherever games are played"));
            }
        }
        let mut kept = None;
        if let Some(store) = &self.store {
            let added = store.add(name, settings, &records)?;
            // Where time decides, a game may be there already and have gone another way: that one counts.
            if added.other > 0 {
                let there = store.select_one(Some(name))?;
                let read = |record: &GameRecord| store.game(&there, record.number);
                kept =
                    Some(records.iter().filter_map(|record| read(record).transpose()).collect::<Result<_, Error>>()?);
            }
        }
        kept.unwrap_or(records).into_iter().for_each(|record| self.enter(record));
        Ok(())
    }
}

impl Collection {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Collection {
    /// The games of a match that are in the file already, if there is one.
    #[new]
    fn new(py: Python<'_>, prepared: &Bound<'_, Prepared>, db: Option<PathBuf>) -> PyResult<Collection> {
        let prepared = prepared.get();
        let (own, registry, mut played) = begun(py, prepared, db.as_deref())?;
        let (name, sprt, stop) = (prepared.name.clone(), prepared.sprt, Stop::default());
        let flag = stop.clone();
        let open = move || {
            played.check()?;
            played.label_programs(&flag);
            let settings = played.settings();
            let mut state = State {
                store: db.map(|db| Store::create(&db)).transpose()?,
                seatings: Games::new(played.seatings(), played.is_sampled(), played.seed),
                tally: Tally::new(&registry, &settings),
                referee: sprt.map(|delta| Referee::new(delta, played.round_length())),
                games: Vec::new(),
                waiting: BTreeMap::new(),
                next: 0,
            };
            if let Some(store) = state.store.take() {
                if let Some(kept) = store.matches()?.into_iter().find(|kept| kept.name == name) {
                    store.each(&kept, 0..played.total(), u64::MAX, |record| state.enter(record))?;
                }
                state.store = Some(store);
            }
            let names = settings.labels();
            Ok(Collection { played, name, settings, names, state: Arc::new(Mutex::new(state)) })
        };
        run(py, own.as_deref(), &stop, |_| Ok(()), open)
    }

    /// The match as plain data, for `play_games`.
    fn description(&self) -> String {
        self.played.to_json().to_string()
    }

    /// The cores that a game takes, and the most bytes of memory.
    fn needs(&self) -> (usize, u64) {
        (self.settings.threads(), self.played.demand().bytes())
    }

    /// Number of games of the whole match.
    #[getter]
    fn total(&self) -> u64 {
        self.played.total()
    }

    /// Number of games that are there.
    fn __len__(&self) -> usize {
        let state = self.state();
        state.next as usize + state.waiting.len()
    }

    /// The numbers of the games that are not there.
    fn missing(&self) -> Vec<u64> {
        let state = self.state();
        (state.next..self.played.total()).filter(|&number| !state.is_there(number)).collect()
    }

    /// Whether the sequential test is decided.
    #[getter]
    fn decided(&self) -> bool {
        self.state().is_decided()
    }

    /// The agents' rates with their intervals.
    fn rates(&self) -> Vec<Rate> {
        rates(&self.names, &self.state().tally)
    }

    /// Adds records of games. Those that are there already change nothing.
    fn add(&self, py: Python<'_>, records: Vec<String>) -> PyResult<()> {
        let (state, name, settings) = (self.state.clone(), self.name.clone(), self.settings.clone());
        let add = move || {
            let read = |text: &String| {
                let json = serde_json::from_str(text).map_err(|error| Error::failed(error.to_string()))?;
                GameRecord::from_json(json)
            };
            let records = records.iter().map(read).collect::<Result<Vec<GameRecord>, Error>>()?;
            state.lock().unwrap_or_else(PoisonError::into_inner).add(&name, &settings, records)
        };
        run(py, None, &Stop::default(), |_| Ok(()), add)
    }

    /// What the games add up to.
    fn outcome(&self) -> Outcome {
        let state = self.state();
        let is_done = state.is_decided() || state.next == self.played.total();
        let (name, tally, games) = (self.name.clone(), state.tally.clone(), state.games.clone());
        Outcome { name, tally, games, is_done, referee: state.referee.clone() }
    }
}
