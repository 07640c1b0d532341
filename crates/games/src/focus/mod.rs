//! Focus, also sold as Domination: stacks of pieces that move as far as they are tall, for two, three or four players.
//!
//! Sid Sackson's game of 1963, in the short form of the papers ([`Rules::Short`]) and in the long one
//! ([`Rules::Standard`]). The owner of the top piece controls a stack. A player moves the top *k* pieces of such a stack
//! exactly *k* fields in a straight line, over anything and onto anything, or places a reserve piece on any field. A stack
//! higher than five loses pieces at the bottom: the mover's own go to the mover's reserve, the others are captured.
//!
//! ```
//! use nply::{Declaration, Game, Notation};
//! use nply_games::focus::{Focus, Options};
//! let mut game = Focus::start(2, &Options::default(), 0);
//! game.play(game.move_from_text("b3-b4").unwrap());
//! game.play(game.move_from_text("c4-b4").unwrap());
//! assert!(game.to_text().starts_with("..____../.RRGGRR./_GGRRGG_/_RRGGRR_/_(GRG)_RRGG_/__RGGRR_/"));
//! ```
//!
//! # Consequences of the rules
//!
//! Every field has a neighbor and a placement may go anywhere, so a player can move if and only if they control a stack or
//! have a reserve piece. A player who has just moved or placed controls the stack just made. Therefore:
//!
//! - the last player who did not pass can move until somebody else moves, so somebody can always move;
//! - a pass changes only the turn and the ply count, and never wins;
//! - several players can be stuck at once, and move again as soon as a stack of theirs is uncovered;
//! - with two players nobody ever passes in turn, because the ply before would have won; a stuck player passes when handed the
//!   turn ([`OutOfTurn`](nply::OutOfTurn)), with two players as with more;
//! - only the player who has just moved can have won: captures count for the mover alone, and everybody else was short of
//!   them before, or the game would have ended.
//!
//! # Text
//!
//! A position is five words: the board, the turn, the reserves, the captures and the number of plies played. The start for
//! two players:
//!
//! ```text
//! ..____../.RRGGRR./_GGRRGG_/_RRGGRR_/_GGRRGG_/_RRGGRR_/.GGRRGG./..____.. R 0,0 0,0/0,0 0
//! ```
//!
//! The board is written from row 8 down to row 1, with `/` between rows: `.` is a missing corner, `_` an empty field, a letter
//! one piece, `(RGB)` a stack of two to five pieces from bottom to top. The turn is a color's letter. Reserves are numbers in
//! turn order. Captures are, for each player in turn order, the numbers of pieces taken of each color in turn order, 0 for the
//! player's own color.
//!
//! No color may have more pieces, on the board, in reserve and captured, than it starts with; it may have fewer, so that
//! small positions can be set up by hand.
//!
//! The winner is not written, because it follows: a text is read as if the player before the one to move had just moved, and
//! that player has won with enough captures, or if nobody else can move or place. Nobody else can have won, so a text is
//! refused in which another player has enough captures to win, in which a single player who is not that one can move, or in
//! which nobody can move.

mod board;
mod eval;
pub mod learn;
mod moves;
mod numbers;
mod order;
mod rules;
mod scene;
mod stack;
mod text;
mod weights;

use nply::numbers::Numbers;
use nply::settings::{Choice, Visitor};
use nply::{BenchPosition, Declaration, Error, Evaluation, Game, Player, Score, Settings};

pub use eval::Eval;
pub use moves::Move;
pub use order::Order;
pub use rules::{Focus, Rules};

use crate::{CHANCES, bench};

/// Options of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How the game is won.
    pub rules: Rules,
    /// The number of plies after which the game is drawn; with 0 it is drawn at once.
    pub limit: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { rules: Rules::Short, limit: 300 }
    }
}

impl Choice for Rules {
    const WORDS: &'static [(Rules, &'static str)] = &[(Rules::Short, "short"), (Rules::Standard, "standard")];
}

impl Settings for Options {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.choice("rules", &mut self.rules, "won by captures, or only when nobody else can move");
        v.whole("limit", &mut self.limit, 1..=1_000_000, "number of plies after which the game is drawn");
    }
}

impl Declaration for Focus {
    type Game = Focus;
    type Options = Options;
    type Eval = Eval;
    type Order = Order;

    const NAME: &'static str = "focus";
    const ABOUT: &'static str = "stacks move as far as they are tall, and lose to the mover what is over five";
    const PLAYERS: &'static [usize] = &[2, 3, 4];
    const USUAL_PLAYERS: usize = 4;
    const EVALUATIONS: &'static [Evaluation<Focus, Eval>] = &[
        Evaluation {
            name: "height",
            about: "captures still needed, and squared heights of the player's pieces",
            make: |_, _| Ok(Eval::Height),
        },
        Evaluation {
            name: "stacks",
            about: "captures still needed, and number of stacks controlled",
            make: |_, _| Ok(Eval::Stacks),
        },
        Evaluation {
            name: "regression",
            about: "pieces by their place in stacks, reserve and captures needed, fitted to games of the short rules",
            make: |game, _| match game.rules {
                Rules::Short => Ok(Eval::Regression),
                Rules::Standard => {
                    let error = Error::refused("the evaluation \"regression\" is for rules=short only");
                    Err(error.help("use eval=height or eval=stacks"))
                }
            },
        },
    ];
    const CHANCES: &'static str = CHANCES;
    const NUMBERS: Option<Numbers<Focus>> = Some(Numbers::NEW);
    const BENCH: &'static [BenchPosition] =
        &[bench(2, 20, [3, 4, 4, 4]), bench(3, 30, [3, 4, 3, 5]), bench(4, 40, [3, 4, 3, 5])];

    fn start(players: usize, options: &Options, _seed: u64) -> Focus {
        Focus::new(players, options)
    }

    fn noise(_eval: &Eval) -> Score {
        5
    }

    /// By the pieces that the leader has captured of those needed.
    fn stage(game: &Focus) -> f64 {
        let least = Player::all(game.player_count()).map(|player| game.needed(player)).min().unwrap_or(0);
        1.0 - f64::from(least) / f64::from(game.most_needed())
    }
}
