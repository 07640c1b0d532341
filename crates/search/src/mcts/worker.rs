//! What one thread has to itself.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Game, Rng, mix};

use super::MctsSettings;
use super::arena::Room;
use super::backup::Tally;
use super::descent::Leaf;
use super::numbers::Numbered;
use super::playout::Scratch;
use super::selection::{SelectionTerm, Terms};
use super::shares::Shares;
use super::simulation::Listed;

/// Simulations that a thread takes on at a time, so that threads seldom meet at the counter.
const CLAIM: u64 = 8;

/// What one thread has to itself, on cache lines that no other thread writes to.
#[repr(align(128))]
pub(super) struct Worker<G: Game> {
    pub(super) terms: Terms,
    pub(super) rng: Rng,
    /// Deals what the player cannot see.
    pub(super) deals: Rng,
    /// The numbers of legal moves.
    pub(super) legal: Vec<u32>,
    /// Leaves whose memory can be used again: one for each simulation of a batch.
    pub(super) leaves: Vec<Leaf<G>>,
    /// The results of a batch.
    pub(super) results: Vec<Shares>,
    /// A position to write to, for handing over the turn.
    pub(super) spare: G,
    pub(super) moves: Vec<G::Move>,
    pub(super) listed: Vec<Listed<G::Move>>,
    /// The numbers of the tree's moves, as far as this thread knows them.
    pub(super) numbered: Numbered<G::Move>,
    pub(super) scratch: Scratch<G::Move>,
    /// Where new nodes go.
    pub(super) room: Room,
    /// For each ply of the tree, the results that one busy node has not received.
    pub(super) tallies: Vec<Tally>,
    /// Simulations taken on and not begun.
    left: u64,
    /// Simulations completed in this decision.
    pub(super) playouts: u64,
    /// Plies of the longest path in the tree in this decision.
    pub(super) depth: u32,
}

impl<G: Game> Worker<G> {
    pub(super) fn new(game: &G, seed: u64) -> Worker<G> {
        Worker {
            terms: Terms::default(),
            rng: Rng::new(seed),
            deals: Rng::new(mix(seed)),
            legal: Vec::new(),
            leaves: Vec::new(),
            results: Vec::new(),
            spare: game.clone(),
            moves: Vec::new(),
            listed: Vec::new(),
            numbered: Numbered::new(),
            scratch: Scratch::new(),
            room: Room::default(),
            tallies: Vec::new(),
            left: 0,
            playouts: 0,
            depth: 0,
        }
    }

    /// Forgets what belongs to a tree that is gone.
    pub(super) fn clear(&mut self) {
        self.terms.clear();
        self.scratch.clear();
        self.numbered.clear();
        self.tallies.clear();
        self.room = Room::default();
    }

    /// Begins a decision.
    pub(super) fn begin(&mut self, settings: &MctsSettings, players: usize) {
        self.terms.begin(settings, players);
        (self.left, self.playouts, self.depth) = (0, 0, 0);
    }

    /// Takes on one more simulation, unless all have been.
    #[inline]
    pub(super) fn claim(&mut self, claimed: &AtomicU64, limit: u64) -> bool {
        if self.left == 0 {
            let others = claimed.fetch_add(CLAIM, Ordering::Relaxed);
            self.left = limit.saturating_sub(others).min(CLAIM);
        }
        let some = self.left > 0;
        self.left -= u64::from(some);
        some
    }
}
