//! Monte-Carlo tree search allocates nothing for a simulation, in any game, whatever its playouts.

mod walk;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use nply::{Agent, AnyTurn, Budget, Declaration, GameVisitor, Mcts, OutOfTurn, PlayoutPolicy, Solver, TreePolicy};
use walk::{evaluations, limited};

/// Counts allocations. This file has only one test, so that nothing else allocates.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "the trait of allocators is unsafe")]
// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How playouts and the tree choose moves.
type Policies = (PlayoutPolicy, TreePolicy);

fn policies() -> Vec<Policies> {
    let policies = [
        PlayoutPolicy::Random,
        PlayoutPolicy::Move,
        PlayoutPolicy::OnePly,
        PlayoutPolicy::MaxN,
        PlayoutPolicy::Paranoid,
    ];
    policies.map(|playout| (playout, TreePolicy::MaxN)).to_vec()
}

fn policies_out_of_turn() -> Vec<Policies> {
    let mut all = policies();
    all.push((PlayoutPolicy::Brs, TreePolicy::MaxN));
    all.push((PlayoutPolicy::Random, TreePolicy::Brs));
    all
}

/// Compares a decision with another that has 300 simulations more.
fn check<D: Declaration>(policies: Vec<Policies>, any_turn: Option<AnyTurn<D::Game>>) {
    let start = D::start(D::USUAL_PLAYERS, &limited::<D>(&D::Options::default(), 100), 1);
    let (_, evaluator) = &evaluations::<D>(&start)[0];
    for (playout, policy) in policies {
        let mut mcts = Mcts::new(evaluator.clone(), D::Order::default(), 1);
        (mcts.settings.playout, mcts.settings.policy, mcts.settings.solver, mcts.settings.reuse) =
            (playout, policy, Solver::Off, false);
        mcts.any_turn = any_turn;
        mcts.settings.cutoff = Some(100);
        let mut count = |playouts| {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            mcts.choose(&start, &Budget::playouts(playouts));
            ALLOCATIONS.load(Ordering::Relaxed) - before
        };
        // Vectors grow to their final capacity first.
        count(600);
        let (few, many) = (count(100), count(400));
        assert!(few < 40 && many < few + 20, "{}, {playout:?}, {policy:?}: {few} and {many} allocations", D::NAME);
    }
}

struct Allocations;

impl GameVisitor for Allocations {
    fn game<D: Declaration>(&mut self) {
        check::<D>(policies(), None);
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        check::<D>(policies_out_of_turn(), Some(AnyTurn::new()));
    }
}

#[test]
fn simulations_allocate_nothing_in_any_game() {
    nply_games::games(&mut Allocations);
}
