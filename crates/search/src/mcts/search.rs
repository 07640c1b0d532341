//! One search in the tree, which threads share.

use std::sync::atomic::AtomicU64;

use crate::{Evaluator, Game, MAX_PLAYERS, Meter, MoveOrder, OutOfBudget, Player};

use super::descent::Leaf;
use super::playout::Playout;
use super::search_tree::SearchTree;
use super::shares::{Shares, UNIT};
use super::worker::Worker;
use super::{AnyTurn, MctsSettings, TreePolicy};

/// A tree, and everything that a simulation needs besides what its thread has.
pub(super) struct Search<'a, G: Game, E, O> {
    pub(super) settings: &'a MctsSettings,
    pub(super) order: &'a O,
    pub(super) playout: Playout<'a, G, E, O>,
    /// Any opponent replies to the root, out of turn.
    pub(super) replies: Option<AnyTurn<G>>,
    /// Whether there is more than one thread.
    pub(super) shared: bool,
    pub(super) tree: &'a SearchTree<G>,
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// Simulates until the budget is used up or some thread proves the root; `false` if it stopped earlier, because the
    /// table of moves must grow.
    pub(super) fn run(
        &self,
        worker: &mut Worker<G>,
        meter: &mut Meter,
        claimed: &AtomicU64,
        limit: u64,
        mut completed: impl FnMut(&Worker<G>, &Meter),
    ) -> bool {
        let root = self.tree.arena.node(self.tree.root);
        let mut leaf = worker.leaves.pop().unwrap_or_else(|| Leaf::new(&self.tree.game));
        let done = loop {
            if root.proven().is_proven() {
                break true;
            }
            if self.tree.numbers.is_crowded() {
                break false;
            }
            if !worker.claim(claimed, limit) || self.simulate(&mut leaf, worker, meter).is_err() {
                break true;
            }
            worker.playouts += 1;
            completed(worker, meter);
        };
        worker.leaves.push(leaf);
        self.flush_all(worker);
        done
    }

    /// Plays one game through the tree and on to its end. A game that the budget ends leaves no trace.
    fn simulate(&self, leaf: &mut Leaf<G>, worker: &mut Worker<G>, meter: &mut Meter) -> Result<(), OutOfBudget> {
        let shares = match self.descend(leaf, worker, meter) {
            Ok(()) => match leaf.known {
                Some(shares) => Ok(shares),
                None => self.play_out(leaf, worker, meter),
            },
            Err(out) => Err(out),
        };
        match shares {
            Ok(shares) => self.back_up(leaf, worker, &shares),
            Err(_) => self.abandon(leaf),
        }
        shares.map(|_| ())
    }

    /// Whether a player maximizes what the root does not get.
    #[inline]
    pub(super) fn is_against_root(&self, player: Player) -> bool {
        self.settings.policy != TreePolicy::MaxN && player != self.tree.game.turn()
    }

    /// What each player makes of a result: its own share, or what the root does not get.
    #[inline]
    pub(super) fn gains(&self, shares: &Shares) -> Shares {
        let mut gains = *shares;
        if self.settings.policy != TreePolicy::MaxN {
            let root = self.tree.game.turn().index();
            gains = [UNIT - shares[root]; MAX_PLAYERS];
            gains[root] = shares[root];
        }
        gains
    }
}
