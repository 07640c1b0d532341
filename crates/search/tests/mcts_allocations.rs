//! Monte-Carlo tree search allocates nothing for a simulation, and stays within its memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use nply::settings::Choice;
use nply::testing::{HashedOrder, HashedScores, Track};
use nply::{Agent, Budget, Game, Mcts, MctsSettings, PlayoutPolicy, Solver, TreePolicy};

/// Counts the program's allocations. This file has only one test, so that nothing else allocates.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator implements an unsafe trait")]
// SAFETY: every call goes to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn track() -> Track {
    let mut game = Track::new(4, 5);
    game.length = 80;
    game
}

#[test]
fn simulations_allocate_nothing_and_memory_has_a_limit() {
    for &(playout, _) in PlayoutPolicy::WORDS {
        for policy in [TreePolicy::MaxN, TreePolicy::Brs] {
            let (scores, order) = (HashedScores { most: 9, seed: 1 }, HashedOrder { ratings: 3, seed: 1 });
            let mut mcts = Mcts::out_of_turn(scores, order, 1);
            mcts.settings =
                MctsSettings { playout, policy, solver: Solver::Off, reuse: false, ..MctsSettings::default() };
            let mut count = |playouts| {
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                mcts.choose(&track(), &Budget::playouts(playouts));
                ALLOCATIONS.load(Ordering::Relaxed) - before
            };
            count(3000);
            // Each decision makes a few: reports, a line, the list of meters.
            let (few, many) = (count(1000), count(4000));
            assert!(few < 40 && many < few + 30, "{playout:?}, {policy:?}: {few} and {many} allocations");
        }
    }

    // A batch of leaves.
    let (scores, order) = (HashedScores { most: 9, seed: 1 }, HashedOrder { ratings: 3, seed: 1 });
    let mut mcts = Mcts::new(scores, order, 1);
    mcts.settings = MctsSettings { cutoff: Some(0), batch: 16, solver: Solver::Off, ..MctsSettings::default() };
    mcts.settings.reuse = false;
    let mut count = |playouts| {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        mcts.choose(&track(), &Budget::playouts(playouts));
        ALLOCATIONS.load(Ordering::Relaxed) - before
    };
    count(6000);
    let (few, many) = (count(1000), count(4000));
    assert!(few < 40 && many < few + 30, "batches: {few} and {many} allocations");

    // One large tree, then a game with a tree that is kept: never more than the limit.
    for (memory, threads) in [(4 << 20, 1), (16 << 20, 2)] {
        let (scores, order) = (HashedScores { most: 9, seed: 2 }, HashedOrder { ratings: 3, seed: 2 });
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let mut mcts = Mcts::new(scores, order, 2);
        let (playout, solver) = (PlayoutPolicy::Random, Solver::Off);
        mcts.settings = MctsSettings { playout, solver, memory, threads, ..MctsSettings::default() };
        let mut game = track();
        for _ in 0..8 {
            let m = mcts.choose(&game, &Budget::playouts(30_000)).m;
            game.play(m);
        }
        let peak = PEAK.load(Ordering::Relaxed) - before;
        // The stacks and lists of the threads are not counted.
        assert!(peak < memory + (64 << 10) && peak > memory / 2, "{peak} of {memory} bytes");
    }
}
