//! Random play: any legal move, each with the same probability.

use crate::settings::Visitor;
use crate::{Agent, AgentSettings, Algorithm, Budget, Decision, Declaration, Error, Game, Kit, Limit, Rng, Settings};

/// Plays a legal move at random: the weakest opponent, and a baseline.
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

/// The agent `random`. It has no settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomSettings;

impl Settings for RandomSettings {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

impl AgentSettings for RandomSettings {
    const NAME: &'static str = "random";
    const ABOUT: &'static str = "any legal move, each with the same probability";
    const LIMITS: &'static [Limit] = &[];
    const NEEDS_LIMIT: bool = false;
}

impl Algorithm for RandomSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        Ok(Box::new(Random::new(kit.chance.own)))
    }
}
