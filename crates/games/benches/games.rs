//! How fast the games are on one thread, by the second: perft leaves, moves generated, moves made and taken back, random
//! playouts and their plies.
//!
//! `cargo bench -p nply-games`, or `-- NAME` for the rows whose name contains NAME.

use std::hint::black_box;
use std::time::{Duration, Instant};

use nply::{Game, Rng, testing};
use nply_games::cards;
use nply_games::chess::FourPlayerChess;
use nply_games::chinese_checkers::{Board, ChineseCheckers};
use nply_games::focus::{self, Focus};
use nply_games::rolit::{Othello, Rolit};

/// How long each figure is measured.
const WINDOW: Duration = Duration::from_millis(500);

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    println!(
        "{:<28} {:>14} {:>14} {:>14} {:>14} {:>14}",
        "", "leaves/s", "generated/s", "made/s", "playouts/s", "plies/s"
    );
    for players in ChineseCheckers::PLAYERS.iter().copied() {
        for (board, name) in [(Board::Small, "small"), (Board::Large, "large")] {
            let start = ChineseCheckers::new(players, board, ChineseCheckers::LIMIT);
            measure(&filter, &format!("chinese-checkers {players} {name}"), start, 3);
        }
    }
    for &players in focus::PLAYERS {
        let game = |rules| Focus::new(players, rules, focus::LIMIT);
        measure(&filter, &format!("focus {players} short"), game(focus::Rules::Short), 3);
        measure(&filter, &format!("focus {players} standard"), game(focus::Rules::Standard), 3);
    }
    measure(&filter, "othello", Othello::new(), 7);
    for players in 2..=4 {
        let start = Rolit::new(players).expect("two to four players");
        measure(&filter, &format!("rolit {players}"), start, 6);
    }
    measure(&filter, "four-player-chess", FourPlayerChess::new(), 3);
    for kind in [cards::Hearts, cards::Spades] {
        for players in [3, 4] {
            let name = format!("{kind:?} {players}").to_lowercase();
            measure(&filter, &name, cards::Tricks::new(kind, players, 1, cards::Options::default()), 4);
        }
    }
}

/// Prints one row.
fn measure<G: Game>(filter: &str, name: &str, start: G, depth: u32) {
    if !name.contains(filter) {
        return;
    }
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
    println!("{name:<28} {leaves:>14.0} {generated:>14.0} {made:>14.0} {playouts:>14.0} {plies:>14.0}");
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

/// What `work` counts, in a second.
fn rate(mut work: impl FnMut() -> u64) -> f64 {
    work();
    let started = Instant::now();
    let mut done = 0;
    while started.elapsed() < WINDOW {
        done += black_box(work());
    }
    done as f64 / started.elapsed().as_secs_f64()
}
