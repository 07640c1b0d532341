//! Selection: which child of a node a descent continues with.
//!
//! Children are compared by a sum of [terms](SelectionTerm). A term is a type of its own, with whatever it learns from
//! simulations; another one is a file and a place in [`Terms`].

mod grave;
mod oma;
mod progressive_history;
mod uct;

use crate::{Evaluator, Game, MoveOrder, Player};

use super::MctsSettings;
use super::arena::{Block, Node};
use super::descent::PathNode;
use super::records::Record;
use super::search::Search;
use super::shares::{Shares, UNIT};

use progressive_history::ProgressiveHistory;
use uct::Uct;

pub(super) use uct::ln;

/// The value by which children are compared. Each thread has one.
pub(super) type Terms = (Uct, ProgressiveHistory);

/// A term of the value by which children are compared.
pub(super) trait SelectionTerm: Default {
    /// The most bytes that it keeps for each player and move.
    const BYTES: usize = 0;

    /// Adopts the settings of a decision.
    fn begin(&mut self, settings: &MctsSettings, players: usize);

    /// Turns to the children of a node with so many visits.
    fn enter(&mut self, _visits: u32) {}

    /// The value of a child of the node.
    fn value(&self, child: &Child) -> f64;

    /// Shows the parts of that value, each with its name.
    fn explain(&self, child: &Child, each: &mut dyn FnMut(&'static str, f64));

    /// Whether it learns from the moves of simulated games.
    fn learns(&self) -> bool {
        false
    }

    /// Learns from the moves of a simulated game, and from the units that each player counts as its own.
    fn learn(&mut self, _line: &[Played], _gains: &Shares) {}

    /// Forgets what it has learned.
    fn clear(&mut self) {}
}

/// A child as terms see it. They see only those that have been visited.
pub(super) struct Child {
    /// The player who chooses it.
    player: Player,
    /// The number of the move.
    number: u32,
    /// Visits, with virtual ones.
    visits: f64,
    /// The shares that they brought the chooser.
    share: f64,
    /// The part of the win that evaluations promise the chooser; 0 if they are not kept.
    implicit: f64,
}

/// A move of a simulated game.
#[derive(Clone, Copy)]
pub(super) struct Played {
    pub(super) player: Player,
    /// The number of the move.
    pub(super) number: u32,
}

/// The sum of two terms.
impl<A: SelectionTerm, B: SelectionTerm> SelectionTerm for (A, B) {
    const BYTES: usize = A::BYTES + B::BYTES;

    fn begin(&mut self, settings: &MctsSettings, players: usize) {
        self.0.begin(settings, players);
        self.1.begin(settings, players);
    }

    #[inline]
    fn enter(&mut self, visits: u32) {
        self.0.enter(visits);
        self.1.enter(visits);
    }

    #[inline]
    fn value(&self, child: &Child) -> f64 {
        self.0.value(child) + self.1.value(child)
    }

    fn explain(&self, child: &Child, each: &mut dyn FnMut(&'static str, f64)) {
        self.0.explain(child, each);
        self.1.explain(child, each);
    }

    #[inline]
    fn learns(&self) -> bool {
        self.0.learns() || self.1.learns()
    }

    #[inline]
    fn learn(&mut self, line: &[Played], gains: &Shares) {
        self.0.learn(line, gains);
        self.1.learn(line, gains);
    }

    fn clear(&mut self) {
        self.0.clear();
        self.1.clear();
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// Selects a child of the last node of a path, which has so many visits. One that is proven to give the chooser nothing is
    /// selected only if all are; below a node that is lost for the root, it is one that is not proven to be lost.
    pub(super) fn select(
        &self,
        terms: &mut Terms,
        path: &[PathNode],
        block: Block<'_>,
        visits: u32,
        lost: bool,
    ) -> usize {
        terms.enter(visits);
        if self.is_guided {
            return self.select_guided(terms, path, block, lost);
        }
        self.select_by(block, lost, |node, visits, player, against| {
            (visits > 0).then(|| terms.value(&self.child(node, visits, player, against)))
        })
    }

    #[inline(never)]
    fn select_guided(&self, terms: &Terms, path: &[PathNode], block: Block<'_>, lost: bool) -> usize {
        let guide = self.guide(path.iter().map(|at| at.node), block.node(0).mover());
        self.select_by(block, lost, |node, visits, player, against| {
            let child = self.child(node, visits, player, against);
            self.guided_value(terms, &child, self.record(guide, &child))
        })
    }

    /// Selects the child with the greatest value, or the first without one.
    #[inline]
    fn select_by(
        &self,
        block: Block<'_>,
        lost: bool,
        mut value: impl FnMut(Node<'_>, u32, Player, bool) -> Option<f64>,
    ) -> usize {
        let root = self.tree.game.turn();
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        let (mut shut_best, mut shut_most) = (0, f64::NEG_INFINITY);
        for (index, node) in block.nodes().enumerate() {
            let player = node.mover();
            let against = self.is_against_root(player);
            let Some(value) = value(node, node.visits(), player, against) else { return index };
            let proven = node.proven();
            let shut = if lost {
                !proven.is_proven() || proven.root_share(root) > 0
            } else if !proven.is_proven() {
                false
            } else if player == root {
                proven.root_share(root) == 0
            } else if against {
                proven.root_share(root) == UNIT
            } else {
                proven.is_exact() && proven.share(player) == 0
            };
            if shut {
                if value > shut_most {
                    (shut_best, shut_most) = (index, value);
                }
            } else if value > most {
                (best, most) = (index, value);
            }
        }
        if most == f64::NEG_INFINITY { shut_best } else { best }
    }

    /// Whether children that have not been tried have values like the others. Otherwise they are tried first, in their order.
    #[inline]
    pub(super) fn rates_untried(&self) -> bool {
        self.is_guided && (self.tree.key.has_amaf || self.tree.key.has_prior())
    }

    /// The node whose records have a part in the choice of a player at the end of a path from the root, by its number; 0 for none.
    fn guide(&self, path: impl DoubleEndedIterator<Item = u32>, player: Player) -> u32 {
        match (self.settings.grave, self.settings.oma) {
            (Some(visits), _) => self.reference(path, visits),
            (None, Some(_)) if player == self.tree.game.turn() => self.after_own_move(path),
            _ => 0,
        }
    }

    /// What a node's records have of a child's move.
    fn record(&self, guide: u32, child: &Child) -> Record {
        match &self.tree.records {
            Some(records) if guide != 0 => records.get(guide, Played { player: child.player, number: child.number }),
            _ => Record::default(),
        }
    }

    /// The value of a child by more than its own results; `None` if nothing is known of it.
    fn guided_value(&self, terms: &Terms, child: &Child, record: Record) -> Option<f64> {
        if self.tree.key.has_amaf {
            let (rate, amaf) = grave::parts(child, record, self.settings.bias)?;
            let implicit = self.settings.implicit;
            return Some((1.0 - implicit) * (rate + amaf) + implicit * child.implicit);
        }
        (child.visits > 0.0).then(|| terms.value(child) + self.abstraction(child, record))
    }

    /// What the abstraction of the opponents' moves adds to a child's value.
    fn abstraction(&self, child: &Child, record: Record) -> f64 {
        let Some(k) = self.settings.oma else { return 0.0 };
        (1.0 - self.settings.implicit) * oma::shift(child, child.visits - self.settings.prior, record, k.into())
    }

    /// A node as terms see it.
    #[inline(always)]
    pub(super) fn child(&self, node: Node<'_>, visits: u32, player: Player, against: bool) -> Child {
        let root = self.tree.game.turn();
        let sum = if against {
            // Not what is missing of the visits: pending ones have given nobody a share yet.
            Player::all(self.tree.key.players).filter(|&other| other != root).map(|other| node.share(other)).sum()
        } else {
            node.share(player)
        };
        let share = f64::from(sum) * (1.0 / f64::from(UNIT));
        let mut child = Child { player, number: node.m(), visits: f64::from(visits), share, implicit: 0.0 };
        if self.is_evaluated {
            self.add_evaluations(&mut child, node);
        }
        child
    }

    /// Adds what evaluations have shown when a node was made.
    #[inline(never)]
    fn add_evaluations(&self, child: &mut Child, node: Node<'_>) {
        if self.tree.key.has_implicit {
            child.implicit = self.promise(node, child.player).into();
        }
        if self.tree.key.has_prior() {
            child.visits += self.settings.prior;
            child.share += self.settings.prior * self.prior(node);
        }
    }

    /// The terms of a visited child, by name. The path leads from the root to its parent, which has so many visits.
    pub(super) fn explain_child(
        &self,
        terms: &mut Terms,
        path: &[u32],
        visits: u32,
        node: Node<'_>,
    ) -> Vec<(&'static str, f64)> {
        let player = node.mover();
        let child = self.child(node, node.visits(), player, self.is_against_root(player));
        let mut all = Vec::new();
        terms.enter(visits);
        let mut each = |name, value| all.push((name, value));
        let record = self.record(self.guide(path.iter().copied(), player), &child);
        if self.tree.key.has_amaf {
            let implicit = self.settings.implicit;
            if let Some((rate, amaf)) = grave::parts(&child, record, self.settings.bias) {
                each("rate", (1.0 - implicit) * rate);
                each("amaf", (1.0 - implicit) * amaf);
            }
            if implicit > 0.0 {
                each("implicit", implicit * child.implicit);
            }
        } else {
            terms.explain(&child, &mut each);
            if self.settings.oma.is_some() {
                each("abstraction", self.abstraction(&child, record));
            }
        }
        let sum = all.iter().map(|(_, value)| value).sum::<f64>();
        debug_assert!((sum - self.guided_value(terms, &child, record).unwrap_or(sum)).abs() < 1e-9);
        all
    }
}
