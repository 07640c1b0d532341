//! Playouts by the static move ordering.

use crate::{Game, Meter, MoveOrder, OutOfBudget, Rng, Stance};

use super::Scratch;
use super::epsilon_greedy::BestMove;

/// A move that the static ordering rates highest, each as likely as any other.
pub(super) struct StaticOrder<'a, O> {
    pub(super) order: &'a O,
}

impl<G: Game, O: MoveOrder<G>> BestMove<G> for StaticOrder<'_, O> {
    const EVALUATES: bool = false;

    #[inline]
    fn best_move(
        &self,
        game: &mut G,
        _: usize,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        _: &mut Meter,
    ) -> Result<G::Move, OutOfBudget> {
        let (mut best, mut most, mut equals) = (scratch.moves[0], i32::MIN, 0);
        for &m in &scratch.moves {
            let rate = self.order.rate(game, Stance::Own, m);
            if rate > most {
                (best, most, equals) = (m, rate, 1);
            } else if rate == most {
                equals += 1;
                if rng.below(equals) == 0 {
                    best = m;
                }
            }
        }
        Ok(best)
    }
}
