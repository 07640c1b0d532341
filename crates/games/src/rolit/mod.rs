//! Rolit, for two to four players, and Othello, for two.
//!
//! ```
//! use nply::{Declaration, Game, Notation, Player};
//! use nply_games::rolit::{Options, Othello, Rolit, Size};
//! let mut game = Rolit::start(4, &Options::default(), 0);
//! game.play(game.move_from_text("f4").unwrap());
//! assert_eq!(game.points().unwrap()[Player::new(0)], 3.0);
//! assert_eq!(game.to_text(), "...........................RRR.....BG........................... G");
//!
//! let mut game = Othello::start(2, &Options::default(), 0);
//! game.play(game.move_from_text("d3").unwrap());
//! assert_eq!(game.to_text(), "...................B.......BB......BW........................... W -");
//!
//! let small = Othello::start(2, &Options { size: Size::Four }, 0);
//! assert_eq!(small.to_text(), ".....WB..BW..... B -");
//! ```
//!
//! The board has 8 by 8 fields, or 6 by 6 or 4 by 4 ([`Options::size`]); the four discs of the start are in the middle of it.
//!
//! # Text
//!
//! A position is a character for each field, row 1 first, `.` or the first letter of a color, then the color to move. In Othello the colors
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
use nply::settings::{Choice, Visitor};
use nply::{BenchPosition, Bounds, ByPlayer, Declaration, Error, Evaluation, Player, Score, Settings, Tally};

pub use discs::{Discs, Move, Size};
pub use eval::Eval;
pub use order::Order;
pub use patterns::{Method, PATTERNS, Patterns, PatternsError, Provenance, STAGES};
pub use rules::{Othello, Rolit};

use crate::{CHANCES, bench};

/// Options of the rules of both games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The size of the board.
    pub size: Size,
}

impl Choice for Size {
    const WORDS: &'static [(Size, &'static str)] = &[(Size::Four, "4"), (Size::Six, "6"), (Size::Eight, "8")];
}

impl Settings for Options {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.choice("size", &mut self.size, "number of columns and rows");
    }
}

/// The random factor of the Best-Reply Search experiments: a tenth of a disc.
const NOISE: Score = 100;

/// The part of the board that is filled: the stage of both games.
fn filled(game: &impl Discs) -> f64 {
    f64::from(game.occupied().count_ones()) / f64::from(game.board().count_ones())
}

/// Refuses an evaluation that knows the full board only.
fn on_full_board(game: &impl Discs, name: &str, eval: impl Fn() -> Eval) -> Result<Eval, Error> {
    if game.board() == Size::Eight.board() {
        return Ok(eval());
    }
    Err(Error::refused(format!("the evaluation {name:?} is for size=8 only")).help("use eval=discs"))
}

/// Discs, of which nobody loses one that is safe, nor the last one that is placed.
const fn tally<G: Discs>() -> Tally<G> {
    Tally {
        name: "discs",
        of: |game| ByPlayer::from_fn(game.player_count(), |player| game.discs(player).count_ones() as Score),
        bounds: |game| {
            let last = game.last_mover();
            let least = |player: Player| {
                let safe = discs::safe(game.discs(player), game.occupied(), game.board());
                safe.count_ones() as Score + Score::from(last == Some(player))
            };
            let min = ByPlayer::from_fn(game.player_count(), least);
            Bounds { min, max_sum: game.board().count_ones() as Score }
        },
        is_share: false,
    }
}

/// The evaluation where none is named.
fn usual_evaluation(game: &impl Discs) -> &'static str {
    if game.board() == Size::Eight.board() { "patterns" } else { "discs" }
}

/// The evaluations of both games.
const fn evaluations<G: Discs>() -> [Evaluation<G, Eval>; 4] {
    [
        Evaluation {
            name: "patterns",
            about: "expected disc difference by patterns learned from Othello games, in thousandths",
            make: |game, _| on_full_board(game, "patterns", Eval::default),
        },
        Evaluation {
            name: "regression",
            about: "the same with the values of all patterns fitted together",
            make: |game, _| on_full_board(game, "regression", || Eval::Patterns(Patterns::fitted(game.player_count()))),
        },
        Evaluation { name: "discs", about: "number of discs, in thousandths", make: |_, _| Ok(Eval::Discs) },
        Evaluation {
            name: "mobility",
            about: "corners and flipping moves; a simple reference",
            make: |game, _| on_full_board(game, "mobility", || Eval::Mobility),
        },
    ]
}

impl Declaration for Rolit {
    type Game = Rolit;
    type Options = Options;
    type Eval = Eval;
    type Order = Order;

    const NAME: &'static str = "rolit";
    const ABOUT: &'static str = "Othello in two to four colors; nobody ever passes";
    const PLAYERS: &'static [usize] = &[2, 3, 4];
    const USUAL_PLAYERS: usize = 4;
    const EVALUATIONS: &'static [Evaluation<Rolit, Eval>] = &evaluations();
    const CHANCES: &'static str = CHANCES;
    const NUMBERS: Option<Numbers<Rolit>> = Some(Numbers::NEW);
    const TALLY: Option<Tally<Rolit>> = Some(tally());
    const BENCH: &'static [BenchPosition] =
        &[bench(2, 20, [5, 6, 6, 6]), bench(3, 20, [4, 6, 5, 7]), bench(4, 20, [4, 6, 5, 8])];

    fn start(players: usize, options: &Options, _seed: u64) -> Rolit {
        Rolit::new(players, options.size)
    }

    fn noise(_eval: &Eval) -> Score {
        NOISE
    }

    fn usual_evaluation(game: &Rolit) -> &'static str {
        usual_evaluation(game)
    }

    fn stage(game: &Rolit) -> f64 {
        filled(game)
    }
}

impl Declaration for Othello {
    type Game = Othello;
    type Options = Options;
    type Eval = Eval;
    type Order = Order;

    const NAME: &'static str = "othello";
    const ABOUT: &'static str = "flip discs by enclosing them; most discs win";
    const PLAYERS: &'static [usize] = &[2];
    const USUAL_PLAYERS: usize = 2;
    const EVALUATIONS: &'static [Evaluation<Othello, Eval>] = &evaluations();
    const CHANCES: &'static str = CHANCES;
    const NUMBERS: Option<Numbers<Othello>> = Some(Numbers::NEW);
    const TALLY: Option<Tally<Othello>> = Some(tally());
    const BENCH: &'static [BenchPosition] = &[bench(2, 20, [6, 7, 7, 7])];

    fn start(players: usize, options: &Options, _seed: u64) -> Othello {
        Othello::new(players, options.size)
    }

    fn noise(_eval: &Eval) -> Score {
        NOISE
    }

    fn usual_evaluation(game: &Othello) -> &'static str {
        usual_evaluation(game)
    }

    fn stage(game: &Othello) -> f64 {
        filled(game)
    }
}
