//! Search for games of two to six players.
//!
//! A game implements one trait, [`Game`]: six methods. Every agent then plays it, and [`testing`] checks it.

mod agent;
mod budget;
mod eval;
mod game;
mod greedy;
mod player;
mod random;
mod rng;
pub mod testing;
pub mod tree;

pub use agent::{Agent, Decision};
pub use budget::{Budget, Meter, OutOfBudget};
pub use eval::{AsListed, Bounds, Evaluator, MoveOrder, Noisy, Score, Stance};
pub use game::{Game, MoveError, Notation, OutOfTurn, PositionError, shares};
pub use greedy::Greedy;
pub use player::{ByPlayer, MAX_PLAYERS, Player};
pub use random::Random;
pub use rng::{Rng, mix};
pub use tree::Tree;
