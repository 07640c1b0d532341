//! Search for games of two to six players.
//!
//! The one thing this crate has is a set of agents that play any [`Game`]. A position implements six methods, and an
//! [`Evaluator`] gives one score per player; that is all an agent needs. What is known besides is said in traits of its own:
//! [`Notation`] for text, [`OutOfTurn`] where a player may move out of turn, [`MoveOrder`] for which moves look promising.
//! [`testing`] has the conformance test that every game should pass, and [`tree`] a game drawn by hand.
//!
//! An agent is asked for a move with a [`Budget`] and answers with a [`Decision`]. Given a seed and a budget of nodes, it
//! gives the same answer on every machine.
//!
//! # A game of one's own
//!
//! ```
#![doc = include_str!("../examples/sticks.rs")]
//! ```

mod agent;
mod algorithm;
pub mod alphabeta;
pub mod brs;
pub mod brs_plus;
mod budget;
mod declaration;
mod deepening;
mod error;
mod eval;
mod game;
pub mod generalized_brs;
pub mod greedy;
mod history;
mod killers;
pub mod maxn;
pub mod mcts;
pub mod paranoid;
mod parts;
mod player;
pub mod quantity;
pub mod random;
mod rng;
mod score;
pub mod settings;
mod spec;
pub mod testing;
mod transposition;
pub mod tree;
pub mod worlds;

pub use agent::{Agent, Context, Decision};
pub use algorithm::{
    AgentSettings, Algorithm, AlgorithmFor, AlgorithmVisitor, Chance, Judging, Kit, Limit, Made, refuse_out_of_turn,
};
pub use alphabeta::{AlphaBetaSettings, Statistics};
pub use brs::{Brs, BrsSettings, standard_depth};
pub use brs_plus::{BrsPlus, BrsPlusSettings, Special};
pub use budget::{Budget, Meter, OutOfBudget};
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
pub use parts::{OrderBy, Parts};
pub use player::{ByPlayer, MAX_PLAYERS, Player};
pub use random::{Random, RandomSettings};
pub use rng::{Rng, mix};
pub use score::ScoreForm;
pub use settings::Settings;
pub use spec::Spec;
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
