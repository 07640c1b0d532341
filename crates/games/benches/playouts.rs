//! How fast Monte-Carlo tree search is: simulations a second for every playout policy, on one thread, and what threads
//! bring.
//!
//! `cargo bench -p nply-games --bench playouts`, or `-- NAME` for the rows whose name contains NAME. Ratios are to random
//! playouts and, where table 3 in *Playout Search for Monte-Carlo Tree Search in Multi-Player Games* has the game, to the move
//! evaluator's (E), beside those of the table. Positions are taken from the whole of a few games, as the paper's averages are.

use std::time::{Duration, Instant};

use nply::{Agent, AnyTurn, Budget, Evaluator, Game, Mcts, MoveOrder, PlayoutPolicy, Rng, Solver};
use nply_games::cards;
use nply_games::chess::{self, FourPlayerChess};
use nply_games::chinese_checkers::{self, Board, ChineseCheckers};
use nply_games::focus::{self, Focus};
use nply_games::rolit::{self, Othello, Rolit};

/// How long each position is searched.
const WINDOW: Duration = Duration::from_millis(100);

/// How many positions of a game.
const POSITIONS: usize = 6;

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    println!("{:<24}{:>13}{:>13}{:>13}{:>13}{:>13}{:>13}", "playouts/s", "random", "E", "O", "M", "P", "B");
    // The paper's evaluation, unless its table cannot be kept here.
    let distances = chinese_checkers::Eval::table(Board::Small, &|_| ()).unwrap_or(chinese_checkers::Eval::Distance);
    let tables = [None, Some([7322, 6047, 3439, 4307, 3890]), Some([5818, 4630, 2407, 3066, 2536]), None];
    for (&players, table) in ChineseCheckers::PLAYERS.iter().zip(tables) {
        let start = ChineseCheckers::new(players, Board::Small, ChineseCheckers::LIMIT);
        let name = format!("chinese-checkers {players}");
        compare(&filter, &name, &start, distances, chinese_checkers::Order, Some(AnyTurn::new()), table);
    }
    let tables = [None, Some([7003, 6138, 2336, 3356, 1911]), Some([6976, 6237, 2344, 3410, 1887])];
    for (&players, table) in focus::PLAYERS.iter().zip(tables) {
        let start = Focus::new(players, focus::Rules::Short, focus::LIMIT);
        let name = format!("focus {players}");
        compare(&filter, &name, &start, focus::Eval::Stacks, focus::Order, Some(AnyTurn::new()), table);
    }
    compare(&filter, "othello", &Othello::new(), rolit::Eval::Discs, rolit::Order, Some(AnyTurn::new()), None);
    for players in 2..=4 {
        let start = Rolit::new(players).expect("two to four players");
        let name = format!("rolit {players}");
        compare(&filter, &name, &start, rolit::Eval::Discs, rolit::Order, Some(AnyTurn::new()), None);
    }
    let (eval, order) = (chess::Eval::default(), chess::Order::default());
    compare(&filter, "four-player-chess", &FourPlayerChess::new(), eval, order, Some(AnyTurn::new()), None);
    for players in [3, 4] {
        let hearts = cards::Tricks::new(cards::Hearts, players, 1, cards::Options::default());
        compare(&filter, &format!("hearts {players}"), &hearts, cards::Eval, cards::Order, None, None);
        let spades = cards::Tricks::new(cards::Spades, players, 1, cards::Options::default());
        compare(&filter, &format!("spades {players}"), &spades, cards::Eval, cards::Order, None, None);
    }

    println!("\n{:<24} {:>12} {:>12} {:>12} {:>7}", "random playouts", "bare/s", "1 thread/s", "2 threads/s", "ratio");
    share(&filter, "othello", &Othello::new(), rolit::Eval::Discs, rolit::Order);
    share(&filter, "rolit 4", &Rolit::new(4).expect("two to four players"), rolit::Eval::Discs, rolit::Order);
    for players in [3, 4] {
        let start = cards::Tricks::new(cards::Hearts, players, 1, cards::Options::default());
        share(&filter, &format!("hearts {players}"), &start, cards::Eval, cards::Order);
    }
    let start = Focus::new(4, focus::Rules::Short, focus::LIMIT);
    share(&filter, "focus 4", &start, focus::Eval::Stacks, focus::Order);
}

/// Prints a row for the policies of a game, one with ratios to random playouts, and one to E, the paper's in parentheses.
fn compare<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    filter: &str,
    name: &str,
    start: &G,
    evaluator: E,
    order: O,
    any: Option<AnyTurn<G>>,
    table: Option<[u32; 5]>,
) {
    if !name.contains(filter) {
        return;
    }
    let light = [PlayoutPolicy::Random, PlayoutPolicy::Move, PlayoutPolicy::OnePly];
    let deep = [PlayoutPolicy::MaxN, PlayoutPolicy::Paranoid];
    let brs = any.map(|_| PlayoutPolicy::Brs);
    let positions = positions(start, &evaluator, &order);
    let rate = |playout| {
        let mut mcts = Mcts::new(evaluator.clone(), order.clone(), 1);
        (mcts.settings.playout, mcts.any_turn) = (playout, any);
        simulations(&positions, mcts, WINDOW)
    };
    let policies = light.into_iter().chain(deep).chain(brs);
    let rates: Vec<f64> = policies.map(rate).collect();
    row(name, rates.iter().map(|rate| format!("{rate:.0}")));
    row("  to random", rates.iter().map(|rate| format!("{:.2}", rate / rates[0])));
    if let Some(table) = table {
        let ours = rates[1..].iter().map(|rate| rate / rates[1]);
        let theirs = table.map(|rate| f64::from(rate) / f64::from(table[0]));
        let cells = ours.zip(theirs).map(|(ours, theirs)| format!("{ours:.2} ({theirs:.2})"));
        row("  to E (the paper's)", std::iter::once(String::new()).chain(cells));
    }
}

fn row(name: &str, cells: impl Iterator<Item = String>) {
    print!("{name:<24}");
    for cell in cells {
        print!("{cell:>13}");
    }
    println!();
}

/// Prints what simulations cost above bare playouts, and what a second thread brings: the round with the middle ratio.
fn share<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(filter: &str, name: &str, start: &G, evaluator: E, order: O) {
    if !name.contains(filter) {
        return;
    }
    let window = WINDOW * 10;
    let (mut rng, mut scratch, mut playouts) = (Rng::new(1), Vec::new(), 0);
    let started = Instant::now();
    while started.elapsed() < window {
        let mut game = start.clone();
        while game.payoff().is_none() {
            let m = game.random_move(&mut scratch, &mut rng);
            game.play_unkeyed(m);
        }
        playouts += 1;
    }
    let bare = playouts as f64 / started.elapsed().as_secs_f64();
    // By turns, since the machine may be busy with something else now and then.
    let mut rounds = [(); 9].map(|()| {
        let [one, two] = [1, 2].map(|threads| {
            let mut mcts = Mcts::new(evaluator.clone(), order.clone(), 1);
            (mcts.settings.playout, mcts.settings.threads) = (PlayoutPolicy::Random, threads);
            simulations(std::slice::from_ref(start), mcts, window)
        });
        (two / one, one, two)
    });
    rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [(least, ..), .., (most, ..)] = rounds;
    let (ratio, one, two) = rounds[rounds.len() / 2];
    println!("{name:<24} {bare:>12.0} {one:>12.0} {two:>12.0} {ratio:>7.2}   {least:.2} to {most:.2}");
}

/// Simulations a second, over all positions.
fn simulations<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    positions: &[G],
    mut mcts: Mcts<G, E, O>,
    window: Duration,
) -> f64 {
    // Without the solver: a proven position would end the search.
    (mcts.settings.solver, mcts.settings.reuse) = (Solver::Off, false);
    let mut done = 0;
    for position in positions {
        mcts.choose(position, &Budget::time(window));
        done += mcts.statistics().iter().map(|child| child.visits).sum::<u64>();
    }
    done as f64 / (window * positions.len() as u32).as_secs_f64()
}

/// Positions at even distances in a game of light playouts.
fn positions<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(start: &G, evaluator: &E, order: &O) -> Vec<G> {
    let mut mcts = Mcts::new(evaluator.clone(), order.clone(), 2);
    mcts.settings.playout = PlayoutPolicy::Move;
    let (mut game, mut all) = (start.clone(), Vec::new());
    while game.payoff().is_none() {
        all.push(game.clone());
        let m = mcts.choose(&game, &Budget::playouts(20)).m;
        game.play(m);
    }
    (0..POSITIONS).map(|index| all[index * all.len() / POSITIONS].clone()).collect()
}
