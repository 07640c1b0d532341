//! What the players want, and what that makes of a node: [`Rule`]. Nothing here depends on the game.

use crate::mcts::arena::{Block, Node};
use crate::{Bounds, ByPlayer, MAX_PLAYERS, Player, Score, ScoreForm};

use super::BestFirstPolicy;

/// The scores of the node are exact.
pub(super) const RESOLVED: u8 = 1;
/// The same, and the root player wins alone.
pub(super) const WON: u8 = 2;
/// The same, and the root player gets nothing.
pub(super) const LOST: u8 = 4;

/// The marks of a finished game.
pub(super) fn marks(payoff: &ByPlayer<f32>, root: Player) -> u8 {
    match payoff[root] {
        1.0 => RESOLVED | WON,
        0.0 => RESOLVED | LOST,
        _ => RESOLVED,
    }
}

/// What the players want.
pub(super) struct Rule {
    pub(super) policy: BestFirstPolicy,
    form: ScoreForm,
    root: Player,
    /// The most that each player can get out of a move, by the bounds of the root.
    most: [i64; MAX_PLAYERS],
}

/// What the children of a node say about it.
pub(super) struct Survey {
    /// The mover's best child; of equals a resolved one, then the first.
    pub(super) best: usize,
    /// The best child that can be searched further: of equals the one with the fewest visits, then the first.
    pub(super) open: Option<usize>,
    /// How many can be searched further.
    pub(super) open_count: usize,
    /// The marks of the node: 0 unless it is resolved.
    pub(super) marks: u8,
}

impl Rule {
    /// For a search by this player, who maximizes its scores in this form, as all do in max^n.
    pub(super) fn new(policy: BestFirstPolicy, form: ScoreForm, root: Player, bounds: &Bounds) -> Rule {
        let mut rule = Rule { policy, form, root, most: [i64::MAX; MAX_PLAYERS] };
        for player in Player::all(bounds.min.len()) {
            let mut scores = bounds.min;
            // The best for the player itself; or the worst for the root player, who has its least while others share the rest.
            let rich = if rule.is_against_root(player) { root.next(bounds.min.len()) } else { player };
            scores[rich] = bounds.max(rich);
            rule.most[player.index()] = rule.worth(&scores, player);
        }
        rule
    }

    fn is_against_root(&self, player: Player) -> bool {
        self.policy != BestFirstPolicy::MaxN && player != self.root
    }

    /// What scores are worth to a player.
    pub(super) fn worth(&self, scores: &ByPlayer<Score>, player: Player) -> i64 {
        if self.is_against_root(player) { -self.form.value(scores, self.root) } else { self.form.value(scores, player) }
    }

    /// The same of a node.
    #[inline]
    fn worth_of(&self, node: Node<'_>, player: Player) -> i64 {
        match self.form {
            ScoreForm::Own | ScoreForm::Share if self.is_against_root(player) => -i64::from(node.score(self.root)),
            ScoreForm::Own | ScoreForm::Share => i64::from(node.score(player)),
            ScoreForm::Difference | ScoreForm::Relative => self.worth(&node.scores(), player),
        }
    }

    /// Looks at the children of a node, of which those in `avoided` cannot be searched now.
    pub(super) fn survey(&self, block: Block<'_>, first: u32, avoided: &[u32]) -> Survey {
        let mover = block.node(0).mover();
        let mut survey = Survey { best: 0, open: None, open_count: 0, marks: 0 };
        let (mut best, mut open) = ((i64::MIN, false), (i64::MIN, 0));
        let (mut best_marks, mut is_complete) = (0, true);
        for (index, node) in block.nodes().enumerate() {
            let marks = node.marks();
            let worth = self.worth_of(node, mover);
            if (worth, marks != 0) > best || index == 0 {
                (best, best_marks, survey.best) = ((worth, marks != 0), marks, index);
            }
            if marks != 0 {
                continue;
            }
            is_complete = false;
            if node.is_claimed() || avoided.contains(&(first + index as u32)) {
                continue;
            }
            survey.open_count += 1;
            let visits = node.visits();
            if survey.open.is_none() || worth > open.0 || worth == open.0 && visits < open.1 {
                (open, survey.open) = ((worth, visits), Some(index));
            }
        }
        if is_complete || best_marks != 0 && best.0 >= self.most[mover.index()] {
            survey.marks = best_marks;
        }
        survey
    }

    /// The moves of the root in the order in which they would be played: by value if the root is resolved, otherwise
    /// resolved wins, then all that are not resolved losses, then by visits, then by value.
    pub(super) fn ranking(&self, block: Block<'_>, is_resolved: bool) -> Vec<usize> {
        let standing = |index: usize| {
            let node = block.node(index);
            let (marks, worth) = (node.marks(), self.worth_of(node, self.root));
            let class = i64::from(marks & WON != 0) - i64::from(marks & LOST != 0);
            match is_resolved {
                true => (worth, i64::from(marks != 0), 0),
                false => (class, i64::from(node.visits()), worth),
            }
        };
        let mut places: Vec<usize> = (0..block.nodes().count()).collect();
        places.sort_by_cached_key(|&index| std::cmp::Reverse(standing(index)));
        places
    }
}
