//! The move ordering.

use nply::settings::Visitor;
use nply::{MoveOrder, Settings, Stance};

use super::{ChineseCheckers, Move};

/// The distance gained towards the tip of the mover's goal, most first (J. Nijssen and M. Winands, "Playout Search for
/// Monte-Carlo Tree Search in Multi-Player Games", 2011, section 4.3).
///
/// Nobody's pieces can be harmed, so the stance makes no difference.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order;

impl Settings for Order {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

/// The longest distance on a board, from tip to tip of the large one.
const LONGEST: i32 = 16;

/// More moves than a position has: each of ten pieces reaches at most 36 fields by hops, which keep the parity of the
/// coordinates, and six by steps.
const MOST_MOVES: usize = 512;

impl MoveOrder<ChineseCheckers> for Order {
    #[inline]
    fn rate(&self, game: &ChineseCheckers, _stance: Stance, m: Move) -> i32 {
        let steps = &game.star.to_tip[game.goal() as usize % 6];
        i32::from(steps[m.from as usize]) - i32::from(steps[m.to as usize])
    }

    /// A counting sort by the distance gained, which is much faster than comparing.
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
