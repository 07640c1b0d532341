//! An evaluation that is a Python object, for any game: `nply.Evaluation`.
//!
//! A game that is searched with one is declared as [`Judged`]: the same game, whose only evaluation calls the object. So every search is
//! compiled once more for each game, and those without such an evaluation know nothing of it. An exception unwinds the search, see
//! [`fail`], and is raised where the search was called.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nply::{
    Bounds, ByPlayer, Code, Declaration, Error, Evaluation, Evaluator, Game, GameVisitor, OutOfTurn, Player, Progress,
    Score, shares,
};
use nply_arena::{NamedGame, Registry, Request, Session, fail, standard_games};
use pyo3::prelude::*;

use crate::errors::exception;
use crate::own::OwnGame;
use crate::position::Position;
use crate::running::Stop;

/// The score of a whole win, where the numbers of an evaluation are shares of it.
const WIN: Score = 1_000_000;

/// How far the sum of shares may be from 1, and a share below 0, because of rounding.
const ROUNDING: f64 = 1e-3;

/// A game that an object judges.
pub(crate) struct Judged<D>(PhantomData<D>);

impl<D: Declaration> Declaration for Judged<D> {
    type Game = D::Game;
    type Options = D::Options;
    type Eval = Judgement<D>;
    type Order = D::Order;

    const NAME: &'static str = D::NAME;
    const ABOUT: &'static str = D::ABOUT;
    const PLAYERS: &'static [usize] = D::PLAYERS;
    const USUAL_PLAYERS: usize = D::USUAL_PLAYERS;
    const EVALUATIONS: &'static [Evaluation<D::Game, Judgement<D>>] =
        &[Evaluation { name: "own", about: "an evaluation in Python", make: Judgement::<D>::new }];
    const IN_TURN: &'static str = D::IN_TURN;

    fn start(players: usize, options: &D::Options, seed: u64) -> D::Game {
        D::start(players, options, seed)
    }

    fn stage(game: &D::Game) -> f64 {
        D::stage(game)
    }
}

/// The games of nply, for evaluations in Python.
pub(crate) fn standard() -> &'static Registry {
    struct AllJudged(Registry);

    impl GameVisitor for AllJudged {
        fn game<D: Declaration>(&mut self) {
            GameVisitor::game::<Judged<D>>(&mut self.0);
        }

        fn game_out_of_turn<D: Declaration>(&mut self)
        where
            D::Game: OutOfTurn,
        {
            GameVisitor::game_out_of_turn::<Judged<D>>(&mut self.0);
        }
    }

    static STANDARD: OnceLock<Registry> = OnceLock::new();
    STANDARD.get_or_init(|| {
        let mut all = AllJudged(Registry::empty());
        standard_games(&mut all);
        all.0
    })
}

/// The object, and what all threads of a search share.
pub(crate) struct Judge {
    object: Py<PyAny>,
    /// The methods that its class has.
    has_evaluate: bool,
    has_batch: bool,
    /// Whether the numbers are points within bounds; otherwise they are shares of the win.
    has_bounds: bool,
    /// The game as positions show it, and the seed of its deals.
    game: NamedGame,
    seed: u64,
    stop: Stop,
    has_failed: AtomicBool,
    /// The first exception.
    raised: Mutex<Option<PyErr>>,
}

thread_local! {
    /// The object by which agents that are made in this thread judge.
    static JUDGE: RefCell<Option<Arc<Judge>>> = const { RefCell::new(None) };
}

impl Judge {
    pub(crate) fn new(object: &Bound<'_, PyAny>, game: &NamedGame, seed: u64, stop: &Stop) -> PyResult<Judge> {
        let (class, base) = (object.get_type(), object.py().import("nply._evaluation")?.getattr("Evaluation")?);
        let has = |name: &str| -> PyResult<bool> { Ok(!class.getattr(name)?.is(&base.getattr(name)?)) };
        Ok(Judge {
            has_evaluate: has("evaluate")?,
            has_batch: has("evaluate_batch")?,
            has_bounds: has("bounds")?,
            object: object.clone().unbind(),
            game: game.clone(),
            seed,
            stop: stop.clone(),
            has_failed: AtomicBool::new(false),
            raised: Mutex::default(),
        })
    }

    /// Makes it the object by which agents that this thread makes from now on judge.
    pub(crate) fn preside(self: Arc<Judge>) {
        JUDGE.set(Some(self));
    }

    /// The exception that ended a search, once.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Asks the object, unless the search has been stopped or another thread's question has failed.
    fn ask<T>(&self, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> T {
        if self.stop.load(Ordering::Relaxed) || self.has_failed.load(Ordering::Relaxed) {
            fail(Error::failed("stopped"));
        }
        Python::attach(|py| ask(self.object.bind(py))).unwrap_or_else(|error| {
            let message = Python::attach(|py| error.value(py).to_string());
            self.has_failed.store(true, Ordering::Relaxed);
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            fail(Error::failed(message))
        })
    }

    /// What `evaluate` says of a position.
    fn one(&self, object: &Bound<'_, PyAny>, position: Bound<'_, PyAny>, players: usize) -> PyResult<Vec<f64>> {
        let found = object.call_method1("evaluate", (position,))?;
        let wrong = || {
            let help = format!("for {players} players it returns {players} numbers");
            Ok(problem(object.py(), format!("evaluate returned {}", shown(&found)?), &help))
        };
        match plain(&found)?.extract::<Vec<f64>>() {
            Ok(numbers) if numbers.len() == players => Ok(numbers),
            _ => Err(wrong().unwrap_or_else(|error| error)),
        }
    }

    /// What `evaluate_batch` says of positions.
    fn many(
        &self,
        object: &Bound<'_, PyAny>,
        positions: Vec<Bound<'_, PyAny>>,
        players: usize,
    ) -> PyResult<Vec<Vec<f64>>> {
        let count = positions.len();
        let found = object.call_method1("evaluate_batch", (positions,))?;
        let wrong = || {
            let found = match found.getattr("shape") {
                Ok(shape) => format!("an array of shape {}", shape.call_method1("__getitem__", (every(&shape)?,))?),
                Err(_) => shown(&found)?,
            };
            let help = format!(
                "for {count} positions of {players} players it returns a row for each position: an array of shape \
                 ({count}, {players})"
            );
            Ok(problem(object.py(), format!("evaluate_batch returned {found}"), &help))
        };
        match plain(&found)?.extract::<Vec<Vec<f64>>>() {
            Ok(rows) if rows.len() == count && rows.iter().all(|row| row.len() == players) => Ok(rows),
            _ => Err(wrong().unwrap_or_else(|error| error)),
        }
    }

    /// The scores that numbers stand for.
    fn scores(&self, py: Python<'_>, method: &str, numbers: &[f64], bounds: &Bounds) -> PyResult<ByPlayer<Score>> {
        let wrong =
            |what: &str, help: &str| Err(problem(py, format!("{method} returned {}: {what}", list(numbers)), help));
        if numbers.iter().any(|number| !number.is_finite()) {
            return wrong("not all of them are finite numbers", "every player has a finite number");
        }
        if !self.has_bounds {
            let sum: f64 = numbers.iter().sum();
            if (sum - 1.0).abs() > ROUNDING || numbers.iter().any(|&number| number < -ROUNDING) {
                let help = "each is at least 0 and their sum is 1; points need a method bounds";
                return wrong("they are not shares of the win", help);
            }
            return Ok(millionths(numbers));
        }
        if numbers.iter().any(|number| number.fract() != 0.0 || number.abs() > f64::from(Score::MAX)) {
            let help = "an evaluation with a method bounds returns points, which are whole numbers of at most 31 bits";
            return wrong("not all of them are whole numbers", help);
        }
        let scores = ByPlayer::from_fn(numbers.len(), |player: Player| numbers[player.index()] as Score);
        let sum: i64 = scores.as_slice().iter().map(|&score| i64::from(score)).sum();
        let is_low = scores.iter().any(|(player, score)| score < bounds.min[player]);
        if is_low || sum > i64::from(bounds.max_sum) {
            let (min, max_sum) = (bounds.min.as_slice(), bounds.max_sum);
            let help = format!("by its bounds the players have at least {min:?}, and together at most {max_sum}");
            return wrong("they are not within the bounds", &help);
        }
        Ok(scores)
    }
}

/// An exception with what would be right.
fn problem(py: Python<'_>, message: String, help: &str) -> PyErr {
    exception(py, &Error::new(Code::BadValue, message).help(help))
}

/// An array as lists, if it is one.
fn plain<'py>(found: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if found.hasattr("tolist")? { found.call_method0("tolist") } else { Ok(found.clone()) }
}

/// A slice of everything: what a shape is as a tuple, in any package of arrays.
fn every<'py>(shape: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    Ok(pyo3::types::PySlice::full(shape.py()).into_any())
}

/// A value as Python writes it, shortened.
fn shown(found: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = found.repr()?.to_string();
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = text.join(" ");
    Ok(if text.chars().count() > 80 { text.chars().take(77).chain("...".chars()).collect() } else { text })
}

fn list(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

/// Shares in millionths that sum to exactly [`WIN`]: rounded down, and what is left goes to the largest rests.
fn millionths(numbers: &[f64]) -> ByPlayer<Score> {
    let parts: Vec<f64> = numbers.iter().map(|number| number.max(0.0)).collect();
    let sum: f64 = parts.iter().sum();
    let exact = |player: Player| parts[player.index()] / sum * f64::from(WIN);
    let mut scores = ByPlayer::from_fn(numbers.len(), |player| exact(player).floor() as Score);
    while scores.sum() < WIN {
        let rest = |player: Player| exact(player) - f64::from(scores[player]);
        let most = Player::all(numbers.len()).reduce(|a, b| if rest(b) > rest(a) { b } else { a });
        scores[most.expect("there are players")] += 1;
    }
    scores
}

/// The evaluator of a search.
pub(crate) struct Judgement<D: Declaration> {
    judge: Arc<Judge>,
    open: Arc<dyn Fn(D::Game) -> Box<dyn Session> + Send + Sync>,
    /// Those of the position that is searched, which hold for all that follows.
    bounds: Bounds,
}

impl<D: Declaration> Clone for Judgement<D> {
    fn clone(&self) -> Self {
        Judgement { judge: self.judge.clone(), open: self.open.clone(), bounds: self.bounds }
    }
}

impl<D: Declaration> Judgement<D> {
    /// For the object that presides over this thread.
    fn new(game: &D::Game, _: Progress<'_>) -> Result<Judgement<D>, Error> {
        let judge = JUDGE.with_borrow(Option::clone).ok_or_else(|| Error::failed("no evaluation is given"))?;
        let request = Request { seed: judge.seed, ..Request::default() };
        let open =
            judge.game.opener::<D>(&request).ok_or_else(|| Error::failed("the evaluation is of another game"))?;
        let (players, open) = (game.player_count(), Arc::new(open));
        let bounds = Bounds { min: ByPlayer::splat(players, 0), max_sum: WIN };
        let mut judgement = Judgement { judge: judge.clone(), open, bounds };
        if judge.has_bounds {
            judgement.bounds = judge.ask(|object| {
                let found = object.call_method1("bounds", (judgement.shown(object.py(), game)?,))?;
                let (min, max_sum): (Vec<Score>, Score) = found.extract()?;
                let least: i64 = min.iter().map(|&least| i64::from(least)).sum();
                if min.len() != players || least > i64::from(max_sum) {
                    let help = format!(
                        "for {players} players it returns the least score of each, {players} numbers, and the greatest \
                         sum of all, which is no less than theirs"
                    );
                    return Err(problem(object.py(), format!("bounds returned {}", shown(&found)?), &help));
                }
                Ok(Bounds { min: ByPlayer::from_slice(&min), max_sum })
            });
        }
        Ok(judgement)
    }

    /// A position as the object sees it: that of a game in Python is its own object.
    fn shown<'py>(&self, py: Python<'py>, game: &D::Game) -> PyResult<Bound<'py, PyAny>> {
        if let Some(own) = (game as &dyn Any).downcast_ref::<OwnGame>() {
            return Ok(own.shown(py));
        }
        let session = (self.open)(game.clone());
        Ok(Bound::new(py, Position::at(self.judge.game.clone(), self.judge.seed, session))?.into_any())
    }

    /// The scores of positions, which are judged together if the object can.
    fn judged(&self, games: &[&D::Game]) -> Vec<ByPlayer<Score>> {
        let Judge { has_evaluate, has_batch, .. } = *self.judge;
        if has_batch && (games.len() > 1 || !has_evaluate) {
            return self.judge.ask(|object| {
                let py = object.py();
                let positions = games.iter().map(|game| self.shown(py, game)).collect::<PyResult<Vec<_>>>()?;
                let rows = self.judge.many(object, positions, self.bounds.min.len())?;
                rows.iter().map(|row| self.judge.scores(py, "evaluate_batch", row, &self.bounds)).collect()
            });
        }
        let one = |game: &&D::Game| {
            self.judge.ask(|object| {
                let position = self.shown(object.py(), game)?;
                let numbers = self.judge.one(object, position, self.bounds.min.len())?;
                self.judge.scores(object.py(), "evaluate", &numbers, &self.bounds)
            })
        };
        games.iter().map(one).collect()
    }

    /// What a cut-off playout ends with.
    fn result(&self, scores: &ByPlayer<Score>) -> ByPlayer<f32> {
        if self.judge.has_bounds { shares(scores) } else { scores.map(|score| score as f32 / WIN as f32) }
    }
}

impl<D: Declaration> Evaluator<D::Game> for Judgement<D> {
    fn bounds(&self, _game: &D::Game) -> Bounds {
        self.bounds
    }

    fn evaluate(&self, game: &D::Game) -> ByPlayer<Score> {
        self.judged(&[game])[0]
    }

    fn chances(&self, game: &D::Game) -> Option<ByPlayer<f64>> {
        let is_shares = !self.judge.has_bounds;
        is_shares.then(|| self.evaluate(game).map(|score| f64::from(score) / f64::from(WIN)))
    }

    fn shares(&self, game: &D::Game) -> ByPlayer<f32> {
        self.result(&self.evaluate(game))
    }

    fn shares_of_all(&self, games: &mut dyn Iterator<Item = &D::Game>, each: &mut dyn FnMut(ByPlayer<f32>)) {
        let games: Vec<&D::Game> = games.collect();
        self.judged(&games).iter().for_each(|scores| each(self.result(scores)));
    }

    fn evaluate_all(&self, games: &mut dyn Iterator<Item = &D::Game>, each: &mut dyn FnMut(ByPlayer<Score>)) {
        let games: Vec<&D::Game> = games.collect();
        self.judged(&games).into_iter().for_each(each);
    }
}
