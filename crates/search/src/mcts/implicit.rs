//! Implicit minimax backups: what evaluations promise, taken up the tree beside the results of simulations.
//!
//! When the children of a node are listed, all are evaluated: a finished game is worth its result, any other position its
//! [chances](crate::chances), as where a playout is cut off. These vectors are backed up by max^n, or what else the [policy](crate::TreePolicy) of the
//! tree says: after every simulation each node on its path takes over the vector of the child that promises its mover most, the first of
//! equals. Selection uses
//!
//! ```text
//! (1 − α) · s/n + α · v      α = implicit, v what the child's vector promises the chooser
//! ```
//!
//! instead of s/n, and adds exploration and history as usual; with GRAVE, (1 − α) times its value. So a reply that refutes a move counts as soon as it
//! is seen, where means need many simulations until it outweighs the others. The paper has two players and finds values of α from 0.1 to 0.5
//! useful; here vectors have a number for each player.
//!
//! In this tree player 1 seems to win on the left, where three of player 2's four moves lose. On the right both share the win. With `cutoff=0`
//! a node that is new counts as 1/2 for both, and then its moves are tried in their order:
//!
//! ```text
//!                    1
//!         ┌──────────┴──────────▲
//!         2                     2
//!   ┌────┬┴───┬────▲         ▲──┴──┐
//!  1,0  1,0  1,0  0,1       1,1   1,1
//! ```
//!
//! Without implicit backups four of five simulations go to the left and find 1/2, 1, 1, 1. With α = 0.6 the second one that goes there lists the moves of
//! player 2, and the node takes over 0,1. It is then worth 0.4 · 3/4 + 0.6 · 0, and the right 0.4 · 1/2 + 0.6 · 1/2, so all others go to the right:
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Mcts, Tree, settings, tree::LeafScores};
//! let tree: Tree = "(1 (2 1,0 1,0 1,0 0,1) (2 1,1 1,1))".parse().unwrap();
//! let search = |implicit| {
//!     let mut mcts = Mcts::new(LeafScores, AsListed, 1);
//!     let text = format!("implicit={implicit},choose=visits,cutoff=0,solver=off,w=0");
//!     settings::read(&mut mcts.settings, &text).unwrap();
//!     let (found, recording) = mcts.explain(&tree, &Budget::playouts(5), 20).unwrap();
//!     let below = recording.nodes.iter().filter(|node| node.depth == 1).map(|node| node.simulated.as_ref().unwrap());
//!     let shown = below.map(|node| {
//!         let term = |name| node.terms.iter().find(|term| term.0 == name).map_or(0.0, |term| term.1);
//!         format!("{} of 5: {:.3} + {:.3}", node.visits, term("rate"), term("implicit"))
//!     });
//!     (found.m, shown.collect::<Vec<_>>())
//! };
//! assert_eq!(search(0.0), (1, vec!["4 of 5: 0.875 + 0.000".into(), "1 of 5: 0.500 + 0.000".into()]));
//! assert_eq!(search(0.6), (2, vec!["2 of 5: 0.300 + 0.000".into(), "3 of 5: 0.200 + 0.300".into()]));
//! ```
//!
//! The vectors are used in selection alone: the move that is played is chosen by results, so here by the visits that they have led to; by the rate it would
//! be the first. They are no proofs, and nothing is cut off by them. Every child that is evaluated is a node of the budget, whether it is
//! ever visited or not.
//!
//! Reference: M. Lanctot, M.H.M. Winands, T. Pepels and N.R. Sturtevant, *Monte Carlo Tree Search with Heuristic Evaluations using Implicit Minimax
//! Backups*, Computational Intelligence and Games, 2014.

use crate::{ByPlayer, Evaluator, Game, Meter, MoveOrder, OutOfBudget, Player};

use super::arena::{Block, Node};
use super::descent::PathNode;
use super::search::Search;
use super::worker::Worker;

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// Evaluates the children of a position, which have just been listed. Each costs a node.
    pub(super) fn evaluate_children(
        &self,
        (first, count): (u32, usize),
        position: &G,
        worker: &mut Worker<G>,
        replying: bool,
        meter: &mut Meter,
    ) -> Result<(), OutOfBudget> {
        let mut child = position.clone();
        for node in self.tree.arena.block(first, count).nodes() {
            meter.tick()?;
            child.clone_from(position);
            self.play(&mut child, &mut worker.spare, node.mover(), self.tree.numbers.at(node.m()), replying);
            node.set_implicit(&match child.payoff() {
                Some(payoff) => self.playout.reward(&child, &payoff),
                None => self.playout.cut_off(&child),
            });
        }
        Ok(())
    }

    /// What a node's implicit vector promises a player who chooses it.
    #[inline]
    pub(super) fn promise(&self, node: Node<'_>, player: Player) -> f32 {
        let players = self.tree.key.players;
        if self.is_against_root(player) {
            1.0 - node.implicit(players, self.tree.game.turn())
        } else {
            node.implicit(players, player)
        }
    }

    /// The child that promises most to the player who chooses it, the first of equals.
    fn most_promising<'a>(&self, block: Block<'a>) -> Node<'a> {
        let promise = |node: Node<'_>| self.promise(node, node.mover());
        block.nodes().reduce(|a, b| if promise(b) > promise(a) { b } else { a }).expect("a node has children")
    }

    /// Lets every node of a path take over the vector of its mover's best child, from the last to the root.
    pub(super) fn back_up_implicit(&self, path: &[PathNode]) {
        let players = self.tree.key.players;
        for at in path.iter().rev() {
            let node = self.tree.arena.node(at.node);
            if let Some(children) = node.children() {
                let best = self.most_promising(self.tree.arena.children(children));
                node.set_implicit(&ByPlayer::from_fn(players, |player| best.implicit(players, player)));
            }
        }
    }
}
