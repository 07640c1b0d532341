//! The evaluation: material, mobility, the king's safety and the pawns' advance.

use nply::{Bounds, ByPlayer, Evaluator, Player, Score};

use super::FourPlayerChess;
use super::line::{LEAPS, NEAR};
use super::pawn::AHEAD;
use super::piece::{BISHOP, KNIGHT, PAWN, QUEEN, ROOK, direction};

/// An evaluation in hundredths of a pawn. No score is negative; eliminated players have 0.
///
/// The sole winner of a finished game has all that the bounds allow. After a draw each living player has the mean of their
/// scores, so that the weaker look for a draw and the stronger avoid it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eval {
    /// The values of a pawn, a knight, a bishop, a rook and a queen.
    ///
    /// The board is large, so a knight is far from everything; with opponents on all sides, nothing strikes like a queen.
    pub worth: [Score; 5],
    /// The value of being in the game.
    pub alive: Score,
    /// The value of each square that a knight reaches on an empty board, and of each empty square that a bishop, a rook or a
    /// queen reaches.
    pub mobility: [Score; 4],
    /// The value of each piece of the player next to the king, of which there are at most eight.
    pub shelter: Score,
    /// Subtracted for each opponent's bishop, rook or queen in line with the king, whatever stands between; as much as
    /// `alive` at most.
    pub siege: Score,
    /// The value of a pawn's advance, by the steps left to its promotion, from 0 to 13.
    pub advance: [Score; 14],
}

impl Eval {
    /// The default weights, tuned by games with `examples/tune.rs`; `docs/games.md` reports the figures.
    pub const DEFAULT: Eval = Eval {
        worth: [100, 231, 312, 597, 2076],
        alive: 176,
        mobility: [7, 2, 2, 1],
        shelter: 9,
        siege: 7,
        advance: [0, 857, 539, 343, 220, 106, 71, 49, 32, 18, 9, 4, 0, 0],
    };

    /// The values of the pieces and nothing else.
    pub const MATERIAL: Eval = Eval { mobility: [0; 4], shelter: 0, siege: 0, advance: [0; 14], ..Eval::DEFAULT };

    /// The most that one player can have.
    fn most(&self) -> Score {
        // No piece reaches more squares than these, and no player has more than nine of what a pawn can become.
        let piece = |kind: usize, reach: Score| self.worth[kind] + self.mobility[kind - 1] * reach;
        let [knight, bishop, rook, queen] = [piece(1, 8), piece(2, 26), piece(3, 26), piece(4, 52)];
        let pawn = self.worth[0] + self.advance.into_iter().max().unwrap_or(0);
        let best = [pawn, knight, bishop, rook, queen].into_iter().max().unwrap_or(0);
        8 * best + 2 * (knight + bishop + rook) + queen + 8 * self.shelter + self.alive
    }

    fn judge(&self, game: &FourPlayerChess, player: usize) -> Score {
        let board = &game.board;
        let (own, king) = (board.sets[player], board.kings[player]);
        let of = |kind: u8| own & board.kinds[kind as usize];
        let mut score: Score = (0..5).map(|k| self.worth[k] * board.counts[player][k + 1] as Score).sum();
        for (kind, weight) in [(BISHOP, self.mobility[1]), (ROOK, self.mobility[2]), (QUEEN, self.mobility[3])] {
            of(kind).each(|s| score += weight * board.reach(s, kind));
        }
        of(KNIGHT).each(|s| score += self.mobility[0] * LEAPS[s as usize] as Score);
        of(PAWN).each(|s| {
            let way = direction(board.at(s));
            score += self.advance[AHEAD[way][s as usize] as usize];
        });
        score += self.shelter * (NEAR[king as usize] & own).count() as Score;
        score + (self.alive - self.siege * board.aims(king, !own) as Score).max(0)
    }

    fn all(&self, game: &FourPlayerChess) -> ByPlayer<Score> {
        ByPlayer::from_fn(4, |player| if game.lives(player.index()) { self.judge(game, player.index()) } else { 0 })
    }
}

impl Default for Eval {
    fn default() -> Eval {
        Eval::DEFAULT
    }
}

impl Evaluator<FourPlayerChess> for Eval {
    fn bounds(&self, _game: &FourPlayerChess) -> Bounds {
        Bounds { min: ByPlayer::splat(4, 0), max_sum: 4 * self.most() }
    }

    fn evaluate(&self, game: &FourPlayerChess) -> ByPlayer<Score> {
        self.all(game)
    }

    fn evaluate_for(&self, game: &FourPlayerChess, player: Player) -> Score {
        if game.lives(player.index()) { self.judge(game, player.index()) } else { 0 }
    }

    fn terminal(&self, game: &FourPlayerChess, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        let living = payoff.as_slice().iter().filter(|&&share| share > 0.0).count() as Score;
        let each = if living == 1 { 4 * self.most() } else { self.all(game).sum() / living };
        payoff.map(|share| if share > 0.0 { each } else { 0 })
    }
}
