//! Speed of the searches on each game, and how well they cut: `cargo bench -p nply-games --bench searches`, or `-- ROW` for the rows
//! that begin like this.
//!
//! Each row searches eight positions of a game between greedy players, 300,000 nodes each, with the options and players of the
//! game's bench positions. Rates are nodes, in Monte-Carlo tree search simulations, per second of processor time. `moves/cut` is the
//! mean number of moves searched at nodes with a cut. `to best` compares Paranoid's last full iteration with b^(d (n - 1) / n), the
//! leaves of a perfectly ordered tree, b being the mean number of legal moves; `to least`, with two players, compares it with all positions
//! of the smallest tree that proves a value.
//!
//! With `rates` before the row, it prints the name of each row and its rate with a tab between them, and nothing else;
//! `tools/performance ratios` reads this.

#[path = "greedy/mod.rs"]
mod greedy;

use std::time::{Duration, Instant};
use std::{env, fs};

use nply::{
    Agent, Brs, BrsPlus, Budget, Decision, Declaration, Evaluator, Game, GameVisitor, Maxn, Mcts, MoveOrder, OutOfTurn,
    Paranoid, PlayoutPolicy, Pruning, Rng, ScoreForm, Solver, Statistics,
};

/// The positions of a row.
const POSITIONS: usize = 8;

/// The nodes of a search.
const NODES: u64 = 300_000;

fn main() {
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let only_rates = words.first().is_some_and(|word| word == "rates");
    let start = words[usize::from(only_rates)..].join(" ");
    if !only_rates {
        let columns = ["rate/s", "depth", "moves/cut", "to best", "to least"];
        let [rate, depth, moves, best, least] = columns;
        println!("{:<32} {:<12} {rate:>10} {depth:>7} {moves:>10} {best:>8} {least:>8}", "", "");
    }
    nply_games::games(&mut Rows { start, only_rates });
}

struct Rows {
    /// What the rows begin with.
    start: String,
    only_rates: bool,
}

impl Rows {
    /// Whether some row that begins with `name` is wanted.
    fn may_want(&self, name: &str) -> bool {
        name.starts_with(&self.start) || self.start.starts_with(name)
    }

    fn in_turn<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
        &self,
        name: &str,
        positions: &[G],
        evaluator: &E,
        order: &O,
    ) {
        for (agent, pruning) in [("maxn", Pruning::None), ("speculative", Pruning::Speculative)] {
            let mut maxn = Maxn::new(evaluator.clone(), order.clone());
            (maxn.settings.pruning, maxn.settings.score) = (pruning, ScoreForm::Relative);
            self.row(name, agent, positions, |game, budget| (maxn.choose(game, budget), None));
        }
        let mut paranoid = Paranoid::new(evaluator.clone(), order.clone());
        self.row(name, "paranoid", positions, |game, budget| {
            (paranoid.choose(game, budget), Some(paranoid.statistics()))
        });
        let mut brs_plus = BrsPlus::new(evaluator.clone(), order.clone());
        self.row(name, "brs+", positions, |game, budget| (brs_plus.choose(game, budget), Some(brs_plus.statistics())));
        for (agent, playout) in [("mcts random", PlayoutPolicy::Random), ("mcts move", PlayoutPolicy::Move)] {
            let mut mcts = Mcts::new(evaluator.clone(), order.clone(), 1);
            mcts.settings.playout = playout;
            // A proven position would end the search.
            (mcts.settings.solver, mcts.settings.reuse) = (Solver::Off, false);
            self.row(name, agent, positions, |game, budget| (mcts.choose(game, budget), None));
        }
    }

    /// Searches all positions and prints a row.
    fn row<G: Game>(
        &self,
        name: &str,
        agent: &str,
        positions: &[G],
        mut choose: impl FnMut(&G, &Budget) -> (Decision<G::Move>, Option<Statistics>),
    ) {
        let full = format!("{name} {agent}");
        if !full.starts_with(&self.start) {
            return;
        }
        let (mut done, mut time, mut depth) = (0, Duration::ZERO, 0);
        let (mut cuts, mut moves, mut ratios, mut least_ratios) = (0, 0, Vec::new(), Vec::new());
        for game in positions {
            let started = Time::now();
            // A node of a playout takes little time: more of them, for a time that the clock can measure.
            let nodes = if agent.starts_with("mcts") { 4 * NODES } else { NODES };
            let (decision, statistics) = choose(game, &Budget::nodes(nodes));
            time += started.elapsed();
            done += if agent.starts_with("mcts") { decision.playouts } else { decision.nodes };
            depth += decision.depth;
            if let Some(statistics) = statistics {
                cuts += statistics.cut_nodes;
                moves += statistics.cut_moves;
            }
            if agent == "paranoid" && decision.depth > 0 && !self.only_rates {
                let all = choose(game, &Budget::depth(decision.depth)).0.nodes;
                let before = choose(game, &Budget::depth(decision.depth - 1)).0.nodes;
                let players = game.player_count() as f64;
                let (moves, last) = (branching(game), (all - before) as f64);
                ratios.push(last / moves.powf(f64::from(decision.depth) * (players - 1.0) / players));
                if game.player_count() == 2 {
                    least_ratios.push(last / least(moves, decision.depth));
                }
            }
        }
        let rate = done as f64 / time.as_secs_f64();
        if self.only_rates {
            println!("{full}\t{rate:.0}");
            return;
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        println!(
            "{name:<32} {agent:<12} {rate:>10.0} {:>7.2} {:>10} {:>8} {:>8}",
            f64::from(depth) / positions.len() as f64,
            if cuts == 0 { String::new() } else { format!("{:.3}", moves as f64 / cuts as f64) },
            if ratios.is_empty() { String::new() } else { format!("{:.2}", mean(&ratios)) },
            if least_ratios.is_empty() { String::new() } else { format!("{:.2}", mean(&least_ratios)) },
        );
    }
}

/// The positions below the root of the smallest tree that shows the value of a game for two (Knuth and Moore 1975).
fn least(moves: f64, depth: u32) -> f64 {
    let positions = |ply: i32| moves.powi((ply + 1) / 2) + moves.powi(ply / 2) - 1.0;
    (1..=depth as i32).map(positions).sum()
}

impl GameVisitor for Rows {
    fn game<D: Declaration>(&mut self) {
        greedy::each::<D>(&|name| self.may_want(name), POSITIONS, |name, positions, evaluator, order| {
            self.in_turn(name, positions, evaluator, order);
        });
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        greedy::each::<D>(&|name| self.may_want(name), POSITIONS, |name, positions, evaluator, order| {
            self.in_turn(name, positions, evaluator, order);
            let mut brs = Brs::new(evaluator.clone(), order.clone());
            self.row(name, "brs", positions, |game, budget| (brs.choose(game, budget), Some(brs.statistics())));
        });
    }
}

/// A moment, in the processor's time of this thread where the system tells, so that a busy machine does little harm.
struct Time {
    processor: Option<Duration>,
    clock: Instant,
}

impl Time {
    fn now() -> Time {
        let processor = || {
            let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
            Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
        };
        Time { processor: processor(), clock: Instant::now() }
    }

    fn elapsed(&self) -> Duration {
        match (self.processor, Time::now().processor) {
            (Some(then), Some(now)) => now - then,
            _ => self.clock.elapsed(),
        }
    }
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
