//! The evaluations.

use nply::{Bounds, ByPlayer, Evaluator, Game, Player, Score};

use super::board::Star;
use super::rank::{self, Shifts};
use super::rules::opposite;
use super::{Board, ChineseCheckers, DistanceTable, Move, TableError};

/// The evaluations.
#[derive(Clone, Copy, Debug, Default)]
pub enum Eval {
    /// Pieces in the goal, stragglers at home and distances (J. Phillips, "An evaluation of classical and Monte Carlo game tree
    /// search algorithms in the multiplayer domain of Chinese Checkers", 2020, section 4.4).
    ///
    /// The weights are the thesis's 5, 5 and 3 with the signs that its text implies: 5 for each piece in the goal, −5 for
    /// each piece still in the home corner, and −3 for each step from each piece to the tip of the goal.
    #[default]
    Distance,
    /// −1000 for each move that the player would need alone on the board, by the [`DistanceTable`] (M. Schadd and M. Winands,
    /// "Best-Reply Search for multi-player games", 2011). For the small board.
    Table(&'static DistanceTable),
}

/// The value of a move by the distance table.
const MOVE: Score = 1000;

impl Eval {
    /// The evaluation by the distance table, which is built if necessary: `progress` is called with the part that is done, from
    /// 0 to 1.
    pub fn table(board: Board, progress: &dyn Fn(f64)) -> Result<Eval, TableError> {
        match board {
            Board::Small => DistanceTable::shared(progress).map(Eval::Table),
            Board::Large => Err(TableError::LargeBoard),
        }
    }
}

impl Evaluator<ChineseCheckers> for Eval {
    #[inline]
    fn bounds(&self, game: &ChineseCheckers) -> Bounds {
        let count = game.players as usize;
        let (least, most) = match self {
            Eval::Distance => game.star.range,
            Eval::Table(_) => (-MOVE * (DistanceTable::HISTOGRAM.len() as Score - 1), 0),
        };
        Bounds { min: ByPlayer::splat(count, least), max_sum: most * count as Score }
    }

    #[inline]
    fn evaluate(&self, game: &ChineseCheckers) -> ByPlayer<Score> {
        ByPlayer::from_fn(game.players as usize, |player| self.evaluate_for(game, player))
    }

    #[inline]
    fn evaluate_for(&self, game: &ChineseCheckers, player: Player) -> Score {
        match self {
            Eval::Distance => game.progress[player.index()].into(),
            Eval::Table(table) => -MOVE * Score::from(table.value(game, player)),
        }
    }

    /// A move changes only the mover's score. The distance table is much larger than any cache: all placements are found first, so
    /// that it is read at several places at once.
    #[inline]
    fn judge(
        &self,
        game: &ChineseCheckers,
        weights: &ByPlayer<i64>,
        moves: &[Move],
        mut each: impl FnMut(Option<i64>),
    ) -> bool {
        if game.plies + 1 >= game.limit {
            moves.iter().for_each(|_| each(None));
            return true;
        }
        let (mover, occupied) = (game.turn(), game.occupied());
        let others = Player::all(game.players as usize).filter(|&player| player != mover);
        let rest: i64 = others.map(|player| weights[player] * i64::from(self.evaluate_for(game, player))).sum();
        match self {
            Eval::Distance => {
                let before = game.progress[mover.index()];
                for &m in moves {
                    let score = before + game.worth(mover, m.to) - game.worth(mover, m.from);
                    each((!game.may_end(m, occupied)).then(|| rest + weights[mover] * i64::from(score)));
                }
            }
            Eval::Table(table) => {
                let own = game.pieces[mover.index()];
                let weight = weights[mover] * i64::from(-MOVE);
                let value = |rank: u32| Some(rest + weight * i64::from(table.at(rank)));
                if let &[m] = moves {
                    let rank = || rank::rank(game.placement(mover, own & !(1 << m.from) | 1 << m.to));
                    each(if game.may_end(m, occupied) { None } else { value(rank()) });
                    return true;
                }
                let (turned, shifts) = (game.turned(mover), Shifts::new(game.placement(mover, own)));
                let mut ranks = [u32::MAX; 64];
                for some in moves.chunks(ranks.len()) {
                    for (rank, &m) in ranks.iter_mut().zip(some) {
                        let after = || shifts.after(turned[m.from as usize], turned[m.to as usize]);
                        *rank = if game.may_end(m, occupied) { u32::MAX } else { after() };
                    }
                    for &rank in &ranks[..some.len()] {
                        each(if rank == u32::MAX { None } else { value(rank) });
                    }
                }
            }
        }
        true
    }
}

/// What a piece on a field adds to the score of a player with this goal.
pub(super) fn worth(star: &Star, goal: u8, field: usize) -> i16 {
    let inside = |corner: u8| star.corners[corner as usize] >> field & 1 != 0;
    let distance: i16 = star.to_tip[goal as usize][field].into();
    5 * i16::from(inside(goal)) - 5 * i16::from(inside(opposite(goal))) - 3 * distance
}
