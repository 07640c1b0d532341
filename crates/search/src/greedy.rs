//! Greedy play: the move that leads to the position with the highest score for the mover, one ply deep.
//!
//! Ties are broken at random, as in the thesis that the Chinese Checkers evaluation is taken from. Otherwise two greedy players
//! would move back and forth forever.
//!
//! ```text
//!              1: 7
//!       ┌───────┼───────┐
//!     5,4,1   7,2,9   6,2,6
//! ```
//!
//! ```
//! use nply::{Agent, Budget, Greedy, Tree, tree::LeafScores};
//! let tree: Tree = "(1 5,4,1 7,2,9 6,2,6)".parse().unwrap();
//! let found = Greedy::new(LeafScores, 1).choose(&tree, &Budget::default());
//! assert_eq!((found.m, found.value, found.nodes), (2, Some(7.0), 3));
//! ```
//!
//! Reference: *An Evaluation of Classical and Monte Carlo Game Tree Search Algorithms in the Multiplayer Domain of Chinese
//! Checkers*, 2020, section 4.5.

use crate::settings::Visitor;
use crate::{
    Agent, AgentSettings, Algorithm, Budget, Context, Decision, Declaration, Error, Evaluator, Game, Judging, Kit,
    Limit, Meter, Rng, Score, Settings, chances,
};

/// Plays the move that looks best one ply ahead.
#[derive(Clone, Debug)]
pub struct Greedy<E> {
    /// The evaluation.
    pub evaluator: E,
    rng: Rng,
}

impl<E> Greedy<E> {
    /// The same seed breaks ties in the same way.
    pub fn new(evaluator: E, seed: u64) -> Greedy<E> {
        Greedy { evaluator, rng: Rng::new(seed) }
    }
}

impl<G: Game, E: Evaluator<G>> Agent<G> for Greedy<E> {
    fn search(&mut self, game: &G, budget: &Budget, _: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let mut meter = Meter::new(budget);
        let mut position = game.clone();
        let mover = game.turn();
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let mut best: Vec<G::Move> = Vec::new();
        let (mut scores, mut chances) = (None, None);
        let mut most = Score::MIN;
        for &m in &moves {
            if meter.tick().is_err() {
                break;
            }
            let found = position.visit(m, |child| self.evaluator.scores(child));
            if found[mover] > most {
                best.clear();
            }
            if found[mover] >= most {
                most = found[mover];
                best.push(m);
            }
        }
        let m = if best.is_empty() { moves[0] } else { self.rng.pick(&best) };
        if !best.is_empty() {
            (scores, chances) = position.visit(m, |child| {
                let scores = self.evaluator.scores(child).map(f64::from);
                (Some(scores), chances::in_position(&self.evaluator, child))
            });
        }
        Decision {
            value: scores.map(|scores| scores[mover]),
            scores,
            chances,
            depth: u32::from(meter.nodes() == moves.len() as u64),
            nodes: meter.nodes(),
            time: meter.elapsed(),
            ..Decision::blind(m)
        }
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.evaluator.begin(context.ply);
    }
}

/// The settings of the agent `greedy`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GreedySettings {
    /// The evaluation.
    pub judging: Judging,
}

impl Settings for GreedySettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        self.judging.visit(v);
    }
}

impl AgentSettings for GreedySettings {
    const NAME: &'static str = "greedy";
    const ABOUT: &'static str = "the move that looks best for the mover one ply ahead; ties are broken at random";
    const LIMITS: &'static [Limit] = &[Limit::Nodes, Limit::Time];
    const NEEDS_LIMIT: bool = false;

    fn fixed_depth(&self) -> Option<u32> {
        Some(1)
    }
}

impl Algorithm for GreedySettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        Ok(Box::new(Greedy::new(kit.evaluator(&self.judging)?, kit.chance.own)))
    }
}
