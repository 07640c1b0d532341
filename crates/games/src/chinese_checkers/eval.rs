//! Judging positions ([`Eval`]) and moves ([`Order`]).

use nply::{Bounds, ByPlayer, Evaluator, MoveOrder, Player, Score, Stance};

use super::board::Star;
use super::{Board, ChineseCheckers, DistanceTable, Move, TableError, opposite};

/// How a position is judged.
#[derive(Clone, Copy, Debug, Default)]
pub enum Eval {
    /// Pieces in the goal, stragglers at home and distances (J. Phillips, "An evaluation of classical and Monte Carlo game tree
    /// search algorithms in the multiplayer domain of Chinese Checkers", 2020, section 4.4).
    ///
    /// The weights are the thesis's 5, 5 and 3 with the signs that its text implies: a player has 5 for each piece in the
    /// goal, −5 for each piece still in the home corner, and −3 for each step from each piece to the tip of the goal.
    #[default]
    Distance,
    /// −1000 for each move that the player would need alone, as [`DistanceTable`] has it (M. Schadd and M. Winands,
    /// "Best-Reply Search for multi-player games", 2011). For the small board.
    Table(&'static DistanceTable),
}

/// What a move is worth by the distance table.
const MOVE: Score = 1000;

impl Eval {
    /// The evaluation by the distance table, which is built if need be: `progress` is told which part is done, from 0 to 1.
    pub fn table(board: Board, progress: &dyn Fn(f64)) -> Result<Eval, TableError> {
        match board {
            Board::Small => DistanceTable::shared(progress).map(Eval::Table),
            Board::Large => Err(TableError::LargeBoard),
        }
    }

    /// The most that noise adds to a score: the random factor of the Best-Reply Search paper, or the little that decides
    /// between equal distances, as the thesis does at random.
    pub fn noise(&self) -> Score {
        match self {
            Eval::Distance => 1,
            Eval::Table(_) => 5,
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
}

/// What a piece on a field adds to the score of a player with this goal.
pub(super) fn worth(star: &Star, goal: u8, field: usize) -> i16 {
    let inside = |corner: u8| star.corners[corner as usize] >> field & 1 != 0;
    let distance: i16 = star.to_tip[goal as usize][field].into();
    5 * i16::from(inside(goal)) - 5 * i16::from(inside(opposite(goal))) - 3 * distance
}

/// The distance gained towards the tip of the mover's goal, most first (J. Nijssen and M. Winands, "Playout Search for
/// Monte-Carlo Tree Search in Multi-Player Games", 2011, section 4.3).
///
/// Nobody's pieces can be harmed, so whom the mover has in mind makes no difference.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order;

/// The longest way on a board, from tip to tip of the large one.
const LONGEST: i32 = 16;

/// More moves than a position has: ten pieces reach at most 36 fields by hops, which keep the parity of coordinates, and six by steps.
const MOST_MOVES: usize = 512;

impl MoveOrder<ChineseCheckers> for Order {
    #[inline]
    fn rate(&self, game: &ChineseCheckers, _stance: Stance, m: Move) -> i32 {
        let steps = &game.star.to_tip[game.goal() as usize % 6];
        i32::from(steps[m.from as usize]) - i32::from(steps[m.to as usize])
    }

    /// Counts how many moves gain how much, which is much faster than comparing.
    fn sort(&self, game: &ChineseCheckers, stance: Stance, moves: &mut [Move]) {
        let class = |m: Move| (LONGEST - self.rate(game, stance, m)) as usize;
        let mut ends = [0u16; 2 * LONGEST as usize + 1];
        for &m in &*moves {
            ends[class(m)] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        let mut sorted = [Move::PASS; MOST_MOVES];
        for &m in moves.iter().rev() {
            let end = &mut ends[class(m)];
            *end -= 1;
            sorted[*end as usize] = m;
        }
        moves.copy_from_slice(&sorted[..moves.len()]);
    }
}
