//! The games and agents there are, each declared once: the command, the server and every listing read it here.
//!
//! A game registers through one of two functions: [`game`] or, if the turn can be handed to anybody,
//! [`game_out_of_turn`]. Its types are known here and nowhere above.

mod agents;
mod games;

use std::sync::{Arc, LazyLock};

use nply::{AnyTurn, Budget, Evaluator, MoveOrder, Notation, OutOfTurn, Score};

use crate::error::Error;
use crate::session::{Session, TypedSession};
use crate::spec::{OptionInfo, Options, Spec};

pub use agents::{AgentInfo, LIMITS, agents};
pub(crate) use agents::{AgentMaker, inner, is_limited};

/// What is said of a game: its name, players and options.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// The name.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// How many can play.
    pub players: &'static [usize],
    /// How many play if nothing is said.
    pub usual: usize,
    /// The options.
    pub options: &'static [OptionInfo],
    /// The evaluations, each with one line of what it is; the default is first.
    pub evals: &'static [(&'static str, &'static str)],
    /// Options that the game's ordering adds to the tree searches.
    pub order_options: &'static [OptionInfo],
    /// Whether the turn can be handed to anybody, as Best-Reply Search needs.
    pub is_out_of_turn: bool,
}

impl GameInfo {
    /// The names of the evaluations.
    pub fn eval_names(&self) -> Vec<&'static str> {
        self.evals.iter().map(|&(name, _)| name).collect()
    }
}

/// What a session starts from.
#[derive(Clone, Debug)]
pub struct Request {
    /// The number of players, or the game's usual number.
    pub players: Option<usize>,
    /// The position to start from, or the game's own.
    pub position: Option<String>,
    /// Moves to play first, separated by spaces.
    pub moves: String,
    /// What chance depends on: deals, agents, noise.
    pub seed: u64,
    /// Whether evaluations have a random factor unless an agent says otherwise.
    pub noise: bool,
    /// Whether agents may be outside programs, which are started with all that this process may do: not where strangers name them.
    pub programs: bool,
    /// Told of what takes long before an agent can play, such as building a table: what it is, and which part is done.
    pub progress: fn(&str, f64),
}

/// The game's own start, seed 1, no noise, no programs, nobody told.
impl Default for Request {
    fn default() -> Request {
        let (noise, programs) = (false, false);
        Request { players: None, position: None, moves: String::new(), seed: 1, noise, programs, progress: |_, _| () }
    }
}

/// A game with its options, whatever its types.
#[derive(Clone)]
pub struct NamedGame {
    entry: Arc<dyn AnyEntry>,
    options: Options,
    /// As it was written.
    pub spec: Spec,
}

impl NamedGame {
    /// Finds a game by its name and checks its options.
    pub fn new(spec: &Spec) -> Result<NamedGame, Error> {
        let entry = GAMES.iter().find(|entry| entry.info().name == spec.name);
        let Some(entry) = entry else {
            let names: Vec<&str> = infos().map(|info| info.name).collect();
            return Err(Error::unknown("game", &spec.name, &names));
        };
        let options = Options::check(spec, entry.info().options, &[])?;
        Ok(NamedGame { entry: entry.clone(), options, spec: spec.clone() })
    }

    /// What is said of it.
    pub fn info(&self) -> &GameInfo {
        self.entry.info()
    }

    /// How many players a request means.
    pub fn player_count(&self, players: Option<usize>) -> Result<usize, Error> {
        let info = self.info();
        match players {
            None => Ok(info.usual),
            Some(players) if info.players.contains(&players) => Ok(players),
            Some(players) => {
                let counts: Vec<String> = info.players.iter().map(usize::to_string).collect();
                let message = format!("{} is not for {players} players", info.name);
                Err(Error::usage(message).help(format!("it is for {}", counts.join(", "))))
            }
        }
    }

    /// Opens a session.
    pub fn open(&self, request: &Request) -> Result<Box<dyn Session>, Error> {
        let players = self.player_count(request.players)?;
        let Some(position) = &request.position else {
            let mut session = self.entry.open(players, &self.options, request, None)?;
            session.play_all(&request.moves)?;
            return Ok(session);
        };
        // A position may itself tell the number of players: the usual one is tried first, and of the errors the one that
        // got furthest is told.
        let counts = match request.players {
            Some(_) => vec![players],
            None => {
                let others = self.info().players.iter().copied().filter(|&count| count != players);
                std::iter::once(players).chain(others).collect()
            }
        };
        let mut furthest: Option<nply::PositionError> = None;
        for count in counts {
            match self.entry.read(count, &self.options, request.seed, position) {
                Ok(()) => {
                    let mut session = self.entry.open(count, &self.options, request, Some(position))?;
                    session.play_all(&request.moves)?;
                    return Ok(session);
                }
                Err(error) => {
                    if furthest.as_ref().is_none_or(|best| error.at > best.at) {
                        furthest = Some(error);
                    }
                }
            }
        }
        Err(furthest.expect("at least one number of players was tried").into())
    }
}

/// What is said of each game.
pub fn infos() -> impl Iterator<Item = &'static GameInfo> {
    GAMES.iter().map(|entry| entry.info())
}

static GAMES: LazyLock<Vec<Arc<dyn AnyEntry>>> = LazyLock::new(games::all);

/// Makes an evaluation by its name; the progress is that of a [`Request`].
pub(crate) type MakeEval<G, E> = fn(&str, &G, fn(&str, f64)) -> Result<E, Error>;

/// A game as it registers: what it is called and how its parts are made.
pub(crate) struct Entry<G: Notation, E, O> {
    pub(crate) info: GameInfo,
    /// The start position, of a number of players that the game allows.
    pub(crate) start: fn(usize, &Options, u64) -> G,
    /// The evaluation of this name, for this position's kind of game; the empty name is the default.
    pub(crate) eval: MakeEval<G, E>,
    /// The static ordering.
    pub(crate) order: fn(&Options) -> O,
    /// How much noise an evaluation gets.
    pub(crate) noise: fn(&E) -> Score,
    /// Refuses searches that mean nothing in this game.
    pub(crate) refuse: fn(&G, &Spec, &Budget) -> Result<(), Error>,
}

pub(crate) struct Registered<G: Notation, E, O> {
    pub(crate) entry: Entry<G, E, O>,
    /// Where the turn can be handed to anybody.
    pub(crate) make_out_of_turn: Option<agents::MakeOutOfTurn<G, E, O>>,
    pub(crate) any_turn: Option<AnyTurn<G>>,
}

/// Registers a game in which players only ever move in turn.
pub(crate) fn game<G, E, O>(entry: Entry<G, E, O>) -> Arc<dyn AnyEntry>
where
    G: Notation + 'static,
    E: Evaluator<G> + 'static,
    O: MoveOrder<G> + 'static,
{
    Arc::new(Arc::new(Registered { entry, make_out_of_turn: None, any_turn: None }))
}

/// Registers a game in which the turn can be handed to anybody.
pub(crate) fn game_out_of_turn<G, E, O>(entry: Entry<G, E, O>) -> Arc<dyn AnyEntry>
where
    G: Notation + OutOfTurn + 'static,
    E: Evaluator<G> + 'static,
    O: MoveOrder<G> + 'static,
{
    Arc::new(Arc::new(Registered {
        entry,
        make_out_of_turn: Some(agents::make_out_of_turn),
        any_turn: Some(AnyTurn::new()),
    }))
}

/// A registered game whose types are forgotten.
pub(crate) trait AnyEntry: Send + Sync {
    fn info(&self) -> &GameInfo;

    /// Whether a text is a position for so many players.
    fn read(&self, players: usize, options: &Options, seed: u64, text: &str) -> Result<(), nply::PositionError>;

    /// Opens a session for so many players, from the start or from a position that can be read.
    fn open(
        &self,
        players: usize,
        options: &Options,
        request: &Request,
        position: Option<&str>,
    ) -> Result<Box<dyn Session>, Error>;
}

impl<G, E, O> AnyEntry for Arc<Registered<G, E, O>>
where
    G: Notation + 'static,
    E: Evaluator<G> + 'static,
    O: MoveOrder<G> + 'static,
{
    fn info(&self) -> &GameInfo {
        &self.entry.info
    }

    fn read(&self, players: usize, options: &Options, seed: u64, text: &str) -> Result<(), nply::PositionError> {
        (self.entry.start)(players, options, seed).read(text).map(drop)
    }

    fn open(
        &self,
        players: usize,
        options: &Options,
        request: &Request,
        position: Option<&str>,
    ) -> Result<Box<dyn Session>, Error> {
        let start = (self.entry.start)(players, options, request.seed);
        let game = position.map_or_else(|| Ok(start.clone()), |text| start.read(text))?;
        Ok(Box::new(TypedSession::new(self.clone(), game, options.spec(self.entry.info.name), request)))
    }
}
