//! Descent where moves depend on what is hidden: each simulation has a deal of its own, and a node has the moves of all deals.

use std::cmp::Reverse;

use crate::{Evaluator, Game, Meter, MoveOrder, Stance};

use super::arena::{Children, Node};
use super::descent::Leaf;
use super::search::Search;
use super::selection::SelectionTerm;
use super::worker::Worker;

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// Lists the moves of a new node in the deal of its first visit, in which all of them are legal.
    pub(super) fn list_hidden(&self, node: Node<'_>, leaf: &mut Leaf<G>, worker: &mut Worker<G>, meter: &mut Meter) {
        if let Some(children) = self.expand(node, &mut leaf.position, worker, false, meter) {
            let players = self.tree.key.players;
            self.tree.arena.children(children).nodes().for_each(|child| child.make_available(players));
        }
    }

    /// Selects one of the children that are legal in this deal: the first that has not been tried, or the one with the highest sum of
    /// terms, in which the visits of the node are those in which the move was legal. Moves that no deal had before become children.
    /// Returns the children and the place of the one selected; `None` if there is no room for them.
    pub(super) fn select_hidden(
        &self,
        node: Node<'_>,
        children: Children,
        leaf: &Leaf<G>,
        worker: &mut Worker<G>,
    ) -> Option<(Children, usize)> {
        let children = self.add_missing(node, children, &leaf.position, worker)?;
        let Worker { terms, legal, .. } = worker;
        let players = self.tree.key.players;
        let block = self.tree.arena.children(children);
        let open = || block.nodes().enumerate().filter(|(_, child)| legal.contains(&child.m()));
        let untried = open().find(|(_, child)| child.visits() == 0).map(|(index, _)| index);
        let selected = untried.unwrap_or_else(|| {
            let (mut best, mut most) = (0, f64::NEG_INFINITY);
            for (index, child) in open() {
                terms.enter(child.available(players));
                let value = terms.value(&self.child(child, child.visits(), child.mover(), false));
                if value > most {
                    (best, most) = (index, value);
                }
            }
            best
        });
        open().for_each(|(_, child)| child.make_available(players));
        Some((children, selected))
    }

    /// Adds the legal moves of a position that are not among the children of its node, the best of the ordering first. The numbers of
    /// all legal moves are then in `worker.legal`. `None` if there is no room.
    fn add_missing(
        &self,
        node: Node<'_>,
        children: Children,
        position: &G,
        worker: &mut Worker<G>,
    ) -> Option<Children> {
        let Worker { moves, legal, room, .. } = worker;
        moves.clear();
        position.moves(moves);
        legal.clear();
        for &m in moves.iter() {
            legal.push(self.tree.numbers.number(m)?);
        }
        let arena = &self.tree.arena;
        let old = arena.children(children);
        let is_missing = |number: &u32| old.nodes().all(|child| child.m() != *number);
        let known = children.count as usize;
        let mut missing: Vec<u32> = legal.iter().copied().filter(is_missing).collect();
        if missing.is_empty() {
            return Some(children);
        }
        // Stable: equals stay in the order of the game.
        missing.sort_by_key(|&number| Reverse(self.order.rate(position, Stance::Own, self.tree.numbers.at(number))));
        let count = known + missing.len();
        let first = arena.allocate(room, count)?;
        let block = arena.block(first, count);
        for (to, from) in block.nodes().zip(old.nodes()) {
            to.set(from);
        }
        for (to, number) in block.nodes().skip(known).zip(missing) {
            to.start(position.turn(), number);
        }
        node.publish(Some((first, count)));
        node.children()
    }
}
