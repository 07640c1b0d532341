//! Descent: from the root down the tree to a leaf.

use crate::{Evaluator, Game, MAX_PLAYERS, Meter, MoveOrder, OutOfBudget, Player};

use super::arena::{MOST_VISITS, Node};
use super::playout::grams::Coded;
use super::search::Search;
use super::selection::Played;
use super::shares::{Shares, units};
use super::solver::Proven;
use super::worker::Worker;

/// Visits after which a node is busy: if threads wrote to it at every visit, they would wait for each other. They write
/// many results at once instead.
const BUSY: u32 = 1 << 12;

/// Where a descent has ended.
///
/// Once there is a result, [`Search::back_up`] enters it in the tree; [`Search::abandon`] gives the descent up. Until then the
/// leaf is pending, and others may be collected: a pending visit counts as a loss for everybody (*virtual loss*), so that
/// the next descent goes elsewhere.
pub(super) struct Leaf<G> {
    pub(super) position: G,
    /// The nodes from the root to the leaf.
    pub(super) path: Vec<PathNode>,
    /// The moves played so far, if they are needed: those of the tree first.
    pub(super) line: Vec<Played>,
    /// The same for playouts, if those learn from them.
    pub(super) coded: Vec<Coded>,
    /// The result, if it is known without a playout.
    pub(super) known: Option<Shares>,
    /// Whether the last node has just been proven.
    pub(super) is_new_proof: bool,
}

/// A node on the path of a simulation.
pub(super) struct PathNode {
    pub(super) node: u32,
    pub(super) visit: Visit,
}

/// When a node counts a visit.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Visit {
    /// It has been counted.
    Counted,
    /// With the result, and with those of other visits.
    Deferred,
    /// Never: the node's statistics are full.
    Ignored,
}

impl<G: Game> Leaf<G> {
    pub(super) fn new(game: &G) -> Leaf<G> {
        Leaf {
            position: game.clone(),
            path: Vec::new(),
            line: Vec::new(),
            coded: Vec::new(),
            known: None,
            is_new_proof: false,
        }
    }

    /// Goes back to the root.
    fn reset(&mut self, root: &G) {
        self.position.clone_from(root);
        self.path.clear();
        self.line.clear();
        self.coded.clear();
        (self.known, self.is_new_proof) = (None, false);
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// Descends from the root to a leaf: a node that is new, whose result is known, or whose children find no room.
    ///
    /// If the budget ends it, the leaf must be abandoned.
    pub(super) fn descend(
        &self,
        leaf: &mut Leaf<G>,
        worker: &mut Worker<G>,
        meter: &mut Meter,
    ) -> Result<(), OutOfBudget> {
        leaf.reset(&self.tree.game);
        if self.tree.key.is_hidden {
            leaf.position = self.tree.game.determinize(self.tree.game.turn(), &mut worker.deals);
        }
        let mut at = self.tree.root;
        let mut replying = false;
        loop {
            let node = self.tree.arena.node(at);
            let before = self.enter(node, at, leaf, worker);
            let proven = node.proven();
            if proven.is_exact() {
                leaf.known = Some(self.proven_shares(proven));
                return Ok(());
            }
            let children = match node.children() {
                Some(children) => children,
                None => {
                    if let Some(payoff) = leaf.position.payoff() {
                        let shares = units(&self.playout.reward(&leaf.position, &payoff));
                        if self.settings.proves() {
                            node.prove(Proven::over(&shares[..self.tree.key.players]));
                            leaf.is_new_proof = true;
                        }
                        leaf.known = Some(shares);
                        return Ok(());
                    }
                    // Each simulation adds one node: a new one is played out, and its children are listed when it is
                    // visited again.
                    let is_new = before == 0 && at != self.tree.root;
                    if is_new && self.tree.key.is_hidden {
                        self.list_hidden(node, leaf, worker, meter);
                        return Ok(());
                    }
                    let expanded =
                        if is_new { None } else { self.expand(node, &mut leaf.position, worker, replying, meter) };
                    match expanded {
                        Some(children) => children,
                        None => return Ok(()),
                    }
                }
            };
            let mut children = children;
            let index = match self.halving {
                _ if self.tree.key.is_hidden => {
                    let Some((grown, index)) = self.select_hidden(node, children, leaf, worker) else { return Ok(()) };
                    children = grown;
                    index
                }
                Some(halving) if at == self.tree.root => self.survivor(halving, children),
                _ => {
                    let open = self.open(children, before);
                    let untried = if self.rates_untried() { None } else { node.next(open, self.shared) };
                    match untried {
                        Some(index) => index,
                        None => {
                            let block = self.tree.arena.block(open.first, open.count as usize);
                            self.select(&mut worker.terms, &leaf.path, block, before, proven == Proven::LOST)
                        }
                    }
                }
            };
            let child = self.tree.arena.children(children).node(index);
            meter.tick()?;
            let (player, number) = (child.mover(), child.m());
            if self.keeps_lines {
                leaf.line.push(Played { player, number });
            }
            if self.settings.playout.learns() {
                leaf.coded.push(Coded::new(player, &self.tree.numbers.at(number)));
            }
            replying = self.play(&mut leaf.position, &mut worker.spare, player, self.tree.numbers.at(number), replying);
            at = children.first + index as u32;
        }
    }

    /// Adds a node to the path, and returns its visits before this one.
    ///
    /// The visit counts from now on, and its result only once it is backed up (virtual loss). A busy node counts both
    /// later.
    #[inline]
    fn enter(&self, node: Node<'_>, at: u32, leaf: &mut Leaf<G>, worker: &Worker<G>) -> u32 {
        let (before, visit) = if at == self.tree.root || self.shared && node.visits() >= BUSY {
            (node.visits() + worker.deferred(leaf.path.len(), at), Visit::Deferred)
        } else {
            node.enter(self.shared).map_or((MOST_VISITS, Visit::Ignored), |before| (before, Visit::Counted))
        };
        leaf.path.push(PathNode { node: at, visit });
        before
    }

    fn proven_shares(&self, proven: Proven) -> Shares {
        let mut shares = [0; MAX_PLAYERS];
        for player in Player::all(self.tree.key.players) {
            shares[player.index()] = proven.share(player);
        }
        shares
    }

    /// Plays a move of the tree, and returns whether an opponent of the root, any of them, replies to it.
    #[inline]
    pub(super) fn play(&self, position: &mut G, spare: &mut G, player: Player, m: G::Move, replying: bool) -> bool {
        let Some(any) = self.replies else {
            position.play(m);
            return false;
        };
        let root = self.tree.game.turn();
        if position.turn() != player {
            any.with_turn(position, player, &mut |game| spare.clone_from(game));
            std::mem::swap(position, spare);
        }
        position.play(m);
        if !replying {
            return player == root;
        }
        if position.turn() != root && position.payoff().is_none() && any.is_in(position, root) {
            any.with_turn(position, root, &mut |game| spare.clone_from(game));
            std::mem::swap(position, spare);
        }
        false
    }
}
