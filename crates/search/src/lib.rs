//! Search for games of two to six players.
//!
//! Implement [`Game`] for a position and [`Evaluator`] for its scores, and every agent of this crate plays the game: max^n,
//! Paranoid, Best-Reply Search, BRS+ and Monte-Carlo tree search. A whole game, searched:
//!
//! ```
#![doc = include_str!("../examples/sticks.rs")]
//! ```
//!
//! # Which agent when
//!
//! | agent | use it when | module |
//! | --- | --- | --- |
//! | [`Maxn`] | every player plays for itself; scores with a bounded sum can be pruned | [`maxn`] |
//! | [`Paranoid`] | depth matters more than a realistic model of the opponents; with two players it is alpha-beta | [`paranoid`], [`alphabeta`] |
//! | [`Brs`] | there are many opponents and players may move out of turn, as in Chinese Checkers or Focus | [`brs`] |
//! | [`BrsPlus`] | the same, but every position searched must be reachable, as in chess or card games | [`brs_plus`] |
//! | [`Mcts`] | there is no good evaluation, or a lot of time | [`mcts`] |
//! | [`Worlds`] | cards are hidden: it asks another agent in several guesses of what is hidden | [`worlds`] |
//! | [`Greedy`], [`Random`] | as baselines | [`greedy`], [`random`] |
//!
//! The modules describe each algorithm with its formula, an example whose numbers are tested, and its references.
//! [`GeneralizedBrs`] is there to check that Best-Reply Search is a case of what BRS+ generalizes.
//!
//! An agent is given a position and a [`Budget`] and answers with a [`Decision`]. Given the same seed and budget of nodes, it
//! gives the same answer on every machine.
//!
//! # What a game can add
//!
//! - [`OutOfTurn`]: players may move out of turn, which Best-Reply Search needs.
//! - [`MoveOrder`]: which moves look promising; without one, pass [`AsListed`].
//! - [`Notation`]: text for positions and moves.
//! - [`Numbered`](numbers::Numbered): positions as planes and numbered moves, for programs that learn.
//! - [`Declaration`]: its name, players, options and evaluations, for programs that work with games by name.
//!
//! [`testing`] has conformance tests for all of them, and [`tree`] is a game drawn by hand, for examples and figures.
//!
//! # Agents by name
//!
//! The [`settings`] of an agent are a type that reads and writes `name:key=value,…`. [`algorithms`] goes through all agents, and
//! [`Algorithm`] makes one for any declared game. An algorithm of your own that turns a game into one of two sides is a
//! [`View`](alphabeta::View) of the [`alphabeta`] search.

mod agent;
mod algorithm;
pub mod alphabeta;
pub mod brs;
pub mod brs_plus;
mod budget;
pub mod chances;
mod clock;
mod declaration;
pub mod deepening;
mod error;
mod eval;
mod game;
pub mod generalized_brs;
pub mod greedy;
pub mod history;
pub mod killers;
pub mod maxn;
pub mod mcts;
pub mod numbers;
pub mod paranoid;
mod parts;
mod player;
pub mod quantity;
pub mod random;
pub mod recording;
mod rng;
pub mod scene;
mod score;
pub mod settings;
mod spec;
pub mod testing;
pub mod transposition;
pub mod tree;
pub mod worlds;

pub use agent::{Agent, Context, Decision, Explained, Line};
pub use algorithm::{
    AgentSettings, Algorithm, AlgorithmFor, AlgorithmVisitor, Chance, Judging, Kit, Limit, Made, refuse_out_of_turn,
};
pub use alphabeta::{AlphaBetaSettings, Statistics};
pub use brs::{Brs, BrsSettings, standard_depth};
pub use brs_plus::{BrsPlus, BrsPlusSettings, Special};
pub use budget::{Budget, Count, Meter, OutOfBudget};
pub use chances::Calibrated;
pub use clock::{Clock, Clocks, moves_left};
pub use declaration::{BenchDepths, BenchPosition, Declaration, Evaluation, GameVisitor, MovesToWin, Progress};
pub use deepening::{Iteration, MAX_DEPTH, deepen};
pub use error::{Code, Error, nearest};
pub use eval::{AsListed, Bounds, Evaluator, MoveOrder, Noisy, Score, Stance};
pub use game::{Game, MoveError, Notation, OutOfTurn, PositionError, shares};
pub use generalized_brs::GeneralizedBrs;
pub use greedy::{Greedy, GreedySettings};
pub use history::{History, code};
pub use killers::Killers;
pub use maxn::{Maxn, MaxnSettings, Pruning, Ties};
pub use mcts::playout::{PlayoutPolicy, PlayoutTies};
pub use mcts::{AnyTurn, FirstPlay, Mcts, MctsSettings, MoveStatistics, PLAYOUTS, Proof, Solver, TreePolicy};
pub use paranoid::{Paranoid, ParanoidSettings};
pub use parts::{Equals, OrderBy, Parts};
pub use player::{ByPlayer, MAX_PLAYERS, Player};
pub use random::{Random, RandomSettings};
pub use recording::Recording;
pub use rng::{Dice, Rng, mix};
pub use score::ScoreForm;
pub use settings::Settings;
pub use spec::{Spec, check_given_name, given_name};
pub use transposition::TranspositionTable;
pub use tree::Tree;
pub use worlds::{Worlds, WorldsSettings};

/// Shows every algorithm of this package to a visitor, in the order in which they are listed.
pub fn algorithms<V: AlgorithmVisitor>(v: &mut V) {
    v.agent::<RandomSettings>();
    v.agent::<GreedySettings>();
    v.agent::<AlphaBetaSettings>();
    v.agent::<MaxnSettings>();
    v.agent::<ParanoidSettings>();
    v.agent::<BrsSettings>();
    v.agent::<BrsPlusSettings>();
    v.agent::<MctsSettings>();
    v.agent::<WorldsSettings>();
}
