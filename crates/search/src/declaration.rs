//! Declarations of games: [`Declaration`].
//!
//! Everything that works with games by name — the registry, sessions, tournaments, conformance tests, benches — reads them
//! here. [`tree`](crate::tree) declares the game drawn by hand; the package `nply-games` lists the others.

use std::fmt::Debug;

use crate::numbers::Numbers;
use crate::{ByPlayer, Error, Evaluator, MoveOrder, Notation, OutOfTurn, Score, Settings, Tally};

/// Reports the progress of slow work, such as building a table: its name, and the part that is done, from 0 to 1.
pub type Progress<'a> = &'a (dyn Fn(&str, f64) + Sync);

/// A game with everything that is declared about it.
///
/// It is usually implemented for the position itself. A type of its own is needed only where one type of position serves several
/// games, as in card games.
pub trait Declaration: 'static {
    /// The position.
    type Game: Notation + 'static;
    /// Options of the rules; `()` for none.
    type Options: Settings + Clone + Default + PartialEq + Debug + Send + Sync + 'static;
    /// The evaluation; one type for all of [`EVALUATIONS`](Declaration::EVALUATIONS).
    type Eval: Evaluator<Self::Game> + 'static;
    /// The static move ordering, with its own settings; [`AsListed`](crate::AsListed) where there is none.
    type Order: MoveOrder<Self::Game> + Settings + Default + 'static;

    /// The game's name, in lower case: `four-player-chess`.
    const NAME: &'static str;
    /// A description in one line.
    const ABOUT: &'static str;
    /// The numbers of players that can play, ascending.
    const PLAYERS: &'static [usize];
    /// The number of players where none is given.
    const USUAL_PLAYERS: usize;
    /// The evaluations, the usual one first.
    const EVALUATIONS: &'static [Evaluation<Self::Game, Self::Eval>];
    /// Why nobody may move out of turn, in a game that is not [`OutOfTurn`].
    const IN_TURN: &'static str = "its players move in turn";
    /// The temperatures that turn scores into [`chances`](crate::chances), as `nply calibrate` writes them; see
    /// [`Temperatures`](crate::chances::Temperatures). Without them, decisions of tree searches have no chances.
    const CHANCES: &'static str = "";
    /// Positions for benchmarks and for the bench signature.
    const BENCH: &'static [BenchPosition] = &[];
    /// Positions as planes and moves as numbers, for programs that learn; `None` in a game that has none.
    const NUMBERS: Option<Numbers<Self::Game>> = None;

    /// What a finished game counts besides shares of the win, such as points; `None` if only shares matter.
    const TALLY: Option<Tally<Self::Game>> = None;

    /// The start position, for one of [`PLAYERS`](Declaration::PLAYERS); the seed decides the deal, where there is one.
    fn start(players: usize, options: &Self::Options, seed: u64) -> Self::Game;

    /// The evaluation where none is named.
    fn usual_evaluation(_game: &Self::Game) -> &'static str {
        Self::EVALUATIONS[0].name
    }

    /// The most that the random factor of tournaments adds to a score.
    fn noise(_eval: &Self::Eval) -> Score {
        0
    }

    /// The least depth that a search must reach, where positions before the end have no scores.
    fn least_depth(_game: &Self::Game) -> Option<u32> {
        None
    }

    /// How much of the game is over, roughly, from 0 to 1: temperatures may differ by it. By default the game is all of a piece.
    fn stage(_game: &Self::Game) -> f64 {
        0.0
    }

    /// How many moves each player is from winning, where the game knows.
    fn moves_to_win(_game: &Self::Game) -> Option<MovesToWin<Self::Game>> {
        None
    }
}

/// How many moves each player is from winning.
pub struct MovesToWin<G> {
    /// Whether counting needs nothing slow first, such as building a table.
    pub is_ready: fn() -> bool,
    /// Counts them; 0 for the winner.
    pub count: fn(&G) -> Result<ByPlayer<f64>, Error>,
}

/// A way to judge positions of a game.
pub struct Evaluation<G, E> {
    /// Its name, which the setting `eval` takes.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// Makes it for the options of a game, of which any position is given.
    pub make: fn(&G, Progress<'_>) -> Result<E, Error>,
}

/// A position to measure searches on: reached by random moves, the same every time.
#[derive(Clone, Copy, Debug)]
pub struct BenchPosition {
    /// The options of the game, `key=value,…`.
    pub options: &'static str,
    /// The number of players.
    pub players: usize,
    /// Plies played at random.
    pub plies: usize,
    /// The evaluation; `None` for the usual one.
    pub eval: Option<&'static str>,
    /// How deep each family searches in about a hundredth of a second.
    pub depths: BenchDepths,
}

/// The depths of a [`BenchPosition`].
#[derive(Clone, Copy, Debug)]
pub struct BenchDepths {
    /// For max^n.
    pub maxn: u32,
    /// For Paranoid and alpha-beta.
    pub paranoid: u32,
    /// For Best-Reply Search, where players may move out of turn.
    pub brs: u32,
    /// For BRS+.
    pub brs_plus: u32,
}

/// Goes through a list of declared games, whose types it then knows.
pub trait GameVisitor {
    /// A game in which players only move in turn.
    fn game<D: Declaration>(&mut self);

    /// A game in which players may move out of turn.
    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        self.game::<D>();
    }
}
