//! Simulation: what happens at a leaf. Its children are listed (*expansion*), or its game is played out (*playout*).

use std::cmp::Reverse;

use crate::{Evaluator, Game, Meter, MoveOrder, OutOfBudget, Player, Stance};

use super::arena::{Children, Node};
use super::descent::Leaf;
use super::search::Search;
use super::selection::{Played, SelectionTerm};
use super::shares::{Shares, units};
use super::worker::Worker;
use super::{FirstPlay, TreePolicy};

/// A legal move that is about to become a node.
pub(super) struct Listed<M> {
    rate: i32,
    /// Its place in the list of moves, and later its number.
    index: u32,
    player: Player,
    m: M,
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// Makes sure that the moves of the root are in the tree, if there is room for them.
    pub(super) fn expand_root(&self, worker: &mut Worker<G>, meter: &mut Meter) {
        let root = self.tree.arena.node(self.tree.root);
        if root.children().is_none() {
            self.expand(root, &mut self.tree.game.clone(), worker, false, meter);
        }
    }

    /// Lists the children of a node; `None` if there is no room or, where they are evaluated, no budget, or if another thread is doing it.
    pub(super) fn expand(
        &self,
        node: Node<'_>,
        position: &mut G,
        worker: &mut Worker<G>,
        replying: bool,
        meter: &mut Meter,
    ) -> Option<Children> {
        if worker.room.is_full() || !node.claim() {
            return None;
        }
        let children = self.list(position, worker, replying).filter(|&children| {
            !self.tree.key.has_implicit || self.evaluate_children(children, position, worker, replying, meter).is_ok()
        });
        node.publish(children);
        node.children()
    }

    /// Makes the nodes of all moves of a position, in the order in which they are to be tried.
    fn list(&self, position: &mut G, worker: &mut Worker<G>, replying: bool) -> Option<(u32, usize)> {
        let root = self.tree.game.turn();
        let stance = match self.settings.policy {
            TreePolicy::MaxN => Stance::Own,
            TreePolicy::Paranoid | TreePolicy::Brs => Stance::Against(root),
        };
        let Worker { moves, listed, numbered, room, rng, .. } = worker;
        listed.clear();
        let mut rate_all = |game: &G| {
            moves.clear();
            game.moves(moves);
            for &m in moves.iter() {
                let rate = match self.settings.first {
                    FirstPlay::StaticOrder => self.order.rate(game, stance, m),
                    FirstPlay::Random => (rng.bits() >> 33) as i32,
                };
                let index = listed.len() as u32;
                listed.push(Listed { rate, index, player: game.turn(), m });
            }
        };
        match self.replies {
            Some(any) if replying && any.opponents(position, root).next().is_some() => {
                for player in any.opponents(position, root) {
                    any.with_turn(position, player, &mut |game| rate_all(game));
                }
            }
            _ => rate_all(position),
        }
        listed.sort_unstable_by_key(|listed| (Reverse(listed.rate), listed.index));
        // A move keeps its number, whether or not its node finds room.
        for listed in listed.iter_mut() {
            listed.index = numbered.number(listed.m, |m| self.tree.numbers.number(m))?;
        }
        let first = self.tree.arena.allocate(room, listed.len())?;
        for (node, listed) in self.tree.arena.block(first, listed.len()).nodes().zip(listed.iter()) {
            node.start(listed.player, listed.index);
        }
        Some((first, listed.len()))
    }

    /// Plays the game of a leaf to its end.
    pub(super) fn play_out(
        &self,
        leaf: &mut Leaf<G>,
        worker: &mut Worker<G>,
        meter: &mut Meter,
    ) -> Result<Shares, OutOfBudget> {
        let Worker { terms, rng, scratch, numbered, .. } = worker;
        let (learns, line) = (terms.learns(), &mut leaf.line);
        std::mem::swap(&mut scratch.line, &mut leaf.coded);
        let payoff = self.playout.run(&mut leaf.position, scratch, rng, meter, |player, m| {
            if learns && let Some(number) = numbered.number(m, |m| self.tree.numbers.number_in_playout(m)) {
                line.push(Played { player, number });
            }
        });
        std::mem::swap(&mut scratch.line, &mut leaf.coded);
        Ok(units(&payoff?))
    }
}
