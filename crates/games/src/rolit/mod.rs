//! Rolit, for two to four players, and Othello, for two.
//!
//! ```
//! use nply::{Declaration, Game, Notation, Player};
//! use nply_games::rolit::{Othello, Rolit};
//! let mut game = Rolit::start(4, &(), 0);
//! game.play(game.move_from_text("f4").unwrap());
//! assert_eq!(game.points().unwrap()[Player::new(0)], 3.0);
//! assert_eq!(game.to_text(), "...........................RRR.....BG........................... G");
//!
//! let mut game = Othello::start(2, &(), 0);
//! game.play(game.move_from_text("d3").unwrap());
//! assert_eq!(game.to_text(), "...................B.......BB......BW........................... W -");
//! ```
//!
//! # Text
//!
//! A position is 64 characters, row 1 first, `.` or the first letter of a color, then the color to move. In Othello the colors
//! that have passed since the last disc was placed follow: `-`, `B`, `W` or `BW`. In Rolit any board with at least one disc is
//! a position; in Othello any board is, but a color that could flip something has not passed.

mod discs;
mod eval;
pub mod learn;
mod numbers;
mod order;
mod patterns;
mod regression;
mod rules;
mod scene;
mod text;
pub mod wthor;

use nply::numbers::Numbers;
use nply::{BenchPosition, Declaration, Evaluation, Score};

pub use discs::{Discs, Move};
pub use eval::Eval;
pub use order::Order;
pub use patterns::{Method, PATTERNS, Patterns, PatternsError, Provenance, STAGES};
pub use rules::{Othello, Rolit};

use crate::{CHANCES, bench};

/// The random factor of the Best-Reply Search experiments: a tenth of a disc.
const NOISE: Score = 100;

/// The part of the board that is filled: the stage of both games.
fn filled(discs: u64) -> f64 {
    f64::from(discs.count_ones()) / 64.0
}

/// The evaluations of both games.
const fn evaluations<G: Discs>() -> [Evaluation<G, Eval>; 4] {
    [
        Evaluation {
            name: "patterns",
            about: "expected disc difference by patterns learned from Othello games, in thousandths",
            make: |_, _| Ok(Eval::default()),
        },
        Evaluation {
            name: "regression",
            about: "the same with the values of all patterns fitted together",
            make: |_, _| Ok(Eval::Patterns(Patterns::shipped(Method::Regression))),
        },
        Evaluation { name: "discs", about: "number of discs, in thousandths", make: |_, _| Ok(Eval::Discs) },
        Evaluation {
            name: "mobility",
            about: "corners and flipping moves; a simple reference",
            make: |_, _| Ok(Eval::Mobility),
        },
    ]
}

impl Declaration for Rolit {
    type Game = Rolit;
    type Options = ();
    type Eval = Eval;
    type Order = Order;

    const NAME: &'static str = "rolit";
    const ABOUT: &'static str = "Othello in two to four colors; nobody ever passes";
    const PLAYERS: &'static [usize] = &[2, 3, 4];
    const USUAL_PLAYERS: usize = 4;
    const EVALUATIONS: &'static [Evaluation<Rolit, Eval>] = &evaluations();
    const CHANCES: &'static str = CHANCES;
    const NUMBERS: Option<Numbers<Rolit>> = Some(Numbers::NEW);
    const BENCH: &'static [BenchPosition] =
        &[bench(2, 20, [5, 6, 6, 6]), bench(3, 20, [4, 6, 5, 7]), bench(4, 20, [4, 6, 5, 8])];

    fn start(players: usize, _options: &(), _seed: u64) -> Rolit {
        Rolit::new(players)
    }

    fn noise(_eval: &Eval) -> Score {
        NOISE
    }

    fn stage(game: &Rolit) -> f64 {
        filled(game.occupied)
    }
}

impl Declaration for Othello {
    type Game = Othello;
    type Options = ();
    type Eval = Eval;
    type Order = Order;

    const NAME: &'static str = "othello";
    const ABOUT: &'static str = "flip discs by enclosing them; most discs win";
    const PLAYERS: &'static [usize] = &[2];
    const USUAL_PLAYERS: usize = 2;
    const EVALUATIONS: &'static [Evaluation<Othello, Eval>] = &evaluations();
    const CHANCES: &'static str = CHANCES;
    const NUMBERS: Option<Numbers<Othello>> = Some(Numbers::NEW);
    const BENCH: &'static [BenchPosition] = &[bench(2, 20, [6, 7, 7, 7])];

    fn start(players: usize, _options: &(), _seed: u64) -> Othello {
        Othello::new(players)
    }

    fn noise(_eval: &Eval) -> Score {
        NOISE
    }

    fn stage(game: &Othello) -> f64 {
        filled(game.own | game.other)
    }
}
