//! Implicit minimax backups: what evaluations promise, taken up the tree beside the results of simulations.

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
