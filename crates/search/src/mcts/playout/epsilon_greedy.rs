//! ε-greedy playouts: usually the best move by some measure, and sometimes a random one.

use crate::{Game, Meter, OutOfBudget, Rng};

use super::{Policy, Scratch};

/// A measure of moves.
pub(super) trait BestMove<G: Game> {
    /// See [`Policy::EVALUATES`].
    const EVALUATES: bool;

    /// The best of the legal moves, which `scratch.moves` has: at least two.
    fn best_move(
        &self,
        game: &mut G,
        ply: usize,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        meter: &mut Meter,
    ) -> Result<G::Move, OutOfBudget>;
}

/// Plays the best move, or with probability ε any legal move, each as likely as any other.
pub(super) struct EpsilonGreedy<B> {
    pub(super) epsilon: f64,
    pub(super) best: B,
}

impl<G: Game, B: BestMove<G>> Policy<G> for EpsilonGreedy<B> {
    const EVALUATES: bool = B::EVALUATES;

    #[inline]
    fn choose(
        &self,
        game: &mut G,
        ply: usize,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        meter: &mut Meter,
    ) -> Result<G::Move, OutOfBudget> {
        if rng.unit() < self.epsilon {
            return Ok(game.random_move(&mut scratch.moves, rng));
        }
        scratch.moves.clear();
        game.moves(&mut scratch.moves);
        if let [only] = scratch.moves[..] {
            return Ok(only);
        }
        self.best.best_move(game, ply, scratch, rng, meter)
    }
}
