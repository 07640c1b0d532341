//! Tournaments, and files of games.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nply::Error;
use nply_arena::statistics::{Estimate, Referee, Row, Sprt, Tally, verdict_text};
use nply_arena::{
    GameRecord, Match, MatchSettings, Memory, NamedAgent, Openings, Registry, Schedule, Seating, Store, Terms, caught,
    game_json, npgn, rates_svg, report,
};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::errors::{exception, raised};
use crate::own::{Own, declared};
use crate::position::Position;
use crate::registry::standard;
use crate::running::{Stop, progress, run};

/// The games of a match and what they add up to.
#[pyclass(frozen, module = "nply")]
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) tally: Tally,
    pub(crate) games: Vec<GameRecord>,
    pub(crate) is_done: bool,
    /// The sequential test, if there was one.
    pub(crate) referee: Option<Referee>,
}

/// A match that is yet to be played.
#[pyclass(frozen, module = "nply")]
pub(crate) struct Prepared {
    pub(crate) name: String,
    pub(crate) played: Match,
    pub(crate) sprt: Option<f64>,
    /// The start of a game in Python.
    pub(crate) root: Option<Py<PyAny>>,
}

/// The registry of nply's games or, of a game in Python, one of its own, and with it the exceptions of this match.
pub(crate) fn registry_of(root: Option<&Bound<'_, PyAny>>) -> PyResult<(Option<Arc<Own>>, Registry)> {
    match root {
        None => Ok((None, standard().clone())),
        Some(root) => declared(root, false).map(|(own, _, registry, _)| (Some(own), registry)),
    }
}

/// The form that a word stands for.
pub(crate) fn format_of(word: &str) -> Result<report::Format, Error> {
    let formats = [
        ("text", report::Format::Text),
        ("markdown", report::Format::Markdown),
        ("csv", report::Format::Csv),
        ("latex", report::Format::Latex),
    ];
    let found = formats.iter().find(|(name, _)| *name == word).map(|(_, form)| *form);
    found.ok_or_else(|| Error::unknown(nply::Code::BadValue, "format", word, &formats.map(|(name, _)| name)))
}

/// An agent's name, rate and its interval.
pub(crate) type Rate = (String, f64, f64, f64);

/// The rates so far.
pub(crate) fn rates(names: &[String], tally: &Tally) -> Vec<Rate> {
    let rate = |(agent, name): (usize, &String)| {
        let Estimate { value, low, high, .. } = tally.rate(agent);
        (name.clone(), value, low, high)
    };
    names.iter().enumerate().map(rate).collect()
}

/// A word of an enumeration.
fn word<T: DeserializeOwned>(key: &str, word: &str, words: &[&str]) -> Result<T, Error> {
    serde_json::from_value(json!(word)).map_err(|_| Error::unknown(nply::Code::BadValue, key, word, words))
}

/// What a match is made of, as JSON.
fn described(game: &Position, registry: &Registry, asked: &str) -> Result<(Match, Option<f64>), Error> {
    let asked: Value = serde_json::from_str(asked).map_err(|error| Error::usage(error.to_string()))?;
    let text = |key: &str| asked[key].as_str();
    let players = game.players_of_game();
    let game = registry.find_spec(game.game.spec())?;
    let terms = Terms {
        clock: text("clock").map(str::parse).transpose()?,
        adjudication: text("adjudicate").map(str::parse).transpose()?.unwrap_or_default(),
    };
    let budget = match text("limits").unwrap_or_default() {
        "" => terms.usual_budget(),
        limits => limits.parse()?,
    };
    let agents = asked["agents"].as_array().into_iter().flatten();
    let agents = agents.map(|agent| game.agent_json_within(agent, players, &budget));
    let agents: Vec<NamedAgent> = agents.collect::<Result<_, Error>>()?;
    if agents.is_empty() {
        return Err(Error::usage("a tournament needs agents").help("name some: agents=\"greedy random\""));
    }
    let Some(games) = asked["games"].as_u64().filter(|&games| games > 0) else {
        return Err(Error::usage("a tournament needs a number of games").help("write games=100"));
    };
    let seating: Seating = word("seating", text("seating").unwrap_or("all"), &["all", "fixed"])?;
    let schedule: Schedule = word("schedule", text("schedule").unwrap_or("all"), &["all", "gauntlet", "pairs"])?;
    let (seed, threads) = (asked["seed"].as_u64().unwrap_or(1), 1);
    let sprt = asked["sprt"].as_f64();
    if sprt.is_some() && agents.len() != 2 {
        let message = format!("sprt compares two agents, and here are {}", agents.len());
        return Err(Error::usage(message).help("name two agents, or leave out sprt"));
    }
    sprt.map_or(Ok(()), Sprt::check)?;
    let sampled = None;
    let read = |text: &str| Openings::read(text, Path::new(""), registry, &game, players);
    let openings = text("openings").map(|text| caught(|| read(text))).transpose()?;
    let played = Match {
        game,
        players,
        agents,
        games,
        budget,
        terms,
        openings,
        seating,
        schedule,
        sampled,
        seed,
        threads,
        progress,
    };
    played.check_schedule()?;
    Ok((played, sprt))
}

/// How far a match is.
#[derive(Default)]
struct Progress {
    games: u64,
    rates: Vec<Rate>,
}

/// Prepares a match that is described as JSON.
#[pyfunction]
pub(crate) fn prepare(py: Python<'_>, game: &Bound<'_, Position>, asked: &str, name: String) -> PyResult<Prepared> {
    let game = game.get();
    let root = game.own.as_ref().map(|own| own.root(py));
    let (own, registry) = registry_of(root.as_ref())?;
    let prepared = described(game, &registry, asked).and_then(|(played, sprt)| {
        played.check_limits()?;
        Ok((played, sprt))
    });
    let (played, sprt) =
        prepared.map_err(|error| own.and_then(|own| own.raised(py)).unwrap_or_else(|| exception(py, &error)))?;
    Ok(Prepared { name, played, sprt, root: root.map(Bound::unbind) })
}

/// A match as it is played once: with the exceptions of its own game, and as it was begun in a file.
pub(crate) fn begun(
    py: Python<'_>,
    prepared: &Prepared,
    db: Option<&Path>,
) -> PyResult<(Option<Arc<Own>>, Registry, Match)> {
    let Prepared { name, played, root, .. } = prepared;
    let (own, registry) = registry_of(root.as_ref().map(|root| root.bind(py)))?;
    let mut played = match root {
        None => played.clone(),
        Some(_) => {
            let same = raised(py, caught(|| Match::from_json(&registry, &played.to_json())))?;
            Match { sampled: played.sampled, ..same }
        }
    };
    played.progress = progress;
    if let Some(db) = db {
        played = raised(py, played.resumed(db, name))?;
        if db.exists() {
            raised(py, played.check_kept(db, name, None))?;
        }
    }
    Ok((own, registry, played))
}

#[pymethods]
impl Prepared {
    /// The name of the match.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    fn __len__(&self) -> usize {
        self.played.total() as usize
    }

    /// The start of a game in Python.
    #[pyo3(signature = () -> "object")]
    fn root(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.root.as_ref().map(|root| root.clone_ref(py))
    }

    /// Plays it here. `watch` is told now and then how many games there are of how many, and the agents' rates with their intervals.
    fn play(
        &self,
        py: Python<'_>,
        threads: usize,
        db: Option<PathBuf>,
        watch: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Outcome> {
        play(py, self, threads, db, watch)
    }
}

fn play(
    py: Python<'_>,
    prepared: &Prepared,
    threads: usize,
    db: Option<PathBuf>,
    watch: Option<Bound<'_, PyAny>>,
) -> PyResult<Outcome> {
    let (own, registry, mut played) = begun(py, prepared, db.as_deref())?;
    played.threads = threads;
    let (name, sprt, stop) = (prepared.name.clone(), prepared.sprt, Stop::default());
    raised(py, Memory::here().map_or(Ok(None), |memory| played.demand().check(memory)))?;
    let total = played.total();
    let progress: Arc<Mutex<Progress>> = Arc::default();
    let (seen, flag, begun) = (progress.clone(), stop.clone(), name);
    let work = move || {
        played.label_programs(&flag);
        let settings = played.settings();
        let names = settings.labels();
        let mut tally = Tally::new(&registry, &settings);
        let mut referee = sprt.map(|delta| Referee::new(delta, played.round_length()));
        let mut games = Vec::new();
        let kept = db.as_deref().map(|db| (db, begun.as_str()));
        played.run_through(kept, &flag, |record| {
            // Games beyond the verdict are kept, but do not count.
            if referee.as_ref().is_some_and(|referee| referee.verdict().is_some()) {
                return;
            }
            tally.add(record);
            games.push(record.clone());
            let rates = rates(&names, &tally);
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = Progress { games: tally.games(), rates };
            if referee.as_mut().is_some_and(|referee| referee.see(record).is_some()) {
                flag.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        })?;
        let is_decided = referee.as_ref().is_some_and(|referee| referee.verdict().is_some());
        let is_done = is_decided || tally.games() == total;
        Ok(Outcome { name: begun, tally, games, is_done, referee })
    };
    let mut shown = None;
    let mut look = |_: Python<'_>| -> PyResult<()> {
        let Some(watch) = &watch else { return Ok(()) };
        let (games, rates) = {
            let now = progress.lock().unwrap_or_else(PoisonError::into_inner);
            if shown == Some(now.games) {
                return Ok(());
            }
            (now.games, now.rates.clone())
        };
        shown = Some(games);
        watch.call1((games, total, rates)).map(drop)
    };
    let outcome = run(py, own.as_deref(), &stop, &mut look, work)?;
    look(py)?;
    Ok(outcome)
}

/// Reads a match from a file of games; `select` names it if there are several.
#[pyfunction]
#[pyo3(signature = (path, select=None))]
pub(crate) fn read(py: Python<'_>, path: PathBuf, select: Option<String>) -> PyResult<Outcome> {
    let read = move || {
        let store = if npgn::is_text(&path) { Store::read_text(&path, standard())?.0 } else { Store::open(&path)? };
        let kept = store.select_one(select.as_deref())?;
        let games = store.games(&kept)?;
        let tally = Tally::of(standard(), &kept.settings, &games);
        Ok(Outcome { name: kept.name, tally, games, is_done: true, referee: None })
    };
    run(py, None, &Stop::default(), |_| Ok(()), read)
}

#[pymethods]
impl Outcome {
    /// The name of the match.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Whether all games were played, or enough for a verdict.
    #[getter]
    fn done(&self) -> bool {
        self.is_done
    }

    /// The outcome of the sequential test, if there was one.
    #[getter]
    fn verdict(&self) -> Option<String> {
        self.referee.as_ref().map(|referee| verdict_text(referee.verdict(), self.tally.settings()))
    }

    fn __len__(&self) -> usize {
        self.games.len()
    }

    /// The settings that the games depend on, as JSON.
    fn settings(&self) -> String {
        self.tally.settings().json().to_string()
    }

    /// Everything that the games add up to, as JSON.
    fn json(&self) -> String {
        report::json(&self.name, &self.tally).to_string()
    }

    /// Every game, as JSON.
    fn games(&self) -> Vec<String> {
        let settings: &MatchSettings = self.tally.settings();
        self.games.iter().map(|record| game_json(&self.name, settings, record).to_string()).collect()
    }

    /// The tables: caption, names of the columns, rows.
    fn tables(&self) -> Vec<(String, Vec<String>, Vec<Vec<String>>)> {
        report::tables(&self.tally).into_iter().map(|table| (table.caption, table.header, table.rows)).collect()
    }

    /// The tables as `text`, `markdown`, `csv` or `latex`.
    fn text(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let form = raised(py, format_of(format))?;
        let tables: Vec<String> = report::tables(&self.tally).iter().map(|table| table.write(form)).collect();
        Ok(tables.join("\n"))
    }

    /// The rates with their intervals, as SVG.
    fn svg(&self) -> String {
        let settings = self.tally.settings();
        let rate = |(name, row): (String, Row)| (name, row.rate.value, (row.rate.low, row.rate.high));
        let rates: Vec<(String, f64, (f64, f64))> =
            settings.labels().into_iter().zip(self.tally.rows()).map(rate).collect();
        let title = format!("Rates: {}, {} players, {} games", settings.game, settings.players, self.tally.games());
        rates_svg(&title, &rates, settings.even_rate())
    }
}
