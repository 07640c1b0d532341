//! Rolit, for two to four players, and Othello, for two.

mod discs;
mod eval;
mod game;
pub mod learn;
mod order;
mod othello;
mod patterns;
mod picture;
pub mod wthor;

pub use discs::{Discs, Move};
pub use eval::{Eval, NOISE};
pub use game::Rolit;
pub use order::Order;
pub use othello::Othello;
pub use patterns::{PATTERNS, Patterns, PatternsError, Provenance, STAGES};
