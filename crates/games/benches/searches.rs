//! Speed of the tree searches on each game, and how well they cut: `cargo bench -p nply-games --bench searches`.
//!
//! Each row searches eight positions of a game between greedy players, 300,000 nodes each, with the options and players of the
//! game's bench positions. `moves/cut` is the mean number of moves searched at nodes with a cut. `to best` compares Paranoid's last
//! full iteration with b^(d (n - 1) / n), the leaves of a perfectly ordered tree, b being the mean number of legal moves.

use std::time::Duration;

use nply::{
    Agent, Brs, BrsPlus, Budget, Decision, Declaration, Evaluator, Game, GameVisitor, Greedy, Maxn, MoveOrder,
    OutOfTurn, Paranoid, Pruning, Rng, ScoreForm, Statistics, settings,
};

const NODES: u64 = 300_000;

fn main() {
    println!("{:<32} {:<12} {:>10} {:>7} {:>10} {:>8}", "", "", "nodes/s", "depth", "moves/cut", "to best");
    nply_games::games(&mut Rows);
}

struct Rows;

/// Calls `rows` with a name, positions and the usual evaluation for each of the game's bench positions.
fn each<D: Declaration>(mut rows: impl FnMut(&str, &[D::Game], &D::Eval, &D::Order)) {
    for bench in D::BENCH {
        let mut options = D::Options::default();
        settings::read(&mut options, bench.options).expect("options of the game");
        let start = D::start(bench.players, &options, 1);
        let usual = D::usual_evaluation(&start);
        let usual =
            D::EVALUATIONS.iter().find(|evaluation| evaluation.name == usual).expect("an evaluation of the game");
        let evaluator = (usual.make)(&start, &|_, _| ()).unwrap_or_else(|error| panic!("{error}"));
        let positions = positions(&start, &evaluator, 2 * bench.plies);
        rows(&format!("{} {} {}", D::NAME, bench.players, bench.options), &positions, &evaluator, &D::Order::default());
    }
}

impl GameVisitor for Rows {
    fn game<D: Declaration>(&mut self) {
        each::<D>(in_turn);
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        each::<D>(|name, positions, evaluator, order| {
            in_turn(name, positions, evaluator, order);
            let mut brs = Brs::new(evaluator.clone(), order.clone());
            row(name, "brs", positions, |game, budget| (brs.choose(game, budget), Some(brs.statistics())));
        });
    }
}

/// Positions spread over the first plies of a game between greedy players.
fn positions<G: Game, E: Evaluator<G>>(start: &G, evaluator: &E, plies: usize) -> Vec<G> {
    let (mut game, mut greedy, mut positions) = (start.clone(), Greedy::new(evaluator.clone(), 1), Vec::new());
    let (mut rng, mut scratch) = (Rng::new(1), Vec::new());
    for ply in 0..plies {
        if game.payoff().is_some() {
            break;
        }
        if ply % (plies / 8) == plies / 16 {
            positions.push(game.clone());
        }
        // A random move now and then, so that greedy players do not move back and forth.
        let m = if rng.below(5) == 0 {
            game.random_move(&mut scratch, &mut rng)
        } else {
            greedy.choose(&game, &Budget::default()).m
        };
        game.play(m);
    }
    positions
}

fn in_turn<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(name: &str, positions: &[G], evaluator: &E, order: &O) {
    for (agent, pruning) in [("maxn", Pruning::None), ("speculative", Pruning::Speculative)] {
        let mut maxn = Maxn::new(evaluator.clone(), order.clone());
        (maxn.settings.pruning, maxn.settings.score) = (pruning, ScoreForm::Relative);
        row(name, agent, positions, |game, budget| (maxn.choose(game, budget), None));
    }
    let mut paranoid = Paranoid::new(evaluator.clone(), order.clone());
    row(name, "paranoid", positions, |game, budget| (paranoid.choose(game, budget), Some(paranoid.statistics())));
    let mut brs_plus = BrsPlus::new(evaluator.clone(), order.clone());
    row(name, "brs+", positions, |game, budget| (brs_plus.choose(game, budget), Some(brs_plus.statistics())));
}

/// Searches all positions and prints a row.
fn row<G: Game>(
    name: &str,
    agent: &str,
    positions: &[G],
    mut choose: impl FnMut(&G, &Budget) -> (Decision<G::Move>, Option<Statistics>),
) {
    let (mut nodes, mut time, mut depth) = (0, Duration::ZERO, 0);
    let (mut cuts, mut moves, mut ratios) = (0, 0, Vec::new());
    for game in positions {
        let (decision, statistics) = choose(game, &Budget::nodes(NODES));
        nodes += decision.nodes;
        time += decision.time;
        depth += decision.depth;
        if let Some(statistics) = statistics {
            cuts += statistics.cut_nodes;
            moves += statistics.cut_moves;
        }
        if agent == "paranoid" && decision.depth > 0 {
            let all = choose(game, &Budget::depth(decision.depth)).0.nodes;
            let before = choose(game, &Budget::depth(decision.depth - 1)).0.nodes;
            let players = game.player_count() as f64;
            let best = branching(game).powf(f64::from(decision.depth) * (players - 1.0) / players);
            ratios.push((all - before) as f64 / best);
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    println!(
        "{name:<32} {agent:<12} {:>10.0} {:>7.2} {:>10} {:>8}",
        nodes as f64 / time.as_secs_f64(),
        f64::from(depth) / positions.len() as f64,
        if cuts == 0 { String::new() } else { format!("{:.3}", moves as f64 / cuts as f64) },
        if ratios.is_empty() { String::new() } else { format!("{:.2}", mean(&ratios)) },
    );
}

/// The mean number of legal moves here and in the first plies of a few random games from here.
fn branching<G: Game>(game: &G) -> f64 {
    let (mut rng, mut moves, mut count, mut total) = (Rng::new(3), Vec::new(), 0, 0);
    for _ in 0..20 {
        let mut game = game.clone();
        for _ in 0..4 {
            moves.clear();
            game.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            count += 1;
            total += moves.len();
            game.play(rng.pick(&moves));
        }
    }
    f64::from(total as u32) / f64::from(count)
}
