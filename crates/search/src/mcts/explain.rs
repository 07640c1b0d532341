//! The tree of a decision, recorded.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::recording::{Kind, RecordedNode, Simulated, Step};
use crate::{Decision, Evaluator, Game, MoveOrder, Player, Recording};

use super::decision::{best_reply, expected};
use super::{Mcts, TreePolicy};

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Mcts<G, E, O> {
    /// The tree of the last decision: its most visited nodes, at most so many.
    pub(super) fn record(&mut self, decision: &Decision<G::Move>, limit: usize) -> Recording<G::Move> {
        let mut workers = std::mem::take(&mut self.workers);
        let terms = &mut workers[0].terms;
        let tree = self.tree.as_ref().expect("a decision leaves its tree");
        let (search, root) = (self.searching(tree, None), tree.game.turn());
        let players = tree.key.players;
        let visited = |at: u32| -> Vec<u32> {
            let Some(children) = tree.arena.node(at).children() else { return Vec::new() };
            (children.first..children.first + children.count).filter(|&at| tree.arena.node(at).visits() > 0).collect()
        };

        // The most visited nodes. No node is visited more often than its parent, so parents come first.
        let mut queue = BinaryHeap::from([(u32::MAX, Reverse(tree.root))]);
        let mut most = Vec::new();
        while let Some((_, Reverse(at))) = queue.pop().filter(|_| most.len() < limit.max(1)) {
            most.push(at);
            queue.extend(visited(at).into_iter().map(|at| (tree.arena.node(at).visits(), Reverse(at))));
        }
        most.sort_unstable();

        let mut nodes: Vec<RecordedNode<G::Move>> = Vec::new();
        let mut stack = vec![(tree.root, None, 0, true)];
        let mut path: Vec<u32> = Vec::new();
        while let Some((at, parent, depth, is_chosen)) = stack.pop() {
            let node = tree.arena.node(at);
            path.truncate(depth as usize);
            let number = nodes.len();
            let step = parent.map(|_| Step { player: node.mover(), m: Some(tree.numbers.at(node.m())) });
            let terms = match parent {
                Some((_, visits)) => search.explain_child(terms, &path, visits, node),
                None => Vec::new(),
            };
            path.push(at);
            let mut recorded = RecordedNode::new(parent.map(|(number, _)| number), step, depth);
            recorded.is_chosen = is_chosen && parent.is_some();
            recorded.simulated = Some(Simulated {
                visits: node.visits().into(),
                shares: expected(node, players),
                terms,
                is_proven: node.proven().is_exact(),
            });
            if let Some(children) = node.children() {
                let block = tree.arena.children(children);
                let mover = block.node(0).mover();
                recorded.player = Some(mover).filter(|_| block.nodes().all(|child| child.mover() == mover));
                recorded.kind = match self.settings.policy {
                    TreePolicy::MaxN => Kind::Own,
                    TreePolicy::Paranoid | TreePolicy::Brs if mover == root => Kind::Max,
                    TreePolicy::Paranoid | TreePolicy::Brs => Kind::Min,
                };
                let label = |player: Player, m: G::Move| (player, m);
                let chosen = match parent {
                    None => Some(label(root, decision.m)),
                    Some(_) => best_reply(block).map(|node| label(node.mover(), tree.numbers.at(node.m()))),
                };
                for child in visited(at).into_iter().rev().filter(|child| most.binary_search(child).is_ok()) {
                    let node = tree.arena.node(child);
                    let is_chosen = chosen == Some(label(node.mover(), tree.numbers.at(node.m())));
                    stack.push((child, Some((number, tree.arena.node(at).visits())), depth + 1, is_chosen));
                }
            }
            nodes.push(recorded);
        }
        let all = {
            let (mut count, mut open) = (0, vec![tree.root]);
            while let Some(at) = open.pop() {
                count += 1;
                open.extend(visited(at));
            }
            count
        };
        let depth = nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        let is_truncated = all > nodes.len() as u64;
        self.workers = workers;
        Recording { depth, nodes, visited: all - 1, is_truncated, is_complete: true }
    }
}
