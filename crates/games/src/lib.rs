//! The games of nply: rules, evaluations, move orderings and text.
//!
//! Each game is a module of the same shape. `mod.rs` declares the game ([`Declaration`]), `rules.rs` has the position and its
//! moves, `eval.rs` the evaluations, `order.rs` the move ordering, `text.rs` positions and moves as text, `scene.rs` how
//! a position looks and what a person clicks, and `numbers.rs` positions and moves as numbers. [`games`] goes through all of them.
//!
//! ```
//! use nply::{Agent, Budget, Declaration, Game, Notation, Paranoid};
//! use nply_games::focus::{Eval, Focus, Options, Order};
//!
//! let game = Focus::start(3, &Options::default(), 0);
//! let decision = Paranoid::new(Eval::Height, Order).choose(&game, &Budget::depth(3));
//! println!("{game}\nplayer {} plays {}", game.turn(), game.move_to_text(decision.m));
//! ```

use nply::{BenchDepths, BenchPosition, Declaration, GameVisitor};

pub mod cards;
pub mod chess;
pub mod chinese_checkers;
pub mod connect_four;
pub mod focus;
mod grid;
pub mod rolit;
mod sets;
mod text;

/// Goes through all games, in the order in which they are listed.
pub fn games<V: GameVisitor>(v: &mut V) {
    v.game_out_of_turn::<chinese_checkers::ChineseCheckers>();
    v.game_out_of_turn::<focus::Focus>();
    v.game_out_of_turn::<rolit::Rolit>();
    v.game_out_of_turn::<rolit::Othello>();
    v.game_out_of_turn::<chess::FourPlayerChess>();
    v.game_out_of_turn::<connect_four::ConnectFour>();
    v.game::<cards::Hearts>();
    v.game::<cards::Spades>();
}

/// The temperatures of all evaluations, a line each, as `nply calibrate` writes them.
const CHANCES: &str = include_str!("../data/chances.txt");

/// # Panics
/// If the game is not for so many players.
fn check_players<D: Declaration>(players: usize) {
    assert!(D::PLAYERS.contains(&players), "{} is for {:?} players, not {players}", D::NAME, D::PLAYERS);
}

/// A position for benchmarks with default options, and the depths of max^n, Paranoid, BRS and BRS+.
const fn bench(players: usize, plies: usize, [maxn, paranoid, brs, brs_plus]: [u32; 4]) -> BenchPosition {
    BenchPosition { options: "", players, plies, eval: None, depths: BenchDepths { maxn, paranoid, brs, brs_plus } }
}

#[cfg(test)]
mod tests {
    use nply::chances::Temperatures;
    use nply::{Declaration, GameVisitor};

    use super::*;

    /// The names of all evaluations with a number of players, as lines of [`CHANCES`] begin.
    struct Names(Vec<String>);

    impl GameVisitor for Names {
        fn game<D: Declaration>(&mut self) {
            assert_eq!(D::CHANCES, CHANCES, "{} has its temperatures", D::NAME);
            for (players, evaluation) in D::PLAYERS.iter().flat_map(|n| D::EVALUATIONS.iter().map(move |e| (n, e))) {
                self.0.push(format!("{} {players} {}", D::NAME, evaluation.name));
            }
        }
    }

    #[test]
    fn every_evaluation_has_temperatures_for_every_number_of_players() {
        let mut names = Names(Vec::new());
        games(&mut names);
        let lines: Vec<&str> = CHANCES.lines().filter(|line| !line.starts_with('#')).collect();
        let row = |line: &&str| {
            let (game, players, evaluation, _) = Temperatures::read(line).unwrap_or_else(|| panic!("{line:?}"));
            format!("{game} {players} {evaluation}")
        };
        let rows: Vec<String> = lines.iter().map(row).collect();
        for name in &names.0 {
            assert_eq!(rows.iter().filter(|row| *row == name).count(), 1, "{name}");
        }
        for row in &rows {
            let (game, rest) = row.split_once(' ').expect("several words");
            let plain = format!("{} {rest}", game.split(':').next().unwrap_or(game));
            assert!(names.0.contains(&plain), "{row}");
        }
    }
}
