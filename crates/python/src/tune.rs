//! Tuning: the strongest agent and settings for a game, a number of players and a budget.

use std::sync::Arc;

use nply::{Code, Error};
use nply_arena::tune::{self, Asked, Played, usual_budget};
use nply_arena::{Match, NamedAgent, caught};
use pyo3::prelude::*;
use serde_json::Value;

use crate::errors::exception;
use crate::own::Own;
use crate::position::Position;
use crate::running::{Stop, progress, run};
use crate::tournament::{Outcome, Prepared, registry_of};

/// A tuning that is yet to be played, with the candidates of its first match.
#[pyclass(frozen, module = "nply")]
pub(crate) struct Tuning {
    tuning: tune::Tuning,
    field: Vec<NamedAgent>,
    notes: Vec<String>,
    /// A game in Python, and the start of it.
    own: Option<Arc<Own>>,
    root: Option<Py<PyAny>>,
}

/// What a tuning found.
#[pyclass(frozen, module = "nply")]
pub(crate) struct Found {
    found: tune::Found,
    notes: Vec<String>,
}

/// A whole number among what is asked for.
fn whole(asked: &Value, key: &str, usual: u64) -> Result<u64, Error> {
    match &asked[key] {
        Value::Null => Ok(usual),
        value => value.as_u64().ok_or_else(|| {
            Error::new(Code::BadValue, format!("{key}={value} is not a whole number from 0 on"))
                .help("write one such as 12")
        }),
    }
}

/// What is asked for, as JSON; what is not there is as usual.
fn read(asked: &Value) -> Result<Asked, Error> {
    let usual = Asked::default();
    let text = |key: &str| asked[key].as_str().map(str::to_string);
    Ok(Asked {
        candidates: text("candidates"),
        games: whole(asked, "games", usual.games)?,
        last: whole(asked, "last", usual.last)?,
        sprt: if asked["sprt"].is_null() { usual.sprt } else { asked["sprt"].as_f64().unwrap_or(f64::NAN) },
        openings: text("openings"),
        seed: whole(asked, "seed", usual.seed)?,
    })
}

/// Prepares a tuning that is described as JSON.
#[pyfunction]
pub(crate) fn tuning(py: Python<'_>, game: &Bound<'_, Position>, asked: &str) -> PyResult<Tuning> {
    let game = game.get();
    let root = game.own.as_ref().map(|own| own.root(py));
    let (own, registry) = registry_of(root.as_ref())?;
    let (players, spec, asked) = (game.players_of_game(), game.game.spec().clone(), asked.to_string());
    let work = move || {
        let asked: Value = serde_json::from_str(&asked).map_err(|error| Error::usage(error.to_string()))?;
        let budget = match asked["limits"].as_str().unwrap_or_default() {
            "" => usual_budget(),
            limits => limits.parse()?,
        };
        let tuning = tune::Tuning::new(&registry, registry.find_spec(&spec)?, players, budget, read(&asked)?)?;
        let (tuning, mut notes) = (tune::Tuning { progress, ..tuning }, Vec::new());
        let field = tuning.field(|text| notes.push(text.to_string()))?;
        Ok((tuning, field, notes))
    };
    let (tuning, field, notes) = run(py, own.as_deref(), &Stop::default(), |_| Ok(()), work)?;
    Ok(Tuning { tuning, field, notes, own, root: root.map(Bound::unbind) })
}

#[pymethods]
impl Tuning {
    /// The candidates of the first match.
    fn candidates(&self) -> Vec<String> {
        self.field.iter().map(NamedAgent::to_string).collect()
    }

    /// Plays it. `play` is called with each match that is to be played, and returns its outcome.
    fn run(&self, py: Python<'_>, play: Py<PyAny>) -> PyResult<Found> {
        let (mut notes, mut raised) = (self.notes.clone(), None);
        let one = |name: &str, game: &Match, sprt: Option<f64>| {
            let played = Python::attach(|py| self.play(py, &play, name, game, sprt));
            played.map_err(|error| {
                raised = Some(error);
                Error::failed("a match was not played")
            })
        };
        let note = |text: &str| notes.push(text.to_string());
        let found = py.detach(|| caught(|| self.tuning.run(self.field.clone(), one, note)));
        match found {
            Ok(found) => Ok(Found { found, notes }),
            Err(error) => {
                let raised = raised.or_else(|| self.own.as_ref()?.raised(py));
                Err(raised.unwrap_or_else(|| exception(py, &error)))
            }
        }
    }
}

impl Tuning {
    /// Has a match played by Python.
    fn play(&self, py: Python<'_>, play: &Py<PyAny>, name: &str, game: &Match, sprt: Option<f64>) -> PyResult<Played> {
        let root = self.root.as_ref().map(|root| root.clone_ref(py));
        let prepared = Prepared { name: name.into(), played: game.clone(), sprt, root };
        let outcome = play.bind(py).call1((prepared,))?.cast_into::<Outcome>()?;
        let Outcome { tally, referee, .. } = outcome.get();
        Ok(Played { tally: tally.clone(), verdict: referee.as_ref().and_then(|referee| referee.verdict()) })
    }
}

#[pymethods]
impl Found {
    /// All of it as JSON.
    fn json(&self) -> String {
        self.found.json().to_string()
    }

    /// All of it as text.
    fn text(&self) -> String {
        self.found.to_string()
    }

    /// The entry as it stands in the table.
    fn toml(&self) -> String {
        self.found.entry.to_toml()
    }

    /// Candidates that were left out, and the standing after each match.
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
