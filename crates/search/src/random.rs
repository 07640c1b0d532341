//! The agent that plays any legal move, each as likely as any other.

use crate::{Agent, Budget, Decision, Game, Rng};

/// Plays a legal move at random: the weakest opponent, and a yardstick.
#[derive(Clone, Debug)]
pub struct Random<M> {
    rng: Rng,
    scratch: Vec<M>,
}

impl<M> Random<M> {
    /// The same seed plays the same moves.
    pub fn new(seed: u64) -> Random<M> {
        Random { rng: Rng::new(seed), scratch: Vec::new() }
    }
}

impl<G: Game> Agent<G> for Random<G::Move> {
    fn search(&mut self, game: &G, _: &Budget, _: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        Decision::blind(game.random_move(&mut self.scratch, &mut self.rng))
    }
}
