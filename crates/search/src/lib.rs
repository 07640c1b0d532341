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
mod alphabeta;
mod brs;
mod brs_plus;
mod budget;
mod deepening;
mod eval;
mod game;
mod greedy;
mod history;
mod killers;
mod maxn;
mod mcts;
mod paranoid;
mod parts;
mod player;
mod playout;
mod random;
mod rng;
mod score;
mod table;
pub mod testing;
pub mod tree;
mod worlds;

pub use agent::{Agent, Decision};
pub use alphabeta::Statistics;
pub use brs::{Brs, standard_depth};
pub use brs_plus::{BrsPlus, FirstMove, Pass};
pub use budget::{Budget, Meter, OutOfBudget};
pub use deepening::{Iteration, MAX_DEPTH, deepen};
pub use eval::{AsListed, Bounds, Evaluator, MoveOrder, Noisy, Score, Stance};
pub use game::{Game, MoveError, Notation, OutOfTurn, PositionError, shares};
pub use greedy::Greedy;
pub use history::{History, code};
pub use killers::Killers;
pub use maxn::{Maxn, MaxnError, Pruning, Ties};
pub use mcts::{FirstPlay, Mcts, MoveStatistics, PLAYOUTS, Proof, Solver, TreePolicy};
pub use paranoid::Paranoid;
pub use parts::{Order, Parts};
pub use player::{ByPlayer, MAX_PLAYERS, Player};
pub use playout::{AnyTurn, PlayoutPolicy, PlayoutTies};
pub use random::Random;
pub use rng::{Rng, mix};
pub use score::ScoreForm;
pub use table::Table;
pub use tree::Tree;
pub use worlds::Worlds;
