//! How fast Monte-Carlo tree search is: simulations a second for every playout policy, on one thread, and what threads
//! bring.
//!
//! `cargo bench -p nply-games --bench playouts`, or `-- NAME` for the rows whose name contains NAME. Ratios are to the move
//! evaluator's playouts (E), beside those of table 3 in *Playout Search for Monte-Carlo Tree Search in Multi-Player Games*. Positions
//! are taken from the whole of a few games, as the paper's averages are.

use std::time::{Duration, Instant};

use nply::{Agent, AnyTurn, Budget, Evaluator, Game, Mcts, MoveOrder, OutOfTurn, PlayoutPolicy, Rng, Solver};
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
    for (players, table) in [(3, [7322, 6047, 3439, 4307, 3890]), (4, [5818, 4630, 2407, 3066, 2536])] {
        let start = ChineseCheckers::new(players, Board::Small, ChineseCheckers::LIMIT);
        let name = format!("chinese-checkers {players}");
        compare(&filter, &name, &start, distances, chinese_checkers::Order, Some(table));
    }
    for (players, table) in [(3, [7003, 6138, 2336, 3356, 1911]), (4, [6976, 6237, 2344, 3410, 1887])] {
        let start = Focus::new(players, focus::Rules::Short, focus::LIMIT);
        compare(&filter, &format!("focus {players}"), &start, focus::Eval::Stacks, focus::Order, Some(table));
    }
    compare(&filter, "othello", &Othello::new(), rolit::Eval::Discs, rolit::Order, None);
    let start = Rolit::new(4).expect("two to four players");
    compare(&filter, "rolit 4", &start, rolit::Eval::Discs, rolit::Order, None);
    compare(
        &filter,
        "four-player-chess",
        &FourPlayerChess::new(),
        chess::Eval::default(),
        chess::Order::default(),
        None,
    );

    println!("\n{:<24} {:>12} {:>12} {:>12} {:>7}", "random playouts", "bare/s", "1 thread/s", "2 threads/s", "ratio");
    share(&filter, "othello", &Othello::new(), rolit::Eval::Discs, rolit::Order);
    share(&filter, "rolit 4", &start, rolit::Eval::Discs, rolit::Order);
    for players in [3, 4] {
        let start = cards::Tricks::new(cards::Hearts, players, 1, cards::Options::default());
        share(&filter, &format!("hearts {players}"), &start, cards::Eval, cards::Order);
    }
    let start = Focus::new(4, focus::Rules::Short, focus::LIMIT);
    share(&filter, "focus 4", &start, focus::Eval::Stacks, focus::Order);
}

/// Prints a row for the policies of a game, and one with ratios to E, the paper's in parentheses.
fn compare<G: OutOfTurn, E: Evaluator<G>, O: MoveOrder<G>>(
    filter: &str,
    name: &str,
    start: &G,
    evaluator: E,
    order: O,
    table: Option<[u32; 5]>,
) {
    if !name.contains(filter) {
        return;
    }
    let policies = [
        PlayoutPolicy::Random,
        PlayoutPolicy::Move,
        PlayoutPolicy::OnePly,
        PlayoutPolicy::MaxN,
        PlayoutPolicy::Paranoid,
        PlayoutPolicy::Brs(AnyTurn::new()),
    ];
    let positions = positions(start, &evaluator, &order);
    let rates = policies.map(|playout| {
        let mut mcts = Mcts::new(evaluator.clone(), order.clone(), 1);
        mcts.playout = playout;
        simulations(&positions, mcts, WINDOW)
    });
    print!("{name:<24}");
    for rate in rates {
        print!("{rate:>13.0}");
    }
    print!("\n{:<24}", if table.is_some() { "  to E (the paper's)" } else { "  to E" });
    for (index, rate) in rates.iter().enumerate() {
        let ours = format!("{:.2}", rate / rates[1]);
        let theirs = |table: [u32; 5]| f64::from(table[index - 1]) / f64::from(table[0]);
        match table.filter(|_| index > 0).map(theirs) {
            Some(theirs) => print!("{:>13}", format!("{ours} ({theirs:.2})")),
            None => print!("{ours:>13}"),
        }
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
            (mcts.playout, mcts.threads) = (PlayoutPolicy::Random, threads);
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
    (mcts.solver, mcts.reuse) = (Solver::Off, false);
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
    mcts.playout = PlayoutPolicy::Move;
    let (mut game, mut all) = (start.clone(), Vec::new());
    while game.payoff().is_none() {
        all.push(game.clone());
        let m = mcts.choose(&game, &Budget::playouts(20)).m;
        game.play(m);
    }
    (0..POSITIONS).map(|index| all[index * all.len() / POSITIONS].clone()).collect()
}
