//! The tree of a decision, and what is kept of it for the next one.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use crate::{Game, Player};

use super::arena::{Arena, Node, Room};
use super::numbers::{self, MoveNumbers};
use super::records::Records;
use super::selection::{SelectionTerm, Terms};
use super::{MctsSettings, Reward, Solver, TreePolicy};

/// A part of the tree is kept if it has at least one in so many of the visits.
const KEPT_PART: u32 = 1000;

/// A tree with the position at its root.
pub(super) struct SearchTree<G: Game> {
    pub(super) arena: Arena,
    pub(super) numbers: MoveNumbers<G::Move>,
    /// What moves have brought below nodes, if nodes gather that.
    pub(super) records: Option<Records>,
    pub(super) root: u32,
    pub(super) game: G,
    pub(super) key: TreeKey,
}

/// Everything that the statistics of a tree depend on: if any of it changes, the tree is useless.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct TreeKey {
    pub(super) players: usize,
    /// The root player, if the tree is seen from its side.
    root: Option<Player>,
    policy: TreePolicy,
    solver: Solver,
    reward: Reward,
    pub(super) has_implicit: bool,
    /// Moves on each ply of the searches below new children, if there are any.
    prior: Option<usize>,
    /// Whether each simulation has a deal of its own.
    pub(super) is_hidden: bool,
    has_history: bool,
    /// Whether nodes gather what all moves have brought (GRAVE).
    pub(super) has_amaf: bool,
    /// Whether nodes gather what the root player's next moves have brought.
    pub(super) has_abstraction: bool,
    memory: usize,
    pub(super) threads: usize,
}

impl TreeKey {
    pub(super) fn new<G: Game>(game: &G, settings: &MctsSettings, is_hidden: bool) -> TreeKey {
        let is_one_sided =
            settings.policy != TreePolicy::MaxN || settings.solver == Solver::Paranoid || settings.oma.is_some();
        TreeKey {
            players: game.player_count(),
            root: is_one_sided.then(|| game.turn()),
            policy: settings.policy,
            solver: settings.solver,
            reward: settings.reward,
            has_implicit: settings.implicit > 0.0,
            prior: (settings.prior > 0.0).then_some(settings.k),
            is_hidden,
            has_history: settings.has_history(),
            has_amaf: settings.grave.is_some(),
            has_abstraction: settings.oma.is_some(),
            memory: settings.memory,
            threads: settings.threads.max(1),
        }
    }

    /// Words of a node that depend on the settings: shares, implicit shares, how often its move was legal, its prior, and its number
    /// among the nodes that have records.
    fn words(self) -> usize {
        self.record_word() + usize::from(self.has_records())
    }

    /// The place of a node's prior, after the shares of all players.
    #[inline]
    pub(super) fn prior_word(self) -> usize {
        self.players * (1 + usize::from(self.has_implicit)) + usize::from(self.is_hidden)
    }

    /// The place of a node's number among those that have records, after the shares of all players.
    #[inline]
    pub(super) fn record_word(self) -> usize {
        self.prior_word() + usize::from(self.has_prior())
    }

    /// Whether children begin with virtual visits.
    #[inline]
    pub(super) fn has_prior(self) -> bool {
        self.prior.is_some()
    }

    /// Whether more than a node's own results decides at it.
    pub(super) fn is_guided(self) -> bool {
        self.has_records() || self.has_prior()
    }

    fn has_records(self) -> bool {
        self.has_amaf || self.has_abstraction
    }

    /// Bytes that each different move takes at most.
    fn move_bytes<G: Game>(self) -> usize {
        MoveNumbers::<G::Move>::bytes_each() + self.threads * self.players * Terms::BYTES
    }

    /// Bytes for tables of moves: a sixteenth of all.
    fn table_memory<G: Game>(self) -> usize {
        (self.memory / 16).max(numbers::LEAST as usize * self.move_bytes::<G>())
    }

    /// Bytes for records: a quarter of all, if there are any.
    fn record_memory(self) -> usize {
        if self.has_records() { self.memory / 4 } else { 0 }
    }

    fn arena_memory<G: Game>(self) -> usize {
        self.memory.saturating_sub(self.table_memory::<G>() + self.record_memory())
    }
}

impl<G: Game> SearchTree<G> {
    /// A tree without nodes; [`plant`](SearchTree::plant) makes the first.
    pub(super) fn new(game: &G, key: TreeKey) -> SearchTree<G> {
        SearchTree {
            arena: Arena::new(key.words(), key.arena_memory::<G>(), key.threads),
            numbers: MoveNumbers::new(key.table_memory::<G>() / key.move_bytes::<G>()),
            records: key.has_records().then(|| Records::new(key.record_memory())),
            root: 0,
            game: game.clone(),
            key,
        }
    }

    /// Replaces all nodes by a new root.
    pub(super) fn plant(&mut self, game: &G, room: &mut Room) {
        self.arena.clear();
        if let Some(records) = &mut self.records {
            records.clear();
        }
        self.game.clone_from(game);
        self.root = self.arena.allocate(room, 1).expect("an arena has room for one node");
        self.arena.node(self.root).start(game.turn(), 0);
    }

    /// Whether a table should grow before much more is added.
    #[inline]
    pub(super) fn is_crowded(&self) -> bool {
        self.numbers.is_crowded() || self.records.as_ref().is_some_and(Records::is_crowded)
    }

    /// Grows the tables that are crowded.
    pub(super) fn make_room(&mut self) {
        if self.numbers.is_crowded() {
            self.numbers.grow();
        }
        if let Some(records) = self.records.as_mut().filter(|records| records.is_crowded()) {
            records.grow();
        }
    }

    /// The number of a node among those that have records; 0 if it has none.
    #[inline]
    pub(super) fn record_number(&self, at: u32) -> u32 {
        self.arena.node(at).word(self.key.record_word()).load(Ordering::Relaxed)
    }

    /// Drops the records of nodes that are not in the tree any more, if room for others is scarce.
    fn keep_records(&mut self) {
        if !self.records.as_ref().is_some_and(Records::is_scarce) {
            return;
        }
        let (mut kept, mut open) = (HashSet::new(), vec![self.root]);
        while let Some(at) = open.pop() {
            kept.insert(self.record_number(at));
            open.extend(self.arena.node(at).children().into_iter().flat_map(|c| c.first..c.first + c.count));
        }
        if let Some(records) = &mut self.records {
            records.retain(&kept);
        }
    }

    /// The node of a position at most one round of moves away, unless it has too few visits to be worth keeping.
    pub(super) fn find(&self, game: &G) -> Option<u32> {
        // The game does not follow a tree in which only one opponent replies.
        if self.key.policy == TreePolicy::Brs || game.history_matters() {
            return None;
        }
        let least = (self.arena.node(self.root).visits() / KEPT_PART).max(1);
        let mut found = None;
        self.find_below(self.root, &mut self.game.clone(), self.key.players, game.key(), least, &mut found);
        let (_, node) = found?;
        self.has_moves(node, game).then_some(node)
    }

    /// Finds the most visited node with a key at or below a node.
    fn find_below(&self, at: u32, game: &mut G, plies: usize, key: u64, least: u32, found: &mut Option<(u32, u32)>) {
        let node = self.arena.node(at);
        if game.key() == key {
            *found = (*found).max(Some((node.visits(), at)));
            return;
        }
        let Some(children) = node.children().filter(|_| plies > 0) else { return };
        for (index, child) in self.arena.children(children).nodes().enumerate() {
            if child.visits() >= least {
                let next = children.first + index as u32;
                let m = self.numbers.at(child.m());
                game.visit(m, |game| self.find_below(next, game, plies - 1, key, least, found));
            }
        }
    }

    /// Whether the moves of a node, if they have been listed, are those of a position.
    fn has_moves(&self, node: u32, game: &G) -> bool {
        let Some(children) = self.arena.node(node).children() else { return true };
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let is_legal = |child: Node<'_>| child.mover() == game.turn() && moves.contains(&self.numbers.at(child.m()));
        moves.len() == children.count as usize && self.arena.children(children).nodes().all(is_legal)
    }

    /// Makes a node the root. If room is scarce, the rest is freed, and new nodes go to the room that is returned.
    pub(super) fn keep(&mut self, root: u32, game: &G) -> Option<Room> {
        self.root = root;
        self.game.clone_from(game);
        self.keep_records();
        if !self.arena.is_half_full() {
            return None;
        }
        self.arena.trim();
        let memory = self.key.arena_memory::<G>().saturating_sub(self.arena.bytes());
        let (copied, room) = self.arena.copy(root, memory)?;
        (self.arena, self.root) = (copied, 1);
        Some(room)
    }
}
