//! Building the distance table.

use std::array;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;

use super::board::{Board, OFF, Star};
use super::paths::Paths;
use super::rank::{CHOOSE, NONE, PIECES, PLACEMENTS, SMALL, count, pack, rank, unrank};

/// The southern corner.
const GOAL: u8 = 3;

/// Words of sets that a thread takes at once.
const CHUNK: usize = 1024;

/// The value of every placement by its number, for the player whose home is in the north.
///
/// A breadth-first search backwards from the full goal: a placement that reaches one of value `d` in one move, and has not been
/// found yet, has value `d` + 1. Hops can be reversed; only the goal rule has a direction: backwards, a piece may leave the goal but
/// not enter it. A placement and its mirror image have the same value, so only one of the two is expanded.
///
/// Whether a placement has been found is a bit. All of them are 21 MB, which a processor's cache holds better than the values: they are
/// written in passes of their own, in the order of the numbers.
pub(super) fn build(threads: usize, progress: &dyn Fn(f64)) -> Vec<u8> {
    let search = Search::new();
    let (mut values, mut valued) = (vec![0; PLACEMENTS], vec![0; PLACEMENTS.div_ceil(64)]);
    let goal = array::from_fn(|piece| (67 + piece) as u8);
    search.add(goal, rank(goal), 0);
    let done = AtomicUsize::new(0);
    for value in 0.. {
        if !search.write(value, &mut values, &mut valued, threads) {
            break;
        }
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
    }
    values
}

struct Search {
    star: &'static Star,
    /// The placements found so far, one bit each.
    found: Vec<AtomicU64>,
    /// The placements to expand, one bit each: those of the current value and of the next, alternating.
    frontiers: [Vec<AtomicU64>; 2],
    /// The neighbors of each field, and the same as a set. A piece without another beside it reaches these.
    near: [([u8; 6], u128); SMALL],
}

impl Search {
    fn new() -> Search {
        let words = PLACEMENTS.div_ceil(64);
        let set = || (0..words).map(|_| AtomicU64::new(0)).collect();
        let star = Board::Small.star();
        let near = array::from_fn(|field| {
            let (mut fields, mut among) = ([OFF; 6], 0);
            let all = star.around[field].iter().map(|&(near, _)| near).filter(|&near| near != OFF);
            for (place, near) in fields.iter_mut().zip(all) {
                *place = near;
                among |= 1 << near;
            }
            (fields, among)
        });
        Search { star, found: set(), frontiers: [set(), set()], near }
    }

    fn frontier(&self, value: u8) -> &[AtomicU64] {
        &self.frontiers[value as usize % 2]
    }

    /// Whether a placement has been found.
    #[inline]
    fn is_found(&self, number: u32) -> bool {
        self.found[number as usize / 64].load(Relaxed) >> (number % 64) & 1 == 1
    }

    /// Finds a placement and its mirror image, which have this value, and puts one of the two in the frontier.
    ///
    /// Two threads may do this at once for the same placement, to the same effect.
    fn add(&self, placement: [u8; PIECES], number: u32, value: u8) {
        let insert = |set: &[AtomicU64], number: u32| {
            set[number as usize / 64].fetch_or(1 << (number % 64), Relaxed);
        };
        let image = rank(placement.map(|field| self.star.mirrored[field as usize]));
        insert(&self.found, number);
        insert(&self.found, image);
        insert(self.frontier(value), number.min(image));
    }

    /// Writes the value of all placements found since the last time, and returns whether there are any.
    fn write(&self, value: u8, values: &mut [u8], valued: &mut [u64], threads: usize) -> bool {
        let chunks = self.found.chunks(CHUNK).zip(valued.chunks_mut(CHUNK)).zip(values.chunks_mut(64 * CHUNK));
        let (chunks, is_any) = (Mutex::new(chunks), AtomicBool::new(false));
        let work = || {
            loop {
                let next = chunks.lock().expect("nothing panics meanwhile").next();
                let Some(((found, valued), values)) = next else { break };
                for ((found, valued), values) in found.iter().zip(valued).zip(values.chunks_mut(64)) {
                    let found = found.load(Relaxed);
                    let mut new = found & !*valued;
                    if new == 0 {
                        continue;
                    }
                    is_any.store(true, Relaxed);
                    *valued = found;
                    while new != 0 {
                        values[new.trailing_zeros() as usize] = value;
                        new &= new - 1;
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        is_any.into_inner()
    }

    /// Expands the placements of a chunk of the frontier, which starts at the word `start`, and empties it.
    fn expand(&self, frontier: &[AtomicU64], start: usize, value: u8) -> usize {
        let mut paths = Paths::new(self.star, 0);
        let mut count = 0;
        // The numbers of the placements that have the same four highest pieces, from the first to the last, and one of them.
        let (mut first, mut end, mut placement) = (0, 0, [0; PIECES]);
        for (word, index) in frontier.iter().take(CHUNK).zip(start..) {
            if word.load(Relaxed) == 0 {
                continue;
            }
            let mut bits = word.swap(0, Relaxed);
            while bits != 0 {
                let number = (index * 64) as u32 + bits.trailing_zeros();
                if number < end {
                    let mut second = placement[1] as usize;
                    while CHOOSE[2][second + 1] <= number - first {
                        second += 1;
                    }
                    placement[..2].copy_from_slice(&[(number - first - CHOOSE[2][second]) as u8, second as u8]);
                } else {
                    placement = unrank(number);
                    first = number - u32::from(placement[0]) - CHOOSE[2][placement[1] as usize];
                    end = first + CHOOSE[2][placement[2] as usize];
                }
                self.add_parents(&mut paths, placement, value + 1);
                bits &= bits - 1;
                count += 1;
            }
        }
        count
    }

    /// Finds all placements that reach this one in a move, and have `value` if they are new.
    #[inline]
    fn add_parents(&self, paths: &mut Paths, placement: [u8; PIECES], value: u8) {
        let choose = |place: usize, field: u8| CHOOSE[place % 8][field as usize];
        let number: u32 = (0..PIECES).map(|piece| choose(piece + 1, placement[piece])).sum();
        // What a piece adds to the number if it takes the place above its own, or below.
        let up = |piece: usize| choose(piece + 2, placement[piece]).wrapping_sub(choose(piece + 1, placement[piece]));
        let down = |piece: usize| choose(piece, placement[piece]).wrapping_sub(choose(piece + 1, placement[piece]));
        let (up, down): ([u32; PIECES], [u32; PIECES]) = (array::from_fn(up), array::from_fn(down));
        let packed = pack(placement);
        let mut occupied = 0;
        for field in placement {
            paths.put(field, true);
            occupied |= 1u128 << field;
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
            let (near, among) = &self.near[to as usize];
            let degree = self.star.degree[to as usize] as usize;
            let sources = if among & occupied == 0 { &near[..degree] } else { &*paths.reach(to) };
            for &from in sources {
                let below = count(others, from);
                let parent = sums[below].wrapping_add(choose(below + 1, from));
                if !self.is_found(parent) && (self.inside(to) || !self.inside(from)) {
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
