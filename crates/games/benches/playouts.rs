//! Speed of Monte-Carlo tree search: simulations per second for every playout policy on one thread, and the gain from a second
//! thread.
//!
//! `cargo bench -p nply-games --bench playouts`, or `-- NAME` for the rows whose name contains NAME. Ratios are to random
//! playouts and, where table 3 in *Playout Search for Monte-Carlo Tree Search in Multi-Player Games* has the game, to the move
//! evaluator's (E), beside those of the table. Positions are from the whole of a few games, as the paper's averages are.

use std::time::{Duration, Instant};

use nply::{
    Agent, AnyTurn, Budget, Declaration, Evaluator, Game, GameVisitor, Mcts, MoveOrder, OutOfTurn, PlayoutPolicy, Rng,
    Solver,
};

/// How long each position is searched.
const WINDOW: Duration = Duration::from_millis(100);

/// The number of positions of each game.
const POSITIONS: usize = 6;

/// The paper's figures: game, players, evaluation, and playouts per second of E, O, M, P and B.
const PAPER: &[(&str, usize, &str, [u32; 5])] = &[
    ("chinese-checkers", 3, "table", [7322, 6047, 3439, 4307, 3890]),
    ("chinese-checkers", 4, "table", [5818, 4630, 2407, 3066, 2536]),
    ("focus", 3, "stacks", [7003, 6138, 2336, 3356, 1911]),
    ("focus", 4, "stacks", [6976, 6237, 2344, 3410, 1887]),
];

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    println!("{:<24}{:>13}{:>13}{:>13}{:>13}{:>13}{:>13}", "playouts/s", "random", "E", "O", "M", "P", "B");
    nply_games::games(&mut Policies { filter: &filter });
    println!("\n{:<24} {:>12} {:>12} {:>12} {:>7}", "random playouts", "bare/s", "1 thread/s", "2 threads/s", "ratio");
    nply_games::games(&mut Threads { filter: &filter });
}

struct Policies<'a> {
    filter: &'a str,
}

impl Policies<'_> {
    fn rows<D: Declaration>(&self, any: Option<AnyTurn<D::Game>>) {
        for &players in D::PLAYERS {
            let name = format!("{} {players}", D::NAME);
            if name.contains(self.filter) {
                let paper = PAPER.iter().find(|row| (row.0, row.1) == (D::NAME, players));
                let start = D::start(players, &D::Options::default(), 1);
                let evaluator = evaluator::<D>(&start, paper.map(|row| row.2));
                compare(&name, &start, evaluator, D::Order::default(), any, paper.map(|row| row.3));
            }
        }
    }
}

impl GameVisitor for Policies<'_> {
    fn game<D: Declaration>(&mut self) {
        self.rows::<D>(None);
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        self.rows::<D>(Some(AnyTurn::new()));
    }
}

struct Threads<'a> {
    filter: &'a str,
}

impl GameVisitor for Threads<'_> {
    fn game<D: Declaration>(&mut self) {
        let name = format!("{} {}", D::NAME, D::USUAL_PLAYERS);
        if name.contains(self.filter) {
            let start = D::start(D::USUAL_PLAYERS, &D::Options::default(), 1);
            let evaluator = evaluator::<D>(&start, None);
            share(&name, &start, evaluator, D::Order::default());
        }
    }
}

/// An evaluation by its name, or the usual one.
fn evaluator<D: Declaration>(game: &D::Game, name: Option<&str>) -> D::Eval {
    let name = name.unwrap_or(D::usual_evaluation(game));
    let found = D::EVALUATIONS.iter().find(|evaluation| evaluation.name == name).expect("an evaluation of the game");
    (found.make)(game, &|_, _| ()).unwrap_or_else(|error| panic!("{error}"))
}

/// Prints a row for the policies of a game, one with ratios to random playouts, and one to E, the paper's in parentheses.
fn compare<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    name: &str,
    start: &G,
    evaluator: E,
    order: O,
    any: Option<AnyTurn<G>>,
    table: Option<[u32; 5]>,
) {
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

/// Prints the cost of simulations over bare playouts, and the gain from a second thread: the round with the median ratio.
fn share<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(name: &str, start: &G, evaluator: E, order: O) {
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
    // Alternating, since the machine may be busy with something else now and then.
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

/// Simulations per second, over all positions.
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

/// Positions at equal distances in a game of light playouts.
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
