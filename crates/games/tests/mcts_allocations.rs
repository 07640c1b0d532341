//! Monte-Carlo tree search allocates nothing for a simulation, in any game, whatever its playouts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use nply::{Agent, AnyTurn, Budget, Evaluator, Game, Mcts, MctsSettings, MoveOrder, PlayoutPolicy, Solver, TreePolicy};
use nply_games::cards;
use nply_games::chess::{self, FourPlayerChess};
use nply_games::chinese_checkers::{self, Board, ChineseCheckers};
use nply_games::focus::{self, Focus};
use nply_games::rolit::{self, Othello, Rolit};

/// Counts what the program allocates. One test in this file, so that nothing else does.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator is asked for by an unsafe trait")]
// SAFETY: everything is left to the system's allocator.
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

const IN_TURN: &[(PlayoutPolicy, TreePolicy)] = &[
    (PlayoutPolicy::Random, TreePolicy::MaxN),
    (PlayoutPolicy::Move, TreePolicy::MaxN),
    (PlayoutPolicy::OnePly, TreePolicy::MaxN),
    (PlayoutPolicy::MaxN, TreePolicy::MaxN),
    (PlayoutPolicy::Paranoid, TreePolicy::MaxN),
];

const OUT_OF_TURN: &[(PlayoutPolicy, TreePolicy)] =
    &[(PlayoutPolicy::Brs, TreePolicy::MaxN), (PlayoutPolicy::Random, TreePolicy::Brs)];

/// Compares a decision with another that has 300 simulations more.
fn check<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    name: &str,
    start: &G,
    evaluator: E,
    order: O,
    any_turn: Option<AnyTurn<G>>,
) {
    let more = if any_turn.is_some() { OUT_OF_TURN } else { &[] };
    for &(playout, policy) in IN_TURN.iter().chain(more) {
        let mut mcts = Mcts::new(evaluator.clone(), order.clone(), 1);
        mcts.any_turn = any_turn;
        let (solver, cutoff) = (Solver::Off, Some(100));
        mcts.settings = MctsSettings { playout, policy, solver, cutoff, reuse: false, ..MctsSettings::default() };
        let mut count = |playouts| {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            mcts.choose(start, &Budget::playouts(playouts));
            ALLOCATIONS.load(Ordering::Relaxed) - before
        };
        // Lists find their length first.
        count(600);
        let (few, many) = (count(100), count(400));
        assert!(few < 40 && many < few + 20, "{name}, {playout:?}, {policy:?}: {few} and {many} allocations");
    }
}

#[test]
fn simulations_allocate_nothing_in_any_game() {
    let star = ChineseCheckers::new(3, Board::Large, 100);
    check("star", &star, chinese_checkers::Eval::Distance, chinese_checkers::Order, Some(AnyTurn::new()));
    let start = Focus::new(4, focus::Rules::Standard, 100);
    check("focus", &start, focus::Eval::Stacks, focus::Order, Some(AnyTurn::new()));
    let start = Rolit::new(4).expect("two to four players");
    check("rolit", &start, rolit::Eval::Discs, rolit::Order, Some(AnyTurn::new()));
    check("othello", &Othello::new(), rolit::Eval::Discs, rolit::Order, Some(AnyTurn::new()));
    let order = chess::Order { attacker: true };
    check("chess", &FourPlayerChess::new(), chess::Eval::DEFAULT, order, None);
    for kind in [cards::Hearts, cards::Spades] {
        let start = cards::Tricks::new(kind, 4, 1, cards::Options::default());
        check("cards", &start, cards::Eval, cards::Order, None);
    }
}
