//! Hearts and Spades, for three or four players.
//!
//! Both are one position, [`Tricks`], that counts tricks in one of two ways, [`Kind`]: everything that happens at the
//! table is the same. Hands are open unless [`Options::hidden`] says otherwise.
//!
//! ```
//! use nply::{Game, Notation};
//! use nply_games::cards::{Hearts, Options, Tricks};
//! let start = Tricks::new(Hearts, 3, 1, Options::default());
//! let small = start.read("1:AK.Q.. QJ.2.. T9.3..").unwrap();
//! let mut moves = Vec::new();
//! small.moves(&mut moves);
//! assert_eq!(moves.iter().map(|m| m.to_string()).collect::<Vec<_>>(), ["AS", "KS", "QH"]);
//! ```

mod card;
mod deal;
mod eval;
mod hand;
mod hearts;
mod order;
mod spades;
mod text;
mod trick;

pub use card::{Card, Suit};
pub use eval::{Eval, NOISE};
pub use hand::Hand;
pub use order::Order;
pub use trick::Kind::{Hearts, Spades};
pub use trick::{Kind, Options, Tricks};
