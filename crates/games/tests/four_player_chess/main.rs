//! Four-Player Chess against a second, slow reading of its rules, and rule by rule.

mod reference;
mod rules;

use std::collections::BTreeMap;

use nply::{Game, Notation, Rng, testing};
use nply_games::chess::FourPlayerChess;
use reference::{Man, Position, is_square};

fn texts(game: &FourPlayerChess) -> Vec<String> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves.iter().map(|&m| game.move_to_text(m)).collect()
}

/// The text without the history.
fn short(game: &FourPlayerChess) -> String {
    game.to_text().rsplit_once(' ').unwrap().0.to_string()
}

fn compare(game: &FourPlayerChess, reference: &Position) {
    let text = reference.text();
    assert_eq!(short(game), text);
    assert_eq!(texts(game), reference.moves(), "{text}");
    assert_eq!(game.payoff().map(|payoff| payoff.as_slice().to_vec()), reference.payoff, "{text}");
    assert_eq!(game.turn().index(), reference.turn, "{text}");
}

/// Whether a move captures, as a text.
fn captures(reference: &Position, text: &str) -> bool {
    reference.men.keys().any(|&at| text.split(['-', '=']).nth(1) == Some(&reference::name(at)))
}

/// Plays a game to its end, comparing every position; `greed` out of ten moves are captures, if there are any.
fn play(mut reference: Position, rng: &mut Rng, greed: usize, events: &mut BTreeMap<&'static str, usize>) -> usize {
    let start = FourPlayerChess::new();
    let mut game = start.read(&format!("{} -", reference.text())).unwrap();
    reference.arrive();
    let mut plies = 0;
    loop {
        compare(&game, &reference);
        if reference.payoff.is_some() {
            break;
        }
        let moves = texts(&game);
        let strikes: Vec<&String> = moves.iter().filter(|text| captures(&reference, text)).collect();
        let text = if rng.below(10) < greed && !strikes.is_empty() {
            rng.pick(&strikes)
        } else {
            &moves[rng.below(moves.len())]
        };
        game.play(game.move_from_text(text).unwrap());
        reference.play(text);
        plies += 1;
    }
    for (what, count) in reference.events {
        *events.entry(what).or_default() += count;
    }
    plies
}

/// A random position with few pieces, the kings apart.
fn sparse(rng: &mut Rng) -> Position {
    loop {
        let mut position = Position::bare();
        let players = 2 + rng.below(3);
        position.living = (0..4).collect();
        while position.living.len() > players {
            position.living.remove(rng.below(position.living.len()));
        }
        for &owner in &position.living.clone() {
            let pieces = rng.below(4);
            for n in 0..=pieces {
                let at = loop {
                    let at = (rng.below(14) as i32, rng.below(14) as i32);
                    if is_square(at) && !position.men.contains_key(&at) {
                        break at;
                    }
                };
                let kind = if n == 0 { 'K' } else { rng.pick(&['P', 'P', 'P', 'P', 'N', 'B', 'R', 'Q']) };
                let way = [(0, 1), (1, 0), (0, -1), (-1, 0)][owner];
                position.men.insert(at, Man { owner, kind, way: if kind == 'P' { way } else { (0, 0) } });
            }
        }
        position.turn = rng.pick(&position.living);
        let text = format!("{} -", position.text());
        // What the reader refuses (pawns on impossible squares) is drawn again.
        if FourPlayerChess::new().read(&text).is_ok() {
            return position;
        }
    }
}

#[test]
fn random_games_agree_with_the_reference_to_the_end() {
    let mut rng = Rng::new(1);
    let mut events = BTreeMap::new();
    let mut plies = 0;
    for game in 0..24 {
        plies += play(Position::start(), &mut rng, [0, 3, 7, 9][game % 4], &mut events);
    }
    for game in 0..400 {
        plies += play(sparse(&mut rng), &mut rng, [0, 2][game % 2], &mut events);
    }
    println!("{plies} plies, {events:?}");
    for what in [
        "bend",
        "bending capture",
        "up",
        "right",
        "down",
        "left",
        "en passant",
        "castling",
        "hanged",
        "mate",
        "chain",
        "stalemate pass",
        "stalemate draw",
        "kings alone",
        "repetition",
        "fifty",
        "won",
    ] {
        assert!(events.contains_key(what), "{what} never happened: {events:?}");
    }
}
