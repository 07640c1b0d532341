//! A transposition table: results for positions already searched.
//!
//! *Two-deep* (Breuker 1998): each bucket has two places. A result at least as deep as the one in the first place replaces
//! it, and the old one moves to the second; any other result replaces the second. So expensive results stay and
//! recent ones are found.
//!
//! A position is identified by its whole 64-bit key, so positions that share a bucket are never confused. The table is empty at the
//! start of every decision ([`TranspositionTable::clear`] costs nothing), so an answer depends on the
//! position and the budget alone, never on earlier searches. It starts small and grows by one bucket at a
//! time as long as more than a quarter are in use (*linear hashing*): a search of a thousand nodes stays in the
//! processor's cache, only a long one pays for all the memory, and no search ever pauses to move a table.
//!
//! Three of four buckets are empty then. So a table that grows has a *directory*, a word for each bucket: where the bucket is in memory, in the
//! order in which they came into use, and a few bits of the keys in it. Results are close together, on a quarter of the pages, and those stored one after
//! the other are neighbors; where nothing is stored for a key, the directory nearly always tells. More bits of the keys are beside it, in a list that
//! is read in order as the table grows, so that a bucket is seldom read to find out where its results go. Memory is allocated in chunks, as buckets come into use.
//!
//! # Threads
//!
//! Threads share a table without locks: every word is atomic, and none waits for another. Two threads that write to a place at the same
//! time may leave some words of each there, and one that reads meanwhile may see some old words and some new ones. So the first word of
//! a place is not the key but the exclusive or of the key and all other words, turned by different amounts (Hyatt and Mann 2002): a
//! mixture of two results has a key that nobody asks for, and is as good as an empty place. Loads and stores are relaxed, which costs one thread nothing.
//! Only the first result in a chunk makes others wait for its memory. A shared table does not grow, since
//! a bucket cannot be split while others write to it: it has its full size from the start, with the buckets in the order of their numbers and no directory.
//!
//! References: R. D. Greenblatt, D. E. Eastlake, S. D. Crocker, *The Greenblatt Chess Program*, 1967; D. M. Breuker,
//! *Memory versus Search in Games*, 1998, chapter 3; W. Litwin, *Linear Hashing: a New Tool for File and TranspositionTable
//! Addressing*, 1980; R. M. Hyatt, T. Mann, *A Lock-less Transposition Table Implementation for Parallel Search Chess Engines*, 2002.

use std::array;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

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
    /// Where the buckets are, if the table grows. Only the entries of the buckets there are now mean anything.
    directory: Box<[OnceLock<Box<Part>>]>,
    form: EntryForm,
    /// The greatest number of buckets.
    most: usize,
    /// Number of buckets now.
    count: AtomicUsize,
    /// Number of buckets in use, if the table grows; they are the first ones in memory.
    used: AtomicUsize,
    grows: bool,
    generation: u32,
}

/// Number of buckets at the start.
const START: usize = 1 << 10;

/// Number of buckets in a chunk, and of entries in a part of the directory.
const CHUNK: usize = 1 << 12;

/// A part of the directory.
#[derive(Debug)]
struct Part {
    entries: [AtomicU32; CHUNK],
    /// The [bits](deciding) that decide where the two results of each bucket go when the table grows.
    bits: [[AtomicU16; 2]; CHUNK],
}

impl<const N: usize> TranspositionTable<N> {
    /// An empty table of at most this many bytes, and eight more for each bucket beside it, in parts of 32 KiB. A table too
    /// small for one bucket never stores anything.
    pub fn new(bytes: usize) -> TranspositionTable<N> {
        let most = buckets::<N>(bytes);
        TranspositionTable {
            chunks: (0..most.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect(),
            directory: (0..most.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect(),
            form: EntryForm::new(most),
            most,
            count: AtomicUsize::new(most.min(START)),
            used: AtomicUsize::new(0),
            grows: true,
            generation: 1,
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
        if buckets::<N>(bytes) == self.most {
            self.clear();
        } else {
            *self = TranspositionTable::new(bytes);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        match self.generation.checked_add(1) {
            Some(next) => {
                self.generation = next;
                let count = self.most.min(START);
                *self.count.get_mut() = count;
                *self.used.get_mut() = 0;
                self.grows = true;
                // The entries of other buckets are written when the table grows to them.
                if let Some(part) = self.directory.first_mut().and_then(OnceLock::get_mut) {
                    part.entries[..count].iter_mut().for_each(|entry| *entry.get_mut() = 0);
                }
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
        let place = if self.grows {
            let part = self.directory.get(number / CHUNK).and_then(OnceLock::get);
            let entry = part.map_or(0, |part| part.entries[number % CHUNK].load(Relaxed));
            if self.form.may_have(entry, key) { self.form.place(entry) } else { usize::MAX }
        } else {
            number
        };
        let chunk = self.chunks.get(place / CHUNK).and_then(OnceLock::get);
        let bucket = chunk.map_or(&[][..], |chunk| &chunk[place % CHUNK / 2].0[place % 2]);
        let known = move |place: &Place<N>| {
            if place.head().0 < self.generation {
                return None;
            }
            let kept = place.get();
            (kept.key == key && kept.generation == self.generation).then_some((kept.depth, kept.result))
        };
        bucket.iter().filter_map(known)
    }

    /// Stores the result of searching a position to a depth.
    #[inline]
    pub fn store(&self, key: u64, depth: u32, result: [u64; N]) {
        if !self.is_on() {
            return;
        }
        let new = Kept { key, generation: self.generation, depth, result };
        let number = index(key, self.count.load(Relaxed));
        if !self.grows {
            self.replace(self.bucket(number), new);
            return;
        }
        let form = self.form;
        let (part, at) = (self.part(number), number % CHUNK);
        let entry = part.entries[at].load(Relaxed);
        let (tag, bits) = (form.tag(key), deciding(key));
        if entry == 0 {
            let place = self.take();
            self.bucket(place)[0].set(new);
            self.enter(number, form.entry(place, [tag, 0]), [bits, 0]);
            self.grow();
            return;
        }
        let (place, [first, second]) = (form.place(entry), form.tags(entry));
        let [first_bits, second_bits] = &part.bits[at];
        let (changed, tags) = match self.replace(self.bucket(place), new) {
            Replaced::First => (first_bits, [tag, second]),
            Replaced::Second => (second_bits, [first, tag]),
            Replaced::Moved => {
                second_bits.store(first_bits.load(Relaxed), Relaxed);
                (first_bits, [tag, first])
            }
        };
        changed.store(bits, Relaxed);
        part.entries[at].store(form.entry(place, tags), Relaxed);
    }

    /// The part of the directory that has the entry of a bucket.
    #[inline]
    fn part(&self, number: usize) -> &Part {
        match self.directory[number / CHUNK].get() {
            Some(part) => part,
            None => self.add_part(number / CHUNK),
        }
    }

    #[cold]
    #[inline(never)]
    fn add_part(&self, number: usize) -> &Part {
        let empty = || Part {
            entries: [const { AtomicU32::new(0) }; CHUNK],
            bits: [const { [const { AtomicU16::new(0) }; 2] }; CHUNK],
        };
        self.directory[number].get_or_init(|| Box::new(empty()))
    }

    /// The place in memory of a bucket that comes into use.
    #[inline]
    fn take(&self) -> usize {
        let used = self.used.load(Relaxed);
        self.used.store(used + 1, Relaxed);
        used
    }

    /// Writes what the directory has about a bucket.
    #[inline]
    fn enter(&self, number: usize, entry: u32, bits: [u16; 2]) {
        let (part, at) = (self.part(number), number % CHUNK);
        part.entries[at].store(entry, Relaxed);
        part.bits[at][0].store(bits[0], Relaxed);
        part.bits[at][1].store(bits[1], Relaxed);
    }

    /// Puts a result into its bucket.
    #[inline]
    fn replace(&self, [first, second]: &Bucket<N>, new: Kept<N>) -> Replaced {
        let (old_generation, old_depth) = first.head();
        if old_generation < self.generation {
            first.set(new);
            Replaced::First
        } else if new.depth < old_depth {
            second.set(new);
            Replaced::Second
        } else {
            let moves = new.depth > old_depth || first.get().key != new.key;
            if moves {
                second.copy(first);
            }
            first.set(new);
            if moves { Replaced::Moved } else { Replaced::First }
        }
    }

    /// A bucket by its place in memory.
    #[inline]
    fn bucket(&self, place: usize) -> &Bucket<N> {
        let (chunk, at) = (place / CHUNK, place % CHUNK);
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

    /// Splits as many buckets as those in use take. Called only where one thread has the table.
    #[inline]
    fn grow(&self) {
        while 4 * self.used.load(Relaxed) > self.count.load(Relaxed) && self.count.load(Relaxed) < self.most {
            self.split();
        }
    }

    /// Adds a bucket, and moves to it what belongs there from the bucket that is split.
    fn split(&self) {
        let new = self.count.load(Relaxed);
        self.count.store(new + 1, Relaxed);
        let (level, form) = (new.ilog2(), self.form);
        let old = new - (1 << level);
        let (old_part, new_part, at) = (self.part(old), self.part(new), old % CHUNK);
        let entry = old_part.entries[at].load(Relaxed);
        if entry == 0 {
            new_part.entries[new % CHUNK].store(0, Relaxed);
            return;
        }
        let (place, tags) = (form.place(entry), form.tags(entry));
        let bits = old_part.bits[at].each_ref().map(|bits| bits.load(Relaxed));
        let goes = match level - START.ilog2() {
            shift if shift < DECIDING => bits.map(|bits| bits >> shift & 1 == 1),
            _ => self.bucket(place).each_ref().map(|place| index(place.get().key, new + 1) == new),
        };
        if tags[1] != 0 && goes[0] != goes[1] {
            // The first result keeps its place in memory, and the second gets another.
            let other = self.take();
            let second = &self.bucket(place)[1];
            self.bucket(other)[0].copy(second);
            second.clear();
            let numbers = if goes[0] { [new, old] } else { [old, new] };
            for (number, place, at) in [(numbers[0], place, 0), (numbers[1], other, 1)] {
                self.enter(number, form.entry(place, [tags[at], 0]), [bits[at], 0]);
            }
        } else if goes[0] {
            self.enter(new, entry, bits);
            old_part.entries[at].store(0, Relaxed);
        } else {
            new_part.entries[new % CHUNK].store(0, Relaxed);
        }
    }
}

/// Where a new result was put.
enum Replaced {
    /// Into the first place.
    First,
    /// Into the second place.
    Second,
    /// Into the first place, and what was there into the second.
    Moved,
}

/// The parts of an entry of the directory: from the lowest bits up one more than the place of the bucket in memory, and the tags of the two
/// results. A tag is a few bits of a key, and 0 only where there is no result. The entry of an empty bucket is 0.
#[derive(Clone, Copy, Debug)]
struct EntryForm {
    place_bits: u32,
    tag_bits: u32,
}

impl EntryForm {
    /// For so many buckets.
    fn new(most: usize) -> EntryForm {
        let place_bits = usize::BITS - most.leading_zeros();
        // With few buckets, tags need not be longer than this.
        EntryForm { place_bits, tag_bits: ((u32::BITS - place_bits) / 2).min(8) }
    }

    #[inline]
    fn entry(self, place: usize, [first, second]: [u32; 2]) -> u32 {
        (place as u32 + 1) | (first | second << self.tag_bits) << self.place_bits
    }

    #[inline]
    fn place(self, entry: u32) -> usize {
        (entry & ((1 << self.place_bits) - 1)) as usize - 1
    }

    #[inline]
    fn tags(self, entry: u32) -> [u32; 2] {
        let tags = entry >> self.place_bits;
        [tags & ((1 << self.tag_bits) - 1), tags >> self.tag_bits]
    }

    /// Bits of a key that its place in the table does not depend on, unless it is very large.
    #[inline]
    fn tag(self, key: u64) -> u32 {
        ((spread(key) >> 32) as u32 >> (u32::BITS - self.tag_bits)).max(1)
    }

    /// Whether a bucket may have something for a key.
    #[inline]
    fn may_have(self, entry: u32, key: u64) -> bool {
        let ([first, second], tag) = (self.tags(entry), self.tag(key));
        entry != 0 && (first == tag || second == tag)
    }
}

/// Number of buckets in so many bytes: not more than an entry of the directory can name beside two tags.
fn buckets<const N: usize>(bytes: usize) -> usize {
    (bytes / size_of::<Bucket<N>>()).min((1 << 30) - 1)
}

/// How many times a table can double before a bucket has to be read to find out where its results go. Few in tests, so that those do both.
const DECIDING: u32 = if cfg!(test) { 2 } else { u16::BITS };

/// The bits of a key that decide where it goes when the table grows, from the first time on.
#[inline]
fn deciding(key: u64) -> u16 {
    (spread(key).rotate_left(32) >> START.ilog2()) as u16
}

/// A clone has the same size, and is empty.
impl<const N: usize> Clone for TranspositionTable<N> {
    fn clone(&self) -> TranspositionTable<N> {
        TranspositionTable::new(self.bytes())
    }
}

/// Spreads keys that are poorly mixed.
#[inline]
fn spread(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The bucket of a key among any number of them: the low bits of the key that number the buckets, or one bit less if that
/// bucket does not exist yet.
#[inline]
fn index(key: u64, count: usize) -> usize {
    let spread = spread(key).rotate_left(32) as usize;
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
            let is_used = |number: &usize| table.part(*number).entries[*number % CHUNK].load(Relaxed) != 0;
            assert_eq!((0..all).filter(is_used).count(), used);
            let is_filled = |place: &usize| table.bucket(*place)[0].head().0 == table.generation;
            assert!((0..used).all(|place| is_filled(&place)) && !is_filled(&used));
            table.clear();
            assert_eq!(count(&table), start);
            assert!((0..10_000).all(|key| table.probe(mix(key)).next().is_none()));
        }
    }

    /// The table by its definition: buckets in the order of their numbers, of results with key, depth and value.
    struct Plain {
        buckets: Vec<Vec<(u64, u32, u64)>>,
        most: usize,
    }

    impl Plain {
        fn store(&mut self, key: u64, depth: u32, value: u64) {
            let at = index(key, self.buckets.len());
            let (bucket, new) = (&mut self.buckets[at], (key, depth, value));
            match bucket.first().copied() {
                None => {
                    bucket.push(new);
                    self.grow();
                }
                Some((_, old_depth, _)) if depth < old_depth => {
                    bucket.truncate(1);
                    bucket.push(new);
                }
                Some((old_key, old_depth, _)) if depth > old_depth || old_key != key => {
                    bucket.insert(0, new);
                    bucket.truncate(2);
                }
                Some(_) => bucket[0] = new,
            }
        }

        fn grow(&mut self) {
            let used = |buckets: &[Vec<_>]| buckets.iter().filter(|bucket| !bucket.is_empty()).count();
            while 4 * used(&self.buckets) > self.buckets.len() && self.buckets.len() < self.most {
                let (new, count) = (self.buckets.len(), self.buckets.len() + 1);
                let old = &mut self.buckets[new - (1 << new.ilog2())];
                let (go, stay) = old.iter().partition(|result| index(result.0, count) == new);
                *old = stay;
                self.buckets.push(go);
            }
        }

        fn found(&self, key: u64) -> Vec<(u32, u64)> {
            let bucket = &self.buckets[index(key, self.buckets.len())];
            bucket.iter().filter(|result| result.0 == key).map(|result| (result.1, result.2)).collect()
        }
    }

    #[test]
    fn a_directory_changes_nothing_but_where_buckets_are() {
        // Room to double three times, and not quite four times.
        for most in [9 * START, 13 * START] {
            let mut table: TranspositionTable<1> = TranspositionTable::new(most * size_of::<Bucket<1>>());
            let mut rng = Rng::new(6);
            for round in 0..3 {
                let mut plain = Plain { buckets: vec![Vec::new(); START], most };
                for number in 0..9_000u64 {
                    // Some again and again, so that results of the same position meet.
                    let key = mix(rng.below(if number % 3 == 0 { 300 } else { 30_000 }) as u64);
                    let depth = rng.below(6) as u32;
                    plain.store(key, depth, number);
                    table.store(key, depth, [number]);
                    let other = mix(rng.below(30_000) as u64);
                    assert_eq!((found(&table, key), found(&table, other)), (plain.found(key), plain.found(other)));
                }
                assert_eq!(count(&table), plain.buckets.len());
                assert!((0..30_000).all(|key| found(&table, mix(key)) == plain.found(mix(key))), "round {round}");
                assert!(plain.buckets.iter().any(|bucket| bucket.len() == 2));
                table.clear();
            }
        }
    }

    #[test]
    fn entries_of_the_directory_keep_their_parts() {
        for most in [1, 2, 1000, 1 << 20, (1 << 20) + 1, (1 << 30) - 1] {
            let form = EntryForm::new(most);
            let tags = [1, 2, 3].map(|key| form.tag(mix(key)));
            for place in [0, most / 2, most - 1] {
                let entry = form.entry(place, [tags[0], tags[1]]);
                assert_eq!((form.place(entry), form.tags(entry)), (place, [tags[0], tags[1]]), "{most}");
                assert!(form.may_have(entry, mix(1)) && form.may_have(entry, mix(2)));
                assert_eq!(form.may_have(entry, mix(3)), tags[..2].contains(&tags[2]));
                assert_eq!(form.tags(form.entry(place, [tags[0], 0])), [tags[0], 0]);
            }
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
        let mut tables: [TranspositionTable<2>; 2] = [1, 2].map(|_| TranspositionTable::new(size_of::<Bucket<2>>()));
        tables.iter_mut().for_each(TranspositionTable::clear_to_share);
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
