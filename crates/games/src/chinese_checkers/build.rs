//! Working out the distance table.

use std::array;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;

use super::board::{Board, Star};
use super::paths::{Paths, retain};
use super::rank::{CHOOSE, PIECES, PLACEMENTS, rank, unrank};

/// A placement whose value is not known yet.
const UNKNOWN: u8 = u8::MAX;

/// Words of the frontier that a thread takes at once.
const CHUNK: usize = 1024;

/// The value of every placement by its number, for the player whose home is in the north.
///
/// A breadth-first search backwards from the full goal: whatever reaches a placement of value `d` in one move, and has no value
/// yet, has value `d` + 1. Hops can be taken back the way they came; only the goal rule has a direction: backwards, a piece may
/// leave the goal but not enter it. A placement and its mirror image have the same value, so one of the two is expanded.
pub(super) fn build(threads: usize, progress: &dyn Fn(f64)) -> Vec<u8> {
    let search = Search::new();
    let goal = array::from_fn(|piece| (67 + piece) as u8);
    search.add(goal, rank(goal), 0);
    let mut known = 0;
    for value in 0.. {
        let frontier = search.frontier(value);
        let expanded = AtomicUsize::new(0);
        let next_chunk = AtomicUsize::new(0);
        let work = |report: &dyn Fn(usize)| {
            let mut count = 0;
            loop {
                let start = next_chunk.fetch_add(CHUNK, Relaxed);
                if start >= frontier.len() {
                    break;
                }
                count += search.expand(&frontier[start..], start, value);
                report(count);
            }
            expanded.fetch_add(count, Relaxed);
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| work(&|_| ()));
            }
            // What this thread has done, times the number of threads, is about what is done.
            work(&|count| progress(((known + count * threads) as f64 * 2.0 / PLACEMENTS as f64).min(1.0)));
        });
        known += expanded.into_inner();
        if search.frontier(value + 1).iter().all(|word| word.load(Relaxed) == 0) {
            break;
        }
    }
    search.values.into_iter().map(AtomicU8::into_inner).collect()
}

struct Search {
    star: &'static Star,
    values: Vec<AtomicU8>,
    /// The placements to expand, a bit each: those of this value and of the next, by turns.
    frontiers: [Vec<AtomicU64>; 2],
}

impl Search {
    fn new() -> Search {
        let words = PLACEMENTS.div_ceil(64);
        let frontier = || (0..words).map(|_| AtomicU64::new(0)).collect();
        Search {
            star: Board::Small.star(),
            values: (0..PLACEMENTS).map(|_| AtomicU8::new(UNKNOWN)).collect(),
            frontiers: [frontier(), frontier()],
        }
    }

    fn frontier(&self, value: u8) -> &[AtomicU64] {
        &self.frontiers[value as usize % 2]
    }

    /// Gives a placement and its mirror image their value, and puts one of the two in the frontier.
    ///
    /// Two threads may do this at once for the same placement: they do the same.
    fn add(&self, placement: [u8; PIECES], number: u32, value: u8) {
        let image = rank(placement.map(|field| self.star.mirrored[field as usize]));
        self.values[number as usize].store(value, Relaxed);
        self.values[image as usize].store(value, Relaxed);
        let chosen = number.min(image);
        self.frontier(value)[chosen as usize / 64].fetch_or(1 << (chosen % 64), Relaxed);
    }

    /// Expands the placements of a chunk of the frontier, which starts at the word `start`, and empties it.
    fn expand(&self, frontier: &[AtomicU64], start: usize, value: u8) -> usize {
        let mut paths = Paths::new(self.star, 0);
        let mut count = 0;
        for (word, index) in frontier.iter().take(CHUNK).zip(start..) {
            if word.load(Relaxed) == 0 {
                continue;
            }
            let mut bits = word.swap(0, Relaxed);
            while bits != 0 {
                self.add_parents(&mut paths, unrank((index * 64) as u32 + bits.trailing_zeros()), value + 1);
                bits &= bits - 1;
                count += 1;
            }
        }
        count
    }

    /// Gives `value` to all placements without one that reach this one in a move.
    #[inline]
    fn add_parents(&self, paths: &mut Paths, placement: [u8; PIECES], value: u8) {
        for field in placement {
            paths.put(field, true);
        }
        let inside = |field: u8| self.star.corner_of[field as usize % 128] == 3;
        for (piece, &to) in placement.iter().enumerate() {
            let others: [u8; PIECES - 1] = array::from_fn(|other| placement[other + (other >= piece) as usize]);
            // What the others add to the number if so many of them are below the piece.
            let mut sums = [0; 8];
            sums[0] = (0..PIECES - 1).map(|other| CHOOSE[other + 2][others[other] as usize % 128]).sum();
            for below in 0..PIECES - 1 {
                let field = others[below] as usize % 128;
                sums[below + 1] = sums[below] - CHOOSE[below + 2][field] + CHOOSE[below + 1][field];
            }
            let reached = paths.reach(to);
            let starts = if inside(to) { reached } else { retain(reached, |from| !inside(from)) };
            for &from in starts {
                let below: usize = others.iter().map(|&other| (other < from) as usize).sum();
                let number = sums[below] + CHOOSE[(below + 1) % 8][from as usize % 128];
                if self.values[number as usize].load(Relaxed) == UNKNOWN {
                    let [a, b, c, d, e] = others;
                    self.add([a, b, c, d, e, from], number, value);
                }
            }
        }
        for field in placement {
            paths.put(field, false);
        }
    }
}
