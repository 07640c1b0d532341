//! Rolit, for two to four players, and Othello, for two.

mod discs;
mod eval;
mod game;
mod order;
mod othello;
mod picture;

pub use discs::{Discs, Move};
pub use eval::{Eval, NOISE};
pub use game::Rolit;
pub use order::Order;
pub use othello::Othello;
