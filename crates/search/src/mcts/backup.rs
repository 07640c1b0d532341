//! Backup: the result of a simulation goes to the nodes on its path.

use crate::{Evaluator, Game, MoveOrder};

use super::TreePolicy;
use super::arena::MOST_VISITS;
use super::descent::{Leaf, PathNode, Visit};
use super::playout::PlayoutPolicy;
use super::search::Search;
use super::selection::SelectionTerm;
use super::shares::{Shares, UNIT};
use super::solver::{deduce, deduce_one_sided};
use super::worker::Worker;

/// Results that a thread keeps for a busy node, or the root, before it writes them.
const DEFERRED: u32 = 32;

/// Results of a node that have not been written to it.
#[derive(Default)]
pub(super) struct Tally {
    node: u32,
    visits: u32,
    shares: Shares,
}

impl<G: Game> Worker<G> {
    /// Visits of a node at this ply that it has not counted.
    #[inline]
    pub(super) fn deferred(&self, ply: usize, node: u32) -> u32 {
        self.tallies.get(ply).filter(|tally| tally.node == node).map_or(0, |tally| tally.visits)
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// Completes a simulation: its result goes to the nodes of the path, and to the terms of selection.
    pub(super) fn back_up(&self, leaf: &Leaf<G>, worker: &mut Worker<G>, shares: &Shares) {
        let Worker { tallies, terms, scratch, distinct, .. } = worker;
        if tallies.len() < leaf.path.len() {
            tallies.resize_with(leaf.path.len(), Tally::default);
        }
        for (at, tally) in leaf.path.iter().zip(tallies) {
            match at.visit {
                Visit::Counted => {
                    self.tree.arena.node(at.node).reward(&shares[..self.tree.key.players], self.shared);
                }
                Visit::Deferred => self.defer(tally, at.node, shares),
                Visit::Ignored => (),
            }
        }
        if terms.learns() {
            terms.learn(&leaf.line, &self.gains(shares));
        }
        if self.tree.key.has_amaf {
            self.gather(leaf, distinct, &self.gains(shares));
        }
        if self.tree.key.has_abstraction {
            self.gather_own(&leaf.path, shares);
        }
        if self.settings.playout.learns() {
            let gains = self.gains(shares).map(|gain| gain as f32 / UNIT as f32);
            scratch.grams.learn(&leaf.coded, &gains);
        }
        if self.settings.playout == PlayoutPolicy::Ppa {
            let gains = self.gains(shares).map(|gain| gain as f32 / UNIT as f32);
            scratch.weights.learn(&gains, self.settings.learning);
        }
        if self.tree.key.has_implicit {
            self.back_up_implicit(&leaf.path);
        }
        if leaf.is_new_proof {
            self.solve(&leaf.path);
        }
        worker.depth = worker.depth.max(leaf.path.len() as u32 - 1);
    }

    /// Gives up a simulation: the nodes of the path take back its visits.
    pub(super) fn abandon(&self, leaf: &Leaf<G>) {
        for at in leaf.path.iter().filter(|at| at.visit == Visit::Counted) {
            self.tree.arena.node(at.node).leave();
        }
    }

    /// Writes all deferred results.
    pub(super) fn flush_all(&self, worker: &mut Worker<G>) {
        for tally in &mut worker.tallies {
            self.flush(tally);
        }
    }

    /// Keeps a result that a node receives later.
    #[inline]
    fn defer(&self, tally: &mut Tally, node: u32, shares: &Shares) {
        if tally.node != node {
            self.flush(tally);
            tally.node = node;
        }
        tally.visits += 1;
        for (sum, share) in tally.shares.iter_mut().zip(shares) {
            *sum += share;
        }
        if tally.visits == DEFERRED {
            self.flush(tally);
        }
    }

    fn flush(&self, tally: &mut Tally) {
        if tally.visits == 0 {
            return;
        }
        let node = self.tree.arena.node(tally.node);
        if node.visits() < MOST_VISITS {
            node.add(tally.visits, &tally.shares[..self.tree.key.players], self.shared);
        }
        *tally = Tally { node: tally.node, ..Tally::default() };
    }

    /// Takes the proof of the last node of a path up as far as it goes.
    fn solve(&self, path: &[PathNode]) {
        let root = self.tree.game.turn();
        for at in path.iter().rev().skip(1) {
            let node = self.tree.arena.node(at.node);
            if node.proven().is_proven() {
                return;
            }
            let Some(children) = node.children() else { return };
            let block = self.tree.arena.children(children);
            let mover = block.node(0).mover();
            let proofs = block.nodes().map(|child| child.proven_for_all());
            let proven = match self.settings.policy {
                TreePolicy::MaxN => deduce(self.settings.solver, self.tree.key.players, mover, root, proofs),
                TreePolicy::Paranoid | TreePolicy::Brs => deduce_one_sided(root, mover == root, proofs),
            };
            if !proven.is_proven() {
                return;
            }
            node.prove(proven);
        }
    }
}
