//! How much faster several threads reach a depth than one: `cargo bench -p nply-games --bench threads`.
//!
//! Each row is a search of a game with the options and players of one of its bench positions, over 30 positions of a game between greedy
//! players. In each position the depth is chosen at which one thread takes about a second; then one, two and eight threads search to it, one after
//! the other. `2/1` is the median of how many times as fast two threads are as one, `8/2` of how many times as fast eight are as two,
//! and `nodes` the medians of how many times as many nodes two and eight threads visit as one. All three must give the same
//! value and move.
//!
//! Without arguments the row of each game is Paranoid, with the first of its bench positions. Arguments choose more: names of games, names of
//! searches (`paranoid`, `brs`, `brs+`, `maxn`, `speculative`) and `all`, for all bench positions; `seconds=0.2` and `positions=10` make it shorter.
//! `schemes` compares the schemes by which threads share a two-sided tree: in each position one thread, then two threads with each
//! scheme, then eight with each. It adds how many times as fast two and eight threads are as with the first scheme, as median and
//! quartiles, and which shares of two and of eight threads' time they were idle and waited for others (with split nodes only).

#[path = "greedy/mod.rs"]
mod greedy;

use std::cell::Cell;
use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nply::threads::{Scheme, set_scheme, take_waits};
use nply::{
    Agent, Brs, BrsPlus, Budget, Declaration, Evaluator, Game, GameVisitor, Maxn, MoveOrder, OutOfTurn, Paranoid,
    Pruning, ScoreForm,
};

const SEARCHES: [&str; 5] = ["paranoid", "brs", "brs+", "maxn", "speculative"];

const SCHEMES: [(&str, Scheme); 3] = [("abdada", Scheme::Abdada), ("lazy", Scheme::Lazy), ("ybw", Scheme::Ybw)];

fn main() {
    let (mut names, mut asked) =
        (Vec::new(), Asked { searches: Vec::new(), is_all: false, schemes: false, seconds: 1.0, positions: 30 });
    for word in env::args().skip(1).filter(|word| !word.starts_with("--")) {
        match (word.as_str(), word.split_once('=')) {
            ("all", _) => asked.is_all = true,
            ("schemes", _) => asked.schemes = true,
            (_, Some(("seconds", value))) => asked.seconds = value.parse().expect("a number of seconds"),
            (_, Some(("positions", value))) => asked.positions = value.parse().expect("a number of positions"),
            (search, _) if SEARCHES.contains(&search) => asked.searches.push(word),
            _ => names.push(word),
        }
    }
    if asked.searches.is_empty() {
        asked.searches.push("paranoid".into());
    }
    print!("{:<32} {:<12} {:>6} {:>8} ", "", "", "depth", "seconds");
    if asked.schemes {
        print!("{:<6} ", "scheme");
    }
    print!("{:>6} {:>6} {:>13}", "2/1", "8/2", "nodes");
    if asked.schemes {
        print!("  {:<17}  {:<17} {:<9} idle, waiting", "2 to abdada", "8 to abdada", "2: idle, waiting; 8:");
    }
    println!();
    nply_games::games(&mut Rows { names, asked });
}

struct Asked {
    searches: Vec<String>,
    is_all: bool,
    schemes: bool,
    seconds: f64,
    positions: usize,
}

struct Rows {
    names: Vec<String>,
    asked: Asked,
}

impl Rows {
    /// Calls `rows` with a name, positions and the usual evaluation for the game's bench positions.
    fn each<D: Declaration>(&self, rows: impl FnMut(&str, &[D::Game], &D::Eval, &D::Order)) {
        if !self.names.is_empty() && !self.names.iter().any(|name| name == D::NAME) {
            return;
        }
        // Without `all`, only the first.
        let left = Cell::new(if self.asked.is_all { D::BENCH.len() } else { 1 });
        let wanted = |_: &str| left.replace(left.get().saturating_sub(1)) > 0;
        greedy::each::<D>(&wanted, self.asked.positions, rows);
    }

    fn in_turn<G: Game>(&self, name: &str, positions: &[G], evaluator: &impl Evaluator<G>, order: &impl MoveOrder<G>) {
        self.row(name, "paranoid", positions, |threads| {
            let mut agent = Paranoid::new(evaluator.clone(), order.clone());
            agent.settings.parts.threads = threads;
            agent
        });
        self.row(name, "brs+", positions, |threads| {
            let mut agent = BrsPlus::new(evaluator.clone(), order.clone());
            agent.settings.parts.threads = threads;
            agent
        });
        for (search, pruning) in [("maxn", Pruning::None), ("speculative", Pruning::Speculative)] {
            self.row(name, search, positions, |threads| {
                let mut agent = Maxn::new(evaluator.clone(), order.clone());
                (agent.settings.pruning, agent.settings.score) = (pruning, ScoreForm::Relative);
                agent.settings.parts.threads = threads;
                agent
            });
        }
    }

    fn row<G: Game, A: Agent<G>>(&self, name: &str, search: &str, positions: &[G], make: impl Fn(usize) -> A) {
        if !self.asked.searches.iter().any(|asked| asked == search) {
            return;
        }
        // Memory is touched before anything is timed.
        let mut agents = [1, 2, 8].map(&make);
        for agent in &mut agents {
            agent.choose(&positions[0], &Budget::time(Duration::from_secs_f64(self.asked.seconds / 2.0)));
        }
        let schemes: &[_] = if self.asked.schemes { &SCHEMES } else { &SCHEMES[..1] };
        let (mut depths, mut times) = (Vec::new(), Vec::new());
        // 2/1, 8/2, nodes of two and eight; how many times as fast as the first scheme; shares of idle and waiting time.
        let mut columns = vec![[const { Vec::new() }; 10]; schemes.len()];
        for (at, game) in positions.iter().enumerate() {
            let depth = depth(&mut agents[0], game, self.asked.seconds);
            let one = agents[0].choose(game, &Budget::depth(depth));
            let mut found = [const { Vec::new() }; 2];
            for (agent, found) in agents[1..].iter_mut().zip(&mut found) {
                found.resize_with(schemes.len(), || None);
                // No scheme is always the first.
                for number in (0..schemes.len()).map(|number| (number + at) % schemes.len()) {
                    if self.asked.schemes {
                        set_scheme(schemes[number].1);
                    }
                    take_waits();
                    let decision = agent.choose(game, &Budget::depth(depth));
                    let same = (decision.value, decision.m) == (one.value, one.m);
                    assert!(same, "{name} {search} {}: threads agree: {decision:?} {one:?}", schemes[number].0);
                    found[number] = Some((decision.time.as_secs_f64(), decision.nodes as f64, take_waits()));
                }
            }
            let [two, eight] = found.map(|found| found.into_iter().flatten().collect::<Vec<_>>());
            let (time, nodes) = (one.time.as_secs_f64(), one.nodes as f64);
            for ((columns, two_here), eight_here) in columns.iter_mut().zip(&two).zip(&eight) {
                let waits =
                    |(time, _, waits): &(f64, f64, [f64; 2]), threads: f64| waits.map(|wait| wait / time / threads);
                let ([idle_two, wait_two], [idle_eight, wait_eight]) = (waits(two_here, 2.0), waits(eight_here, 8.0));
                let values = [
                    time / two_here.0,
                    two_here.0 / eight_here.0,
                    two_here.1 / nodes,
                    eight_here.1 / nodes,
                    two[0].0 / two_here.0,
                    eight[0].0 / eight_here.0,
                    idle_two,
                    wait_two,
                    idle_eight,
                    wait_eight,
                ];
                columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
            }
            depths.push(f64::from(depth));
            times.push(time);
        }
        let (depth, time) = (median(&mut depths), median(&mut times));
        for (columns, (scheme, _)) in columns.iter_mut().zip(schemes) {
            let [twice, eight, two, all, ..] = columns.each_mut().map(|column| median(column));
            print!("{name:<32} {search:<12} {depth:>6} {time:>8.2} ");
            if self.asked.schemes {
                print!("{scheme:<6} ");
            }
            print!("{twice:>6.2} {eight:>6.2} {two:>6.2} {all:>6.2}");
            if self.asked.schemes {
                for column in &columns[4..6] {
                    let quarter = column.len() / 4;
                    let (low, high) = (column[quarter], column[column.len() - 1 - quarter]);
                    print!("  {:>5.2} ({low:.2}-{high:.2})", median(&mut column.clone()));
                }
                for column in &mut columns[6..] {
                    print!(" {:>4.0}%", 100.0 * median(column));
                }
            }
            println!();
        }
    }
}

impl GameVisitor for Rows {
    fn game<D: Declaration>(&mut self) {
        self.each::<D>(|name, positions, evaluator, order| self.in_turn(name, positions, evaluator, order));
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        self.each::<D>(|name, positions, evaluator, order| {
            self.in_turn(name, positions, evaluator, order);
            self.row(name, "brs", positions, |threads| {
                let mut agent = Brs::new(evaluator.clone(), order.clone());
                agent.settings.parts.threads = threads;
                agent
            });
        });
    }
}

/// The depth whose time is nearest to so many seconds, as a ratio.
fn depth<G: Game>(agent: &mut impl Agent<G>, game: &G, seconds: f64) -> u32 {
    let stop = Arc::new(AtomicBool::new(false));
    // The next iteration takes several times as long: it may come nearer only if it does not take much too long.
    let budget = Budget { stop: Some(stop.clone()), ..Budget::time(Duration::from_secs_f64(4.0 * seconds)) };
    let (mut best, mut error) = (1, f64::INFINITY);
    agent.search(game, &budget, &mut |found| {
        let off = (found.time.as_secs_f64() / seconds).ln();
        if off.abs() < error {
            (best, error) = (found.depth, off.abs());
        }
        if off > 0.0 {
            stop.store(true, Ordering::Relaxed);
        }
    });
    best
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}
