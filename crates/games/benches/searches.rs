//! How fast the tree searches are on each game, and how well they cut: `cargo bench -p nply-games --bench searches`.
//!
//! Each row searches eight positions of a game between greedy players, 300,000 nodes each. `moves/cut` is the mean number of moves
//! looked at where one was enough to cut. `best` compares Paranoid's last full iteration with b^(d (n - 1) / n), the leaves of a
//! perfectly ordered tree, b being the mean number of legal moves.

use std::time::Duration;

use nply::{
    Agent, Brs, BrsPlus, Budget, Decision, Evaluator, Game, Greedy, Maxn, MoveOrder, OutOfTurn, Paranoid, Pruning, Rng,
    ScoreForm, Statistics,
};
use nply_games::cards::{self, Hearts, Spades, Tricks};
use nply_games::chess::{self, FourPlayerChess};
use nply_games::chinese_checkers::{self, Board, ChineseCheckers};
use nply_games::focus::{self, Focus, Rules};
use nply_games::rolit::{self, Othello, Rolit};

const NODES: u64 = 300_000;

fn main() {
    println!("{:<22} {:<12} {:>10} {:>7} {:>10} {:>8}", "", "", "nodes/s", "depth", "moves/cut", "to best");
    let order = chinese_checkers::Order;
    let table = chinese_checkers::Eval::table(Board::Small, &|_| ()).expect("a cache folder");
    for players in [2, 3, 4, 6] {
        out_of_turn(
            &format!("chinese-checkers {players}"),
            &ChineseCheckers::new(players, Board::Small, 1000),
            &table,
            &order,
            60,
        );
    }
    let large = ChineseCheckers::new(3, Board::Large, 1000);
    out_of_turn("chinese-checkers large", &large, &chinese_checkers::Eval::Distance, &order, 90);
    for players in [2, 3, 4] {
        let start = Focus::new(players, Rules::Short, 300);
        out_of_turn(&format!("focus {players}"), &start, &focus::Eval::Height, &focus::Order, 20);
    }
    for players in [2, 3, 4] {
        let start = Rolit::new(players).expect("two to four players");
        out_of_turn(&format!("rolit {players}"), &start, &rolit::Eval::default(), &rolit::Order, 40);
    }
    out_of_turn("othello", &Othello::new(), &rolit::Eval::default(), &rolit::Order, 40);
    out_of_turn("four-player-chess", &FourPlayerChess::new(), &chess::Eval::default(), &chess::Order::default(), 80);
    for kind in [Hearts, Spades] {
        for players in [3, 4] {
            let start = Tricks::new(kind, players, 1, cards::Options::default());
            in_turn(&format!("{kind:?} {players}").to_lowercase(), &start, &cards::Eval, &cards::Order, 20);
        }
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
        // A random move now and then, so that greedy players do not go to and fro.
        let m = if rng.below(5) == 0 {
            game.random_move(&mut scratch, &mut rng)
        } else {
            greedy.choose(&game, &Budget::default()).m
        };
        game.play(m);
    }
    positions
}

fn in_turn<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(name: &str, start: &G, evaluator: &E, order: &O, plies: usize) {
    let positions = positions(start, evaluator, plies);
    for (agent, pruning) in [("maxn", Pruning::None), ("speculative", Pruning::Speculative)] {
        let mut maxn = Maxn::new(evaluator.clone(), order.clone());
        (maxn.pruning, maxn.score) = (pruning, ScoreForm::Relative);
        row(name, agent, &positions, |game, budget| (maxn.choose(game, budget), None));
    }
    let mut paranoid = Paranoid::new(evaluator.clone(), order.clone());
    row(name, "paranoid", &positions, |game, budget| (paranoid.choose(game, budget), Some(paranoid.statistics())));
    let mut brs_plus = BrsPlus::new(evaluator.clone(), order.clone());
    row(name, "brs+", &positions, |game, budget| (brs_plus.choose(game, budget), Some(brs_plus.statistics())));
}

fn out_of_turn<G: OutOfTurn, E: Evaluator<G>, O: MoveOrder<G>>(
    name: &str,
    start: &G,
    evaluator: &E,
    order: &O,
    plies: usize,
) {
    in_turn(name, start, evaluator, order, plies);
    let positions = positions(start, evaluator, plies);
    let mut brs = Brs::new(evaluator.clone(), order.clone());
    row(name, "brs", &positions, |game, budget| (brs.choose(game, budget), Some(brs.statistics())));
}

/// Searches all positions and prints what came of it.
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
        "{name:<22} {agent:<12} {:>10.0} {:>7.2} {:>10} {:>8}",
        nodes as f64 / time.as_secs_f64(),
        f64::from(depth) / positions.len() as f64,
        if cuts == 0 { String::new() } else { format!("{:.3}", moves as f64 / cuts as f64) },
        if ratios.is_empty() { String::new() } else { format!("{:.2}", mean(&ratios)) },
    );
}

/// The mean number of legal moves here and in the plies of a few random games from here.
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
