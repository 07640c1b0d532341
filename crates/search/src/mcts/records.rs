//! Results by node and move: what games through a node have brought those who played a move somewhere below it.
//!
//! A node that gathers them has a number here, in a word of its own that goes with it when the tree is copied. One hash table holds the
//! results of all such nodes: 16 bytes for each node, player and move that have met. It grows with the search to at most an eighth of the
//! memory, so that there is room for a second one while it is copied. When it is full, nodes that gather nothing yet do not begin to.
//! Between decisions the results of nodes that are gone are dropped if room is scarce. Threads share it without locks.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::mix;

use super::arena::MOST_MOVES;
use super::selection::Played;
use super::shares::UNIT;

/// Slots of the first table.
const SLOTS: usize = 1 << 14;

/// Games after which a move's results are not counted any more, so that their sum stays within half a slot.
const MOST_PLAYS: u64 = 1 << 22;

/// Results of moves, by node.
pub(super) struct Records {
    /// Open addressing.
    slots: Vec<Slot>,
    /// The most slots, a power of two.
    most: usize,
    /// Slots in use.
    len: AtomicUsize,
    /// The last number that a node was given.
    last: AtomicU32,
}

#[derive(Default)]
struct Slot {
    /// Node, player and move; 0 for none.
    key: AtomicU64,
    /// The number of games, and in the lower half the sum of the units that they brought.
    results: AtomicU64,
}

/// What a player got, in shares of the win, in the games in which it played a move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Record {
    pub(super) plays: f64,
    pub(super) share: f64,
}

impl Records {
    /// A table that takes, with its successor while it is copied, at most so many bytes, but at least half a megabyte.
    pub(super) fn new(memory: usize) -> Records {
        let most = (memory / (2 * size_of::<Slot>())).max(SLOTS);
        let most = if most.is_power_of_two() { most } else { most.next_power_of_two() / 2 };
        Records { slots: slots(SLOTS), most, len: AtomicUsize::new(0), last: AtomicU32::new(0) }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Records { slots: slots(SLOTS), most: self.most, len: AtomicUsize::new(0), last: AtomicU32::new(0) };
    }

    /// The number of the node that has this word, new if need be; `None` if a node without one finds no room.
    #[inline]
    pub(super) fn number(&self, word: &AtomicU32) -> Option<u32> {
        match word.load(Ordering::Relaxed) {
            0 => self.give(word),
            number => Some(number),
        }
    }

    fn give(&self, word: &AtomicU32) -> Option<u32> {
        if self.is_full() {
            return None;
        }
        let more = |last: u32| last.checked_add(1);
        let number = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()? + 1;
        // If another thread was faster, this number stays unused.
        Some(word.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed).err().unwrap_or(number))
    }

    /// What a move has brought its player in games through a node.
    #[inline]
    pub(super) fn get(&self, node: u32, played: Played) -> Record {
        let key = key(node, played);
        let mut at = self.place(key);
        loop {
            match self.slots[at].key.load(Ordering::Relaxed) {
                0 => return Record::default(),
                found if found == key => break,
                _ => at = self.after(at),
            }
        }
        let results = self.slots[at].results.load(Ordering::Relaxed);
        let units = f64::from(results as u32);
        Record { plays: (results >> 32) as f64, share: units * (1.0 / f64::from(UNIT)) }
    }

    /// Adds a game through a node in which a move was played, and the units that it brought the player.
    #[inline]
    pub(super) fn add(&self, node: u32, played: Played, units: u32, shared: bool) {
        let key = key(node, played);
        let mut at = self.place(key);
        loop {
            let slot = &self.slots[at];
            let found = match slot.key.load(Ordering::Relaxed) {
                0 if self.is_full() => return,
                0 => match slot.key.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => {
                        self.len.fetch_add(1, Ordering::Relaxed);
                        key
                    }
                    Err(other) => other,
                },
                found => found,
            };
            if found == key {
                let (old, more) = (slot.results.load(Ordering::Relaxed), 1 << 32 | u64::from(units));
                if old >> 32 >= MOST_PLAYS {
                    return;
                }
                if shared {
                    slot.results.fetch_add(more, Ordering::Relaxed);
                } else {
                    slot.results.store(old + more, Ordering::Relaxed);
                }
                return;
            }
            at = self.after(at);
        }
    }

    /// Whether new keys are refused: a search in a full table would not end.
    fn is_full(&self) -> bool {
        self.len.load(Ordering::Relaxed) >= self.slots.len() / 8 * 7
    }

    /// Whether the table should grow before much more is added.
    #[inline]
    pub(super) fn is_crowded(&self) -> bool {
        self.is_half_full() && self.slots.len() < self.most
    }

    /// Whether it cannot grow any more, and may become full.
    pub(super) fn is_scarce(&self) -> bool {
        self.is_half_full() && self.slots.len() >= self.most
    }

    fn is_half_full(&self) -> bool {
        self.len.load(Ordering::Relaxed) > self.slots.len() / 2
    }

    /// Grows the table.
    pub(super) fn grow(&mut self) {
        self.copy((self.slots.len() * 4).min(self.most), |_| true);
    }

    /// Drops the results of all but some nodes.
    pub(super) fn retain(&mut self, nodes: &HashSet<u32>) {
        self.copy(self.slots.len(), |node| nodes.contains(&node));
    }

    fn copy(&mut self, count: usize, is_kept: impl Fn(u32) -> bool) {
        let old = std::mem::replace(&mut self.slots, slots(count));
        let mut len = 0;
        for slot in old {
            let key = slot.key.load(Ordering::Relaxed);
            if key == 0 || !is_kept((key >> 32) as u32) {
                continue;
            }
            let mut at = self.place(key);
            while self.slots[at].key.load(Ordering::Relaxed) != 0 {
                at = self.after(at);
            }
            self.slots[at] = slot;
            len += 1;
        }
        self.len = AtomicUsize::new(len);
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        mix(key) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }

    /// Bytes of the table.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<Slot>()
    }
}

fn slots(count: usize) -> Vec<Slot> {
    (0..count).map(|_| Slot::default()).collect()
}

#[inline]
fn key(node: u32, Played { player, number }: Played) -> u64 {
    let m = player.index() as u64 * u64::from(MOST_MOVES) + u64::from(number);
    u64::from(node) << 32 | m
}

/// The different moves of the rest of a game, without any allocation in the long run.
#[derive(Default)]
pub(super) struct Distinct {
    /// For each move and player, the game in which it was seen last.
    seen: Vec<u32>,
    game: u32,
    moves: Vec<Played>,
}

impl Distinct {
    /// Begins a game.
    pub(super) fn begin(&mut self) {
        self.moves.clear();
        self.game = self.game.wrapping_add(1);
        if self.game == 0 {
            self.seen.fill(0);
            self.game = 1;
        }
    }

    /// Adds a move, if it is new.
    #[inline]
    pub(super) fn add(&mut self, played: Played, players: usize) {
        let at = played.number as usize * players + played.player.index();
        if at >= self.seen.len() {
            self.seen.resize((played.number as usize + 1) * players, 0);
        }
        if self.seen[at] != self.game {
            self.seen[at] = self.game;
            self.moves.push(played);
        }
    }

    /// The moves.
    pub(super) fn moves(&self) -> &[Played] {
        &self.moves
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::{Player, Rng};

    fn played(player: usize, number: u32) -> Played {
        Played { player: Player::new(player), number }
    }

    #[test]
    fn records_are_sums_by_node_player_and_move_however_the_table_grows() {
        let (mut records, mut plain) = (Records::new(16 << 20), HashMap::<(u32, usize, u32), (f64, f64)>::new());
        let mut rng = Rng::new(1);
        let same = |records: &Records, plain: &HashMap<(u32, usize, u32), (f64, f64)>| {
            for (&(node, player, number), &(plays, share)) in plain {
                let found = records.get(node, played(player, number));
                assert!(found.plays == plays && (found.share - share).abs() < 1e-6, "{found:?} {plays} {share}");
            }
            assert_eq!(records.get(5000, played(0, 0)), Record::default());
        };
        for _ in 0..100_000 {
            let (node, player, number) = (1 + rng.below(300) as u32, rng.below(6), rng.below(40) as u32);
            let units = rng.below(UNIT as usize + 1) as u32;
            records.add(node, played(player, number), units, rng.below(2) == 0);
            let sum = plain.entry((node, player, number)).or_default();
            *sum = (sum.0 + 1.0, sum.1 + f64::from(units) / f64::from(UNIT));
            if records.is_crowded() {
                records.grow();
            }
        }
        assert!(records.bytes() > SLOTS * size_of::<Slot>());
        same(&records, &plain);
        let kept: HashSet<u32> = (1..100).collect();
        records.retain(&kept);
        plain.retain(|(node, ..), _| kept.contains(node));
        same(&records, &plain);
        assert_eq!(records.len.load(Ordering::Relaxed), plain.len());
        assert_eq!(records.get(200, played(0, 0)), Record::default());
    }

    #[test]
    fn a_full_table_refuses_and_does_not_hang() {
        let mut records = Records::new(0);
        assert!(!records.is_crowded());
        for number in 0..2 * SLOTS as u32 {
            records.add(1, played(0, number), 1, false);
        }
        assert!(records.is_full() && records.is_scarce() && !records.is_crowded());
        assert_eq!(records.len.load(Ordering::Relaxed), SLOTS / 8 * 7);
        assert_eq!(records.get(1, played(0, 2 * SLOTS as u32 - 1)), Record::default());
        assert_eq!(records.get(1, played(0, 0)).plays, 1.0);
        let (old, new) = (AtomicU32::new(7), AtomicU32::new(0));
        assert_eq!((records.number(&old), records.number(&new)), (Some(7), None));
        records.clear();
        assert_eq!((records.number(&new), records.get(1, played(0, 0))), (Some(1), Record::default()));
    }

    #[test]
    fn a_move_stops_counting_before_its_sum_overflows() {
        let records = Records::new(0);
        for _ in 0..MOST_PLAYS + 10 {
            records.add(1, played(2, 3), UNIT, false);
        }
        let most = MOST_PLAYS as f64;
        assert_eq!(records.get(1, played(2, 3)), Record { plays: most, share: most });
    }

    #[test]
    fn threads_add_to_the_same_sums() {
        let records = Records::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..40_000 {
                        records.add(1 + number % 7, played(0, number % 11), 3, true);
                    }
                });
            }
        });
        let sum: f64 = (0..77).map(|at| records.get(1 + at % 7, played(0, at % 11)).plays).sum();
        assert_eq!((sum, records.len.load(Ordering::Relaxed)), (160_000.0, 77));
    }
}
