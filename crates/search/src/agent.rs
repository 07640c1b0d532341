//! Who chooses moves: [`Agent`]; and what was chosen: [`Decision`].

use std::time::Duration;

use crate::{Budget, ByPlayer, Game};

/// Chooses moves: a search, a person, a program at the other end of a pipe.
///
/// Called once per real move, so `dyn` here and static dispatch everywhere below. Whatever chance an agent uses is seeded
/// when it is made.
pub trait Agent<G: Game>: Send {
    /// Chooses a move of a game that is not over, and tells `watch` of every interim decision: a completed iteration, a
    /// number of playouts.
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move>;

    /// Chooses a move of a game that is not over.
    fn choose(&mut self, game: &G, budget: &Budget) -> Decision<G::Move> {
        self.search(game, budget, &mut |_| ())
    }
}

impl<G: Game, A: Agent<G> + ?Sized> Agent<G> for Box<A> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        (**self).search(game, budget, watch)
    }
}

/// A chosen move and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<M> {
    /// The move.
    pub m: M,
    /// What the player to move expects of it: a score in the evaluation's units, or a share of the win. `None` if the
    /// agent has no opinion.
    pub value: Option<f64>,
    /// The same for every player, if the agent knows it.
    pub scores: Option<ByPlayer<f64>>,
    /// Plies of the last completed iteration.
    pub depth: u32,
    /// Positions visited after the root.
    pub nodes: u64,
    /// Time used.
    pub time: Duration,
    /// The line that is expected, this move first.
    pub pv: Vec<M>,
}

impl<M: Copy> Decision<M> {
    /// A move chosen without looking at anything.
    pub fn blind(m: M) -> Decision<M> {
        Decision { m, value: None, scores: None, depth: 0, nodes: 0, time: Duration::ZERO, pv: vec![m] }
    }
}
