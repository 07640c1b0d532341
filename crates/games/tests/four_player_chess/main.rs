//! Four-Player Chess against a second, slow reading of its rules, and rule by rule.

mod reference;
mod rules;

use std::collections::BTreeMap;

use nply::{Game, Notation, Rng, testing};
use nply_games::chess::FourPlayerChess;
use reference::{Man, Ply, Position, is_square};

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

/// How random games are made to show what plain chance seldom does.
#[derive(Clone, Copy)]
struct Taste {
    /// So many moves out of ten are the rarest kind there is.
    rare: usize,
    /// So many of the others are captures, if there are any.
    strike: usize,
    /// So many of the others take the player's last move back.
    back: usize,
}

fn choose(reference: &Position, last: Option<Ply>, rng: &mut Rng, taste: Taste) -> Option<Ply> {
    let pick = |rng: &mut Rng, chance: usize, wanted: &dyn Fn(&Ply) -> bool| {
        let found: Vec<Ply> = reference.legal.iter().copied().filter(wanted).collect();
        if found.is_empty() || rng.below(10) >= chance { None } else { Some(rng.pick(&found)) }
    };
    let rarest = reference.legal.iter().map(|&ply| reference.rarity(ply)).max().unwrap_or(0).max(1);
    let rare = pick(rng, taste.rare, &|&ply| reference.rarity(ply) == rarest);
    let strike = pick(rng, taste.strike, &|ply| reference.men.contains_key(&ply.to));
    let back = pick(rng, taste.back, &|ply| last.is_some_and(|last| (last.to, last.from) == (ply.from, ply.to)));
    rare.or(strike).or(back).or_else(|| pick(rng, 10, &|_| true))
}

/// Plays a game to its end, or for so many plies, comparing every position.
fn play(
    mut reference: Position,
    rng: &mut Rng,
    taste: Taste,
    most: usize,
    events: &mut BTreeMap<&'static str, usize>,
) -> usize {
    let start = FourPlayerChess::new();
    let mut game = start.read(&format!("{} -", reference.text())).unwrap();
    reference.arrive();
    let (mut plies, mut last) = (0, [None; 4]);
    loop {
        compare(&game, &reference);
        if reference.payoff.is_some() || plies == most {
            break;
        }
        let ply = choose(&reference, last[reference.turn], rng, taste);
        last[reference.turn] = ply;
        let text = ply.map_or("-".into(), |ply| ply.text());
        game.play(game.move_from_text(&text).unwrap());
        reference.play(&text);
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

/// A random position with kings and rooks at home, pawns at home and among the opponents', and pieces around them.
fn melee(rng: &mut Rng) -> Position {
    let turned = |mut at: (i32, i32), times: usize| {
        for _ in 0..times {
            at = reference::turn_square(at);
        }
        at
    };
    let ways = [(0, 1), (1, 0), (0, -1), (-1, 0)];
    loop {
        let mut position = Position::bare();
        for owner in 0..4 {
            for (x, kind) in [(3, 'R'), (7, 'K'), (10, 'R')] {
                position.men.insert(turned((x, 0), owner), Man { owner, kind, way: (0, 0) });
            }
            position.rights.extend([(owner, 'K'), (owner, 'Q')]);
            for n in 0..7 {
                let home = turned((3 + rng.below(8) as i32, 1), owner);
                let near = turned((3 + rng.below(8) as i32, 1 + rng.below(4) as i32), rng.below(4));
                let man = match n {
                    0..3 => (home, Man { owner, kind: 'P', way: ways[owner] }),
                    3..6 => (near, Man { owner, kind: 'P', way: ways[(owner + rng.pick(&[0, 1, 3])) % 4] }),
                    _ => (near, Man { owner, kind: rng.pick(&['N', 'B', 'Q']), way: (0, 0) }),
                };
                position.men.insert(man.0, man.1);
            }
        }
        position.turn = rng.below(4);
        if FourPlayerChess::new().read(&format!("{} -", position.text())).is_ok() {
            return position;
        }
    }
}

#[test]
fn random_games_agree_with_the_reference_to_the_end() {
    let mut rng = Rng::new(1);
    let mut events = BTreeMap::new();
    let mut plies = 0;
    let taste = |rare, strike, back| Taste { rare, strike, back };
    for game in 0..12 {
        let taste = taste([0, 5][game % 2], [0, 3, 7, 9][game % 4], 0);
        plies += play(Position::start(), &mut rng, taste, usize::MAX, &mut events);
    }
    for game in 0..400 {
        let most = if game % 20 == 0 { usize::MAX } else { 40 };
        plies += play(melee(&mut rng), &mut rng, taste(6, [2, 5, 8][game % 3], 0), most, &mut events);
    }
    for game in 0..200 {
        plies +=
            play(sparse(&mut rng), &mut rng, taste(1, [0, 2][game % 2], [0, 0, 9][game % 3]), usize::MAX, &mut events);
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
        "double capture",
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
