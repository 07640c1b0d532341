//! Connect Four for two, three or four players: drop pieces into columns, and be first with four of your own in a row.
//!
//! The board grows with the number of players, unless [`Options`] set its size. A full board is a draw.
//!
//! ```
//! use nply::{Declaration, Game, Notation};
//! use nply_games::connect_four::{ConnectFour, Options};
//! let mut game = ConnectFour::start(2, &Options::default(), 0);
//! for text in ["d", "d", "e"] {
//!     game.play(game.move_from_text(text).unwrap());
//! }
//! assert_eq!(game.to_text(), "......./......./......./......./...2.../...11.. 2");
//! ```
//!
//! # Text
//!
//! A position is its rows from the top, separated by `/`, each field as the number of the player whose piece is there or `.`;
//! then the number of the player to move. No piece may hang in the air, and at most one player may have a line. Any number of
//! pieces is allowed, so that positions can be set up by hand.

mod eval;
mod numbers;
mod order;
mod rules;
mod scene;
mod text;

use nply::numbers::Numbers;
use nply::settings::Visitor;
use nply::{BenchPosition, Declaration, Evaluation, Score, Settings};

pub use eval::Eval;
pub use order::Order;
pub use rules::{ConnectFour, Move};

use crate::{CHANCES, bench};

/// Options of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The number of columns; `None` for 7, 9 or 11 with two, three or four players.
    pub columns: Option<u32>,
    /// The number of rows; `None` for 6, 7 or 8 with two, three or four players.
    pub rows: Option<u32>,
    /// The number of pieces in a row that win.
    pub line: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { columns: None, rows: None, line: 4 }
    }
}

impl Settings for Options {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.open_whole(
            "columns",
            &mut self.columns,
            3..=16,
            "number of columns; by default 7, 9 or 11 for 2, 3 or 4 players",
        );
        v.open_whole("rows", &mut self.rows, 3..=16, "number of rows; by default 6, 7 or 8 for 2, 3 or 4 players");
        v.whole("line", &mut self.line, 3..=6, "number of pieces in a row that win");
    }
}

impl Declaration for ConnectFour {
    type Game = ConnectFour;
    type Options = Options;
    type Eval = Eval;
    type Order = Order;

    const NAME: &'static str = "connect-four";
    const ABOUT: &'static str = "drop pieces into columns; first with four in a row wins";
    const PLAYERS: &'static [usize] = &[2, 3, 4];
    const USUAL_PLAYERS: usize = 2;
    const EVALUATIONS: &'static [Evaluation<ConnectFour, Eval>] = &[Evaluation {
        name: "lines",
        about: "lines that a player can still complete, by the number of pieces missing",
        make: |_, _| Ok(Eval),
    }];
    const CHANCES: &'static str = CHANCES;
    const NUMBERS: Option<Numbers<ConnectFour>> = Some(Numbers::NEW);
    const BENCH: &'static [BenchPosition] =
        &[bench(2, 8, [6, 8, 8, 8]), bench(3, 12, [5, 7, 6, 8]), bench(4, 16, [5, 7, 5, 9])];

    fn start(players: usize, options: &Options, _seed: u64) -> ConnectFour {
        ConnectFour::new(players, options)
    }

    fn noise(_eval: &Eval) -> Score {
        1
    }

    /// By the fields that are filled.
    fn stage(game: &ConnectFour) -> f64 {
        let filled: u32 = game.heights.iter().copied().map(u32::from).sum();
        f64::from(filled) / (f64::from(game.columns) * f64::from(game.rows))
    }
}
