//! Solving by proof numbers against exhaustive Paranoid, on endgames of every game.

use crate::walk::{configurations, past};
use nply::solve::Solver;
use nply::{Bounds, Budget, Declaration, Game, GameVisitor, Notation, Player, Question, Rng, Score, Tally, proof};
use nply_games::rolit::{Options, Rolit, Size};

/// What a player gets if everybody else is against them, in the plainest way; `None` if that takes more nodes than there are.
fn exhaustive<G: Game>(game: &G, tally: Tally<G>, player: Player, nodes: &mut u64) -> Option<Score> {
    *nodes = nodes.checked_sub(1)?;
    if game.payoff().is_some() {
        return Some((tally.of)(game)[player]);
    }
    let mut moves = Vec::new();
    game.moves(&mut moves);
    let mut best = None;
    for m in moves {
        let mut child = game.clone();
        child.play(m);
        let value = exhaustive(&child, tally, player, nodes)?;
        let is_better = |best: Score| if game.turn() == player { value > best } else { value < best };
        if best.is_none_or(is_better) {
            best = Some(value);
        }
    }
    best
}

/// The same for each move of a position.
fn values<G: Game>(game: &G, tally: Tally<G>, player: Player, nodes: &mut u64) -> Option<Vec<Score>> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    let value = |m| {
        let mut child = game.clone();
        child.play(m);
        exhaustive(&child, tally, player, nodes)
    };
    moves.into_iter().map(value).collect()
}

/// Of each game at least so many endgames, and the most nodes of their exhaustive trees. `NPLY_ENDGAMES=1000,1M` is for a
/// thorough run on an optimized build.
fn extent() -> (usize, u64) {
    match std::env::var("NPLY_ENDGAMES") {
        Ok(text) => {
            let (count, nodes) = text.split_once(',').expect("a number of endgames, a comma and a number of nodes");
            (count.parse().unwrap(), nply::quantity::count(nodes).unwrap())
        }
        Err(_) => (100, 2_000),
    }
}

/// Two kings and pieces that can mate, a few plies before a draw, as text: no random game of chess comes to that.
fn kings(rng: &mut Rng) -> String {
    let mut board = ["."; 160];
    // A rook keeps one of the kings in the last row.
    (board[rng.below(8)], board[8 + rng.below(8)]) = ("bK", "wR");
    for piece in ["wK", "wQ", rng.pick(&["wQ", "wR"])] {
        let empty: Vec<usize> = (0..160).filter(|&at| board[at] == ".").collect();
        board[rng.pick(&empty)] = piece;
    }
    let (mut rows, mut rest) = (Vec::new(), &board[..]);
    for width in [8, 8, 8, 14, 14, 14, 14, 14, 14, 14, 14, 8, 8, 8] {
        let (row, below) = rest.split_at(width);
        let groups = row.chunk_by(|a, b| a == b && *a == ".");
        rows.push(groups.map(|group| group[0].replace('.', &group.len().to_string())).collect::<String>());
        rest = below;
    }
    let clock = 99 - rng.below(2);
    format!("{} {} wb - - {clock} {clock} -", rows.join("/"), rng.pick(&["w", "b"]))
}

struct Endgames;

impl GameVisitor for Endgames {
    fn game<D: Declaration>(&mut self) {
        let (count, most) = extent();
        let all: Vec<(usize, D::Options)> = configurations::<D>().collect();
        let (mut rng, mut solved, mut decided, mut searched) = (Rng::new(51), 0, 0, 0);
        for (number, (players, options)) in all.iter().cycle().enumerate() {
            if solved >= count && number >= all.len() {
                break;
            }
            let past = match D::NAME {
                "four-player-chess" if number % 3 > 0 => {
                    let game = D::start(*players, options, 0).read(&kings(&mut rng)).expect("a position");
                    if game.payoff().is_some() { Vec::new() } else { vec![game] }
                }
                _ => past::<D>(*players, options, number as u64, &mut rng),
            };
            let Some(last) = past.last() else { continue };
            let player = rng.pick(&Player::all(*players).filter(|&player| last.is_in(player)).collect::<Vec<_>>());
            let tally = D::TALLY.filter(|_| rng.below(3) > 0).unwrap_or_else(Tally::shares);
            // Somewhere between the end and the longest endgame that is not too large, rather early, since last moves are often forced.
            let plies = 1 + rng.below(16).max(rng.below(16));
            let endgame = past.iter().rev().take(plies).map_while(|game| {
                let mut nodes = most;
                values(game, tally, player, &mut nodes).map(|values| (game, values, most - nodes))
            });
            let Some((game, values, nodes)) = endgame.last() else { continue };
            let (least, best) = (*values.iter().min().expect("a move"), *values.iter().max().expect("a move"));
            let value = if game.turn() == player { best } else { least };
            let mut solver = Solver::new(rng.pick(&[1 << 10, 1 << 16, 1 << 24]));
            let found = solver.value(game, tally, player, &Budget::default(), &mut |_, _| ());
            let context = format!("{}, {} of player {player}: {}", D::NAME, tally.name, game.to_text());
            assert_eq!((found.least, found.most), (value, value), "{context}");
            let question = |at_least| Question { tally, player, at_least };
            for (question, yes) in [(question(value), true), (question(value + 1), false)] {
                let written = solver.proof(game, &question, yes, u64::MAX, &Budget::default(), &mut |_| ());
                let written = written.unwrap_or_else(|fault| panic!("{context}: {fault}"));
                let checked = proof::check(game, &question, yes, &written.bytes, &mut |_| ());
                assert_eq!(checked, Ok(written.counts), "{context}");
            }
            solved += 1;
            decided += usize::from(least < best);
            searched += nodes;
        }
        println!("{}: {solved} endgames, {decided} of them decided by the first move, {searched} nodes", D::NAME);
        assert!(decided * 20 >= solved, "{}: in {decided} of {solved} endgames it matters what is played", D::NAME);
    }
}

#[test]
fn endgames_of_every_game_have_the_value_of_exhaustive_paranoid() {
    // The exhaustive search of a chess game may go thousands of plies deep before it has used up its nodes.
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(|| nply_games::games(&mut Endgames));
    thread.expect("a thread").join().unwrap_or_else(|error| std::panic::resume_unwind(error));
}

/// What each player is sure of on 4 by 4 fields, in discs, for two, three and four players.
const FOUR_BY_FOUR: [&[Score]; 3] = [&[7, 9], &[3, 3, 3], &[2, 2, 2, 1]];

#[test]
fn rolit_on_4_by_4_fields_is_solved_for_every_seat() {
    for (players, expected) in (2..).zip(FOUR_BY_FOUR) {
        let (game, tally) = (Rolit::start(players, &Options { size: Size::Four }, 0), Rolit::TALLY.unwrap());
        let value = |player| {
            let value = Solver::new(1 << 22).value(&game, tally, player, &Budget::default(), &mut |_, _| ());
            assert_eq!(value.least, value.most);
            assert_eq!(Some(value.least), exhaustive(&game, tally, player, &mut u64::MAX.clone()));
            value.least
        };
        let values: Vec<Score> = Player::all(players).map(value).collect();
        assert_eq!(values, expected, "{players} players");
    }
}

/// Goes through all games from a position, and checks that what is certain in it holds at the end of each.
fn check_certain<D: Declaration>(game: &D::Game, nodes: &mut u64) {
    let tally = D::TALLY.unwrap();
    let mut certain = vec![(tally.bounds)(game)];
    below::<D>(game, &mut certain, nodes);
}

fn below<D: Declaration>(game: &D::Game, certain: &mut Vec<Bounds>, nodes: &mut u64) {
    if *nodes == 0 {
        return;
    }
    *nodes -= 1;
    let tally = D::TALLY.unwrap();
    if game.payoff().is_some() {
        let end = (tally.of)(game);
        for bounds in certain {
            let all = Player::all(game.player_count());
            let holds = end.sum() <= bounds.max_sum && all.into_iter().all(|player| bounds.min[player] <= end[player]);
            assert!(holds, "{bounds:?} does not hold in {}", game.to_text());
        }
        return;
    }
    let mut moves = Vec::new();
    game.moves(&mut moves);
    for m in moves {
        let mut child = game.clone();
        child.play(m);
        certain.push((tally.bounds)(&child));
        below::<D>(&child, certain, nodes);
        certain.pop();
    }
}

struct Certain;

impl GameVisitor for Certain {
    fn game<D: Declaration>(&mut self) {
        if D::TALLY.is_none() {
            return;
        }
        let mut rng = Rng::new(52);
        for (players, options) in configurations::<D>() {
            for seed in 0..20 {
                let (mut game, mut past) = (D::start(players, &options, seed), Vec::new());
                while game.payoff().is_none() {
                    past.push(game.clone());
                    game.play(game.random_move(&mut Vec::new(), &mut rng));
                }
                // All games from an endgame, and a few from an earlier position.
                let plies = rng.below(12).min(past.len() - 1);
                check_certain::<D>(&past[past.len() - 1 - plies], &mut 2_000);
            }
        }
    }
}

#[test]
fn what_a_tally_calls_certain_holds_at_the_end_of_every_game() {
    nply_games::games(&mut Certain);
}
