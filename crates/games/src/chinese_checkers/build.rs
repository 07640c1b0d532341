//! Building the distance table.

use std::array;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;

use super::board::{Board, Star};
use super::paths::Paths;
use super::rank::{CHOOSE, NONE, PIECES, PLACEMENTS, count, pack, rank, unrank};

/// A placement whose value is not known yet.
const UNKNOWN: u8 = u8::MAX;

/// The southern corner.
const GOAL: u8 = 3;

/// Words of the frontier that a thread takes at once.
const CHUNK: usize = 1024;

/// The value of every placement by its number, for the player whose home is in the north.
///
/// A breadth-first search backwards from the full goal: a placement that reaches one of value `d` in one move, and has no value
/// yet, has value `d` + 1. Hops can be reversed; only the goal rule has a direction: backwards, a piece may leave the goal but
/// not enter it. A placement and its mirror image have the same value, so only one of the two is expanded.
pub(super) fn build(threads: usize, progress: &dyn Fn(f64)) -> Vec<u8> {
    let search = Search::new();
    let goal = array::from_fn(|piece| (67 + piece) as u8);
    search.add(goal, rank(goal), 0);
    let done = AtomicUsize::new(0);
    for value in 0.. {
        let frontier = search.frontier(value);
        let next = AtomicUsize::new(0);
        let work = |report: &dyn Fn(f64)| {
            loop {
                let start = next.fetch_add(CHUNK, Relaxed);
                if start >= frontier.len() {
                    break;
                }
                let count = search.expand(&frontier[start..], start, value);
                let before = done.fetch_add(count, Relaxed);
                // Nearly half of the placements are expanded. A thousand reports are enough.
                let part = |count: usize| (count * 2000 / PLACEMENTS).min(1000);
                if part(before + count) > part(before) {
                    report(part(before + count) as f64 / 1000.0);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| work(&|_| ()));
            }
            work(progress);
        });
        if search.frontier(value + 1).iter().all(|word| word.load(Relaxed) == 0) {
            break;
        }
    }
    search.values.into_iter().map(AtomicU8::into_inner).collect()
}

struct Search {
    star: &'static Star,
    values: Vec<AtomicU8>,
    /// The placements to expand, one bit each: those of the current value and of the next, alternating.
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
    /// Two threads may do this at once for the same placement; they write the same values.
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
        let choose = |place: usize, field: u8| CHOOSE[place % 8][field as usize];
        let number: u32 = (0..PIECES).map(|piece| choose(piece + 1, placement[piece])).sum();
        // What a piece adds to the number if it takes the place above its own, or below.
        let up = |piece: usize| choose(piece + 2, placement[piece]).wrapping_sub(choose(piece + 1, placement[piece]));
        let down = |piece: usize| choose(piece, placement[piece]).wrapping_sub(choose(piece + 1, placement[piece]));
        let (up, down): ([u32; PIECES], [u32; PIECES]) = (array::from_fn(up), array::from_fn(down));
        let packed = pack(placement);
        for field in placement {
            paths.put(field, true);
        }
        let mut risen = 0;
        for (piece, &to) in placement.iter().enumerate() {
            // What the other pieces add to the number if so many of them are below this one.
            let mut sums = [0; 8];
            sums[0] = number.wrapping_add(risen).wrapping_sub(choose(piece + 1, to));
            for below in 0..PIECES - 1 {
                let fall = if below < piece { up[below].wrapping_neg() } else { down[below + 1] };
                sums[below + 1] = u32::wrapping_add(sums[below], fall);
            }
            risen = risen.wrapping_add(up[piece]);
            let others = packed | NONE << (8 * piece);
            for &from in &*paths.reach(to) {
                let below = count(others, from);
                let parent = sums[below].wrapping_add(choose(below + 1, from));
                if self.values[parent as usize].load(Relaxed) == UNKNOWN && (self.inside(to) || !self.inside(from)) {
                    let mut pieces = placement;
                    pieces[piece] = from;
                    self.add(pieces, parent, value);
                }
            }
        }
        for field in placement {
            paths.put(field, false);
        }
    }

    fn inside(&self, field: u8) -> bool {
        self.star.corner_of[field as usize] == GOAL
    }
}
