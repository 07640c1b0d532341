//! Where the nodes of a tree are drawn.

use super::{Explanation, found_text, skipped};

/// A drawn node, or the stump of the moves that a cut left out.
pub(super) struct Drawn {
    /// The center, in slots from the left.
    pub(super) x: f64,
    /// Levels below the root.
    pub(super) level: usize,
}

/// The whole tree.
pub(super) struct Layout {
    /// One for each recorded node.
    pub(super) nodes: Vec<Drawn>,
    /// For each recorded node with a cut, its stump.
    pub(super) stumps: Vec<Option<Drawn>>,
    /// Slots in all.
    pub(super) slots: f64,
    /// Levels in all.
    pub(super) levels: usize,
}

impl Layout {
    /// A tidy tree: leaves and stumps side by side in visiting order, each parent above the middle of what is below it.
    pub(super) fn new(explanation: &Explanation) -> Layout {
        let nodes = &explanation.recording.nodes;
        let mut levels = Vec::new();
        let mut last_below: Vec<usize> = (0..nodes.len()).collect();
        for node in nodes {
            levels.push(node.parent.map_or(0, |parent: usize| levels[parent] + 1));
        }
        for (id, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                last_below[parent] = last_below[parent].max(last_below[id]);
            }
        }
        // Nodes come before those below them, so everything below a node is between it and the last below it. Stumps come after that.
        let mut children = vec![0; nodes.len()];
        nodes.iter().filter_map(|node| node.parent).for_each(|parent| children[parent] += 1);
        let mut ends: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for id in (0..nodes.len()).rev().filter(|&id| nodes[id].cut.is_some()) {
            ends[last_below[id]].push(id);
        }
        let (mut slot, mut spans) = (0.0, vec![None; nodes.len()]);
        let (mut xs, mut stumps) = (vec![0.0; nodes.len()], vec![None; nodes.len()]);
        for (id, node) in nodes.iter().enumerate() {
            if children[id] == 0 && node.cut.is_none() {
                xs[id] = slot;
                slot += 1.0;
            }
            for &cut in &ends[id] {
                stumps[cut] = Some(slot);
                slot += 1.0;
            }
        }
        for id in (0..nodes.len()).rev() {
            let widen = |span: Option<(f64, f64)>, x: f64| match span {
                Some((left, right)) => Some((x.min(left), x.max(right))),
                None => Some((x, x)),
            };
            if let Some(stump) = stumps[id] {
                spans[id] = widen(spans[id], stump);
            }
            if let Some((left, right)) = spans[id] {
                xs[id] = (left + right) / 2.0;
            }
            if let Some(parent) = nodes[id].parent {
                spans[parent] = widen(spans[parent], xs[id]);
            }
        }
        let stumps: Vec<Option<Drawn>> = stumps
            .into_iter()
            .zip(&levels)
            .map(|(stump, level)| stump.map(|x| Drawn { x, level: level + 1 }))
            .collect();
        let deepest = levels.iter().copied().chain(stumps.iter().flatten().map(|stump| stump.level)).max().unwrap_or(0);
        let nodes = xs.into_iter().zip(levels).map(|(x, level)| Drawn { x, level }).collect();
        Layout { nodes, stumps, slots: slot, levels: deepest + 1 }
    }
}

impl Explanation {
    /// What is written at a node: who moves, and what was found.
    pub(super) fn label(&self, id: usize) -> Vec<String> {
        let node = &self.recording.nodes[id];
        let mover = match (node.kind, node.player) {
            (nply::recording::Kind::Leaf, _) => String::new(),
            (_, Some(player)) => format!("{player}: "),
            (_, None) => "any: ".into(),
        };
        match &node.simulated {
            Some(simulated) => {
                let shares = simulated.shares.iter().map(|shares| {
                    shares.as_slice().iter().map(|share| format!("{share:.2}")).collect::<Vec<String>>().join(" ")
                });
                std::iter::once(format!("{mover}{}×", simulated.visits)).chain(shares).collect()
            }
            None => vec![format!("{mover}{}", found_text(node))],
        }
    }

    /// What is written at the stump of a cut: its reason, and what was left out.
    pub(super) fn stump_label(&self, id: usize) -> Option<(&'static str, String)> {
        let cut = self.recording.nodes[id].cut.as_ref()?;
        let moves = skipped(cut);
        let left_out = match moves.len() {
            0 => String::new(),
            1..=3 if moves.iter().map(String::len).sum::<usize>() <= 9 => moves.join(" "),
            1 => "1 move".into(),
            count => format!("{count} moves"),
        };
        Some((cut.reason.word(), left_out))
    }

    /// What is written at the line to a node.
    pub(super) fn edge_label(&self, id: usize) -> String {
        let node = &self.recording.nodes[id];
        let text = node.step.as_ref().map_or(String::new(), |step| self.step_text(node, step));
        if node.again.is_some() { format!("{text} again") } else { text }
    }
}
