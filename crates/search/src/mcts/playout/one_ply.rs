//! One-ply playouts.

use crate::{Evaluator, Game, Meter, MoveOrder, OutOfBudget, Rng};

use super::epsilon_greedy::BestMove;
use super::{Judge, PlayoutTies, Scratch};

/// A move that leads to the position of the greatest value for the mover.
pub(super) struct OnePly<'a, E, O> {
    pub(super) judge: Judge<'a, E, O>,
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> BestMove<G> for OnePly<'_, E, O> {
    const EVALUATES: bool = true;

    fn best_move(
        &self,
        game: &mut G,
        _: usize,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        meter: &mut Meter,
    ) -> Result<G::Move, OutOfBudget> {
        let mover = game.turn();
        let (mut best, mut most, mut equals) = (scratch.moves[0], i64::MIN, 1);
        // The rate of the best move, once it is needed.
        let mut best_rate = None;
        for &m in &scratch.moves {
            meter.tick()?;
            let value = game.visit(m, |child| self.judge.value(child, mover));
            if value < most {
                continue;
            }
            if value > most {
                (best, most, equals, best_rate) = (m, value, 1, None);
                continue;
            }
            if self.judge.ties == PlayoutTies::StaticOrder {
                let held = *best_rate.get_or_insert_with(|| self.judge.rate(game, best));
                let rate = self.judge.rate(game, m);
                if rate < held {
                    continue;
                }
                if rate > held {
                    (best, equals, best_rate) = (m, 1, Some(rate));
                    continue;
                }
            }
            equals += 1;
            if rng.below(equals) == 0 {
                best = m;
            }
        }
        Ok(best)
    }
}
