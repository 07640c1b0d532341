//! Numbers for moves: a node holds a number instead of a move, which keeps it small, and histories are lists indexed by it.

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::arena::MOST_MOVES;

/// Moves in the first segment of the list; each one after it has twice as many.
const SEGMENT: u32 = 1 << 10;

/// Slots of the first hash table.
const SLOTS: usize = 1 << 12;

/// The least number of moves that can be numbered.
pub(crate) const LEAST: u32 = 1 << 10;

/// The moves seen so far, numbered in the order in which they came. Threads add to it without locks.
pub(crate) struct MoveNumbers<M> {
    /// Open addressing: the number of a move plus 1, or 0.
    slots: Vec<AtomicU32>,
    segments: [OnceLock<Box<[OnceLock<M>]>>; 12],
    len: AtomicU32,
    most: u32,
}

impl<M: Copy + Eq + Hash> MoveNumbers<M> {
    /// Numbers for at most `most` moves, but at least [`LEAST`].
    pub(crate) fn new(most: usize) -> MoveNumbers<M> {
        let most = most.clamp(LEAST as usize, MOST_MOVES as usize) as u32;
        MoveNumbers { slots: slots(SLOTS), segments: Default::default(), len: AtomicU32::new(0), most }
    }

    /// Bytes that each move takes at most.
    pub(crate) const fn bytes_each() -> usize {
        // Two to eight slots, and a list that is at least half full.
        8 * size_of::<AtomicU32>() + 2 * size_of::<OnceLock<M>>()
    }

    /// Bytes that the moves so far take at most.
    pub(crate) fn bytes(&self) -> usize {
        self.len.load(Ordering::Relaxed).max(LEAST) as usize * MoveNumbers::<M>::bytes_each()
    }

    /// The number of a move of the tree, new if need be; `None` if there are no more numbers.
    pub(crate) fn number(&self, m: M) -> Option<u32> {
        self.find(m, self.most)
    }

    /// The number of a move of a playout. Playouts leave a quarter of the numbers to the tree.
    #[inline]
    pub(super) fn number_in_playout(&self, m: M) -> Option<u32> {
        self.find(m, self.most / 4 * 3)
    }

    #[inline]
    fn find(&self, m: M, most: u32) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash(m) & mask;
        loop {
            match self.slots[at].load(Ordering::Acquire) {
                0 => break,
                number if self.at(number - 1) == m => return Some(number - 1),
                _ => at = (at + 1) & mask,
            }
        }
        self.add(m, at, most)
    }

    #[cold]
    fn add(&self, m: M, mut at: usize, most: u32) -> Option<u32> {
        let mask = self.slots.len() - 1;
        // A search in a full table would not end.
        if self.len.load(Ordering::Relaxed) >= most.min(self.slots.len() as u32 / 8 * 7) {
            return None;
        }
        let number = self.len.fetch_add(1, Ordering::Relaxed);
        let (segment, index) = place(number);
        let segment = self.segments.get(segment)?.get_or_init(|| {
            let count = SEGMENT << segment;
            (0..count).map(|_| OnceLock::new()).collect()
        });
        segment[index].get_or_init(|| m);
        loop {
            match self.slots[at].compare_exchange(0, number + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(number),
                // Another thread has numbered the move; this number stays unused.
                Err(other) if self.at(other - 1) == m => return Some(other - 1),
                Err(_) => at = (at + 1) & mask,
            }
        }
    }

    /// The move with a number.
    #[inline]
    pub(crate) fn at(&self, number: u32) -> M {
        let (segment, index) = place(number);
        let segment = self.segments[segment].get().expect("a number is given with its move");
        *segment[index].get().expect("a number is given with its move")
    }

    /// Whether numbers may run out, so that a new tree should start with new ones.
    pub(crate) fn is_scarce(&self) -> bool {
        self.len.load(Ordering::Relaxed) > self.most / 2
    }

    /// Whether the hash table should grow before much more is added.
    #[inline]
    pub(crate) fn is_crowded(&self) -> bool {
        let len = self.len.load(Ordering::Relaxed);
        len as usize > self.slots.len() / 2 && len < self.most
    }

    /// Grows the hash table.
    pub(crate) fn grow(&mut self) {
        let grown = slots(self.slots.len() * 4);
        let mask = grown.len() - 1;
        for slot in &self.slots {
            let number = slot.load(Ordering::Relaxed);
            if number == 0 {
                continue;
            }
            let mut at = hash(self.at(number - 1)) & mask;
            while grown[at].load(Ordering::Relaxed) != 0 {
                at = (at + 1) & mask;
            }
            grown[at].store(number, Ordering::Relaxed);
        }
        self.slots = grown;
    }
}

/// Numbers that a thread has asked for: it finds them again without a look at what threads share.
pub(super) struct Numbered<M> {
    /// By the hash of the move.
    places: Box<[Option<(M, u32)>; PLACES]>,
}

/// Number of places: more than there are moves in games with few, and little memory in others.
const PLACES: usize = 1 << 9;

impl<M: Copy + Eq + Hash> Numbered<M> {
    pub(super) fn new() -> Numbered<M> {
        Numbered { places: Box::new([None; PLACES]) }
    }

    /// Forgets all, before moves are numbered anew.
    pub(super) fn clear(&mut self) {
        self.places.fill(None);
    }

    /// The number of a move, which is asked for if it is not known here.
    #[inline]
    pub(super) fn number(&mut self, m: M, ask: impl FnOnce(M) -> Option<u32>) -> Option<u32> {
        let place = &mut self.places[hash(m) % PLACES];
        match *place {
            Some((known, number)) if known == m => Some(number),
            _ => {
                let number = ask(m)?;
                *place = Some((m, number));
                Some(number)
            }
        }
    }
}

/// The segment of a number, and its place there.
#[inline]
fn place(number: u32) -> (usize, usize) {
    let segment = (number / SEGMENT + 1).ilog2();
    (segment as usize, (number - SEGMENT * ((1 << segment) - 1)) as usize)
}

fn slots(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

#[inline]
fn hash<M: Hash>(m: M) -> usize {
    let mut hasher = Multiply(0);
    m.hash(&mut hasher);
    hasher.finish() as usize
}

/// A hash with one multiplication for each word. It decides only where a move is looked for.
struct Multiply(u64);

impl Multiply {
    #[inline]
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Multiply {
    #[inline]
    fn finish(&self) -> u64 {
        self.0 >> 32
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.word(u64::from(byte));
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.word(u64::from(value));
    }

    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.word(u64::from(value));
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.word(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.word(value);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.word(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_keep_their_numbers_when_the_table_grows() {
        let mut numbers = MoveNumbers::new(100_000);
        for m in 0..20_000u32 {
            assert_eq!(numbers.number(m * 977), Some(m));
            if numbers.is_crowded() {
                numbers.grow();
            }
        }
        for m in 0..20_000 {
            assert_eq!((numbers.number(m * 977), numbers.at(m)), (Some(m), m * 977));
        }
    }

    #[test]
    fn a_thread_remembers_the_numbers_that_it_was_given() {
        let (mut numbers, mut known) = (MoveNumbers::new(5000), Numbered::new());
        for round in 0..3 {
            // More than there are places.
            for m in (0..2000u32).chain(0..2000) {
                let number = known.number(m * 977, |m| numbers.number(m));
                assert_eq!(number, numbers.number(m * 977), "round {round}");
                assert_eq!(known.number(m * 977, |_| panic!("it is known")), number);
            }
            numbers = MoveNumbers::new(5000);
            assert_eq!(numbers.number(round), Some(0));
            known.clear();
        }
        assert_eq!((known.number(7, |_| None), known.number(7, |_| Some(3))), (None, Some(3)));
    }

    #[test]
    fn a_crowded_table_refuses_and_does_not_hang() {
        let numbers = MoveNumbers::new(100_000);
        let given = (0..100_000u32).filter(|&m| numbers.number(m).is_some()).count();
        assert!((SLOTS / 2..SLOTS).contains(&given), "{given}");
        assert_eq!(numbers.number(99_999), None);
        assert_eq!(numbers.number(5), Some(5));
    }

    #[test]
    fn playouts_leave_numbers_to_the_tree() {
        let numbers = MoveNumbers::new(0);
        let given = (0..2000u32).filter(|&m| numbers.number_in_playout(m).is_some()).count();
        assert_eq!((given, numbers.is_scarce()), (LEAST as usize / 4 * 3, true));
        let more = (2000..4000).filter(|&m| numbers.number(m).is_some()).count();
        assert_eq!(more, LEAST as usize / 4);
    }

    #[test]
    fn threads_agree_on_numbers() {
        let numbers = MoveNumbers::new(100_000);
        let number_all = |_| (0..2000u64).map(|m| numbers.number(m * 7919 % 2003)).collect::<Vec<_>>();
        let all: Vec<Vec<Option<u32>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || number_all(thread))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (m, &number) in all[0].iter().enumerate() {
            assert_eq!(number.map(|number| numbers.at(number)), Some(m as u64 * 7919 % 2003));
            assert!(all.iter().all(|numbers| numbers[m] == number));
        }
    }
}
