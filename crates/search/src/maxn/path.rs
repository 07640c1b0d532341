//! The nodes from the root to the one being searched, and what can be pruned below them.

use super::Pruning;
use crate::recording::{Need, Needs, Reason};
use crate::{Bounds, ByPlayer, Player, Score, ScoreForm};

/// The nodes from the root to the one being searched, each with what is known so far.
#[derive(Debug)]
pub(super) struct Path {
    pruning: Pruning,
    taste: Taste,
    /// How many nodes up a chain, and so a refusal that matters, can reach.
    reach: usize,
    /// One point, in the units of [`Room`].
    point: i64,
    nodes: Vec<Node>,
}

/// A node on the path.
#[derive(Clone, Copy, Debug)]
struct Node {
    player: Player,
    best: Option<Best>,
    /// Number of the child being searched, from the left.
    at: u32,
    /// Whether that is the last child.
    is_last: bool,
    /// The deepest node above that refuses the best.
    refuser: Option<usize>,
    /// What all values here have in common.
    room: Room,
}

/// The best child so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    /// The scores as evaluated.
    scores: ByPlayer<Score>,
    /// Number of the child, from the left.
    at: u32,
    /// What the mover maximizes.
    worth: i64,
}

/// The minimum of each player, and how much more all of them together can have.
///
/// If scores are discrete, "more" is one point more. Otherwise it is more by any amount, for which an eighth of a point
/// stands, since as much for each player does not add up to a whole one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Room {
    least: ByPlayer<i64>,
    rest: i64,
}

impl Room {
    #[inline]
    fn raise(&mut self, player: Player, least: i64) {
        let more = least - self.least[player];
        if more > 0 {
            self.least[player] = least;
            self.rest -= more;
        }
    }

    /// Whether no value is possible.
    #[inline]
    fn is_empty(&self) -> bool {
        self.rest < 0
    }
}

impl Node {
    /// Demands what the child `at` must give the mover to be chosen: as much as the best, or more if the best is further
    /// left.
    #[inline]
    fn demand(&self, room: &mut Room, at: u32, point: i64) {
        if let Some(best) = &self.best {
            room.raise(self.player, best.worth * point + i64::from(best.at < at));
        }
    }

    /// Whether the mover prefers the best to a value of the child being searched.
    #[inline]
    fn refuses(&self, scores: &ByPlayer<Score>, taste: Taste) -> bool {
        self.best.as_ref().is_some_and(|best| {
            let gain = taste.score.value(scores, self.player) - best.worth;
            let harm = |root| taste.score.value(&best.scores, root) - taste.score.value(scores, root);
            match gain {
                0 => match taste.victim.map_or(0, harm) {
                    0 => best.at < self.at,
                    harm => harm < 0,
                },
                gain => gain < 0,
            }
        })
    }
}

/// What players prefer.
#[derive(Clone, Copy, Debug)]
struct Taste {
    score: ScoreForm,
    /// The player whose worse value is taken among those that are the same to the mover, before the left one.
    victim: Option<Player>,
}

impl Path {
    /// The empty path of a search. If there is a `victim`, movers choose the value that is worse for it among equals.
    pub(super) fn new(players: usize, pruning: Pruning, score: ScoreForm, victim: Option<Player>, mu: Score) -> Path {
        let reach = match pruning {
            Pruning::None => 0,
            Pruning::Shallow | Pruning::Bound => 1,
            Pruning::LastBranch | Pruning::Speculative => players - 1,
        };
        Path { pruning, taste: Taste { score, victim }, reach, point: if mu == 0 { 8 } else { 1 }, nodes: Vec::new() }
    }

    /// Number of nodes, which is the depth of the next.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node. Its bounds are computed only if the pruning uses them.
    #[inline]
    pub(super) fn enter(&mut self, player: Player, bounds: impl FnOnce() -> Bounds) {
        let room = match self.nodes.last() {
            Some(parent) if matches!(self.pruning, Pruning::None | Pruning::Shallow) => parent.room,
            _ => {
                let (least, sum) = self.taste.score.bounds(&bounds());
                let least = least.map(|least| least * self.point);
                Room { least, rest: sum * self.point - least.sum() }
            }
        };
        self.nodes.push(Node { player, best: None, at: 0, is_last: false, refuser: None, room });
    }

    /// Removes the last node.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.nodes.pop();
    }

    /// Turns the last node to one of its children.
    #[inline]
    pub(super) fn turn(&mut self, at: u32, is_last: bool) {
        let node = self.last_mut();
        (node.at, node.is_last) = (at, is_last);
    }

    #[inline]
    fn last(&self) -> &Node {
        &self.nodes[self.nodes.len() - 1]
    }

    #[inline]
    fn last_mut(&mut self) -> &mut Node {
        let last = self.nodes.len() - 1;
        &mut self.nodes[last]
    }

    /// The best value of the last node so far.
    #[inline]
    pub(super) fn best(&self) -> Option<ByPlayer<Score>> {
        self.last().best.map(|best| best.scores)
    }

    /// The best value of the root so far.
    pub(super) fn root(&self) -> Option<ByPlayer<Score>> {
        self.nodes.first().and_then(|node| node.best).map(|best| best.scores)
    }

    /// The deepest node above the last one that refuses its best.
    #[inline]
    pub(super) fn refuser(&self) -> Option<usize> {
        self.last().refuser
    }

    /// Offers the last node the value of the child it is turned to; returns whether it is the best so far. Nodes above
    /// `floor` refuse nothing.
    #[inline]
    pub(super) fn offer(&mut self, scores: ByPlayer<Score>, floor: usize) -> bool {
        let taste = self.taste;
        let node = self.last_mut();
        if node.refuses(&scores, taste) {
            return false;
        }
        node.best = Some(Best { scores, at: node.at, worth: taste.score.value(&scores, node.player) });
        let last = self.nodes.len() - 1;
        let top = floor.max(last.saturating_sub(self.reach));
        self.nodes[last].refuser = (top..last).rev().find(|&depth| self.nodes[depth].refuses(&scores, taste));
        true
    }

    /// Whether a value of the node at a depth, which may be the next to be entered, would be refused anywhere on the way to the root.
    pub(super) fn is_refused(&self, scores: &ByPlayer<Score>, depth: usize) -> bool {
        self.nodes[..depth].iter().rev().any(|node| node.refuses(scores, self.taste))
    }

    /// Whether the bounds of the last node differ from those of its parent.
    #[inline]
    pub(super) fn has_news(&self) -> bool {
        matches!(&self.nodes[..], [.., parent, last] if last.room != parent.room)
    }

    /// Immediate pruning: whether the mover prefers the best to all values possible at the child `next` and to the right of
    /// it.
    #[inline]
    pub(super) fn is_content(&self, next: u32) -> bool {
        let node = self.last();
        let mut room = node.room;
        node.demand(&mut room, next, self.point);
        room.is_empty()
    }

    /// The deepest node above the last one whose value cannot come from the last one, if a chain shows that there is one:
    /// neither from its best, nor from the child `next` and to the right of it.
    pub(super) fn dead_up_to(&self, next: u32, floor: usize) -> Option<usize> {
        let last = self.nodes.len() - 1;
        let node = &self.nodes[last];
        let mut room = node.room;
        node.demand(&mut room, next, self.point);
        // The best value of every node of the chain must be refused within the chain. This is the lowest possible head.
        let mut lowest = last;
        if node.best.is_some() {
            lowest = node.refuser?;
        }
        for head in (floor.max(last.saturating_sub(self.reach))..last).rev() {
            let node = &self.nodes[head];
            node.demand(&mut room, node.at, self.point);
            if room.is_empty() && head <= lowest {
                return Some(head);
            }
            // It is not the head, but a node in between.
            if node.best.is_some() {
                lowest = lowest.min(node.refuser?);
            }
            if self.pruning == Pruning::LastBranch && !node.is_last {
                return None;
            }
        }
        None
    }

    /// Who moves at the last node.
    pub(super) fn mover(&self) -> Player {
        self.last().player
    }

    /// Why no value of the child `next` and to the right of it becomes that of the node at depth `head`, which has been shown: what the
    /// players need for it, and the weakest pruning that finds it. `number` numbers the nodes of the path.
    #[cold]
    #[inline(never)]
    pub(super) fn needs(&self, next: u32, head: usize, number: impl Fn(usize) -> usize) -> (Needs, Reason) {
        let last = self.nodes.len() - 1;
        let chain = || (head..=last).rev();
        let place = |depth: usize| if depth == last { next } else { self.nodes[depth].at };
        let room = self.nodes[last].room;
        let most = (room.least.sum() + room.rest) / self.point;
        let mut each = room.least.map(|least| Need { least: least / self.point, more: false, at: None });
        for depth in chain() {
            let Node { player, best: Some(best), .. } = &self.nodes[depth] else { continue };
            let need = Need { least: best.worth, more: best.at < place(depth), at: Some(number(depth)) };
            if (need.least, need.more) > (each[*player].least, each[*player].more) {
                each[*player] = need;
            }
        }
        // With the bounds of the root.
        let mut room = self.nodes[0].room;
        for depth in chain() {
            self.nodes[depth].demand(&mut room, place(depth), self.point);
        }
        let reason = if !room.is_empty() {
            Reason::Bound
        } else if head + 1 >= last {
            Reason::Shallow
        } else if (head + 1..last).all(|depth| self.nodes[depth].is_last) {
            Reason::LastBranch
        } else {
            Reason::Speculative
        };
        (Needs { head: number(head), each, most, is_whole: self.point == 1 }, reason)
    }
}
