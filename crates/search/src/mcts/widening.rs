//! Progressive widening: the moves of a node are opened a few at a time, in the order of the static ordering.
//!
//! At a node with N visits only the first
//!
//! ```text
//! ⌊c · (N + 1)^a⌋      c = widen, a = widen-power
//! ```
//!
//! children are open, at least one and at most all. The others are neither tried nor chosen. Without it every child of a node is tried once
//! before any is tried again, so a node with hundreds of moves learns little but that: with c = 1 and a = 1/2 it has seen ten of them after a hundred visits, each
//! several times. A larger c opens more from the beginning, a larger a more later on.
//!
//! The moves get better from left to right here, which is the wrong order. The root opens ⌊sqrt(N + 1)⌋ of them: the second at its fourth visit (N = 3), the
//! third at its ninth (N = 8). Until then the winning move is not looked at:
//!
//! ```text
//!                1
//!      ┌─────────┼─────────▲
//!     0,1       1,1       1,0
//!    N = 0     N = 3     N = 8
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Mcts, Tree, settings, tree::LeafScores};
//! let tree: Tree = "(1 0,1 1,1 1,0)".parse().unwrap();
//! let search = |playouts, widen| {
//!     let mut mcts = Mcts::new(LeafScores, AsListed, 1);
//!     settings::read(&mut mcts.settings, &format!("widen={widen},widen-power=0.5,solver=off,w=0")).unwrap();
//!     let found = mcts.choose(&tree, &Budget::playouts(playouts));
//!     (found.m, mcts.statistics().iter().map(|m| m.visits).collect::<Vec<_>>())
//! };
//! assert_eq!(search(3, 1), (1, vec![3, 0, 0]));
//! assert_eq!(search(4, 1), (2, vec![3, 1, 0]));
//! assert_eq!(search(8, 1), (2, vec![3, 5, 0]));
//! assert_eq!(search(9, 1), (3, vec![3, 5, 1]));
//! // All are open at once.
//! assert_eq!(search(3, 0), (3, vec![1, 1, 1]));
//! ```
//!
//! A good move is found late where the ordering has it late. All children are still listed when a node is expanded, so it saves simulations and no
//! memory, and implicit evaluations and priors cost as much as without it. It does not apply to the root with sequential halving. The order
//! is fixed when children are listed: what simulations show does not change it.
//!
//! Reference: G. Chaslot, M. Winands, J. van den Herik, J. Uiterwijk and B. Bouzy, *Progressive Strategies for Monte-Carlo Tree Search*, 2008,
//! where it is *progressive unpruning*.

use crate::chances::exp;
use crate::{Evaluator, Game, MoveOrder};

use super::MctsSettings;
use super::arena::Children;
use super::search::Search;
use super::selection::ln;

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// The children that are open at a node with so many visits: the first of them, with progressive widening.
    #[inline]
    pub(super) fn open(&self, children: Children, visits: u32) -> Children {
        let MctsSettings { widen, widen_power, .. } = *self.settings;
        if widen == 0.0 {
            return children;
        }
        // A whole number must not be missed by the rounding of the power.
        let most = widen * exp(widen_power * ln(visits + 1)) + 1e-9;
        let count = most.min(f64::from(children.count)) as u32;
        Children { count: count.max(1), ..children }
    }
}
