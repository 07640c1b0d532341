//! One search in the tree, which threads share.

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use crate::{Evaluator, Game, MAX_PLAYERS, Meter, MoveOrder, OutOfBudget, Player};

use super::descent::Leaf;
use super::halving::Halving;
use super::playout::Playout;
use super::search_tree::SearchTree;
use super::shares::{Shares, UNIT, units};
use super::worker::Worker;
use super::{AnyTurn, MctsSettings, Reward, TreePolicy};

/// A tree, and everything that a simulation needs besides what its thread has.
pub(super) struct Search<'a, G: Game, E, O> {
    pub(super) settings: &'a MctsSettings,
    pub(super) order: &'a O,
    pub(super) playout: Playout<'a, G, E, O>,
    /// Any opponent replies to the root, out of turn.
    pub(super) replies: Option<AnyTurn<G>>,
    /// Whether there is more than one thread.
    pub(super) shared: bool,
    /// Whether the moves of simulated games are needed.
    pub(super) keeps_lines: bool,
    /// Whether children have more than their results: what evaluations have shown when they were made.
    pub(super) is_evaluated: bool,
    /// Whether more than a node's own results decides at it.
    pub(super) is_guided: bool,
    pub(super) tree: &'a SearchTree<G>,
    /// Sequential halving at the root, if that is how simulations are divided there.
    pub(super) halving: Option<&'a Mutex<Halving>>,
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// Simulates until the budget is used up or some thread proves the root; `false` if it stopped earlier, because a
    /// table must grow.
    pub(super) fn run(
        &self,
        worker: &mut Worker<G>,
        meter: &mut Meter,
        claimed: &AtomicU64,
        limit: u64,
        mut completed: impl FnMut(&Worker<G>, &Meter),
    ) -> bool {
        let mut leaves = std::mem::take(&mut worker.leaves);
        leaves.resize_with(self.settings.batch.max(1), || Leaf::new(&self.tree.game));
        let done = loop {
            let (pending, end) = self.collect(&mut leaves, worker, meter, (claimed, limit), &mut completed);
            let is_out = self.complete(&mut leaves[..pending], worker, meter, &mut completed).is_err();
            match end {
                None if is_out => break true,
                None => (),
                Some(done) => break done,
            }
        };
        worker.leaves = leaves;
        self.flush_all(worker);
        done
    }

    /// Descends once for each of the leaves, and completes the simulations whose result is known at once. Returns the number of
    /// those that are pending, which are the first; and whether the search is done, if it ends, as [`run`](Search::run) does.
    #[inline]
    fn collect(
        &self,
        leaves: &mut [Leaf<G>],
        worker: &mut Worker<G>,
        meter: &mut Meter,
        (claimed, limit): (&AtomicU64, u64),
        completed: &mut impl FnMut(&Worker<G>, &Meter),
    ) -> (usize, Option<bool>) {
        let root = self.tree.arena.node(self.tree.root);
        let mut pending = 0;
        for _ in 0..leaves.len() {
            if root.proven().is_proven() {
                return (pending, Some(true));
            }
            if self.tree.is_crowded() {
                return (pending, Some(false));
            }
            if !worker.claim(claimed, limit) {
                return (pending, Some(true));
            }
            let leaf = &mut leaves[pending];
            if self.descend(leaf, worker, meter).is_err() {
                self.abandon(leaf);
                return (pending, Some(true));
            }
            match leaf.known {
                Some(shares) => self.finish(leaf, &shares, worker, meter, completed),
                None => pending += 1,
            }
        }
        (pending, None)
    }

    /// Completes pending simulations. A batch is evaluated together; a single game is played out, and leaves no trace if the
    /// budget ends it.
    #[inline]
    fn complete(
        &self,
        leaves: &mut [Leaf<G>],
        worker: &mut Worker<G>,
        meter: &mut Meter,
        completed: &mut impl FnMut(&Worker<G>, &Meter),
    ) -> Result<(), OutOfBudget> {
        if self.settings.batch > 1 {
            self.complete_batch(leaves, worker, meter, completed);
            return Ok(());
        }
        for leaf in leaves {
            match self.play_out(leaf, worker, meter) {
                Ok(shares) => self.finish(leaf, &shares, worker, meter, completed),
                Err(out) => {
                    self.abandon(leaf);
                    return Err(out);
                }
            }
        }
        Ok(())
    }

    fn complete_batch(
        &self,
        leaves: &[Leaf<G>],
        worker: &mut Worker<G>,
        meter: &Meter,
        completed: &mut impl FnMut(&Worker<G>, &Meter),
    ) {
        if leaves.is_empty() {
            return;
        }
        let mut results = std::mem::take(&mut worker.results);
        results.clear();
        let evaluator = self.playout.evaluator;
        let mut positions = leaves.iter().map(|leaf| &leaf.position);
        let bounds = &self.playout.bounds;
        match self.settings.reward {
            Reward::Win => evaluator.shares_of_all(&mut positions, &mut |shares| results.push(units(&shares))),
            reward => evaluator
                .evaluate_all(&mut positions, &mut |scores| results.push(units(&reward.of_scores(&scores, bounds)))),
        }
        assert_eq!(results.len(), leaves.len(), "an evaluation judges every position of a batch");
        for (leaf, shares) in leaves.iter().zip(&results) {
            self.finish(leaf, shares, worker, meter, completed);
        }
        worker.results = results;
    }

    /// Enters the result of a simulation in the tree.
    #[inline]
    fn finish(
        &self,
        leaf: &Leaf<G>,
        shares: &Shares,
        worker: &mut Worker<G>,
        meter: &Meter,
        completed: &mut impl FnMut(&Worker<G>, &Meter),
    ) {
        self.back_up(leaf, worker, shares);
        worker.playouts += 1;
        completed(worker, meter);
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
