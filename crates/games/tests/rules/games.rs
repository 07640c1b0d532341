//! What every game must satisfy: walks the list of games.

use std::collections::HashSet;
use std::{env, fs};

use crate::walk::{Line, configurations, evaluations, limited, path, perft_lines};
use nply::settings::{changed, read, spec, write};
use nply::{Calibrated, Declaration, Evaluator, Game, GameVisitor, OutOfTurn, Player, Rng, chances, testing};

struct Declarations {
    names: HashSet<&'static str>,
}

impl GameVisitor for Declarations {
    fn game<D: Declaration>(&mut self) {
        let name = D::NAME;
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name} is lower case");
        assert!(self.names.insert(name), "{name} is listed once");
        assert!(D::PLAYERS.is_sorted_by(|a, b| a < b) && D::PLAYERS.contains(&D::USUAL_PLAYERS), "{name}");
        let evaluations: HashSet<&str> = D::EVALUATIONS.iter().map(|evaluation| evaluation.name).collect();
        assert_eq!(evaluations.len(), D::EVALUATIONS.len(), "{name}: evaluations have different names");
        for (players, options) in configurations::<D>() {
            let game = D::start(players, &options, 1);
            assert_eq!(game.player_count(), players, "{name}");
            assert!(evaluations.contains(D::usual_evaluation(&game)), "{name}: the usual evaluation exists");
            let mut again = D::Options::default();
            read(&mut again, &write(&options)).unwrap();
            assert_eq!(again, options, "{name}: options read back");
        }
        for bench in D::BENCH {
            let mut options = D::Options::default();
            read(&mut options, bench.options).unwrap();
            let (mut game, mut rng) = (D::start(bench.players, &options, 1), Rng::new(1));
            for _ in 0..bench.plies {
                assert!(game.payoff().is_none(), "{name}: {bench:?} is not reached");
                game.play(game.random_move(&mut Vec::new(), &mut rng));
            }
            assert!(bench.eval.is_none_or(|eval| evaluations.contains(eval)), "{name}: {bench:?}");
        }
    }
}

#[test]
fn declarations_are_consistent() {
    nply_games::games(&mut Declarations { names: HashSet::new() });
}

struct Promises;

impl GameVisitor for Promises {
    fn game<D: Declaration>(&mut self) {
        for (players, options) in configurations::<D>() {
            testing::check_notation(&D::start(players, &limited::<D>(&options, 20), 1), 400);
            testing::check_notation(&D::start(players, &options, 2), 3);
            for seed in 0..100 {
                testing::check_notation(&D::start(players, &limited::<D>(&options, 100), seed), 1);
            }
        }
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        self.game::<D>();
        for (players, options) in configurations::<D>() {
            testing::check_out_of_turn(&D::start(players, &limited::<D>(&options, 100), 1), 20);
        }
    }
}

#[test]
fn games_keep_every_promise() {
    nply_games::games(&mut Promises);
}

struct Texts;

impl GameVisitor for Texts {
    fn game<D: Declaration>(&mut self) {
        // About a million for each game.
        let count = 1_000_000 / configurations::<D>().count() as u64;
        for (players, options) in configurations::<D>() {
            testing::check_text(&D::start(players, &limited::<D>(&options, 100), 1), count);
        }
    }
}

#[test]
fn damaged_texts_are_refused_or_read_back() {
    nply_games::games(&mut Texts);
}

struct Perft;

impl GameVisitor for Perft {
    fn game<D: Declaration>(&mut self) {
        let lines = perft_lines::<D>();
        for &players in D::PLAYERS {
            assert!(lines.iter().any(|line| line.players == players), "{}: a line for {players} players", D::NAME);
        }
        for Line { text, game, numbers, .. } in lines {
            for (depth, count) in (1..).zip(numbers) {
                // Larger counts take too long.
                let Some(count) = count.filter(|&count| count < 30_000_000) else { continue };
                assert_eq!(testing::perft(&mut game.clone(), depth), count, "{} at depth {depth}: {text}", D::NAME);
                if count < 500_000 {
                    assert_eq!(testing::plain_perft(&game, depth), count, "{} at depth {depth}: {text}", D::NAME);
                }
            }
        }
    }
}

#[test]
fn perft_counts_are_as_written_down() {
    nply_games::games(&mut Perft);
}

/// The options of a game, how many of its moves have numbers, and the numbers of players with the planes, rows and columns that they see.
const NUMBERS: &[(&str, usize, &[[usize; 4]])] = &[
    ("chinese-checkers", 1657, &[[2, 7, 13, 13], [3, 10, 13, 13], [4, 13, 13, 13], [6, 19, 13, 13]]),
    ("chinese-checkers:board=large", 4225, &[[2, 7, 17, 17], [3, 10, 17, 17], [4, 13, 17, 17], [6, 19, 17, 17]]),
    ("focus", 621, &[[2, 19, 8, 8], [3, 31, 8, 8], [4, 45, 8, 8]]),
    ("rolit", 64, &[[2, 8, 8, 8], [3, 10, 8, 8], [4, 12, 8, 8]]),
    ("rolit:size=4", 16, &[[2, 8, 4, 4], [3, 10, 4, 4], [4, 12, 4, 4]]),
    ("rolit:size=6", 36, &[[2, 8, 6, 6], [3, 10, 6, 6], [4, 12, 6, 6]]),
    ("othello", 65, &[[2, 8, 8, 8]]),
    ("othello:size=4", 17, &[[2, 8, 4, 4]]),
    ("othello:size=6", 37, &[[2, 8, 6, 6]]),
    ("four-player-chess", 7569, &[[4, 47, 14, 14]]),
    ("connect-four", 0, &[[2, 6, 6, 7], [3, 9, 7, 9], [4, 12, 8, 11]]),
    ("hearts", 52, &[[3, 24, 4, 13], [4, 31, 4, 13]]),
    ("spades", 52, &[[3, 24, 4, 13], [4, 31, 4, 13]]),
];

struct NumberedGames;

impl GameVisitor for NumberedGames {
    fn game<D: Declaration>(&mut self) {
        let numbers = D::NUMBERS.unwrap_or_else(|| panic!("{} has no numbers", D::NAME));
        for (players, options) in configurations::<D>() {
            let spec = format!("{}:{}", D::NAME, write(&options));
            let row = NUMBERS.iter().rfind(|(name, ..)| spec.starts_with(name)).expect("a row for the game");
            let [_, planes, rows, columns] = *row.2.iter().find(|shape| shape[0] == players).expect("its shape");
            let layout = numbers.layout(&D::start(players, &options, 1));
            assert_eq!((layout.planes.len(), layout.grid), (planes, [rows, columns]), "{spec}, {players} players");
            // One for each column in Connect Four.
            assert_eq!(layout.moves, if row.1 == 0 { columns } else { row.1 }, "{spec}, {players} players");
            for seed in 0..3 {
                testing::check_numbers(&numbers, &D::start(players, &limited::<D>(&options, 100), seed), 2);
            }
            testing::check_numbers(&numbers, &D::start(players, &limited::<D>(&options, 10), 5), 10);
        }
    }
}

#[test]
fn planes_and_numbers_of_moves_are_as_declared() {
    nply_games::games(&mut NumberedGames);
}

/// Positions whose chances were compared.
struct Chances(usize);

impl GameVisitor for Chances {
    fn game<D: Declaration>(&mut self) {
        for (players, options) in configurations::<D>() {
            let (start, spec) = (D::start(players, &options, 1), spec(D::NAME, changed(&options)));
            for (name, _) in evaluations::<D>(&start) {
                let eval = Calibrated::<D>::new(&start, &spec, Some(name), &|_, _| ()).expect("an evaluation");
                let mut rng = Rng::new(players as u64);
                for seed in 0..3 {
                    let mut game = D::start(players, &options, seed);
                    while game.payoff().is_none() {
                        let found = chances::in_position(&eval, &game);
                        let found = found.unwrap_or_else(|| panic!("{spec} {players} {name} has no temperature"));
                        // The formula, with the exponentials of the standard library.
                        let (scores, temperature) = (eval.evaluate(&game), eval.temperature(&game).unwrap());
                        let is_in: Vec<Player> = Player::all(players).filter(|&player| game.is_in(player)).collect();
                        let sum = |i| {
                            is_in.iter().map(|&j| (f64::from(scores[j] - scores[i]) / temperature).exp()).sum::<f64>()
                        };
                        for (player, chance) in found.iter() {
                            let share = if game.is_in(player) { 1.0 / sum(player) } else { 0.0 };
                            let is_share = (0.0..=1.0).contains(&chance) && (chance - share).abs() < 1e-9;
                            assert!(is_share, "{spec} {players} {name}: {found:?} at {temperature}, {scores:?}");
                        }
                        assert!((found.sum() - 1.0).abs() < 1e-9, "{spec} {players} {name}: {found:?}");
                        game.play(game.random_move(&mut Vec::new(), &mut rng));
                        self.0 += 1;
                    }
                    let payoff = game.payoff().map(|payoff| payoff.map(f64::from));
                    assert_eq!(chances::in_position(&eval, &game), payoff, "{spec} {players} {name}");
                }
            }
        }
    }
}

#[test]
fn chances_of_every_evaluation_are_shares_and_at_the_end_the_payoff() {
    let mut chances = Chances(0);
    nply_games::games(&mut chances);
    assert!(chances.0 > 10_000, "{}", chances.0);
}

struct Playthroughs;

impl GameVisitor for Playthroughs {
    /// The first line of a file says how it is made, in the format of perft files: the number is that of plies to show.
    fn game<D: Declaration>(&mut self) {
        for &players in D::PLAYERS {
            let path = path("playthroughs", &format!("{}-{players}", D::NAME));
            let expected = fs::read_to_string(&path).unwrap_or_default();
            let head = expected.lines().next().map_or(format!("{players} | start | 100"), String::from);
            let line = Line::<D>::parse(&head);
            assert_eq!(line.players, players, "{}", path.display());
            let plies = line.numbers[0].expect("the number of plies is known") as usize;
            let record = testing::playthrough(&line.game, 1);
            let record: String = record.split_inclusive("\n\n").take(plies).collect();
            let found = format!("{head}\n\n{record}");
            if env::var_os("NPLY_BLESS").is_some() {
                fs::write(&path, &found).unwrap();
            } else {
                assert!(
                    found == expected,
                    "{} is missing or differs\n  help: NPLY_BLESS=1 cargo test -p nply-games --test rules writes it, for \
                     a look at the difference",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn playthroughs_are_as_written_down() {
    nply_games::games(&mut Playthroughs);
}
