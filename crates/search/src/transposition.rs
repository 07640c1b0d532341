//! A transposition table: results for positions already searched.
//!
//! *Two-deep* (Breuker 1998): each bucket has two places. A result at least as deep as the one in the first place replaces
//! it, and the old one moves to the second; any other result replaces the second. So expensive results stay and
//! recent ones are found.
//!
//! A position is identified by its whole 64-bit key, so positions that share a bucket are never confused. The table is empty at the
//! start of every decision ([`TranspositionTable::clear`] costs nothing), so an answer depends on the
//! position and the budget alone, never on earlier searches, unless these are [kept](TranspositionTable::age). It starts small and grows by one bucket at a
//! time as long as more than a quarter are in use (*linear hashing*): a search of a thousand nodes stays in the
//! processor's cache, only a long one pays for all the memory, and no search ever pauses to move a table. Memory is allocated
//! in chunks, as the table grows into them.
//!
//! # Threads
//!
//! Threads share a table without locks: every word is atomic, and none waits for another. Two threads that write to a place at the same
//! time may leave some words of each there, and one that reads meanwhile may see some old words and some new ones. So the first word of
//! a place is not the key but the exclusive or of the key and all other words, turned by different amounts (Hyatt and Mann 2002): a
//! mixture of two results has a key that nobody asks for, and is as good as an empty place. Loads and stores are relaxed, which costs one thread nothing.
//! Only the first result in a chunk makes others wait for its memory. A shared table does not grow, since
//! a bucket cannot be split while others write to it: it has its full size from the start.
//!
//! References: R. D. Greenblatt, D. E. Eastlake, S. D. Crocker, *The Greenblatt Chess Program*, 1967; D. M. Breuker,
//! *Memory versus Search in Games*, 1998, chapter 3; W. Litwin, *Linear Hashing: a New Tool for File and TranspositionTable
//! Addressing*, 1980; R. M. Hyatt, T. Mann, *A Lock-less Transposition Table Implementation for Parallel Search Chess Engines*, 2002.

use std::array;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A result as it is kept: of what key, in which generation (0 is never current, so zeros are empty), to what depth.
#[derive(Clone, Copy)]
struct Kept<const N: usize> {
    key: u64,
    generation: u32,
    depth: u32,
    result: [u64; N],
}

/// One place.
#[derive(Debug)]
struct Place<const N: usize> {
    /// The exclusive or of the key and all other words, [turned](mixed).
    check: AtomicU64,
    /// The generation above the depth.
    head: AtomicU64,
    result: [AtomicU64; N],
}

/// The words of a place as one. They are turned by different amounts, because small differences of two of them, such as one in the depth
/// and one in the value, must not cancel out.
#[inline]
fn mixed<const N: usize>(head: u64, result: &[u64; N]) -> u64 {
    (1u32..).zip(result).fold(head, |mixed, (at, word)| mixed ^ word.rotate_left(13 * at))
}

impl<const N: usize> Place<N> {
    #[inline]
    fn head(&self) -> (u32, u32) {
        let head = self.head.load(Relaxed);
        ((head >> 32) as u32, head as u32)
    }

    #[inline]
    fn get(&self) -> Kept<N> {
        let head = self.head.load(Relaxed);
        let result = array::from_fn(|at| self.result[at].load(Relaxed));
        let key = self.check.load(Relaxed) ^ mixed(head, &result);
        Kept { key, generation: (head >> 32) as u32, depth: head as u32, result }
    }

    #[inline]
    fn set(&self, kept: Kept<N>) {
        let head = u64::from(kept.generation) << 32 | u64::from(kept.depth);
        self.check.store(kept.key ^ mixed(head, &kept.result), Relaxed);
        self.head.store(head, Relaxed);
        for (place, word) in self.result.iter().zip(kept.result) {
            place.store(word, Relaxed);
        }
    }

    /// Takes over what another place has.
    #[inline]
    fn copy(&self, other: &Place<N>) {
        self.check.store(other.check.load(Relaxed), Relaxed);
        self.head.store(other.head.load(Relaxed), Relaxed);
        for (place, word) in self.result.iter().zip(&other.result) {
            place.store(word.load(Relaxed), Relaxed);
        }
    }

    fn clear(&self) {
        self.head.store(0, Relaxed);
    }
}

impl<const N: usize> Place<N> {
    fn empty() -> Place<N> {
        Place { check: AtomicU64::new(0), head: AtomicU64::new(0), result: array::from_fn(|_| AtomicU64::new(0)) }
    }
}

type Bucket<const N: usize> = [Place<N>; 2];

/// Two buckets, from the beginning of a cache line on: with results of two words each bucket is one line, with four three lines are two buckets.
#[derive(Debug)]
#[repr(align(64))]
struct Pair<const N: usize>([Bucket<N>; 2]);

/// A two-deep transposition table of results of `N` words, each for a position searched to some depth. Threads may share it.
///
/// ```
/// use nply::TranspositionTable;
/// let mut table: TranspositionTable<1> = TranspositionTable::new(1 << 20);
/// table.store(17, 4, [3]);
/// table.store(17, 2, [5]);
/// assert_eq!(table.probe(17).collect::<Vec<_>>(), [(4, [3]), (2, [5])]);
/// assert_eq!(table.probe(18).next(), None);
/// table.clear();
/// assert_eq!(table.probe(17).next(), None);
/// ```
#[derive(Debug)]
pub struct TranspositionTable<const N: usize> {
    /// All buckets there can ever be, each chunk of them from when something is stored there.
    chunks: Box<[OnceLock<Box<[Pair<N>]>>]>,
    /// The greatest number of buckets.
    most: usize,
    /// Number of buckets now.
    count: AtomicUsize,
    /// Number of buckets in use, if the table grows.
    used: AtomicUsize,
    grows: bool,
    generation: u32,
    /// The first generation that is still known: the current one, unless results were kept.
    oldest: u32,
}

/// Number of buckets at the start.
const START: usize = 1 << 10;

/// Number of buckets in a chunk.
const CHUNK: usize = 1 << 12;

impl<const N: usize> TranspositionTable<N> {
    /// An empty table of at most this many bytes. A table too small for one bucket never stores anything.
    pub fn new(bytes: usize) -> TranspositionTable<N> {
        let most = bytes / size_of::<Bucket<N>>();
        TranspositionTable {
            chunks: (0..most.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect(),
            most,
            count: AtomicUsize::new(most.min(START)),
            used: AtomicUsize::new(0),
            grows: true,
            generation: 1,
            oldest: 1,
        }
    }

    /// Whether the table can store anything.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.most > 0
    }

    /// Size of the full table in bytes.
    pub fn bytes(&self) -> usize {
        self.most * size_of::<Bucket<N>>()
    }

    /// Forgets everything and changes the size.
    pub fn resize(&mut self, bytes: usize) {
        if self.fits(bytes) {
            self.clear();
        } else {
            *self = TranspositionTable::new(bytes);
        }
    }

    /// Whether a table of at most this many bytes has this size.
    pub(crate) fn fits(&self, bytes: usize) -> bool {
        bytes / size_of::<Bucket<N>>() == self.most
    }

    /// Whether the table may grow, so that threads cannot share it.
    pub(crate) fn grows(&self) -> bool {
        self.grows
    }

    /// Keeps everything, but as results of earlier searches: they are found, and they stay before new results of the same position that
    /// are shallower, but not before those of others.
    pub fn age(&mut self) {
        match self.generation.checked_add(1) {
            Some(next) => self.generation = next,
            None => *self = TranspositionTable::new(self.bytes()),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        match self.generation.checked_add(1) {
            Some(next) => {
                (self.generation, self.oldest) = (next, next);
                *self.count.get_mut() = self.most.min(START);
                *self.used.get_mut() = 0;
                self.grows = true;
            }
            None => *self = TranspositionTable::new(self.bytes()),
        }
    }

    /// Forgets everything, and has its full size at once, so that threads can share it: until it is cleared, it does not grow.
    pub fn clear_to_share(&mut self) {
        self.clear();
        *self.count.get_mut() = self.most;
        self.grows = false;
    }

    /// The results stored for a position, each with its depth: at most two, the deeper first.
    #[inline]
    pub fn probe(&self, key: u64) -> impl Iterator<Item = (u32, [u64; N])> + '_ {
        let number = index(key, self.count.load(Relaxed));
        let chunk = self.chunks.get(number / CHUNK).and_then(OnceLock::get);
        let bucket = chunk.map_or(&[][..], |chunk| &chunk[number % CHUNK / 2].0[number % 2]);
        let known = move |place: &Place<N>| {
            if place.head().0 < self.oldest {
                return None;
            }
            let kept = place.get();
            (kept.key == key && kept.generation >= self.oldest).then_some((kept.depth, kept.result))
        };
        bucket.iter().filter_map(known)
    }

    /// Stores the result of searching a position to a depth.
    #[inline]
    pub fn store(&self, key: u64, depth: u32, result: [u64; N]) {
        if !self.is_on() {
            return;
        }
        let generation = self.generation;
        let [first, second] = self.bucket(index(key, self.count.load(Relaxed)));
        let new = Kept { key, generation, depth, result };
        let (old_generation, old_depth) = first.head();
        if old_generation < self.oldest {
            first.set(new);
            if self.grows {
                self.grow();
            }
        } else if depth < old_depth && (old_generation == generation || first.get().key == key) {
            second.set(new);
        } else {
            if depth > old_depth || first.get().key != key {
                second.copy(first);
            }
            first.set(new);
        }
    }

    #[inline]
    fn bucket(&self, number: usize) -> &Bucket<N> {
        let (chunk, at) = (number / CHUNK, number % CHUNK);
        match self.chunks[chunk].get() {
            Some(chunk) => &chunk[at / 2].0[at % 2],
            None => &self.allocate(chunk)[at / 2].0[at % 2],
        }
    }

    #[cold]
    #[inline(never)]
    fn allocate(&self, chunk: usize) -> &[Pair<N>] {
        let count = (self.most - chunk * CHUNK).min(CHUNK);
        let empty = |_| Pair(array::from_fn(|_| array::from_fn(|_| Place::empty())));
        self.chunks[chunk].get_or_init(|| (0..count.div_ceil(2)).map(empty).collect())
    }

    /// Counts another bucket in use, and splits as many as that takes. Called only where one thread has the table.
    #[inline]
    fn grow(&self) {
        self.used.store(self.used.load(Relaxed) + 1, Relaxed);
        while 4 * self.used.load(Relaxed) > self.count.load(Relaxed) && self.count.load(Relaxed) < self.most {
            self.split();
        }
    }

    /// Adds a bucket, and moves to it what belongs there from the bucket that is split. Nothing was stored there in this generation.
    fn split(&self) {
        let count = self.count.load(Relaxed) + 1;
        self.count.store(count, Relaxed);
        let [first, second] = self.bucket(count - 1 - (1 << (count - 1).ilog2()));
        // A bucket whose first place is empty is empty.
        if first.head().0 < self.oldest {
            return;
        }
        let moves = |place: &Place<N>| {
            let kept = place.get();
            kept.generation >= self.oldest && index(kept.key, count) == count - 1
        };
        match (moves(first), moves(second)) {
            (false, false) => {}
            (false, true) => {
                self.bucket(count - 1)[0].copy(second);
                second.clear();
                self.used.store(self.used.load(Relaxed) + 1, Relaxed);
            }
            (true, false) => {
                self.bucket(count - 1)[0].copy(first);
                let is_used = second.head().0 >= self.oldest;
                first.copy(second);
                second.clear();
                self.used.store(self.used.load(Relaxed) + usize::from(is_used), Relaxed);
            }
            (true, true) => {
                let new = self.bucket(count - 1);
                new[0].copy(first);
                new[1].copy(second);
                first.clear();
                second.clear();
            }
        }
    }
}

/// A clone has the same size, and is empty.
impl<const N: usize> Clone for TranspositionTable<N> {
    fn clone(&self) -> TranspositionTable<N> {
        TranspositionTable::new(self.bytes())
    }
}

/// The bucket of a key among any number of them: the low bits of the key that number the buckets, or one bit less if that
/// bucket does not exist yet.
#[inline]
fn index(key: u64, count: usize) -> usize {
    // Spreads keys that are poorly mixed.
    let spread = key.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32) as usize;
    let mask = count.next_power_of_two() - 1;
    let index = spread & mask;
    if index < count { index } else { index & (mask >> 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, mix};
    use std::collections::HashMap;

    fn found(table: &TranspositionTable<1>, key: u64) -> Vec<(u32, u64)> {
        table.probe(key).map(|(depth, [result])| (depth, result)).collect()
    }

    fn count(table: &TranspositionTable<1>) -> usize {
        table.count.load(Relaxed)
    }

    #[test]
    fn the_deeper_result_stays_first_and_the_newer_of_equals() {
        // One bucket, so that all keys meet.
        let table: TranspositionTable<1> = TranspositionTable::new(size_of::<Bucket<1>>());
        table.store(1, 5, [10]);
        table.store(2, 3, [20]);
        assert_eq!((found(&table, 1), found(&table, 2)), (vec![(5, 10)], vec![(3, 20)]));
        table.store(3, 2, [30]);
        assert_eq!((found(&table, 1), found(&table, 2), found(&table, 3)), (vec![(5, 10)], vec![], vec![(2, 30)]));
        table.store(4, 5, [40]);
        assert_eq!((found(&table, 4), found(&table, 1), found(&table, 3)), (vec![(5, 40)], vec![(5, 10)], vec![]));
        table.store(4, 5, [41]);
        assert_eq!((found(&table, 4), found(&table, 1)), (vec![(5, 41)], vec![(5, 10)]));
    }

    #[test]
    fn a_table_without_room_stores_nothing() {
        let table: TranspositionTable<1> = TranspositionTable::new(10);
        assert!(!table.is_on());
        table.store(1, 1, [1]);
        assert_eq!(found(&table, 1), []);
    }

    #[test]
    fn a_table_uses_its_size_and_not_more() {
        for bytes in [0, 100, 64 << 10, (64 << 10) + 47, 1 << 20, 1_234_567, 64 << 20] {
            let table: TranspositionTable<2> = TranspositionTable::new(bytes);
            assert_eq!(size_of::<Bucket<2>>(), 64);
            assert!(table.bytes() <= bytes && table.bytes() + 64 > bytes);
        }
    }

    #[test]
    fn what_is_found_was_stored() {
        let mut table: TranspositionTable<1> = TranspositionTable::new(1 << 12);
        assert_eq!(count(&table), table.most, "too small to grow");
        let mut rng = Rng::new(1);
        for round in 0..20 {
            let mut stored: HashMap<(u64, u32), u64> = HashMap::new();
            let mut hits = 0;
            for result in 0..2000 {
                let key = rng.below(500) as u64;
                for (depth, result) in found(&table, key) {
                    assert_eq!(stored.get(&(key, depth)), Some(&result), "round {round}");
                    hits += 1;
                }
                let depth = rng.below(6) as u32;
                table.store(key, depth, [result]);
                assert!(found(&table, key).contains(&(depth, result)), "what was stored last is there");
                stored.insert((key, depth), result);
            }
            assert!(hits > 100, "{hits}");
            table.clear();
        }
    }

    #[test]
    fn kept_results_are_found_and_make_room_for_others() {
        // One bucket, so that all keys meet.
        let mut table: TranspositionTable<1> = TranspositionTable::new(size_of::<Bucket<1>>());
        table.store(1, 5, [10]);
        table.age();
        assert_eq!(found(&table, 1), [(5, 10)]);
        table.store(1, 3, [11]);
        assert_eq!(found(&table, 1), [(5, 10), (3, 11)], "a deeper result of the same position stays first");
        table.store(2, 1, [20]);
        assert_eq!((found(&table, 2), found(&table, 1)), (vec![(1, 20)], vec![(5, 10)]), "that of another does not");
        table.clear();
        assert_eq!((found(&table, 1), found(&table, 2)), (vec![], vec![]));
    }

    #[test]
    fn a_kept_table_grows_and_loses_nothing_but_what_new_results_replace() {
        let mut table: TranspositionTable<1> = TranspositionTable::new(1 << 22);
        let mut rng = Rng::new(5);
        let keys: Vec<u64> = (0..3000).map(|_| rng.bits()).collect();
        for (number, part) in keys.chunks(500).enumerate() {
            part.iter().for_each(|&key| table.store(key, 1 + number as u32, [key]));
            table.age();
        }
        let lost = keys.iter().filter(|&&key| table.probe(key).next().is_none()).count();
        assert!(count(&table) > START && lost < 200, "{lost}");
    }

    #[test]
    fn an_old_generation_is_as_good_as_an_empty_table() {
        let (mut used, fresh): (TranspositionTable<1>, TranspositionTable<1>) =
            (TranspositionTable::new(1 << 10), TranspositionTable::new(1 << 10));
        let mut rng = Rng::new(2);
        for result in 0..1000 {
            used.store(rng.bits(), rng.below(9) as u32, [result]);
        }
        used.clear();
        for result in 0..1000 {
            let (key, depth) = (rng.below(60) as u64, rng.below(9) as u32);
            used.store(key, depth, [result]);
            fresh.store(key, depth, [result]);
            let other = rng.below(60) as u64;
            assert_eq!(found(&used, other), found(&fresh, other));
        }
        used.generation = u32::MAX;
        used.store(5, 1, [1]);
        used.clear();
        assert_eq!((found(&used, 5), used.generation), (vec![], 1));
    }

    #[test]
    fn a_table_grows_and_loses_little_of_what_it_knows() {
        let mut table: TranspositionTable<1> = TranspositionTable::new(1 << 22);
        let start = count(&table);
        for round in 0..2 {
            for key in 0..10_000 {
                table.store(mix(key), key as u32 % 7, [key]);
            }
            let (used, all) = (table.used.load(Relaxed), count(&table));
            assert!((4 * used..4 * used + 9).contains(&all), "{used} of {all}");
            let known = |key: &u64| found(&table, mix(*key)) == [(*key as u32 % 7, *key)];
            let kept = (0..10_000).filter(known).count();
            // Three in a bucket are one too many.
            assert!((9500..10_000).contains(&kept), "{kept} in round {round}");
            let is_used = |number: &usize| table.bucket(*number)[0].head().0 == table.generation;
            assert_eq!((0..all).filter(is_used).count(), used);
            table.clear();
            assert_eq!(count(&table), start);
            assert!((0..10_000).all(|key| table.probe(mix(key)).next().is_none()));
        }
    }

    #[test]
    fn growing_keeps_the_deeper_result_first() {
        let table: TranspositionTable<1> = TranspositionTable::new(1 << 20);
        table.store(1, 3, [30]);
        table.store(1, 5, [50]);
        table.store(1, 4, [40]);
        let before = found(&table, 1);
        assert_eq!(before, [(5, 50), (4, 40)]);
        for _ in 0..10_000 {
            table.split();
            assert_eq!(found(&table, 1), before);
        }
    }

    #[test]
    fn a_mixture_of_two_results_is_not_found() {
        let tables: [TranspositionTable<2>; 2] = [1, 2].map(|_| TranspositionTable::new(size_of::<Bucket<2>>()));
        let all = |place: &Place<2>| {
            [&place.check, &place.head, &place.result[0], &place.result[1]].map(|word| word.load(Relaxed))
        };
        // Numbers that do not cancel out.
        let ([key, other_key], results) = ([1, 2].map(mix), [[3, 4].map(mix), [5, 6].map(mix)]);
        tables[0].store(key, 3, results[0]);
        tables[1].store(other_key, 4, results[1]);
        let [one, other] = [&tables[0].bucket(0)[0], &tables[1].bucket(0)[0]];
        let (old, new) = (all(one), all(other));
        for mixture in 0..16 {
            let word = |at: usize| if mixture >> at & 1 == 0 { old[at] } else { new[at] };
            one.check.store(word(0), Relaxed);
            one.head.store(word(1), Relaxed);
            one.result[0].store(word(2), Relaxed);
            one.result[1].store(word(3), Relaxed);
            let known = |key| tables[0].probe(key).collect::<Vec<_>>();
            assert_eq!(known(key), if mixture == 0 { vec![(3, results[0])] } else { vec![] }, "{mixture:b}");
            assert_eq!(known(other_key), if mixture == 15 { vec![(4, results[1])] } else { vec![] }, "{mixture:b}");
        }
    }

    /// What threads store for a key and a depth, so that anything else is noticed.
    fn expected(key: u64, depth: u32, salt: u64) -> [u64; 4] {
        array::from_fn(|at| mix(mix(key ^ u64::from(depth) << 32) ^ salt << 8 ^ at as u64))
    }

    #[test]
    fn threads_find_only_what_some_thread_stored_whole() {
        let (threads, rounds) = (4, if cfg!(debug_assertions) { 60_000 } else { 300_000 });
        // Few buckets and few keys, so that threads meet all the time; and a table of several chunks, which they allocate at once.
        for (bytes, keys) in [(3 * size_of::<Bucket<4>>(), 12), (4 * CHUNK * size_of::<Bucket<4>>(), 1 << 20)] {
            let mut table: TranspositionTable<4> = TranspositionTable::new(bytes);
            table.clear_to_share();
            let table = &table;
            let work = |thread: u64| {
                let (mut rng, mut hits) = (Rng::new(thread), 0);
                for _ in 0..rounds {
                    // Keys that differ by little would pass for one another with another depth.
                    let key = mix(rng.below(keys) as u64);
                    for (depth, result) in table.probe(key) {
                        let is_whole = (0..threads).any(|salt| result == expected(key, depth, salt));
                        assert!(is_whole, "{key} {depth} {result:?}");
                        hits += 1;
                    }
                    let depth = rng.below(4) as u32;
                    table.store(key, depth, expected(key, depth, thread));
                }
                hits
            };
            let hits: u64 = std::thread::scope(|scope| {
                let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
                running.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            assert!(hits > 1000, "{hits}");
            assert_eq!(table.count.load(Relaxed), table.most, "a shared table has its full size");
        }
    }
}
