//! Positions, and searches in them.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::panic::resume_unwind;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use nply::scene::{Arrow, SvgOptions, svg};
use nply::{Budget, Code, Error};
use nply_arena::{Judgement, NamedAgent, NamedGame, Request, Session, Thought, caught};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::{exception, raised};
use crate::evaluation::{self, Judge};
use crate::own::{self, Own};
use crate::registry::standard;
use crate::running::{Stop, progress, run};
use crate::steps::Steps;

/// A position of a game. It never changes: `play` returns another one.
///
/// Players are numbered from 0, as in Python's lists.
///
/// >>> import nply
/// >>> position = nply.game("connect-four").play("d", "d", "e")
/// >>> position.text
/// '......./......./......./......./...2.../...11.. 2'
/// >>> position.turn
/// 1
#[pyclass(frozen, module = "nply")]
pub(crate) struct Position {
    pub(crate) game: NamedGame,
    /// The game in Python that it belongs to.
    pub(crate) own: Option<Arc<Own>>,
    start: Arc<Start>,
    played: Option<Arc<Played>>,
    /// It has no agents, and no more of the past than the last move.
    session: Mutex<Box<dyn Session>>,
}

/// Where a position comes from.
pub(crate) struct Start {
    pub(crate) players: usize,
    /// The text of the position, unless it is the game's own start. What an evaluation is shown has none until somebody needs it.
    pub(crate) position: OnceLock<Option<String>>,
    pub(crate) seed: u64,
}

/// The moves that led to a position.
struct Played {
    before: Option<Arc<Played>>,
    m: String,
}

/// Opens a game by its name with options, as JSON or as it is written in text.
#[pyfunction]
#[pyo3(signature = (game, players=None, position=None, seed=1))]
pub(crate) fn open(
    py: Python<'_>,
    game: &str,
    players: Option<usize>,
    position: Option<String>,
    seed: u64,
) -> PyResult<Position> {
    let found = || match serde_json::from_str(game) {
        Ok(json @ serde_json::Value::Object(_)) => standard().find_json(&json),
        _ => standard().find(game),
    };
    let game = raised(py, found())?;
    raised(py, Position::new(game, None, players, position, seed))
}

impl Position {
    pub(crate) fn new(
        game: NamedGame,
        own: Option<Arc<Own>>,
        players: Option<usize>,
        position: Option<String>,
        seed: u64,
    ) -> Result<Position, Error> {
        let request = Request { players, position: position.clone(), seed, ..Request::default() };
        let session = caught(|| game.open(&request))?;
        let start = Start { players: session.player_count(), position: OnceLock::from(position), seed };
        Ok(Position { game, own, start: Arc::new(start), played: None, session: Mutex::new(session) })
    }

    /// The position that a session of a game of nply is at, as if it had been opened there.
    pub(crate) fn at(game: NamedGame, seed: u64, session: Box<dyn Session>) -> Position {
        let start = Start { players: session.player_count(), position: OnceLock::new(), seed };
        Position { game, own: None, start: Arc::new(start), played: None, session: Mutex::new(session) }
    }

    /// Where it comes from. No move has been played since, if that was not known yet.
    fn start(&self, py: Python<'_>) -> PyResult<(Option<String>, u64)> {
        if self.start.position.get().is_none() {
            let _ = self.start.position.set(Some(self.text(py)?));
        }
        Ok((self.start.position.get().cloned().flatten(), self.start.seed))
    }

    /// Where a session is that has been played from a start.
    pub(crate) fn after(game: NamedGame, start: Arc<Start>, session: &dyn Session) -> Position {
        let moves = session.played();
        let played = moves.iter().fold(None, |before, m| Some(Arc::new(Played { before, m: m.clone() })));
        let session = session.fork(moves.len()).expect("the last ply is there");
        Position { game, own: None, start, played, session: Mutex::new(session) }
    }

    /// The number of players of the game.
    pub(crate) fn players_of_game(&self) -> usize {
        self.start.players
    }

    /// Asks the position something. The rules of a game in Python may ask others in turn, so they are asked about a copy.
    fn ask<T>(&self, py: Python<'_>, ask: impl FnOnce(&dyn Session) -> Result<T, Error>) -> PyResult<T> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let result = match &self.own {
            None => ask(&**session),
            Some(_) => {
                let copy = session.fork(session.played().len()).expect("the last ply is there");
                drop(session);
                caught(|| ask(&*copy))
            }
        };
        result.map_err(|error| self.exception(py, &error))
    }

    fn exception(&self, py: Python<'_>, error: &Error) -> PyErr {
        self.own.as_ref().and_then(|own| own.raised(py)).unwrap_or_else(|| exception(py, error))
    }

    /// A session that has been played from the start, as agents need it.
    fn replayed(
        &self,
        py: Python<'_>,
        game: &NamedGame,
    ) -> PyResult<impl FnOnce() -> Result<Box<dyn Session>, Error> + Send + 'static> {
        let ((position, seed), players, moves) = (self.start(py)?, Some(self.start.players), self.texts().join(" "));
        let request = Request { players, position, moves, seed, progress, ..Request::default() };
        let game = game.clone();
        Ok(move || game.open(&request))
    }

    /// The game as it is searched, and the object that judges it, if it is not the game's own evaluation that does.
    fn judged_by(
        &self,
        py: Python<'_>,
        evaluation: Option<&Bound<'_, PyAny>>,
        stop: &Stop,
    ) -> PyResult<(NamedGame, Option<Arc<Judge>>)> {
        let Some(object) = evaluation else { return Ok((self.game.clone(), None)) };
        let game = match &self.own {
            Some(own) => own::judged(own, self.start.players),
            None => evaluation::standard().find_spec(self.game.spec()),
        };
        let judge = Judge::new(object, &self.game, self.start.seed, stop)?;
        Ok((raised(py, game)?, Some(Arc::new(judge))))
    }

    fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        let mut last = &self.played;
        while let Some(played) = last {
            texts.push(played.m.clone());
            last = &played.before;
        }
        texts.reverse();
        texts
    }

    /// The agent that a text means here, and what it may spend.
    fn agent(&self, game: &NamedGame, agent: &str, limits: &str) -> Result<(NamedAgent, Budget), Error> {
        let budget: Budget = limits.parse()?;
        let agent = game.agent_within(agent, self.start.players, &budget)?;
        Ok((agent, budget))
    }
}

#[pymethods]
impl Position {
    /// The game with its options, as text.
    #[getter]
    fn game(&self) -> String {
        self.game.to_string()
    }

    /// Number of players.
    #[getter]
    fn players(&self) -> usize {
        self.start.players
    }

    /// The player to move, from 0.
    #[getter]
    fn turn(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |session| Ok(session.turn() - 1))
    }

    /// The position in one line, which `nply.game` reads back.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |session| Ok(session.position()))
    }

    /// Each player's share of the win once the game is over, otherwise None.
    #[getter]
    fn payoff(&self, py: Python<'_>) -> PyResult<Option<Vec<f32>>> {
        self.ask(py, |session| Ok(session.payoff()))
    }

    /// Raw points of the players, where the game counts them.
    #[getter]
    fn points(&self, py: Python<'_>) -> PyResult<Option<Vec<f32>>> {
        self.ask(py, |session| Ok(session.points()))
    }

    /// The moves played since the game was opened.
    #[getter]
    fn played(&self) -> Vec<String> {
        self.texts()
    }

    /// The legal moves, in the game's own order; none once the game is over.
    ///
    /// >>> import nply
    /// >>> nply.game("rolit").play("f4").moves()
    /// ['c3', 'c5', 'e3', 'g3']
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask(py, |session| Ok(session.moves()))
    }

    /// The position after one or more moves. A text may hold several, separated by spaces.
    ///
    /// >>> import nply
    /// >>> nply.game("tree").play("2").text
    /// '(2 4,6,0 0,5,5)'
    #[pyo3(signature = (*moves: "str"))]
    fn play(&self, py: Python<'_>, moves: &Bound<'_, PyTuple>) -> PyResult<Position> {
        let texts: Vec<String> = moves.extract()?;
        let words: Vec<&str> = texts.iter().flat_map(|text| text.split_whitespace()).collect();
        let many = words.len() > 1;
        self.start(py)?;
        let (session, played) = self.ask(py, |session| {
            let mut session = session.fork(session.played().len()).expect("the last ply is there");
            let mut played = self.played.clone();
            for (index, word) in words.iter().enumerate() {
                session = session
                    .child(word)
                    .map_err(|error| if many { error.within(format_args!("move {}", index + 1)) } else { error })?;
                played = Some(Arc::new(Played { before: played, m: (*word).into() }));
            }
            Ok((session, played))
        })?;
        let (game, own, start) = (self.game.clone(), self.own.clone(), self.start.clone());
        Ok(Position { game, own, start, played, session: Mutex::new(session) })
    }

    /// Number of sequences of exactly `depth` moves.
    ///
    /// >>> import nply
    /// >>> [nply.game("othello").perft(depth) for depth in range(1, 5)]
    /// [4, 12, 56, 244]
    #[pyo3(signature = (depth, threads=1))]
    fn perft(&self, py: Python<'_>, depth: u32, threads: usize) -> PyResult<u64> {
        let counts = self.divided(py, depth, threads)?;
        Ok(if depth == 0 { 1 } else { counts.iter().map(|(_, count)| count).sum() })
    }

    /// `perft`, split by the first move.
    ///
    /// >>> import nply
    /// >>> nply.game("othello").divide(2)
    /// {'c4': 3, 'd3': 3, 'e6': 3, 'f5': 3}
    #[pyo3(signature = (depth, threads=1) -> "dict[str, int]")]
    fn divide<'py>(&self, py: Python<'py>, depth: u32, threads: usize) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for (m, count) in self.divided(py, depth, threads)? {
            counts.set_item(m, count)?;
        }
        Ok(counts)
    }

    /// What an evaluation, or the game's usual one, gives each player in a position that is not over.
    ///
    /// >>> import nply
    /// >>> nply.game("connect-four").play("d").scores()
    /// [14, 0]
    #[pyo3(signature = (evaluation=None))]
    fn scores(&self, py: Python<'_>, evaluation: Option<String>) -> PyResult<Vec<i32>> {
        Ok(self.judged(py, evaluation)?.scores)
    }

    /// The least score of each player and the greatest sum of all by the same evaluation, in this position and all that can follow it.
    ///
    /// >>> import nply
    /// >>> nply.game("rolit", 3).bounds("discs")
    /// ([0, 0, 0], 64000)
    #[pyo3(signature = (evaluation=None))]
    fn bounds(&self, py: Python<'_>, evaluation: Option<String>) -> PyResult<(Vec<i32>, i32)> {
        let judged = self.judged(py, evaluation)?;
        Ok((judged.least, judged.most_sum))
    }

    /// Each player's share of the win by those scores, or None if the evaluation has not been calibrated.
    #[pyo3(signature = (evaluation=None))]
    fn chances(&self, py: Python<'_>, evaluation: Option<String>) -> PyResult<Option<Vec<f64>>> {
        Ok(self.judged(py, evaluation)?.chances)
    }

    /// The position as a picture in characters.
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |session| Ok(session.picture(false).trim_end_matches('\n').into()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.text(py)?;
        Ok(format!("<nply.Position {}, {} players: {text}>", self.game, self.start.players))
    }

    /// The position as SVG, with moves from here as arrows; None if the game has no picture.
    ///
    /// Cards that the player to move does not see are hidden, unless `everything` is to be seen.
    #[pyo3(signature = (arrows="", everything=true))]
    fn svg(&self, py: Python<'_>, arrows: &str, everything: bool) -> PyResult<Option<String>> {
        self.ask(py, |session| {
            let all: Vec<usize> = (1..=session.player_count()).collect();
            let turn = [session.turn()];
            let viewers = if everything || session.payoff().is_some() { &all[..] } else { &turn };
            let Some(scene) = session.scene(viewers) else { return Ok(None) };
            let before = session.played().len();
            let mut after = session.fork(before).expect("the last ply is there");
            after.play_all(arrows)?;
            let line = after.played_clicks().split_off(before);
            let arrows = line.into_iter().map(|m| Arrow { player: Some(m.player), places: m.clicks });
            let title = format!("{}: {}", session.info().name, session.picture_for(viewers, false).trim_end());
            Ok(Some(svg(&scene, &SvgOptions { arrows: arrows.collect(), title, ..SvgOptions::default() })))
        })
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.svg(py, "", true)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        if self.svg(py, "", true)?.is_some() {
            return Ok(None);
        }
        let picture = self.__str__(py)?.replace('&', "&amp;").replace('<', "&lt;");
        Ok(Some(format!("<pre>{picture}</pre>")))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Position>() else { return Ok(false) };
        let other = other.get();
        Ok(self.game == other.game && self.start.players == other.start.players && self.text(py)? == other.text(py)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        (self.game.to_string(), self.start.players, self.text(py)?).hash(&mut hasher);
        Ok(hasher.finish())
    }

    /// By what it was opened with, and the moves since.
    #[pyo3(signature = () -> "tuple[object, ...]")]
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let restore = py.import("nply._own")?.getattr("restore")?;
        let (position, seed) = self.start(py)?;
        let root = self.own.as_ref().map(|own| own.root(py));
        let arguments = (root, self.game.to_string(), self.start.players, position, seed, self.texts());
        Ok((restore, arguments).into_pyobject(py)?.into_any())
    }

    /// The move of a game in Python that a text stands for.
    #[pyo3(signature = (text) -> "object")]
    fn _move<'py>(&self, py: Python<'py>, text: &str) -> Option<Bound<'py, PyAny>> {
        self.own.as_ref()?.object(py, text)
    }

    /// The game from here on, played in place.
    fn _steps(&self, py: Python<'_>) -> PyResult<Steps> {
        let opened = self.replayed(py, &self.game)?();
        let steps = opened.and_then(|session| Steps::new(self.game.clone(), self.start.clone(), session));
        steps.map_err(|error| self.exception(py, &error))
    }

    /// Asks an agent for a move, which judges positions by an `nply.Evaluation` if there is one.
    #[pyo3(signature = (agent, limits, seed, evaluation=None) -> "dict[str, object]")]
    fn _search<'py>(
        &self,
        py: Python<'py>,
        agent: &str,
        limits: &str,
        seed: u64,
        evaluation: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let found = self.asked(py, agent, limits, evaluation, move |session, agent, budget| {
            session.check_open()?;
            let seat = session.seat(agent, seed)?;
            session.think(seat, budget, &mut |_| ()).map_err(|error| match error.code {
                Code::Forfeit => error.within(format_args!("{agent} forfeits the game")),
                _ => error,
            })
        })?;
        decision(py, &found)
    }

    /// The same, with the tree that the agent visited as JSON and as SVG.
    #[pyo3(signature = (agent, limits, seed, nodes, evaluation=None) -> "tuple[dict[str, object], str, str]")]
    fn _explain<'py>(
        &self,
        py: Python<'py>,
        agent: &str,
        limits: &str,
        seed: u64,
        nodes: usize,
        evaluation: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyDict>, String, String)> {
        let found = self.asked(py, agent, limits, evaluation, move |session, agent, budget| {
            session.explain(agent, seed, budget, nodes)
        })?;
        Ok((decision(py, &found.thought)?, found.to_json(false).to_string(), found.to_svg()))
    }
}

impl Position {
    /// Asks an agent something in a session that has been played from the start.
    fn asked<T: Send + 'static>(
        &self,
        py: Python<'_>,
        agent: &str,
        limits: &str,
        evaluation: Option<&Bound<'_, PyAny>>,
        ask: impl FnOnce(&mut dyn Session, &NamedAgent, &Budget) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let stop = Stop::default();
        let (game, judge) = self.judged_by(py, evaluation, &stop)?;
        let (agent, budget) = raised(py, self.agent(&game, agent, limits))?;
        raised(py, agent.check_ends(&budget))?;
        let (open, budget) = (self.replayed(py, &game)?, Budget { stop: Some(stop.clone()), ..budget });
        let presiding = judge.clone();
        let work = move || {
            presiding.into_iter().for_each(Judge::preside);
            ask(&mut *open()?, &agent, &budget)
        };
        let raised = |error| judge.as_ref().and_then(|judge| judge.raised()).unwrap_or(error);
        run(py, self.own.as_deref(), &stop, |_| Ok(()), work).map_err(raised)
    }

    fn divided(&self, py: Python<'_>, depth: u32, threads: usize) -> PyResult<Vec<(String, u64)>> {
        let (open, stop) = (self.replayed(py, &self.game)?, Stop::default());
        let flag = stop.clone();
        run(py, self.own.as_deref(), &stop, |_| Ok(()), move || divided(&*open()?, depth, threads, &flag))
    }

    fn judged(&self, py: Python<'_>, evaluation: Option<String>) -> PyResult<Judgement> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let copy = session.fork(session.played().len()).expect("the last ply is there");
        drop(session);
        let judge = move || copy.judge(evaluation.as_deref());
        run(py, self.own.as_deref(), &Stop::default(), |_| Ok(()), judge)
    }
}

/// Perft split by the first move, which a flag ends.
fn divided(session: &dyn Session, depth: u32, threads: usize, stop: &Stop) -> Result<Vec<(String, u64)>, Error> {
    let moves = session.moves();
    let children = moves.iter().map(|m| Ok((m, session.child(m)?))).collect::<Result<Vec<_>, Error>>()?;
    let tasks = Mutex::new(children.into_iter());
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || -> Result<HashMap<&String, u64>, Error> {
        let mut counts = HashMap::new();
        while let Some((m, child)) = next() {
            counts.insert(m, caught(|| counted(&*child, depth.saturating_sub(1), stop))?);
        }
        Ok(counts)
    };
    // One worker's failure ends the others' counting.
    let work = || work().inspect_err(|_| stop.store(true, Ordering::Relaxed));
    let counts = thread::scope(|scope| -> Result<HashMap<&String, u64>, Error> {
        let workers: Vec<_> = (0..threads.clamp(1, moves.len().max(1))).map(|_| scope.spawn(work)).collect();
        let mut counts = HashMap::new();
        for worker in workers {
            counts.extend(worker.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        Ok(counts)
    })?;
    Ok(moves.iter().map(|m| (m.clone(), counts[m])).collect())
}

/// Number of sequences of `depth` moves. The last few plies are counted at a go, which takes some milliseconds.
fn counted(session: &dyn Session, depth: u32, stop: &Stop) -> Result<u64, Error> {
    const LAST: u32 = 3;
    if stop.load(Ordering::Relaxed) {
        return Err(Error::failed("stopped"));
    }
    match depth {
        0 => Ok(1),
        1..=LAST => Ok(session.divide(depth, 1).into_iter().map(|(_, count)| count).sum()),
        _ => session.moves().iter().map(|m| counted(&*session.child(m)?, depth - 1, stop)).sum(),
    }
}

/// What an agent found, as the keywords of `nply.Decision`.
fn decision<'py>(py: Python<'py>, thought: &Thought) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("move", &thought.m)?;
    found.set_item("value", thought.value)?;
    found.set_item("scores", thought.scores.as_deref())?;
    found.set_item("chances", thought.chances.as_deref())?;
    found.set_item("depth", thought.depth)?;
    found.set_item("nodes", thought.nodes)?;
    found.set_item("time", thought.time.as_secs_f64())?;
    found.set_item("line", &thought.pv)?;
    let mut lines = Vec::new();
    for line in &thought.lines {
        lines.push((line.value, line.scores.as_deref(), line.chances.as_deref(), &line.pv));
    }
    found.set_item("lines", lines)?;
    Ok(found)
}
