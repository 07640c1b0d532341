//! Agents choose moves: [`Agent`], and their answers: [`Decision`].

use std::time::Duration;

use crate::recording::Recording;
use crate::settings::Visitor;
use crate::{Budget, ByPlayer, Clocks, Error, Game};

/// Chooses moves: a search, a person, a program at the other end of a pipe.
///
/// It is called once per real move, so it is used as `dyn Agent`; everything below it is dispatched statically. An agent that
/// uses random numbers is seeded when it is made.
pub trait Agent<G: Game>: Send {
    /// Chooses a move of a game that is not over, and reports every interim decision to `watch`: a completed iteration, a
    /// number of playouts.
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move>;

    /// Chooses a move as [`search`](Agent::search) does, and records the tree that it visits: at most so many nodes of the last completed
    /// iteration. `None` if the agent does not search a tree of its own.
    fn explain(&mut self, _game: &G, _budget: &Budget, _nodes: usize) -> Option<Explained<G::Move>> {
        None
    }

    /// Receives what has happened since the agent last chose; called before each decision. Most searches need only the
    /// position and ignore it.
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

    fn explain(&mut self, game: &G, budget: &Budget, nodes: usize) -> Option<Explained<G::Move>> {
        (**self).explain(game, budget, nodes)
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        (**self).observe(context);
    }

    fn fault(&self) -> Option<&Error> {
        (**self).fault()
    }
}

/// A decision with the tree that it comes from.
pub type Explained<M> = (Decision<M>, Recording<M>);

/// The circumstances of a question to an agent.
#[derive(Clone, Copy)]
pub struct Context<'a, M> {
    /// Plies played before this decision.
    pub ply: u32,
    /// The moves played since the agent last chose, including its own; before its first decision, all since the start. `None`
    /// if the position does not follow from the last one, such as after a move was taken back.
    pub played: Option<&'a [M]>,
    /// Writes those moves as text, for agents that pass them on.
    pub texts: &'a dyn Fn() -> Vec<String>,
    /// Everybody's clock, if the game has any. The time of the budget is then what is planned for this decision; only an agent
    /// that plans better needs them.
    pub clocks: Option<&'a Clocks>,
}

/// A chosen move and what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<M> {
    /// The chosen move.
    pub m: M,
    /// The value of the move for the player to move: a score in the evaluation's units, or a share of the win. `None` if the
    /// agent has none.
    pub value: Option<f64>,
    /// The value for every player, if the agent knows it.
    pub scores: Option<ByPlayer<f64>>,
    /// Every player's share of the win, as far as the agent can tell: see [`chances`](crate::chances). `None` if it cannot.
    pub chances: Option<ByPlayer<f64>>,
    /// Plies of the last completed iteration.
    pub depth: u32,
    /// Positions visited after the root.
    pub nodes: u64,
    /// Games played out from the position; 0 for an agent that plays none out.
    pub playouts: u64,
    /// Elapsed time.
    pub time: Duration,
    /// The principal variation, this move first.
    pub pv: Vec<M>,
    /// The best few moves, best first, where several were asked for (`lines=K`): the first is the decision itself. Otherwise
    /// empty.
    pub lines: Vec<Line<M>>,
}

/// One of the best few moves of a position, with what was found of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<M> {
    /// The value of the move for the player to move, as in a [`Decision`].
    pub value: Option<f64>,
    /// The value for every player.
    pub scores: Option<ByPlayer<f64>>,
    /// Every player's share of the win.
    pub chances: Option<ByPlayer<f64>>,
    /// The principal variation that starts with the move.
    pub pv: Vec<M>,
}

/// Shows a visitor the number of moves that a decision [lists](Decision::lines).
pub(crate) fn visit_lines(lines: &mut usize, v: &mut Visitor<'_>) {
    v.whole("lines", lines, 1..=1000, "number of best moves that a decision lists, each with its value and line");
}

impl<M: Copy> Decision<M> {
    /// A move chosen without a search.
    pub fn blind(m: M) -> Decision<M> {
        Decision::along(vec![m])
    }

    /// A decision for the first move of a principal variation, of which nothing else is known.
    ///
    /// # Panics
    /// If the line is empty.
    pub(crate) fn along(pv: Vec<M>) -> Decision<M> {
        Decision {
            m: pv[0],
            value: None,
            scores: None,
            chances: None,
            depth: 0,
            nodes: 0,
            playouts: 0,
            time: Duration::ZERO,
            pv,
            lines: Vec::new(),
        }
    }
}
