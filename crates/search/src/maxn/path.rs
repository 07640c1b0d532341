//! The nodes from the root to the one being searched, and what may be left out below them.

use super::Pruning;
use crate::{Bounds, ByPlayer, Player, Score, ScoreForm};

/// The nodes from the root to the one being searched: what each of them knows so far.
#[derive(Debug)]
pub(super) struct Path {
    pruning: Pruning,
    taste: Taste,
    /// How far up a chain reaches, and so a refusal that matters.
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
    /// The child being searched, counted from the left.
    at: u32,
    /// Whether no child comes after that.
    is_last: bool,
    /// The deepest node above that refuses the best.
    refuser: Option<usize>,
    /// What is known of all values here.
    room: Room,
}

/// The best child so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    /// The value, as evaluated.
    scores: ByPlayer<Score>,
    /// Which child, counted from the left.
    at: u32,
    /// What the value is worth to the mover.
    worth: i64,
}

/// What each player has at least, and how much more all together can have.
///
/// If scores are discrete, to have more is to have a point more. Otherwise it is to have more by no matter how little:
/// an eighth of a point stands for that, since as much for each player does not add up to a whole one.
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
    /// Demands what a value of the child `at` must be worth to the mover to be chosen: as much as the best, or more if
    /// the best lies further left.
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

/// What players want.
#[derive(Clone, Copy, Debug)]
struct Taste {
    score: ScoreForm,
    /// Who has the worse of two values that are worth the same to the mover, before the left one is taken.
    victim: Option<Player>,
}

impl Path {
    /// The empty path of a search. If `victim` is named, that player has the worse of two values that are equal to the
    /// mover.
    pub(super) fn new(players: usize, pruning: Pruning, score: ScoreForm, victim: Option<Player>, mu: Score) -> Path {
        let reach = match pruning {
            Pruning::None => 0,
            Pruning::Shallow | Pruning::Bound => 1,
            Pruning::LastBranch | Pruning::Speculative => players - 1,
        };
        Path { pruning, taste: Taste { score, victim }, reach, point: if mu == 0 { 8 } else { 1 }, nodes: Vec::new() }
    }

    /// How many nodes there are: the depth of the next.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node. Its bounds are asked for only if the pruning uses them.
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

    /// Takes the last node away.
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

    /// The deepest node above the last one that refuses its best.
    #[inline]
    pub(super) fn refuser(&self) -> Option<usize> {
        self.last().refuser
    }

    /// Gives the last node the value of the child it is turned to; says whether it is the best so far. Nodes above
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

    /// Whether a value of the next node to be entered would be refused anywhere on the way to the root.
    pub(super) fn is_refused(&self, scores: &ByPlayer<Score>) -> bool {
        self.nodes.iter().rev().any(|node| node.refuses(scores, self.taste))
    }

    /// Whether the bounds of the last node say more than those of its parent.
    #[inline]
    pub(super) fn has_news(&self) -> bool {
        matches!(&self.nodes[..], [.., parent, last] if last.room != parent.room)
    }

    /// Immediate pruning: whether the mover prefers the best to all values that are possible at the child `next` and to
    /// the right of it.
    #[inline]
    pub(super) fn is_content(&self, next: u32) -> bool {
        let node = self.last();
        let mut room = node.room;
        node.demand(&mut room, next, self.point);
        room.is_empty()
    }

    /// The deepest node above the last one whose value the last one cannot give, if a chain shows that there is one:
    /// neither is it the best, nor a value that is possible at the child `next` and to the right of it.
    pub(super) fn dead_up_to(&self, next: u32, floor: usize) -> Option<usize> {
        let last = self.nodes.len() - 1;
        let node = &self.nodes[last];
        let mut room = node.room;
        node.demand(&mut room, next, self.point);
        // All that the nodes of the chain have as their best must be refused in the chain. This is as far down as its
        // head may be.
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
}
