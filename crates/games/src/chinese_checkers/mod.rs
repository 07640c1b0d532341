//! Chinese Checkers for two, three, four or six players, on a star of 73 or 121 fields.
//!
//! Each player crosses the star from the home corner to the opposite one, by steps and by chains of hops over pieces of any
//! color. A player whose goal corner is full, with at least one piece of their own in it, wins. A move is the pair of its
//! first and its last field; a piece that starts in its goal must end there.
//!
//! ```
//! use nply::{Declaration, Game, Notation};
//! use nply_games::chinese_checkers::{ChineseCheckers, Options};
//!
//! let mut game = ChineseCheckers::start(3, &Options::default(), 0);
//! game.play(game.move_from_text("c1-d5").unwrap());
//! assert_eq!(game.turn().number(), 2);
//! ```
//!
//! # Text
//!
//! A position is its rows from top to bottom with `/` between them, each field from left to right as the number of the player
//! whose piece is there or `.`; then the number of the player to move and the number of plies played:
//!
//! ```
//! # use nply::{Declaration, Notation};
//! # use nply_games::chinese_checkers::{ChineseCheckers, Options};
//! let text = "1/11/111/........../........./......../......./......../........./........../222/22/2 1 0";
//! assert_eq!(ChineseCheckers::start(2, &Options::default(), 0).to_text(), text);
//! ```

mod board;
mod build;
mod draft;
mod eval;
mod map;
mod numbers;
mod order;
mod paths;
mod rank;
mod rules;
mod scene;
mod table;
mod text;

use nply::numbers::Numbers;
use nply::settings::{Choice, Visitor};
use nply::{BenchPosition, ByPlayer, Declaration, Error, Evaluation, MovesToWin, Score, Settings};

pub use board::Board;
pub use eval::Eval;
pub use order::Order;
pub use rules::{ChineseCheckers, Move};
pub use table::{DistanceTable, TableError};

use crate::{CHANCES, bench};

/// Options of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The size of the star.
    pub board: Board,
    /// The number of plies after which the game is drawn.
    pub limit: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { board: Board::Small, limit: 1000 }
    }
}

impl Choice for Board {
    const WORDS: &'static [(Board, &'static str)] = &[(Board::Small, "small"), (Board::Large, "large")];
}

impl Settings for Options {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.choice("board", &mut self.board, "73 fields and 6 pieces each, or 121 fields and 10 pieces each");
        v.whole("limit", &mut self.limit, 1..=1_000_000, "number of plies after which the game is drawn");
    }
}

impl Declaration for ChineseCheckers {
    type Game = ChineseCheckers;
    type Options = Options;
    type Eval = Eval;
    type Order = Order;

    const NAME: &'static str = "chinese-checkers";
    const ABOUT: &'static str = "a race across a star; pieces step, or hop over others";
    const PLAYERS: &'static [usize] = &[2, 3, 4, 6];
    const USUAL_PLAYERS: usize = 3;
    const EVALUATIONS: &'static [Evaluation<ChineseCheckers, Eval>] = &[
        Evaluation {
            name: "table",
            about: "moves that the pieces need alone on the board, from a table; small board only",
            make: |game, progress| {
                Ok(Eval::table(game.board(), &|done| progress("building the distance table", done))?)
            },
        },
        Evaluation {
            name: "distance",
            about: "pieces in the goal, pieces still at home, distances; the default on the large board",
            make: |_, _| Ok(Eval::Distance),
        },
    ];
    const CHANCES: &'static str = CHANCES;
    const NUMBERS: Option<Numbers<ChineseCheckers>> = Some(Numbers::NEW);
    // The distance table takes long to build, so the benches do without.
    const BENCH: &'static [BenchPosition] = &[
        BenchPosition { eval: Some("distance"), ..bench(2, 20, [3, 4, 4, 4]) },
        BenchPosition { eval: Some("distance"), ..bench(3, 30, [3, 4, 3, 5]) },
        BenchPosition { eval: Some("distance"), ..bench(4, 40, [3, 4, 3, 5]) },
        BenchPosition { eval: Some("distance"), ..bench(6, 48, [3, 4, 3, 5]) },
        BenchPosition { options: "board=large", ..bench(3, 30, [2, 3, 3, 4]) },
    ];

    fn start(players: usize, options: &Options, _seed: u64) -> ChineseCheckers {
        ChineseCheckers::new(players, options)
    }

    fn usual_evaluation(game: &ChineseCheckers) -> &'static str {
        match game.board() {
            Board::Small => "table",
            Board::Large => "distance",
        }
    }

    /// For the table, the random factor of the Best-Reply Search paper; for distances, just enough to decide between equal
    /// ones, as the thesis they are from does at random.
    fn noise(eval: &Eval) -> Score {
        match eval {
            Eval::Distance => 1,
            Eval::Table(_) => 5,
        }
    }

    /// By the way that the leader has behind them.
    fn stage(game: &ChineseCheckers) -> f64 {
        let (least, most) = game.star.range;
        let best = game.progress[..game.players as usize].iter().copied().max().unwrap_or(0);
        f64::from(Score::from(best) - least) / f64::from(most - least)
    }

    /// Alone on the board, by the distance table; 0 for the winner.
    fn moves_to_win(game: &ChineseCheckers) -> Option<MovesToWin<ChineseCheckers>> {
        (game.board() == Board::Small).then_some(MovesToWin {
            is_ready: || DistanceTable::kept().is_some(),
            count: |game| {
                let table = DistanceTable::shared(&|_| ()).map_err(Error::from)?;
                let moves = |player| if game.winner == Some(player) { 0 } else { table.value(game, player) };
                Ok(ByPlayer::from_fn(game.players as usize, |player| f64::from(moves(player))))
            },
        })
    }
}
