//! What comes out of a search: the decision, and the recorded graph.

use crate::recording::{Found, Kind, RecordedNode, Step};
use crate::{Decision, Evaluator, Game, Line, MoveOrder, Player, Recording, Stance, chances};

use super::BestFirstPolicy;
use super::search::Search;

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// The decision by what is known so far.
    pub(super) fn decide(&self) -> Decision<G::Move> {
        let graph = self.graph;
        let Some(children) = graph.root_children() else {
            let mut moves = Vec::new();
            graph.game.moves(&mut moves);
            return Decision::blind(self.order.first(&graph.game, Stance::Own, &moves));
        };
        let is_resolved = graph.arena.node(graph.root).marks() != 0;
        let ranking = self.rule.ranking(graph.arena.children(children), is_resolved);
        let lines = ranking.iter().take(self.settings.lines.max(1));
        let mut lines: Vec<Line<G::Move>> = lines.map(|&index| self.line(children.first + index as u32)).collect();
        let Line { value, scores, chances, pv } = lines[0].clone();
        if self.settings.lines <= 1 {
            lines.clear();
        }
        Decision { value, scores, chances, lines, ..Decision::along(pv) }
    }

    /// What was found of a move of the root, and the moves that lead there.
    fn line(&self, child: u32) -> Line<G::Move> {
        let graph = self.graph;
        let (root, scores) = (graph.game.turn(), graph.arena.node(child).scores());
        let (mut position, mut pv, mut node) = (graph.game.clone(), Vec::new(), graph.arena.node(child));
        loop {
            let m = graph.numbers.at(node.m());
            position.play(m);
            pv.push(m);
            let Some(children) = node.children().filter(|_| position.payoff().is_none()) else { break };
            let block = graph.arena.children(children);
            node = block.node(self.rule.survey(block, children.first, &[]).best);
        }
        let value = match self.rule.policy {
            BestFirstPolicy::MaxN => i64::from(scores[root]),
            BestFirstPolicy::Paranoid | BestFirstPolicy::BrsPlus => self.rule.worth(&scores, root),
        };
        Line {
            value: Some(value as f64),
            scores: Some(scores.map(f64::from)),
            chances: chances::in_position(self.evaluator, &position),
            pv,
        }
    }

    /// The graph as a tree: as many of its nodes as may be recorded, those near the root first.
    pub(super) fn record(&self, decision: &Decision<G::Move>, limit: usize) -> Recording<G::Move> {
        let graph = self.graph;
        let root = graph.game.turn();
        // Level by level: a node, its parent's place in this list, its plies from the root.
        let mut all = vec![(graph.root, usize::MAX, 0u32)];
        let mut is_truncated = false;
        let mut next = 0;
        while next < all.len() {
            let (at, _, depth) = all[next];
            if let Some(children) = graph.arena.node(at).children() {
                let room = limit.max(1) - all.len();
                is_truncated |= (children.count as usize) > room;
                all.extend(
                    (children.first..children.first + children.count).take(room).map(|at| (at, next, depth + 1)),
                );
            }
            next += 1;
        }
        let mut below = vec![Vec::new(); all.len()];
        for (place, &(_, parent, _)) in all.iter().enumerate().skip(1).rev() {
            below[parent].push(place);
        }
        let mut nodes: Vec<RecordedNode<G::Move>> = Vec::new();
        let mut open = vec![(0, None, false)];
        while let Some((place, parent, is_chosen)) = open.pop() {
            let (at, _, depth) = all[place];
            let node = graph.arena.node(at);
            let step = parent.map(|_| Step { player: node.mover(), m: Some(graph.numbers.at(node.m())) });
            let mut recorded = RecordedNode::new(parent, step, depth);
            recorded.is_chosen = is_chosen;
            let scores = node.scores();
            recorded.found = Some(match self.rule.policy {
                BestFirstPolicy::MaxN => Found::Scores(scores),
                BestFirstPolicy::Paranoid | BestFirstPolicy::BrsPlus => Found::Value(self.rule.worth(&scores, root)),
            });
            if let Some(children) = node.children() {
                let block = graph.arena.children(children);
                let mover = block.node(0).mover();
                recorded.player = Some(mover);
                recorded.kind = self.kind(mover, root);
                let best = match parent {
                    None => block.nodes().position(|child| graph.numbers.at(child.m()) == decision.m),
                    Some(_) => Some(self.rule.survey(block, children.first, &[]).best),
                };
                for &child in &below[place] {
                    let index = (all[child].0 - children.first) as usize;
                    open.push((child, Some(nodes.len()), best == Some(index)));
                }
            }
            nodes.push(recorded);
        }
        let depth = nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        let visited = decision.nodes.max(nodes.len() as u64 - 1);
        Recording { depth, nodes, visited, is_truncated, is_complete: true }
    }

    fn kind(&self, mover: Player, root: Player) -> Kind {
        match self.rule.policy {
            BestFirstPolicy::MaxN => Kind::Own,
            BestFirstPolicy::Paranoid | BestFirstPolicy::BrsPlus if mover == root => Kind::Max,
            BestFirstPolicy::Paranoid | BestFirstPolicy::BrsPlus => Kind::Min,
        }
    }
}
