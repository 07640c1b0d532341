//! The decision: which move of the root is played, and the statistics of all of them.
//!
//! Proven wins come first and proven losses last. Between the others [`FinalChoice`] decides. The best *rate* is the best guess, but one lucky game of
//! a move that was hardly tried may have it. The most *visits* are where the search has kept going back to, so that chance matters less, but it
//! notices late that a move which did well does so no longer. The *lower confidence bound* asks which rate a move has at least, with a
//! probability of 97.5 %: the lower end of Wilson's interval of 95 % for s of n games, p = s/n and z = 1.96,
//!
//! ```text
//! (p + z²/2n − z · sqrt(p · (1 − p) / n + z²/4n²)) / (1 + z²/n)
//! ```
//!
//! In this tree, where points are what counts (`reward=points`), the first move is worth 0.6. After the second player 1 moves again. Its playout finds the
//! leaf with all points, and the next simulation has to try the other one. After three playouts the first move has a rate of 0.6 by one, the
//! second of 1/2 by two:
//!
//! ```text
//!              1
//!       ┌──────┴──────▲
//!      6,4            1
//!                ┌────┴────▲
//!              0,10      10,0
//! ```
//!
//! ```
//! use nply::testing::plain_wilson;
//! use nply::{Agent, AsListed, Budget, Mcts, Tree, settings, tree::LeafScores};
//! let tree: Tree = "(1 6,4 (1 0,10 10,0))".parse().unwrap();
//! let search = |choose: &str| {
//!     let mut mcts = Mcts::new(LeafScores, AsListed, 1);
//!     settings::read(&mut mcts.settings, &format!("choose={choose},reward=points,epsilon=0,c=0,w=0")).unwrap();
//!     let found = mcts.choose(&tree, &Budget::playouts(3));
//!     assert_eq!(mcts.statistics().iter().map(|m| m.visits).collect::<Vec<_>>(), [1, 2]);
//!     (found.m, found.value.unwrap())
//! };
//! assert_eq!(search("rate"), (1, 0.6));
//! assert_eq!(search("visits"), (2, 0.5));
//! // At least 0.077 by one game, and 0.095 by two.
//! let least = [plain_wilson(0.6, 1.0), plain_wilson(0.5, 2.0)].map(|rate| (rate * 1000.0).round());
//! assert_eq!((least, search("lcb")), ([77.0, 95.0], (2, 0.5)));
//! ```
//!
//! Of equals the one with more visits is played, with `visits` the one with the better rate, and then the first of the ordering. None of the three looks at
//! what evaluations promise.

use std::sync::PoisonError;

use crate::{ByPlayer, Decision, Evaluator, Game, Line, MoveOrder, Player, Stance};

use super::arena::{Block, Node};
use super::search::Search;
use super::search_tree::SearchTree;
use super::shares::UNIT;
use super::solver::{Proof, Proven};
use super::{FinalChoice, Reward};

/// What simulations have shown of a move of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics<M> {
    /// The move.
    pub m: M,
    /// Simulations that played it.
    pub visits: u64,
    /// Every player's expected share, if anything is known.
    pub shares: Option<ByPlayer<f64>>,
    /// What is proven of the position after it.
    pub proof: Option<Proof>,
}

impl<G: Game> SearchTree<G> {
    /// The moves of the root, in the order in which they were tried.
    pub(super) fn statistics(&self) -> Vec<MoveStatistics<G::Move>> {
        let Some(children) = self.arena.node(self.root).children() else { return Vec::new() };
        let players = self.key.players;
        let statistics = |child: Node<'_>| MoveStatistics {
            m: self.numbers.at(child.m()),
            visits: u64::from(child.visits()),
            shares: expected(child, players),
            proof: child.proven().proof(players, self.game.turn()),
        };
        self.arena.children(children).nodes().map(statistics).collect()
    }

    /// The principal variation that starts with a child of the root: the most visited moves, but a proven win of the
    /// mover first.
    fn line<'a>(&'a self, mut node: Node<'a>) -> Vec<G::Move> {
        let mut line = vec![self.numbers.at(node.m())];
        while let Some(children) = node.children() {
            let Some(next) = best_reply(self.arena.children(children)) else { break };
            if next.visits() == 0 {
                break;
            }
            line.push(self.numbers.at(next.m()));
            node = next;
        }
        line
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// The decision by what is known so far.
    pub(super) fn decide(&self) -> Decision<G::Move> {
        let SearchTree { arena, game, .. } = self.tree;
        let Some(children) = arena.node(self.tree.root).children() else {
            let mut moves = Vec::new();
            game.moves(&mut moves);
            return Decision::blind(self.order.first(game, Stance::Own, &moves));
        };
        let turn = game.turn();
        let mut left: Vec<Candidate<'_>> = self.candidates(arena.children(children));
        let mut lines = vec![self.take_best(&mut left, turn)];
        let count = self.settings.lines.min(left.len() + 1);
        while lines.len() < count {
            let line = self.take_best(&mut left, turn);
            // The rest has not been tried.
            if line.value.is_none() {
                break;
            }
            lines.push(line);
        }
        let Line { value, scores, chances, pv } = lines[0].clone();
        if self.settings.lines == 1 {
            lines.clear();
        }
        Decision { value, scores, chances, lines, ..Decision::along(pv) }
    }

    /// The moves of the root, each with whether halving has left it out.
    fn candidates<'a>(&self, block: Block<'a>) -> Vec<Candidate<'a>> {
        let halving = self.halving.map(|halving| halving.lock().unwrap_or_else(PoisonError::into_inner));
        let survives = |place| halving.as_ref().is_none_or(|halving| halving.survives(place));
        block.nodes().enumerate().map(|(place, node)| (node, survives(place))).collect()
    }

    /// Takes the best node, the first of equals, out of several children of the root; there is at least one.
    fn take_best(&self, nodes: &mut Vec<Candidate<'_>>, turn: Player) -> Line<G::Move> {
        let standing = |(node, survives): Candidate<'_>| {
            let mut standing = Standing::of(node, self.tree.key.players, turn);
            if survives && standing.class == Class::Rated {
                standing.class = Class::Survivor;
            }
            standing
        };
        let mut best = 0;
        for next in 1..nodes.len() {
            if standing(nodes[next]).beats(&standing(nodes[best]), self.settings.choose) {
                best = next;
            }
        }
        let (best, _) = nodes.remove(best);
        let scores = expected(best, self.tree.key.players);
        // What is not a share of the win is no chance.
        let chances = scores.filter(|_| self.settings.reward == Reward::Win);
        Line { value: scores.map(|scores| scores[turn]), scores, chances, pv: self.tree.line(best) }
    }
}

/// A move of the root, and whether it is still in question.
type Candidate<'a> = (Node<'a>, bool);

/// The child that a principal variation goes on with: the most visited, but a proven win of the mover first.
pub(super) fn best_reply(block: Block<'_>) -> Option<Node<'_>> {
    let key = |child: &Node<'_>| (child.proven() == Proven::won(child.mover()), child.visits());
    // The first of equals.
    block.nodes().reduce(|a, b| if key(&b) > key(&a) { b } else { a })
}

/// Every player's expected share at a node, if anything is known.
pub(super) fn expected(node: Node<'_>, players: usize) -> Option<ByPlayer<f64>> {
    let proven = node.proven();
    if proven.is_exact() {
        return Some(ByPlayer::from_fn(players, |player| f64::from(proven.share(player)) / f64::from(UNIT)));
    }
    let sum: u64 = node.shares().take(players).map(u64::from).sum();
    (sum > 0).then(|| ByPlayer::from_fn(players, |player| f64::from(node.share(player)) / sum as f64))
}

/// How good a move of the root is: what is proven, then what [`FinalChoice`] compares.
pub(super) struct Standing {
    class: Class,
    share: u64,
    sum: u64,
    /// Whether the rate is proven.
    is_exact: bool,
    visits: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Lost,
    Untried,
    /// It has a rate.
    Rated,
    /// The same, and nothing has left it out.
    Survivor,
    Won,
}

impl Standing {
    pub(super) fn of(node: Node<'_>, players: usize, player: Player) -> Standing {
        let proven = node.proven();
        let mut share = u64::from(node.share(player));
        let mut sum: u64 = node.shares().take(players).map(u64::from).sum();
        let class = match proven.is_proven().then(|| proven.root_share(player)) {
            Some(UNIT) => Class::Won,
            Some(0) => Class::Lost,
            Some(exact) => {
                (share, sum) = (u64::from(exact), u64::from(UNIT));
                Class::Rated
            }
            None if sum == 0 => Class::Untried,
            None => Class::Rated,
        };
        Standing { class, share, sum, is_exact: proven.is_proven(), visits: node.visits() }
    }

    pub(super) fn beats(&self, other: &Standing, choose: FinalChoice) -> bool {
        let rate = |a: &Standing, b: &Standing| u128::from(a.share) * u128::from(b.sum);
        let (rates, visits) = ((rate(self, other), rate(other, self)), (self.visits, other.visits));
        let class = self.class.cmp(&other.class);
        let order = match choose {
            FinalChoice::Rate => rates.0.cmp(&rates.1).then(visits.0.cmp(&visits.1)),
            FinalChoice::Visits => visits.0.cmp(&visits.1).then(rates.0.cmp(&rates.1)),
            FinalChoice::Lcb => self.least().total_cmp(&other.least()).then(visits.0.cmp(&visits.1)),
        };
        class.then(order).is_gt()
    }

    /// The lower end of Wilson's interval of 95 % for the rate; the rate itself where it is exact.
    fn least(&self) -> f64 {
        const Z: f64 = 1.96;
        let Standing { share, sum, is_exact, .. } = *self;
        if sum == 0 || is_exact {
            return share as f64 / sum.max(1) as f64;
        }
        let (rate, n) = (share as f64 / sum as f64, sum as f64 / f64::from(UNIT));
        let spread = (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
        (rate + Z * Z / (2.0 * n) - Z * spread) / (1.0 + Z * Z / n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::plain_wilson;

    #[test]
    fn the_least_rate_is_the_end_of_wilsons_interval() {
        for games in [1, 2, 3, 10, 47, 1000, 1 << 22] {
            for part in 0..=20u64 {
                let sum = games * u64::from(UNIT);
                let share = sum * part / 20;
                let standing = Standing { class: Class::Rated, share, sum, is_exact: false, visits: games as u32 };
                let (found, rate) = (standing.least(), share as f64 / sum as f64);
                assert!((found - plain_wilson(rate, games as f64)).abs() < 1e-9, "{rate} of {games}: {found}");
                assert_eq!(Standing { is_exact: true, ..standing }.least(), rate);
            }
        }
    }
}
