//! Priors by a shallow search: a child begins with the visits of a player who has looked ahead.
//!
//! When the children of a node are listed, a search of two plies is made below each of them, over the first
//! [`k`](crate::MctsSettings::k) moves of the static ordering on both plies: max^n, or what else the [policy](crate::TreePolicy) of the
//! tree says, and in turn order. The positions at its end are worth their [chances](crate::chances), as where a playout is cut off.
//! Then the child's statistics in selection are
//!
//! ```text
//! n + w visits,  s + w · v of the win      w = prior, v what the search promises the chooser
//! ```
//!
//! so that good moves are tried before bad ones, several times before some are tried at all, and the search is outweighed as visits
//! come. No child comes first for being new. The virtual visits count in selection alone: not in the visits of the parent, not in the
//! choice of the move that is played, and not in the results of a decision. Every position that is looked at costs a node. Nothing is
//! pruned: two plies of max^n allow none.
//!
//! In this tree the search sees the end: the first move is lost for player 1, who chooses it, the second is worth half a win. With
//! `prior=3` both have 3 visits before any playout. The first playout goes to the second, whose rate is then (r + 3 · 1/2) / (1 + 3),
//! with r its result:
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Mcts, Tree, settings, tree::LeafScores};
//! let tree: Tree = "(1 (2 0,1 1,0) (2 1,1 1,0))".parse().unwrap();
//! let mut mcts = Mcts::new(LeafScores, AsListed, 1);
//! settings::read(&mut mcts.settings, "prior=3,solver=off,playout=random,w=0").unwrap();
//! let (found, recording) = mcts.explain(&tree, &Budget::playouts(1), 10).unwrap();
//! // Six positions are looked at, one move is played in the tree and one in the playout.
//! assert_eq!((found.m, found.nodes), (2, 8));
//! let visits: Vec<u64> = mcts.statistics().iter().map(|m| m.visits).collect();
//! assert_eq!(visits, [0, 1]);
//! let (name, rate) = recording.nodes[1].simulated.as_ref().unwrap().terms[0];
//! let result = found.value.unwrap();
//! assert_eq!((name, rate), ("rate", (result + 3.0 * 0.5) / (1.0 + 3.0)));
//! ```
//!
//! Reference: H. Baier and M.H.M. Winands, *MCTS-Minimax Hybrids with State Evaluations*, Journal of Artificial Intelligence Research, 2018.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;

use crate::{ByPlayer, Evaluator, Game, Meter, MoveOrder, OutOfBudget, Player};

use super::arena::Node;
use super::search::Search;
use super::worker::Worker;

/// Plies of the search below a child.
const PLIES: usize = 2;

/// What the search writes to.
pub(super) struct Shallow<G: Game> {
    child: G,
    moves: Vec<G::Move>,
    /// For each ply, the moves with their ratings and places in the list.
    plies: [Vec<(i32, u32, G::Move)>; PLIES],
}

impl<G: Game> Shallow<G> {
    pub(super) fn new(game: &G) -> Shallow<G> {
        Shallow { child: game.clone(), moves: Vec::new(), plies: Default::default() }
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// Searches below the children of a position, which have just been listed. Every position costs a node.
    pub(super) fn search_children(
        &self,
        (first, count): (u32, usize),
        position: &G,
        worker: &mut Worker<G>,
        replying: bool,
        meter: &mut Meter,
    ) -> Result<(), OutOfBudget> {
        let Worker { shallow: Shallow { child, moves, plies }, spare, .. } = worker;
        for node in self.tree.arena.block(first, count).nodes() {
            meter.tick()?;
            child.clone_from(position);
            self.play(child, spare, node.mover(), self.tree.numbers.at(node.m()), replying);
            let found = self.look_ahead(child, moves, plies, meter)?;
            let promise = self.worth(&found, node.mover());
            node.word(self.tree.key.prior_word()).store(promise.to_bits(), Ordering::Relaxed);
        }
        Ok(())
    }

    /// What a child's search has promised its chooser.
    #[inline]
    pub(super) fn prior(&self, node: Node<'_>) -> f64 {
        f32::from_bits(node.word(self.tree.key.prior_word()).load(Ordering::Relaxed)).into()
    }

    /// What a vector is worth to a player who chooses.
    fn worth(&self, shares: &ByPlayer<f32>, player: Player) -> f32 {
        if self.is_against_root(player) { 1.0 - shares[self.tree.game.turn()] } else { shares[player] }
    }

    /// The shares that a search over so many plies finds.
    fn look_ahead(
        &self,
        game: &mut G,
        moves: &mut Vec<G::Move>,
        plies: &mut [Vec<(i32, u32, G::Move)>],
        meter: &mut Meter,
    ) -> Result<ByPlayer<f32>, OutOfBudget> {
        if let Some(payoff) = game.payoff() {
            return Ok(self.playout.reward(game, &payoff));
        }
        let Some((first, deeper)) = plies.split_first_mut() else { return Ok(self.playout.cut_off(game)) };
        moves.clear();
        game.moves(moves);
        first.clear();
        first.extend(moves.iter().zip(0..).map(|(&m, place)| (self.order.rate(game, self.stance(), m), place, m)));
        first.sort_unstable_by_key(|&(rate, place, _)| (Reverse(rate), place));
        first.truncate(self.settings.k.max(1));
        let player = game.turn();
        let mut best: Option<ByPlayer<f32>> = None;
        for &(_, _, m) in first.iter() {
            meter.tick()?;
            let found = game.visit(m, |child| self.look_ahead(child, moves, deeper, meter))?;
            if best.as_ref().is_none_or(|best| self.worth(&found, player) > self.worth(best, player)) {
                best = Some(found);
            }
        }
        Ok(best.expect("a game that is not over has a move"))
    }
}
