//! Opponent move abstraction: what the root player's own moves do, whatever the opponents did in between.
//!
//! With several opponents a position comes back seldom, so below the root most nodes at which the root player chooses have few visits.
//! What the player does there often depends little on what the others did since its last move. So such a node has a second rate for
//! each move, Q̄: that of all games in which the player came from the same own node by the same own move and then made this one as its
//! next. Selection uses
//!
//! ```text
//! (1 − β) · Q + β · Q̄      β = sqrt(k / (k + 3n))
//! ```
//!
//! instead of Q = s/n, with n the child's visits: at first the abstract rate decides, in the end the child's own. Where no such game
//! is known, it is plain Q. The root has no own move before it, and the opponents' nodes have only Q. Children that were never tried still
//! come first, unless they have virtual visits (`prior`), and exploration and history are added as usual. With implicit evaluations the
//! value is (1 − α) times this plus their part. Results are kept by the node after the earlier own move, in a table of fixed size; where that
//! is full, new nodes have plain Q.
//!
//! In this tree player 1 has one move at every node, player 2 has two in between: after the first player 1 loses, after the second it
//! wins. Of five games the last two reach player 1's second move, once after each. So both nodes after it have n = 1 and Q = 0 and 1,
//! and both have Q̄ = 1/2. With k = 9 β is sqrt(9/12) = 0.866, and the value of both is moved by 0.866 · 1/2 toward the other:
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Mcts, Tree, settings, tree::LeafScores};
//! let tree: Tree = "(1 (2 (1 0,1) (1 1,0)))".parse().unwrap();
//! let mut mcts = Mcts::new(LeafScores, AsListed, 1);
//! settings::read(&mut mcts.settings, "oma=9,solver=off,playout=move,epsilon=0,w=0,c=5").unwrap();
//! let (_, recording) = mcts.explain(&tree, &Budget::playouts(5), 20).unwrap();
//! let second = recording.nodes.iter().filter(|node| node.depth == 3);
//! let shown: Vec<String> = second
//!     .map(|node| {
//!         let found = node.simulated.as_ref().unwrap();
//!         let term = |name| found.terms.iter().find(|term| term.0 == name).unwrap().1;
//!         format!("{} visit, rate {:.3}, abstraction {:.3}", found.visits, term("rate"), term("abstraction"))
//!     })
//!     .collect();
//! assert_eq!(shown, ["1 visit, rate 0.000, abstraction 0.433", "1 visit, rate 1.000, abstraction -0.433"]);
//! ```
//!
//! Reference: H. Baier and M. Kaisers, *Guiding Multiplayer MCTS by Focusing on Yourself*, IEEE Conference on Games, 2020: k = 30, with
//! progressive widening.

use crate::{Evaluator, Game, MoveOrder};

use super::super::descent::PathNode;
use super::super::records::Record;
use super::super::search::Search;
use super::{Child, Played, Shares};

/// What the abstract rate adds to a child's value, which has its own rate in it, by so many visits.
pub(super) fn shift(child: &Child, visits: f64, own: Record, k: f64) -> f64 {
    if own.plays == 0.0 {
        return 0.0;
    }
    let beta = (k / (k + 3.0 * visits)).sqrt();
    beta * (own.share / own.plays - child.share / child.visits)
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// The node after the root player's last move on a path, by its number among those that have records; 0 if there is none.
    pub(super) fn after_own_move(&self, mut path: impl DoubleEndedIterator<Item = u32>) -> u32 {
        let root = self.tree.game.turn();
        // What led to the root does not count.
        path.next();
        let own = path.rfind(|&at| self.tree.arena.node(at).mover() == root);
        own.map_or(0, |at| self.tree.record_number(at))
    }

    /// Adds a result to the records of the root player's moves on a path, each by that player's move before it.
    pub(in super::super) fn gather_own(&self, path: &[PathNode], shares: &Shares) {
        let Some(records) = &self.tree.records else { return };
        let root = self.tree.game.turn();
        let nodes = path.iter().skip(1).map(|at| self.tree.arena.node(at.node));
        let mut own = nodes.filter(|node| node.mover() == root);
        let Some(mut before) = own.next() else { return };
        for node in own {
            if let Some(number) = records.number(before.word(self.tree.key.record_word())) {
                let played = Played { player: root, number: node.m() };
                records.add(number, played, shares[root.index()], self.shared);
            }
            before = node;
        }
    }
}
