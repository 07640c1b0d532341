//! The tree of a decision, and what is kept of it for the next one.

use crate::{Game, Player};

use super::arena::{Arena, Node, Room};
use super::numbers::{self, MoveNumbers};
use super::selection::{SelectionTerm, Terms};
use super::{MctsSettings, Reward, Solver, TreePolicy};

/// A part of the tree is kept if it has at least one in so many of the visits.
const KEPT_PART: u32 = 1000;

/// A tree with the position at its root.
pub(super) struct SearchTree<G: Game> {
    pub(super) arena: Arena,
    pub(super) numbers: MoveNumbers<G::Move>,
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
    /// Whether each simulation has a deal of its own.
    pub(super) is_hidden: bool,
    has_history: bool,
    memory: usize,
    pub(super) threads: usize,
}

impl TreeKey {
    pub(super) fn new<G: Game>(game: &G, settings: &MctsSettings, is_hidden: bool) -> TreeKey {
        let is_one_sided = settings.policy != TreePolicy::MaxN || settings.solver == Solver::Paranoid;
        TreeKey {
            players: game.player_count(),
            root: is_one_sided.then(|| game.turn()),
            policy: settings.policy,
            solver: settings.solver,
            reward: settings.reward,
            has_implicit: settings.implicit > 0.0,
            is_hidden,
            has_history: settings.w != 0.0,
            memory: settings.memory,
            threads: settings.threads.max(1),
        }
    }

    /// Words of a node that depend on the settings: shares, implicit shares, and how often its move was legal.
    fn words(self) -> usize {
        self.players * (1 + usize::from(self.has_implicit)) + usize::from(self.is_hidden)
    }

    /// Bytes that each different move takes at most.
    fn move_bytes<G: Game>(self) -> usize {
        MoveNumbers::<G::Move>::bytes_each() + self.threads * self.players * Terms::BYTES
    }

    /// Bytes for tables of moves: a sixteenth of all.
    fn table_memory<G: Game>(self) -> usize {
        (self.memory / 16).max(numbers::LEAST as usize * self.move_bytes::<G>())
    }

    fn arena_memory<G: Game>(self) -> usize {
        self.memory.saturating_sub(self.table_memory::<G>())
    }
}

impl<G: Game> SearchTree<G> {
    /// A tree without nodes; [`plant`](SearchTree::plant) makes the first.
    pub(super) fn new(game: &G, key: TreeKey) -> SearchTree<G> {
        SearchTree {
            arena: Arena::new(key.words(), key.arena_memory::<G>(), key.threads),
            numbers: MoveNumbers::new(key.table_memory::<G>() / key.move_bytes::<G>()),
            root: 0,
            game: game.clone(),
            key,
        }
    }

    /// Replaces all nodes by a new root.
    pub(super) fn plant(&mut self, game: &G, room: &mut Room) {
        self.arena.clear();
        self.game.clone_from(game);
        self.root = self.arena.allocate(room, 1).expect("an arena has room for one node");
        self.arena.node(self.root).start(game.turn(), 0);
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
