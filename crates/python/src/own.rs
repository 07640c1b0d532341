//! A game whose rules are methods of a Python object: `nply.Game`.
//!
//! A position holds the object and what the object has said so far: each method is called at most once for a position. An exception
//! unwinds the search, see [`fail`], and is raised where the search was called.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, OnceLock, PoisonError};

use nply::settings::Visitor;
use nply::testing::{check_bounds, check_game, check_out_of_turn};
use nply::{
    Bounds, ByPlayer, Declaration, Error, Evaluation, Evaluator, Game, MoveOrder, Notation, OutOfTurn, Player,
    PositionError, Rng, Score, Settings, Spec, Stance, mix,
};
use nply_arena::{GameInfo, NamedGame, Registry, fail};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};

use crate::errors::{exception, raised};
use crate::evaluation::Judged;
use crate::position::Position;
use crate::running::is_stopped;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A move: its text, and the number by which tables know it.
struct Known {
    text: String,
    /// A whole number stands for itself, any other move for a number made of its text: the same in every process.
    code: u64,
}

/// A move of a game in Python. Moves are as many as there are different texts, and are kept for good.
#[derive(Clone, Copy)]
pub(crate) struct OwnMove(&'static Known);

impl OwnMove {
    fn new(text: String, number: Option<i64>) -> OwnMove {
        static MOVES: LazyLock<Mutex<HashMap<(String, u64), OwnMove>>> = LazyLock::new(Mutex::default);
        let code = number.map_or_else(|| hashed(&text), |number| number as u64);
        let mut moves = lock(&MOVES);
        *moves.entry((text.clone(), code)).or_insert_with(|| OwnMove(Box::leak(Box::new(Known { text, code }))))
    }
}

/// A number made of a text, the same in every process.
fn hashed(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |hash, byte| mix(hash ^ u64::from(byte)))
}

impl PartialEq for OwnMove {
    fn eq(&self, other: &OwnMove) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for OwnMove {}

impl Hash for OwnMove {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.code);
    }
}

impl fmt::Debug for OwnMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

/// A game in Python: what all positions of a match or a search share.
pub(crate) struct Own {
    name: &'static str,
    /// The position that the game starts from.
    root: Py<PyAny>,
    /// The optional methods that its class has.
    has: Has,
    /// Whether every question is asked again, to check the answers.
    is_fresh: bool,
    /// The moves by their objects, where those can be keys, and the objects by their texts.
    moves: Py<PyDict>,
    objects: Py<PyDict>,
    /// The moves in the first of those, by the numbers that stand there.
    known: Mutex<Vec<OwnMove>>,
    /// The first exception.
    raised: Mutex<Option<PyErr>>,
}

struct Has {
    evaluate: bool,
    rate: bool,
    with_turn: bool,
    deal: bool,
    determinize: bool,
    is_in: bool,
    points: bool,
    history_matters: bool,
    to_text: bool,
    from_text: bool,
}

impl Own {
    fn new(root: &Bound<'_, PyAny>, is_fresh: bool) -> PyResult<Own> {
        let py = root.py();
        let (class, base) = (root.get_type(), py.import("nply._own")?.getattr("Game")?);
        let has = |name: &str| -> PyResult<bool> { Ok(!class.getattr(name)?.is(&base.getattr(name)?)) };
        let function = |name: &str| -> PyResult<bool> {
            let (own, base) = (class.getattr(name)?.getattr("__func__")?, base.getattr(name)?.getattr("__func__")?);
            Ok(!own.is(&base))
        };
        let has = Has {
            evaluate: has("evaluate")?,
            rate: has("rate")?,
            with_turn: has("with_turn")?,
            deal: has("deal")?,
            determinize: has("determinize")?,
            is_in: has("is_in")?,
            points: has("points")?,
            history_matters: has("history_matters")?,
            to_text: has("to_text")?,
            from_text: function("from_text")?,
        };
        let name: String = class.getattr("name")?.extract()?;
        raised(
            py,
            Spec::parse(&name).and_then(|spec| {
                let is_plain = spec.pairs.is_empty() && spec.name == name;
                if is_plain { Ok(()) } else { Err(Error::usage(format!("{name:?} is no name of a game"))) }
            }),
        )?;
        Ok(Own {
            name: kept(name),
            root: root.clone().unbind(),
            has,
            is_fresh,
            moves: PyDict::new(py).unbind(),
            objects: PyDict::new(py).unbind(),
            known: Mutex::default(),
            raised: Mutex::default(),
        })
    }

    /// The position that the game starts from.
    pub(crate) fn root<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.root.bind(py).clone()
    }

    /// The exception that ended a search, once.
    pub(crate) fn raised(&self, _: Python<'_>) -> Option<PyErr> {
        lock(&self.raised).take()
    }

    /// The object of a move.
    pub(crate) fn object<'py>(&self, py: Python<'py>, text: &str) -> Option<Bound<'py, PyAny>> {
        self.objects.bind(py).get_item(text).ok().flatten()
    }

    fn fail(&self, error: PyErr) -> ! {
        let message = Python::attach(|py| error.value(py).to_string());
        lock(&self.raised).get_or_insert(error);
        fail(Error::failed(format!("{}: {message}", self.name)))
    }

    fn known(&self, object: &Bound<'_, PyAny>) -> PyResult<OwnMove> {
        let py = object.py();
        let moves = self.moves.bind(py);
        // A move that cannot be a key is known by its text.
        if let Some(index) = moves.get_item(object).unwrap_or_default() {
            let index: usize = index.extract()?;
            return Ok(lock(&self.known)[index]);
        }
        let text = object.str()?.to_string();
        if text.is_empty() || text.contains(char::is_whitespace) {
            let message = format!("the move {} has no text that is one word: {text:?}", object.repr()?);
            return Err(PyValueError::new_err(message));
        }
        let number = object.cast::<PyInt>().ok().and_then(|number| number.extract().ok());
        let m = OwnMove::new(text, number);
        self.objects.bind(py).set_item(&m.0.text, object)?;
        let mut known = lock(&self.known);
        known.push(m);
        let index = known.len() - 1;
        drop(known);
        let _ = moves.set_item(object, index);
        Ok(m)
    }
}

/// A text that is kept for good; the same one only once.
fn kept(text: String) -> &'static str {
    static TEXTS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut texts = lock(&TEXTS);
    if let Some(found) = texts.iter().find(|found| **found == text) {
        return found;
    }
    texts.push(Box::leak(text.into_boxed_str()));
    texts[texts.len() - 1]
}

/// A position of a game in Python.
#[derive(Clone)]
pub(crate) struct OwnGame(Arc<Node>);

struct Node {
    own: Arc<Own>,
    object: Py<PyAny>,
    player_count: OnceLock<usize>,
    turn: OnceLock<Player>,
    moves: OnceLock<Vec<OwnMove>>,
    payoff: OnceLock<Option<ByPlayer<f32>>>,
    key: OnceLock<u64>,
    bounds: OnceLock<Bounds>,
    scores: OnceLock<ByPlayer<Score>>,
}

impl OwnGame {
    fn new(own: Arc<Own>, object: Py<PyAny>) -> OwnGame {
        OwnGame(Arc::new(Node {
            own,
            object,
            player_count: OnceLock::new(),
            turn: OnceLock::new(),
            moves: OnceLock::new(),
            payoff: OnceLock::new(),
            key: OnceLock::new(),
            bounds: OnceLock::new(),
            scores: OnceLock::new(),
        }))
    }

    /// The object.
    pub(crate) fn shown<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.0.object.bind(py).clone()
    }

    fn has(&self) -> &Has {
        &self.0.own.has
    }

    /// Asks the object.
    fn ask<T>(&self, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> T {
        if is_stopped() {
            fail(Error::failed("stopped"));
        }
        Python::attach(|py| ask(self.0.object.bind(py))).unwrap_or_else(|error| self.0.own.fail(error))
    }

    /// Asks the object once. No lock is held meanwhile: the object may wait for others that ask the same.
    fn once<T: Clone>(&self, cell: &OnceLock<T>, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> T {
        if let Some(known) = cell.get().filter(|_| !self.0.own.is_fresh) {
            return known.clone();
        }
        let answer = self.ask(ask);
        let _ = cell.set(answer.clone());
        answer
    }

    /// The position that a method returns.
    fn next(&self, method: &str, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Py<PyAny>>) -> OwnGame {
        let object = self.ask(|object| {
            let next = ask(object)?;
            if next.is_none(object.py()) {
                let message = format!("{method} returned None: it returns the position afterwards");
                return Err(PyTypeError::new_err(message));
            }
            Ok(next)
        });
        OwnGame::new(self.0.own.clone(), object)
    }

    fn by_player<T>(&self, method: &str, values: Vec<T>) -> PyResult<ByPlayer<T>>
    where
        T: Copy + Default,
    {
        let (count, found) = (self.player_count(), values.len());
        if found == count {
            return Ok(ByPlayer::from_slice(&values));
        }
        Err(PyValueError::new_err(format!("{method} has {found} values for {count} players")))
    }
}

impl Game for OwnGame {
    type Move = OwnMove;

    fn player_count(&self) -> usize {
        self.once(&self.0.player_count, |object| {
            let count: usize = object.call_method0("player_count")?.extract()?;
            if (2..=nply::MAX_PLAYERS).contains(&count) {
                return Ok(count);
            }
            Err(PyValueError::new_err(format!("player_count is {count}: a game has 2 to 6 players")))
        })
    }

    fn turn(&self) -> Player {
        self.once(&self.0.turn, |object| {
            let (turn, count): (usize, _) = (object.call_method0("turn")?.extract()?, self.player_count());
            if turn < count {
                return Ok(Player::new(turn));
            }
            Err(PyValueError::new_err(format!("turn is {turn}: the players are numbered from 0 to {}", count - 1)))
        })
    }

    fn moves(&self, out: &mut Vec<OwnMove>) {
        if let Some(moves) = self.0.moves.get().filter(|_| !self.0.own.is_fresh) {
            out.extend_from_slice(moves);
            return;
        }
        let over = self.payoff().is_some();
        let moves = self.ask(|object| {
            if over {
                return Ok(Vec::new());
            }
            let listed = object.call_method0("moves")?;
            let moves: Vec<OwnMove> =
                listed.try_iter()?.map(|m| self.0.own.known(&m?)).collect::<PyResult<Vec<OwnMove>>>()?;
            if moves.is_empty() && !over {
                let message = "moves is empty although payoff is None: whoever is stuck has a pass as the only move";
                return Err(PyValueError::new_err(message));
            }
            Ok(moves)
        });
        out.extend_from_slice(&moves);
        let _ = self.0.moves.set(moves);
    }

    fn play(&mut self, m: OwnMove) {
        *self = self.next("play", |object| {
            let played = self.0.own.object(object.py(), &m.0.text);
            let played = played.ok_or_else(|| PyValueError::new_err(format!("no move {m:?}")))?;
            Ok(object.call_method1("play", (played,))?.unbind())
        });
    }

    fn payoff(&self) -> Option<ByPlayer<f32>> {
        self.once(&self.0.payoff, |object| {
            let payoff = object.call_method0("payoff")?;
            if payoff.is_none() {
                return Ok(None);
            }
            let shares = payoff.try_iter()?.map(|share| share?.extract()).collect::<PyResult<Vec<f32>>>()?;
            Ok(Some(self.by_player("payoff", shares)?))
        })
    }

    fn key(&self) -> u64 {
        self.once(&self.0.key, |object| {
            let key = object.call_method0("key")?;
            if key.cast::<PyInt>().is_err() {
                return Ok(hashed(&key.repr()?.to_string()));
            }
            match key.extract() {
                Ok(key) => Ok(key),
                Err(_) => key.call_method1("__and__", (u64::MAX,))?.extract(),
            }
        })
    }

    fn is_in(&self, player: Player) -> bool {
        !self.has().is_in || self.ask(|object| object.call_method1("is_in", (player.index(),))?.is_truthy())
    }

    fn points(&self) -> Option<ByPlayer<f32>> {
        if !self.has().points {
            return None;
        }
        self.ask(|object| {
            let points = object.call_method0("points")?;
            if points.is_none() {
                return Ok(None);
            }
            let points = points.try_iter()?.map(|each| each?.extract()).collect::<PyResult<Vec<f32>>>()?;
            Ok(Some(self.by_player("points", points)?))
        })
    }

    fn history_matters(&self) -> bool {
        self.has().history_matters && self.ask(|object| object.call_method0("history_matters")?.is_truthy())
    }

    fn determinize(&self, observer: Player, rng: &mut Rng) -> OwnGame {
        if !self.has().determinize {
            return self.clone();
        }
        let seed = rng.bits();
        self.next("determinize", |object| Ok(object.call_method1("determinize", (observer.index(), seed))?.unbind()))
    }
}

impl OutOfTurn for OwnGame {
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        if player == self.turn() {
            return f(self);
        }
        let mut handed =
            self.next("with_turn", |object| Ok(object.call_method1("with_turn", (player.index(),))?.unbind()));
        f(&mut handed)
    }
}

impl fmt::Display for OwnGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ask(|object| Ok(object.str()?.to_string())))
    }
}

impl Notation for OwnGame {
    const MOVE_FORM: &'static str = "what str() makes of one of its moves";

    fn to_text(&self) -> String {
        let text = self.ask(|object| {
            let text = if self.has().to_text { object.call_method0("to_text")?.str()? } else { object.repr()? };
            Ok(text.to_string())
        });
        text.split_whitespace().collect::<Vec<&str>>().join(" ")
    }

    fn read(&self, text: &str) -> Result<OwnGame, PositionError> {
        if !self.has().from_text {
            let name = self.0.own.name;
            return Err(PositionError::new(text, 0, format!("no position, as {name} has no from_text,")));
        }
        Ok(self.next("from_text", |object| Ok(object.get_type().call_method1("from_text", (text,))?.unbind())))
    }

    fn move_to_text(&self, m: OwnMove) -> String {
        m.0.text.clone()
    }
}

/// The evaluation of a game in Python: its own, or one that has everybody equal until the end.
#[derive(Clone)]
pub(crate) struct OwnEval {
    noise: Score,
}

/// What each player has where nobody is ahead: equal shares among up to six players are whole numbers.
const EVEN: Score = 60;

impl Evaluator<OwnGame> for OwnEval {
    fn bounds(&self, game: &OwnGame) -> Bounds {
        let count = game.player_count();
        if !game.has().evaluate {
            return Bounds { min: ByPlayer::splat(count, 0), max_sum: EVEN * count as Score };
        }
        game.once(&game.0.bounds, |object| {
            let (min, max_sum): (Vec<Score>, Score) = object.call_method0("bounds")?.extract()?;
            Ok(Bounds { min: game.by_player("bounds", min)?, max_sum })
        })
    }

    fn evaluate(&self, game: &OwnGame) -> ByPlayer<Score> {
        if !game.has().evaluate {
            return ByPlayer::splat(game.player_count(), EVEN);
        }
        game.once(&game.0.scores, |object| {
            let scores = object.call_method0("evaluate")?;
            let scores = scores.try_iter()?.map(|score| score?.extract()).collect::<PyResult<Vec<Score>>>()?;
            game.by_player("evaluate", scores)
        })
    }
}

/// The move ordering of a game in Python: its own, or as listed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnOrder;

impl Settings for OwnOrder {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

impl MoveOrder<OwnGame> for OwnOrder {
    fn rate(&self, game: &OwnGame, stance: Stance, m: OwnMove) -> i32 {
        if !game.has().rate {
            return 0;
        }
        let against = match stance {
            Stance::Own => None,
            Stance::Against(player) => Some(player.index()),
        };
        game.ask(|object| {
            let rated = game.0.own.object(object.py(), &m.0.text);
            object.call_method1("rate", (rated, against))?.extract()
        })
    }
}

/// The position that a game starts from, in place of options.
#[derive(Clone, Default)]
pub(crate) struct Root(Option<OwnGame>);

impl Settings for Root {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

/// There is nothing to tell apart: one registry has one of them.
impl PartialEq for Root {
    fn eq(&self, _: &Root) -> bool {
        true
    }
}

impl fmt::Debug for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Root")
    }
}

/// What all games in Python have in common; name and players are those of a [`GameInfo`].
impl Declaration for OwnGame {
    type Game = OwnGame;
    type Options = Root;
    type Eval = OwnEval;
    type Order = OwnOrder;

    const NAME: &'static str = "python";
    const ABOUT: &'static str = "a game in Python";
    const PLAYERS: &'static [usize] = &[2, 3, 4, 5, 6];
    const USUAL_PLAYERS: usize = 2;
    const EVALUATIONS: &'static [Evaluation<OwnGame, OwnEval>] = &[Evaluation {
        name: "own",
        about: "evaluate(), or everybody equal until the end",
        make: |game, _| Ok(OwnEval { noise: game.ask(|object| object.getattr("noise")?.extract()) }),
    }];
    const IN_TURN: &'static str =
        "its class has no method with_turn(player), which returns the position with that player to move";

    fn start(_players: usize, root: &Root, seed: u64) -> OwnGame {
        let root = root.0.as_ref().expect("a game in Python starts from an object");
        if !root.has().deal {
            return root.clone();
        }
        root.next("deal", |object| Ok(object.call_method1("deal", (seed,))?.unbind()))
    }

    fn noise(eval: &OwnEval) -> Score {
        eval.noise
    }
}

/// The game of an object, with its registry.
pub(crate) fn declared(
    object: &Bound<'_, PyAny>,
    is_fresh: bool,
) -> PyResult<(Arc<Own>, OwnGame, Registry, NamedGame)> {
    let py = object.py();
    let own = Arc::new(Own::new(object, is_fresh)?);
    let root = OwnGame::new(own.clone(), object.clone().unbind());
    let found = nply_arena::caught(|| {
        let players = root.player_count();
        let info = GameInfo {
            name: own.name,
            players: std::slice::from_ref(&OwnGame::PLAYERS[players - 2]),
            usual_players: players,
            ..GameInfo::new::<OwnGame>(own.has.with_turn)
        };
        let registry = Registry::empty().game_as::<OwnGame>(info, Root(Some(root.clone())));
        let game = registry.find(own.name)?;
        Ok((registry, game))
    });
    let (registry, game) = found.map_err(|error| own.raised(py).unwrap_or_else(|| exception(py, &error)))?;
    Ok((own, root, registry, game))
}

/// The same game, for evaluations that are not its own.
pub(crate) fn judged(own: &Arc<Own>, players: usize) -> Result<NamedGame, Error> {
    let root = Python::attach(|py| OwnGame::new(own.clone(), own.root.clone_ref(py)));
    let info = GameInfo {
        name: own.name,
        players: std::slice::from_ref(&OwnGame::PLAYERS[players - 2]),
        usual_players: players,
        ..GameInfo::new::<Judged<OwnGame>>(own.has.with_turn)
    };
    Registry::empty().game_as::<Judged<OwnGame>>(info, Root(Some(root))).find(own.name)
}

/// The position of a game in Python that an object stands for.
#[pyfunction]
#[pyo3(signature = (game, seed=1))]
pub(crate) fn own(py: Python<'_>, game: &Bound<'_, PyAny>, seed: u64) -> PyResult<Position> {
    let (own, _, _, named) = declared(game, false)?;
    let position = Position::new(named, Some(own.clone()), None, None, seed);
    position.map_err(|error| own.raised(py).unwrap_or_else(|| exception(py, &error)))
}

/// Plays random games and checks what every game promises.
#[pyfunction]
pub(crate) fn check_rules(py: Python<'_>, game: &Bound<'_, PyAny>, games: u64) -> PyResult<()> {
    let (own, root, ..) = declared(game, true)?;
    let checked = quietly(|| {
        check_game(&root, games);
        if own.has.with_turn {
            check_out_of_turn(&root, games);
        }
        if own.has.evaluate {
            check_bounds(&root, &OwnEval { noise: 0 }, games);
        }
    });
    let Err(payload) = checked else { return Ok(()) };
    if let Some(raised) = own.raised(py) {
        return Err(raised);
    }
    match said(&*payload) {
        Some(message) => Err(exception(py, &Error::failed(message))),
        None => resume_unwind(payload),
    }
}

/// What a failed assertion said.
fn said(payload: &(dyn Any + Send)) -> Option<String> {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied())?;
    let text = text.strip_prefix("assertion `left == right` failed: ").unwrap_or(text);
    Some(text.lines().next().unwrap_or(text).into())
}

/// Calls a function whose panics are answers, so that they are not written.
fn quietly<T>(f: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    thread_local! {
        static QUIET: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                usual(panic);
            }
        }));
    });
    QUIET.set(true);
    let done = catch_unwind(AssertUnwindSafe(f));
    QUIET.set(false);
    done
}
