//! Random playouts.

use crate::{Game, Meter, OutOfBudget, Rng};

use super::{Policy, Scratch};

/// Plays the moves that [`Game::playout_move`] draws.
pub(super) struct Random;

impl<G: Game> Policy<G> for Random {
    const EVALUATES: bool = false;

    #[inline]
    fn choose(
        &self,
        game: &mut G,
        _: usize,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        _: &mut Meter,
    ) -> Result<G::Move, OutOfBudget> {
        Ok(game.playout_move(&mut scratch.moves, rng))
    }
}
