//! A transposition table: what is known of positions already searched.
//!
//! *Two-deep* (Breuker 1998): each bucket has two places. A result at least as deep as the one in the first place takes
//! it, and what stood there moves to the second; any other result takes the second. So the costly results stay and the
//! recent ones are found.
//!
//! A position is recognised by its whole 64-bit key; nothing is ever taken for another position that merely shares its
//! bucket. The table starts empty for every decision ([`TranspositionTable::clear`] costs nothing), so an answer depends on the
//! position and the budget alone, never on what was searched before. And it starts small and grows by one bucket at a
//! time as long as more than a quarter are in use (*linear hashing*): a search of a thousand nodes stays in the
//! processor's cache, only a long one pays for all the memory, and no search ever stops to move a table. The memory is
//! asked of the system once, zeroed by the system, and becomes real page by page.
//!
//! References: R. D. Greenblatt, D. E. Eastlake, S. D. Crocker, *The Greenblatt Chess Program*, 1967; D. M. Breuker,
//! *Memory versus Search in Games*, 1998, chapter 3; W. Litwin, *Linear Hashing: a New Tool for File and TranspositionTable
//! Addressing*, 1980.

/// One place: the whole key, the generation (0 is never current, so zeroed memory is empty), the depth, what is known.
///
/// A tuple and not a struct, because the standard library asks the system for zeroed memory only for types that it
/// knows to be zero.
type Place<V> = (u64, u32, u32, V);

/// A two-deep transposition table of results `V`, each for a position searched to some depth.
///
/// `V` should be a number or a tuple or an array of numbers: then an empty table costs nothing.
///
/// ```
/// use nply::TranspositionTable;
/// let mut table: TranspositionTable<i32> = TranspositionTable::new(1 << 20);
/// table.store(17, 4, -3);
/// table.store(17, 2, 5);
/// assert_eq!(table.probe(17).collect::<Vec<_>>(), [(4, -3), (2, 5)]);
/// assert_eq!(table.probe(18).next(), None);
/// table.clear();
/// assert_eq!(table.probe(17).next(), None);
/// ```
#[derive(Clone, Debug)]
pub struct TranspositionTable<V> {
    /// Room for all buckets there may ever be; empty until something is stored.
    buckets: Vec<[Place<V>; 2]>,
    /// How many buckets there may be.
    most: usize,
    /// How many buckets there are.
    count: usize,
    /// How many of them are in use.
    used: usize,
    generation: u32,
}

/// The buckets at the start.
const START: usize = 1 << 10;

impl<V: Copy + Default> TranspositionTable<V> {
    /// An empty table that will take no more than so many bytes; with less than one bucket's worth nothing is ever
    /// kept.
    pub fn new(bytes: usize) -> TranspositionTable<V> {
        let most = bytes / size_of::<[Place<V>; 2]>();
        TranspositionTable { buckets: Vec::new(), most, count: most.min(START), used: 0, generation: 1 }
    }

    /// Whether the table can keep anything.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.most > 0
    }

    /// The bytes that the table takes when it is full.
    pub fn bytes(&self) -> usize {
        self.most * size_of::<[Place<V>; 2]>()
    }

    /// Forgets everything, and takes no more than so many bytes from now on.
    pub fn resize(&mut self, bytes: usize) {
        let new = TranspositionTable::new(bytes);
        if new.most == self.most {
            self.clear();
        } else {
            *self = new;
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        match self.generation.checked_add(1) {
            Some(next) => {
                self.generation = next;
                self.count = self.most.min(START);
                self.used = 0;
            }
            None => *self = TranspositionTable::new(self.bytes()),
        }
    }

    /// The results kept for a position, each with its depth: at most two, the deeper first.
    #[inline]
    pub fn probe(&self, key: u64) -> impl Iterator<Item = (u32, V)> + '_ {
        let bucket = if self.buckets.is_empty() { &[] } else { &self.buckets[index(key, self.count)][..] };
        let known = move |place: &&Place<V>| place.0 == key && place.1 == self.generation;
        bucket.iter().filter(known).map(|&(_, _, depth, result)| (depth, result))
    }

    /// Keeps the result of searching a position to a depth.
    #[inline]
    pub fn store(&mut self, key: u64, depth: u32, result: V) {
        if self.buckets.is_empty() {
            if !self.is_on() {
                return;
            }
            self.allocate();
        }
        let generation = self.generation;
        let [first, second] = &mut self.buckets[index(key, self.count)];
        let new = (key, generation, depth, result);
        if first.1 != generation {
            *first = new;
            self.used += 1;
            while 4 * self.used > self.count && self.count < self.most {
                self.split();
            }
        } else if first.0 == key && first.2 == depth {
            *first = new;
        } else if depth >= first.2 {
            *second = *first;
            *first = new;
        } else {
            *second = new;
        }
    }

    #[cold]
    fn allocate(&mut self) {
        self.buckets = vec![[(0, 0, 0, V::default()); 2]; self.most];
    }

    /// Adds a bucket, and moves to it what the one that it is split from has for it.
    fn split(&mut self) {
        let new = self.count;
        let old = new - (1 << new.ilog2());
        let bucket = self.buckets[old];
        self.count += 1;
        self.used -= usize::from(bucket[0].1 == self.generation);
        self.buckets[old] = [(0, 0, 0, V::default()); 2];
        self.buckets[new] = [(0, 0, 0, V::default()); 2];
        for place in bucket.into_iter().filter(|place| place.1 == self.generation) {
            let [first, second] = &mut self.buckets[index(place.0, self.count)];
            if first.1 == self.generation {
                *second = place;
            } else {
                *first = place;
                self.used += 1;
            }
        }
    }
}

/// The bucket of a key among any number of them: so many bits of the key as number the buckets, or one less if there is
/// no such bucket yet.
#[inline]
fn index(key: u64, count: usize) -> usize {
    // Even keys that are poorly mixed are spread.
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

    fn found<V: Copy + Default>(table: &TranspositionTable<V>, key: u64) -> Vec<(u32, V)> {
        table.probe(key).collect()
    }

    #[test]
    fn the_deeper_result_stays_first_and_the_newer_of_equals() {
        // One bucket, so that all keys meet.
        let mut table: TranspositionTable<u8> = TranspositionTable::new(size_of::<[Place<u8>; 2]>());
        table.store(1, 5, 10);
        table.store(2, 3, 20);
        assert_eq!((found(&table, 1), found(&table, 2)), (vec![(5, 10)], vec![(3, 20)]));
        table.store(3, 2, 30);
        assert_eq!((found(&table, 1), found(&table, 2), found(&table, 3)), (vec![(5, 10)], vec![], vec![(2, 30)]));
        table.store(4, 5, 40);
        assert_eq!((found(&table, 4), found(&table, 1), found(&table, 3)), (vec![(5, 40)], vec![(5, 10)], vec![]));
        table.store(4, 5, 41);
        assert_eq!((found(&table, 4), found(&table, 1)), (vec![(5, 41)], vec![(5, 10)]));
    }

    #[test]
    fn a_table_without_room_keeps_nothing() {
        let mut table: TranspositionTable<u64> = TranspositionTable::new(10);
        assert!(!table.is_on());
        table.store(1, 1, 1);
        assert_eq!(found(&table, 1), []);
    }

    #[test]
    fn a_table_takes_what_it_may_and_not_more() {
        for bytes in [0, 100, 64 << 10, (64 << 10) + 47, 1 << 20, 1_234_567, 64 << 20] {
            let table: TranspositionTable<(i64, u32, u8)> = TranspositionTable::new(bytes);
            assert_eq!(size_of::<[Place<(i64, u32, u8)>; 2]>(), 64);
            assert!(table.bytes() <= bytes && table.bytes() + 64 > bytes);
        }
    }

    #[test]
    fn what_is_found_was_stored() {
        let mut table: TranspositionTable<u32> = TranspositionTable::new(1 << 12);
        assert_eq!(table.count, table.most, "too small to grow");
        let mut rng = Rng::new(1);
        for round in 0..20 {
            let mut stored: HashMap<(u64, u32), u32> = HashMap::new();
            let mut hits = 0;
            for result in 0..2000 {
                let key = rng.below(500) as u64;
                for (depth, result) in table.probe(key) {
                    assert_eq!(stored.get(&(key, depth)), Some(&result), "round {round}");
                    hits += 1;
                }
                let depth = rng.below(6) as u32;
                table.store(key, depth, result);
                assert!(table.probe(key).any(|found| found == (depth, result)), "what was stored last is there");
                stored.insert((key, depth), result);
            }
            assert!(hits > 100, "{hits}");
            table.clear();
        }
    }

    #[test]
    fn an_old_generation_is_as_good_as_an_empty_table() {
        let (mut used, mut fresh): (TranspositionTable<u32>, TranspositionTable<u32>) =
            (TranspositionTable::new(1 << 10), TranspositionTable::new(1 << 10));
        let mut rng = Rng::new(2);
        for result in 0..1000 {
            used.store(rng.bits(), rng.below(9) as u32, result);
        }
        used.clear();
        for result in 0..1000 {
            let (key, depth) = (rng.below(60) as u64, rng.below(9) as u32);
            used.store(key, depth, result);
            fresh.store(key, depth, result);
            let other = rng.below(60) as u64;
            assert_eq!(found(&used, other), found(&fresh, other));
        }
        used.generation = u32::MAX;
        used.store(5, 1, 1);
        used.clear();
        assert_eq!((found(&used, 5), used.generation), (vec![], 1));
    }

    #[test]
    fn a_table_grows_and_loses_little_of_what_it_knows() {
        let mut table: TranspositionTable<u64> = TranspositionTable::new(1 << 22);
        let start = table.count;
        for round in 0..2 {
            for key in 0..10_000 {
                table.store(mix(key), key as u32 % 7, key);
            }
            assert!((4 * table.used..4 * table.used + 9).contains(&table.count), "{} of {}", table.used, table.count);
            let known = |key: &u64| found(&table, mix(*key)) == [(*key as u32 % 7, *key)];
            let kept = (0..10_000).filter(known).count();
            // Three in a bucket are one too many.
            assert!((9500..10_000).contains(&kept), "{kept} in round {round}");
            let used = table.buckets[..table.count].iter().filter(|bucket| bucket[0].1 == table.generation).count();
            assert_eq!(used, table.used);
            table.clear();
            assert_eq!(table.count, start);
            assert!((0..10_000).all(|key| table.probe(mix(key)).next().is_none()));
        }
    }

    #[test]
    fn growing_keeps_the_deeper_result_first() {
        let mut table: TranspositionTable<u8> = TranspositionTable::new(1 << 20);
        table.store(1, 3, 30);
        table.store(1, 5, 50);
        table.store(1, 4, 40);
        let before = found(&table, 1);
        assert_eq!(before, [(5, 50), (4, 40)]);
        for _ in 0..10_000 {
            table.split();
            assert_eq!(found(&table, 1), before);
        }
    }
}
