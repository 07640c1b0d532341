//! Several threads search one tree.
//!
//! # The scheme
//!
//! The thread that decides and its helpers search the same root to the same depth with the same code, each with its own position,
//! killers and history. They share two things: the [transposition table](crate::transposition), in which each finds what
//! the others have done, and a small set of the moves that are being searched, so that they do different things. A
//! thread that comes to a move which another one is searching puts it off until the others of the node are done; by then its
//! result is usually in the table, and if not, the thread joins the other one below it. The first move of a node is never put
//! off: threads meet there and divide the work further down (*young brothers wait*), since its value decides whether
//! the others are searched at all. Before each further move a thread looks whether another has finished the whole node. This is ABDADA
//! (Weill 1996) in the simplified form of Kerrigan (2017).
//!
//! On the principal variation every thread needs its own line, so there the table does not answer. But what a thread has found so far at
//! such a node is a lower bound that the others take from the table, and what they find between that and an upper bound is enough: otherwise
//! each would search the moves after a better one with an old window. At the root they share the best value in the same way.
//!
//! Why this scheme: no thread ever waits for another, no node has an owner and nothing is handed over, so it does not matter if a thread
//! loses its core for a while, or if there are more threads than cores. With *young brothers wait* and lists of split nodes,
//! whoever splits a node waits for the slowest helper. *Lazy SMP*, the same without the set of moves, lets threads
//! differ by chance alone, which here is little: the value of an iteration must not depend on it, so no thread may search another depth
//! or with reductions.
//!
//! Where nothing is kept in the table, threads only repeat each other: settings with several threads and no table are refused. Positions
//! whose [history matters](crate::Game::history_matters) are not kept either, so near a limit of plies threads help less. In max^n only exact
//! values are kept, so threads divide a pruned search less well than an unpruned one.
//!
//! # What does not depend on the number of threads
//!
//! Value and move of a completed iteration are those of one thread. Which thread comes first changes the order in which moves are searched
//! and what the table knows, so both must be independent of that:
//!
//! - In [two-sided trees](crate::alphabeta) the value is that of plain minimax. The table answers for exactly the same depth or
//!   with what holds for every depth, and alpha-beta cuts only what cannot change the value. Of several best moves of the root
//!   the first of the static ordering, or of the order that the seed shuffles, is chosen: a move further
//!   left need only be as good as the best so far, one further right must be better, whatever is searched first.
//! - In [max^n](crate::maxn) the value is that of plain max^n with its rule for ties, which knows only the place of a move in the static order, not
//!   when it was searched. All its prunings hold for any order. Not even the line depends on the number of threads.
//!
//! What may differ: the number of nodes; in two-sided trees the line after the first move, where several are equally good for the root player, and with it
//! the scores of the others at its end; where an unfinished iteration counts, what it had found; and the depth at which a search
//! notices that more depth would change nothing, because that depends on which lines it looked at. A single thread is repeatable node for node.
//!
//! # Limits
//!
//! A limit of nodes is never exceeded by all threads together. Threads take nodes from it a few hundred at a time, so the search may end with up
//! to 256 nodes left over for each helper. Time and stop flags end all threads. Helpers live as long as an iteration:
//! they end with it, and a panic in one of them ends the search and goes on in the thread that decides. Iterations of one and two
//! plies are over before a helper would be of use, and a [recorded](crate::recording) search has no helpers: parts of its tree would be
//! missing.
//!
//! # References
//!
//! - J.-C. Weill, *The ABDADA Distributed Minimax Search Algorithm*, 1996.
//! - T. Kerrigan, *Simplified ABDADA*, 2017.
//! - R. Feldmann, *Game Tree Search on Massively Parallel Systems*, 1993 (young brothers wait).

use std::array;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Builder};

use crate::Meter;
use crate::settings::Visitor;

/// How threads share a two-sided tree. Only for measurements.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Simplified ABDADA.
    Abdada,
    /// Lazy SMP: threads share the table only, and helpers search moves in orders of their own.
    Lazy,
    /// Young brothers wait, with split nodes.
    Ybw,
}

/// 0 for what the environment says.
static SCHEME: AtomicU8 = AtomicU8::new(0);

/// The scheme of the searches that begin from now on.
#[doc(hidden)]
pub fn set_scheme(scheme: Scheme) {
    SCHEME.store(1 + scheme as u8, Relaxed);
}

/// Nanoseconds that threads have been idle, and have waited for others at nodes that they split.
pub(crate) static IDLE: AtomicU64 = AtomicU64::new(0);
pub(crate) static WAITED: AtomicU64 = AtomicU64::new(0);

/// The seconds that threads with split nodes were idle and waited for others since the last call.
#[doc(hidden)]
pub fn take_waits() -> [f64; 2] {
    [&IDLE, &WAITED].map(|time| time.swap(0, Relaxed) as f64 / 1e9)
}

/// A number from the environment, for variants of a scheme.
pub(crate) fn variant(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

pub(crate) fn scheme() -> Scheme {
    static FIRST: OnceLock<Scheme> = OnceLock::new();
    match SCHEME.load(Relaxed) {
        1 => Scheme::Abdada,
        2 => Scheme::Lazy,
        3 => Scheme::Ybw,
        _ => *FIRST.get_or_init(|| match std::env::var("NPLY_SCHEME").as_deref() {
            Ok("lazy") => Scheme::Lazy,
            Ok("ybw") => Scheme::Ybw,
            _ => Scheme::Abdada,
        }),
    }
}

/// The shallowest iteration that has helpers.
pub(crate) const HELPED_DEPTH: u32 = 3;

/// The fewest plies left at a node whose moves are divided among threads: below, noting them costs more than searching some of them twice.
pub(crate) const DIVIDED_DEPTH: u32 = 3;

/// As much as the main thread of a command has: iterations can be deep.
const STACK: usize = 8 << 20;

/// Shows a visitor the number of threads of a search that shares its tree among them.
pub(crate) fn visit_threads(threads: &mut usize, v: &mut Visitor<'_>) {
    v.whole("threads", threads, 1..=256, "threads that search one tree; only one is repeatable node for node");
}

/// Alone on its cache lines: what one thread writes all the time must not be next to what another reads.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);

/// The moves that threads are searching now: a small table without locks. A move that is forgotten because too many are searched at once
/// is only searched twice.
#[derive(Debug)]
pub(crate) struct Searched {
    /// Empty if there is one thread.
    buckets: Box<[[AtomicU64; WAYS]]>,
}

const BUCKETS: usize = 1 << 9;
const WAYS: usize = 4;

/// A clone notes nothing yet.
impl Clone for Searched {
    fn clone(&self) -> Searched {
        Searched::alone()
    }
}

impl Searched {
    /// For one thread, who need not note anything.
    pub(crate) fn alone() -> Searched {
        Searched { buckets: Box::new([]) }
    }

    /// Forgets everything, for so many threads.
    pub(crate) fn clear(&mut self, threads: usize) {
        let count = if threads > 1 { BUCKETS } else { 0 };
        if self.buckets.len() != count {
            self.buckets = (0..count).map(|_| array::from_fn(|_| AtomicU64::new(0))).collect();
        }
        for word in self.buckets.iter_mut().flatten() {
            *word.get_mut() = 0;
        }
    }

    /// Whether threads divide the moves of a node with so many plies left among them.
    #[inline]
    pub(crate) fn divides(&self, depth: u32) -> bool {
        depth >= DIVIDED_DEPTH && !self.buckets.is_empty()
    }

    #[inline]
    fn bucket(&self, id: u64) -> &[AtomicU64; WAYS] {
        &self.buckets[id as usize % BUCKETS]
    }

    /// Whether some thread is searching a move.
    #[inline]
    pub(crate) fn contains(&self, id: u64) -> bool {
        self.bucket(id).iter().any(|word| word.load(Relaxed) == id)
    }

    /// Notes that this thread begins to search a move.
    #[inline]
    pub(crate) fn begin(&self, id: u64) {
        let bucket = self.bucket(id);
        let free = bucket.iter().find(|word| word.load(Relaxed) == 0);
        free.unwrap_or(&bucket[0]).store(id, Relaxed);
    }

    /// Notes that this thread has searched a move.
    #[inline]
    pub(crate) fn end(&self, id: u64) {
        for word in self.bucket(id) {
            if word.load(Relaxed) == id {
                word.store(0, Relaxed);
            }
        }
    }
}

/// The number of a move in [`Searched`]: of the node's key, the plies left there and the move's [code](crate::code).
#[inline]
pub(crate) fn id(key: u64, depth: u32, code: u32) -> u64 {
    let id = (key ^ u64::from(code) << 32 ^ u64::from(depth)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // The low bits choose the bucket, and 0 stands for none.
    (id ^ id >> 32).max(1)
}

/// Sets a flag when it is dropped.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// The same, but only if the thread panics.
struct EndsIfPanicking<'a>(&'a AtomicBool);

impl Drop for EndsIfPanicking<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Relaxed);
        }
    }
}

/// Calls `lead` on this thread and `help` on one of its own for each helper, which are told to stop when `lead` is done. All of them
/// share the limits of the meter, which afterwards counts the nodes of all. If the system has no thread for a helper, there is one less.
pub(crate) fn together<H: Send, R>(
    meter: &mut Meter,
    helpers: &mut [H],
    help: impl Fn(&mut H, &mut Meter) + Sync,
    lead: impl FnOnce(&mut Meter) -> R,
) -> R {
    if helpers.is_empty() {
        return lead(meter);
    }
    let over = Arc::new(AtomicBool::new(false));
    let meters = meter.share(helpers.len(), &over);
    thread::scope(|scope| {
        let (over, help) = (&*over, &help);
        let running: Vec<_> = helpers
            .iter_mut()
            .zip(meters)
            .map_while(|(helper, mut meter)| {
                let work = move || {
                    let _ends = EndsIfPanicking(over);
                    help(helper, &mut meter);
                    meter
                };
                Builder::new().name("nply-helper".into()).stack_size(STACK).spawn_scoped(scope, work).ok()
            })
            .collect();
        let ends = Ends(over);
        let result = lead(meter);
        drop(ends);
        let finished = running.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        meter.rejoin(finished.collect());
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, OutOfBudget};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    #[test]
    fn moves_are_searched_until_they_are_done() {
        let mut searched = Searched::alone();
        assert!(!searched.divides(9));
        searched.clear(2);
        assert!(searched.divides(9) && !searched.divides(1));
        let ids: Vec<u64> = (0..100).map(|code| id(17, 3, code)).collect();
        ids.iter().for_each(|&id| searched.begin(id));
        assert!(ids.iter().filter(|&&id| searched.contains(id)).count() > 95, "few are forgotten");
        assert!(!searched.contains(id(17, 2, 5)) && !searched.contains(id(18, 3, 5)));
        ids.iter().step_by(2).for_each(|&id| searched.end(id));
        assert!(ids.iter().step_by(2).all(|&id| !searched.contains(id)));
        assert!(ids[1..].iter().step_by(2).any(|&id| searched.contains(id)));
        searched.clear(2);
        assert!(!ids.iter().any(|&id| searched.contains(id)));
    }

    #[test]
    fn a_limit_of_nodes_holds_for_all_threads_together() {
        for limit in [0, 1, 100, 5000, 100_000] {
            for threads in [1, 2, 5] {
                let mut meter = Meter::new(&Budget::nodes(limit));
                for _ in 0..limit.min(50) {
                    meter.tick().unwrap();
                }
                let mut helpers = vec![0u64; threads - 1];
                let work = |count: &mut u64, meter: &mut Meter| {
                    while meter.tick().is_ok() {
                        *count += 1
                    }
                };
                let mut own = 0;
                together(&mut meter, &mut helpers, work, |meter| work(&mut own, meter));
                let all = limit.min(50) + own + helpers.iter().sum::<u64>();
                assert_eq!(meter.nodes(), all, "nodes of all threads are counted");
                let left = limit - all;
                assert!(
                    left <= crate::budget::STRIDE * (threads as u64 - 1),
                    "{left} of {limit} left, {threads} threads"
                );
                // What was left over can be used afterwards.
                assert_eq!((0..).take_while(|_| meter.tick().is_ok()).count() as u64, left);
            }
        }
    }

    #[test]
    fn helpers_end_with_the_thread_that_decides_and_with_the_budget() {
        let forever = |_: &mut (), meter: &mut Meter| while meter.tick().is_ok() {};
        let mut meter = Meter::new(&Budget::default());
        assert_eq!(together(&mut meter, &mut [(); 3], forever, |_| 7), 7);
        assert_eq!(meter.tick(), Ok(()), "the search goes on");
        // Time and stop flag.
        let stop = Arc::new(AtomicBool::new(false));
        let mut meter = Meter::new(&Budget { stop: Some(stop.clone()), ..Budget::default() });
        let end = together(&mut meter, &mut [(); 2], forever, |meter| {
            stop.store(true, Relaxed);
            (0..).find_map(|_| meter.tick().err())
        });
        assert_eq!(end, Some(OutOfBudget));
        let mut meter = Meter::new(&Budget::time(Duration::from_millis(5)));
        together(&mut meter, &mut [(); 2], forever, |meter| forever(&mut (), meter));
        assert_eq!(meter.tick(), Err(OutOfBudget));
    }

    #[test]
    fn a_panic_in_any_thread_ends_all_and_goes_on() {
        let forever = |_: &mut u32, meter: &mut Meter| while meter.tick().is_ok() {};
        let mut meter = Meter::new(&Budget::default());
        let helper = |number: &mut u32, meter: &mut Meter| {
            if *number == 1 {
                resume_unwind(Box::new("helper"));
            }
            forever(number, meter);
        };
        let run = AssertUnwindSafe(|| together(&mut meter, &mut [0, 1, 2], helper, |meter| forever(&mut 0, meter)));
        assert_eq!(catch_unwind(run).unwrap_err().downcast_ref(), Some(&"helper"));
        let mut meter = Meter::new(&Budget::default());
        let lead = |_: &mut Meter| resume_unwind(Box::new("lead"));
        let run = AssertUnwindSafe(|| together::<_, ()>(&mut meter, &mut [0, 1, 2], forever, lead));
        assert_eq!(catch_unwind(run).unwrap_err().downcast_ref(), Some(&"lead"));
    }
}
