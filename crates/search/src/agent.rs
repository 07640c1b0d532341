//! Who chooses moves: [`Agent`]; and what was chosen: [`Decision`].

use std::time::Duration;

use crate::{Budget, ByPlayer, Error, Game};

/// Chooses moves: a search, a person, a program at the other end of a pipe.
///
/// Called once per real move, so `dyn` here and static dispatch everywhere below. An agent that uses random numbers is seeded when it is
/// made.
pub trait Agent<G: Game>: Send {
    /// Chooses a move of a game that is not over, and reports every interim decision to `watch`: a completed iteration, a
    /// number of playouts.
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move>;

    /// What has happened since the agent was last asked; called before each question. Most searches need only the position.
    fn observe(&mut self, _context: &Context<'_, G::Move>) {}

    /// Why the agent failed to choose, if it did: its last decision is then no choice of its own. With
    /// [`Code::Forfeit`](crate::Code::Forfeit) it loses the game; otherwise the game cannot go on.
    fn fault(&self) -> Option<&Error> {
        None
    }

    /// Chooses a move of a game that is not over.
    fn choose(&mut self, game: &G, budget: &Budget) -> Decision<G::Move> {
        self.search(game, budget, &mut |_| ())
    }
}

impl<G: Game, A: Agent<G> + ?Sized> Agent<G> for Box<A> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        (**self).search(game, budget, watch)
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        (**self).observe(context);
    }

    fn fault(&self) -> Option<&Error> {
        (**self).fault()
    }
}

/// The circumstances of a question to an agent.
#[derive(Clone, Copy)]
pub struct Context<'a, M> {
    /// Plies played before this decision.
    pub ply: u32,
    /// The moves played since the agent was last asked, its own included; at the first question, all since the start. `None` if the
    /// position does not follow from the last one, as after a move was taken back.
    pub played: Option<&'a [M]>,
    /// Writes those moves as text, for agents that pass them on.
    pub texts: &'a dyn Fn() -> Vec<String>,
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
