//! Speed of the games on one thread, per second: perft leaves, moves generated, moves made and taken back, random playouts and
//! their plies.
//!
//! `cargo bench -p nply-games --bench games`, or `-- NAME` for the rows whose name contains NAME.

#[path = "../tests/walk/mod.rs"]
mod walk;

use std::hint::black_box;
use std::time::{Duration, Instant};

use nply::{Declaration, Game, GameVisitor, Rng, settings, testing};

/// How long each figure is measured.
const WINDOW: Duration = Duration::from_millis(500);

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    println!(
        "{:<34} {:>14} {:>14} {:>14} {:>14} {:>14}",
        "", "leaves/s", "generated/s", "made/s", "playouts/s", "plies/s"
    );
    nply_games::games(&mut Rows { filter });
}

struct Rows {
    filter: String,
}

impl GameVisitor for Rows {
    fn game<D: Declaration>(&mut self) {
        for (players, options) in walk::configurations::<D>() {
            let name = format!("{} {players} {}", D::NAME, settings::write(&options));
            if name.contains(&self.filter) {
                measure(&name, D::start(players, &options, 1));
            }
        }
    }
}

/// Prints one row.
fn measure<G: Game>(name: &str, start: G) {
    let depth = (1..20).find(|&depth| testing::perft(&mut start.clone(), depth) > 10_000).unwrap_or(20);
    let leaves = rate(|| testing::perft(&mut start.clone(), depth));
    let positions = positions(&start);
    let mut moves = Vec::new();
    let generated = rate(|| {
        let count = |game: &G| {
            moves.clear();
            game.moves(&mut moves);
            black_box(&moves).len() as u64
        };
        positions.iter().map(count).sum()
    });
    let mut listed: Vec<(G, Vec<G::Move>)> = positions.into_iter().map(|game| (game, Vec::new())).collect();
    for (game, moves) in &mut listed {
        game.moves(moves);
    }
    // Every move is made and taken back.
    let made = rate(|| {
        for (game, moves) in &mut listed {
            for &m in moves.iter() {
                black_box(game.visit(m, |child| child.key()));
            }
        }
        listed.iter().map(|(_, moves)| moves.len() as u64).sum()
    });
    let (mut rng, mut scratch) = (Rng::new(1), Vec::new());
    let mut playouts = 0;
    let started = Instant::now();
    let plies = rate(|| {
        let mut game = start.clone();
        let mut plies = 0;
        while game.payoff().is_none() {
            let m = game.random_move(&mut scratch, &mut rng);
            game.play_unkeyed(m);
            plies += 1;
        }
        playouts += 1;
        plies
    });
    let playouts = playouts as f64 / started.elapsed().as_secs_f64();
    println!("{name:<34} {leaves:>14.0} {generated:>14.0} {made:>14.0} {playouts:>14.0} {plies:>14.0}");
}

/// Positions of a few random games.
fn positions<G: Game>(start: &G) -> Vec<G> {
    let (mut rng, mut scratch, mut positions) = (Rng::new(2), Vec::new(), Vec::new());
    for _ in 0..4 {
        let mut game = start.clone();
        while game.payoff().is_none() && positions.len() < 1000 {
            positions.push(game.clone());
            let m = game.random_move(&mut scratch, &mut rng);
            game.play(m);
        }
    }
    positions
}

/// The sum of what `work` returns, per second.
fn rate(mut work: impl FnMut() -> u64) -> f64 {
    work();
    let started = Instant::now();
    let mut done = 0;
    while started.elapsed() < WINDOW {
        done += black_box(work());
    }
    done as f64 / started.elapsed().as_secs_f64()
}
