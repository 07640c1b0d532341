//! The move ordering.

use nply::settings::Visitor;
use nply::{MoveOrder, Settings, Stance};

use super::discs::{self, Discs, Move};

/// Corners first, fields next to corners last.
///
/// A corner can never be flipped back; a field next to one gives it away, the diagonal one most of all. In between, the
/// edge comes before the inside. Against a player, moves that flip more of that player's discs come first among fields of the
/// same class.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order;

impl Settings for Order {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

/// The class of each field in a quarter of the board, the corner first; the other quarters mirror it. Smaller boards have
/// smaller quarters.
const CLASSES: [[i32; 4]; 4] = [[4, 1, 3, 3], [1, 0, 2, 2], [3, 2, 2, 2], [3, 2, 2, 2]];

impl<G: Discs> MoveOrder<G> for Order {
    #[inline]
    fn rate(&self, game: &G, stance: Stance, m: Move) -> i32 {
        if m == Move::PASS {
            return 0;
        }
        let (column, row) = (m.index() / 8, m.index() % 8);
        let last = discs::side(game.board()) - 1;
        let class = CLASSES[column.min(last - column)][row.min(last - row)];
        let turn = game.turn();
        let harm = match stance {
            Stance::Against(victim) if victim != turn => {
                let own = game.discs(turn);
                discs::flips(m, own, game.occupied() & !own) & game.discs(victim)
            }
            _ => 0,
        };
        // Fewer than 64 discs are flipped.
        class * 64 + harm.count_ones() as i32
    }
}
