//! Four-Player Chess: the Paderborn rules, as the BRS+ paper adapts them.
//!
//! Four armies on a board of 14 by 14 squares without its corners. Pawns bend off at the diagonals, kings are mated or hanged,
//! the last player standing wins. (M. Esser, M. Gras, M. Winands, M. Schadd, M. Lanctot: *Improving Best-Reply Search*, 2013;
//! T. Tscheuschner: *Four-person chess (Paderborn rules)*, 2005.)
//!
//! ```
//! use nply::{Declaration, Game, Notation, testing};
//! use nply_games::chess::FourPlayerChess;
//! let mut game = FourPlayerChess::start(4, &(), 0);
//! assert_eq!(testing::perft(&mut game, 3), 7800);
//! game.play(game.move_from_text("e2-e4").unwrap());
//! assert_eq!(game.turn().number(), 2);
//! ```
//!
//! # Text
//!
//! A position is one line of eight words, in the spirit of FEN:
//!
//! 1. the rows from 14 to 1, separated by `/`, each from left to right with the squares it has: a piece is its owner (`w`, `r`,
//!    `b`, `u`: White, Red, Black, Blue) and its kind (`K Q R B N P`), a number is so many empty squares. `P` is a pawn in its
//!    first direction; one that has bent off is an arrow, `^ > v <`;
//! 2. the player to move;
//! 3. the living players, such as `wrb`;
//! 4. castling rights, such as `wKQrQ`: king's side and queen's side; `-` if there are none;
//! 5. the squares where a pawn can be captured en passant, such as `e3,c6`, in the order of the players; `-` if there are none.
//!    The square determines the pawn;
//! 6. plies without a capture, a pawn move or an elimination;
//! 7. plies played;
//! 8. the earlier positions in which a player was to move since the last capture, pawn move or elimination, as ascending keys in
//!    hexadecimal, with `*2` for one that occurred twice; `-` if there are none.
//!
//! Reading counts as the turn coming to the player to move: players may be eliminated by it. A position may also be written as FEN4,
//! as other programs have it, see [`FourPlayerChess::to_fen4`].
//!
//! # Moves out of turn
//!
//! Best-Reply Search hands the turn to anybody, and so reaches positions that play never does. There a king can be captured,
//! which eliminates its owner at once: the mover's king need not fear that army any more. An en passant square lapses, at the
//! latest, when the owner of the pawn moves again.

mod board;
mod eval;
mod fen4;
mod line;
mod moves;
mod numbers;
mod order;
mod pawn;
mod piece;
mod rules;
mod scene;
mod square;
mod text;

use nply::numbers::Numbers;
use nply::{BenchPosition, Declaration, Evaluation, Game, Player, Score};

pub use eval::Eval;
pub use fen4::COLORS;
pub use moves::Move;
pub use order::Order;
pub use rules::FourPlayerChess;

use crate::{CHANCES, bench};

impl Declaration for FourPlayerChess {
    type Game = FourPlayerChess;
    type Options = ();
    type Eval = Eval;
    type Order = Order;

    const NAME: &'static str = "four-player-chess";
    const ABOUT: &'static str = "chess from four sides; the last player standing wins";
    const PLAYERS: &'static [usize] = &[4];
    const USUAL_PLAYERS: usize = 4;
    const EVALUATIONS: &'static [Evaluation<FourPlayerChess, Eval>] = &[
        Evaluation {
            name: "material",
            about: "material, mobility, king safety and pawn advance",
            make: |_, _| Ok(Eval::DEFAULT),
        },
        Evaluation { name: "material-only", about: "material alone", make: |_, _| Ok(Eval::MATERIAL) },
    ];
    const CHANCES: &'static str = CHANCES;
    const NUMBERS: Option<Numbers<FourPlayerChess>> = Some(Numbers::NEW);
    const BENCH: &'static [BenchPosition] = &[bench(4, 40, [3, 4, 3, 5])];

    fn start(players: usize, _options: &(), _seed: u64) -> FourPlayerChess {
        FourPlayerChess::new(players)
    }

    fn noise(_eval: &Eval) -> Score {
        5
    }

    /// By the players who are out.
    fn stage(game: &FourPlayerChess) -> f64 {
        Player::all(game.player_count()).filter(|&player| !game.is_in(player)).count() as f64 / 3.0
    }
}
