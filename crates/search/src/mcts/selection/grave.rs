//! GRAVE: the value of a child that has few visits leans on what its move did in all games through a node above.
//!
//! ```text
//! v = (1 − β) · Q + β · AMAF      β = p̃ / (p̃ + p + bias · p̃ · p)
//! ```
//!
//! Q is the child's rate and p its visits. AMAF (*all moves as first*) is the rate of the chooser in the p̃ games through a reference node in
//! which the chooser played the same move at any time after that node. The reference is the nearest node on the path, from the one
//! at which is chosen up to the root, that has more than `ref` visits; if there is none, the root. (RAVE always takes the
//! node itself, whose games are few where they are needed most.) There is no exploration: a child that was never visited has β = 1 and is
//! chosen as soon as its move does best elsewhere. A child of which nothing is known is chosen at once.
//!
//! Statistics are kept for each player and move. A move that is played several times in a game counts once. A node gathers statistics
//! from its second visit on, when it has children, which saves most of the memory: most nodes are visited once. They are in a table of
//! limited size, which may become full. A node that has gathered nothing is no reference. With implicit evaluations the value is (1 −
//! α) · v plus their part, and virtual visits count among p.
//!
//! In this tree only the first player has a choice. The first game is 1, 1, 1 and won by player 1, the second 2, 1, 1 and lost. So the
//! first move has Q = 1 by one visit, and AMAF = 1/2 by two games, since player 1 made the move numbered 1 in the second game too: with
//! no bias β = 2/3, and v = 1/3 · 1 + 2/3 · 1/2.
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Mcts, Tree, settings, tree::LeafScores};
//! let tree: Tree = "(1 (2 (1 1,0)) (2 (1 0,1)))".parse().unwrap();
//! let mut mcts = Mcts::new(LeafScores, AsListed, 1);
//! settings::read(&mut mcts.settings, "grave=100,bias=0,solver=off,playout=random").unwrap();
//! let (_, recording) = mcts.explain(&tree, &Budget::playouts(2), 10).unwrap();
//! let terms = |child: usize| recording.nodes[child].simulated.as_ref().unwrap().terms.clone();
//! let rounded = |child| terms(child).iter().map(|(name, v)| format!("{name} {v:.3}")).collect::<Vec<_>>();
//! assert_eq!(rounded(1), ["rate 0.333", "amaf 0.333"]);
//! assert_eq!(rounded(2), ["rate 0.000", "amaf 0.000"]);
//! ```
//!
//! Reference: T. Cazenave, *Generalized Rapid Action Value Estimation*, International Joint Conference on Artificial Intelligence, 2015.

use crate::{Evaluator, Game, MoveOrder};

use super::super::descent::Leaf;
use super::super::records::{Distinct, Record};
use super::super::search::Search;
use super::{Child, Played, Shares};

/// The parts that a child's rate and the move's rate elsewhere have in its value; `None` if nothing is known of it.
pub(super) fn parts(child: &Child, amaf: Record, bias: f64) -> Option<(f64, f64)> {
    let (p, all) = (child.visits, amaf.plays);
    if p + all == 0.0 {
        return None;
    }
    let beta = all / (all + p + bias * all * p);
    let rate = if p > 0.0 { child.share / p } else { 0.0 };
    let elsewhere = if all > 0.0 { amaf.share / all } else { 0.0 };
    Some(((1.0 - beta) * rate, beta * elsewhere))
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// The node whose statistics are used at the end of a path, by its number there; 0 if there are none.
    pub(super) fn reference(&self, mut path: impl DoubleEndedIterator<Item = u32>, visits: u32) -> u32 {
        let number = |at: &u32| self.tree.record_number(*at);
        let root = path.next();
        // The simulation under way has been counted.
        let is_reference = |at: &u32| self.tree.arena.node(*at).visits().saturating_sub(1) > visits && number(at) != 0;
        path.rfind(is_reference).or(root).map_or(0, |at| number(&at))
    }

    /// Adds the moves of a game to the statistics of the nodes on its path that have children.
    pub(in super::super) fn gather(&self, leaf: &Leaf<G>, distinct: &mut Distinct, gains: &Shares) {
        let Some(records) = &self.tree.records else { return };
        let mut end = leaf.line.len();
        distinct.begin();
        for (ply, at) in leaf.path.iter().enumerate().rev() {
            for &played in &leaf.line[ply.min(end)..end] {
                distinct.add(played, self.tree.key.players);
            }
            end = ply.min(end);
            let node = self.tree.arena.node(at.node);
            if node.children().is_none() {
                continue;
            }
            let Some(number) = records.number(node.word(self.tree.key.record_word())) else { continue };
            for &played in distinct.moves() {
                let Played { player, .. } = played;
                records.add(number, played, gains[player.index()], self.shared);
            }
        }
    }
}
