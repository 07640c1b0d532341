//! Four-Player Chess against a second, slow reading of its rules, and rule by rule.

mod reference;
mod rules;

use std::collections::BTreeMap;

use nply::{Declaration, Evaluator, Game, MoveOrder, Notation, OutOfTurn, Player, Rng, Stance, testing};
use nply_games::chess::{Eval, FourPlayerChess, Order};
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

/// How random games are biased towards rare events.
#[derive(Clone, Copy)]
struct Taste {
    /// Moves out of ten that are of the rarest kind.
    rare: usize,
    /// How many of the others are captures, if there are any.
    strike: usize,
    /// How many of the others take the player's last move back.
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
    let start = FourPlayerChess::start(4, &(), 0);
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
        // Positions that are refused (pawns on impossible squares) are drawn again.
        if FourPlayerChess::start(4, &(), 0).read(&text).is_ok() {
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
        if FourPlayerChess::start(4, &(), 0).read(&format!("{} -", position.text())).is_ok() {
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

#[test]
fn a_copy_over_another_position_is_like_a_new_one() {
    let (mut rng, mut copy) = (Rng::new(3), FourPlayerChess::start(4, &(), 0));
    for _ in 0..20 {
        let mut game = FourPlayerChess::start(4, &(), 0);
        while game.payoff().is_none() {
            if rng.below(20) == 0 {
                // The copy was an earlier position of this game or the last, played on.
                copy.clone_from(&game);
                let mut new = game.clone();
                for _ in 0..8 {
                    assert_eq!((copy.to_text(), copy.key()), (new.to_text(), new.key()));
                    if new.payoff().is_none() {
                        let m = new.random_move(&mut Vec::new(), &mut rng);
                        new.play(m);
                        copy.play(m);
                    }
                }
            }
            game.play(game.random_move(&mut Vec::new(), &mut rng));
        }
    }
}

#[test]
fn damaged_texts_are_refused_or_mean_something() {
    // With few pieces and many rights, more of the damage makes sense.
    let melee = format!("{} -", melee(&mut Rng::new(6)).text());
    testing::check_text(&FourPlayerChess::start(4, &(), 0).read(&melee).unwrap(), 400_000);
    let ending = format!("{} -", sparse(&mut Rng::new(6)).text());
    testing::check_text(&FourPlayerChess::start(4, &(), 0).read(&ending).unwrap(), 400_000);
}

/// A few plies, each by a player to whom the turn is handed, kings captured where that is possible.
fn wander(
    game: &mut FourPlayerChess,
    reference: &Position,
    rng: &mut Rng,
    depth: u32,
    events: &mut BTreeMap<&'static str, usize>,
) {
    compare(game, reference);
    if reference.payoff.is_some() || depth == 0 {
        for (&what, count) in &reference.events {
            *events.entry(what).or_default() += count;
        }
        return;
    }
    let player = rng.pick(&reference.living);
    let mut handed = reference.clone();
    handed.hand_to(player);
    game.with_turn(Player::new(player), |game| {
        let moves = texts(game);
        assert_eq!(moves, handed.moves(), "{}", handed.text());
        let regicide = |ply: &&Ply| handed.men.get(&ply.to).is_some_and(|man| man.kind == 'K');
        let text = match handed.legal.iter().find(regicide) {
            Some(ply) => ply.text(),
            None => moves[rng.below(moves.len())].clone(),
        };
        handed.play(&text);
        game.visit(game.move_from_text(&text).unwrap(), |child| wander(child, &handed, rng, depth - 1, events));
    });
    compare(game, reference);
}

#[test]
fn moves_out_of_turn_agree_with_the_reference() {
    let mut rng = Rng::new(2);
    let mut events = BTreeMap::new();
    for n in 0..300 {
        let mut reference = if n % 2 == 0 { melee(&mut rng) } else { sparse(&mut rng) };
        let mut game = FourPlayerChess::start(4, &(), 0).read(&format!("{} -", reference.text())).unwrap();
        reference.arrive();
        wander(&mut game, &reference, &mut rng, 12, &mut events);
    }
    for what in ["king captured", "hanged", "stalemate pass", "won"] {
        assert!(events.contains_key(what), "{what} never happened: {events:?}");
    }
}

#[test]
fn perft_of_deep_positions_agrees_with_the_reference() {
    let mut rng = Rng::new(3);
    for n in 0..12 {
        let mut reference = if n % 3 == 0 { sparse(&mut rng) } else { melee(&mut rng) };
        let mut game = FourPlayerChess::start(4, &(), 0).read(&format!("{} -", reference.text())).unwrap();
        reference.arrive();
        assert_eq!(testing::perft(&mut game, 2), reference.perft(2), "{}", reference.text());
        assert_eq!(testing::plain_perft(&game, 2), reference.perft(2), "{}", reference.text());
    }
}

#[test]
fn turning_the_board_changes_nothing() {
    let mut rng = Rng::new(4);
    let start = FourPlayerChess::start(4, &(), 0);
    for n in 0..60 {
        let reference = if n % 2 == 0 { sparse(&mut rng) } else { melee(&mut rng) };
        let game = start.read(&format!("{} -", reference.text())).unwrap();
        let turned = start.read(&format!("{} -", reference.rotated().text())).unwrap();
        assert_eq!(testing::perft(&mut game.clone(), 2), testing::perft(&mut turned.clone(), 2));
        let scores = Eval::default().scores(&game);
        let turned_scores = Eval::default().scores(&turned);
        for player in Player::all(4) {
            assert_eq!(scores[player], turned_scores[player.next(4)], "{}", reference.text());
        }
        let mut moves: Vec<String> = reference_moves_turned(&game);
        moves.sort();
        assert_eq!(texts(&turned), moves);
    }
}

/// The legal moves, turned by 90 degrees.
fn reference_moves_turned(game: &FourPlayerChess) -> Vec<String> {
    let turn = |square: &str| {
        let (column, row) = square.split_at(1);
        let at = ((column.as_bytes()[0] - b'a') as i32, row.parse::<i32>().unwrap() - 1);
        reference::name(reference::turn_square(at))
    };
    let turned = |text: &String| match text.split_once('-') {
        Some((from, to)) if !from.is_empty() => {
            let (to, promotion) = to.split_once('=').map_or((to, String::new()), |(to, kind)| (to, format!("={kind}")));
            format!("{}-{}{promotion}", turn(from), turn(to))
        }
        _ => text.clone(),
    };
    texts(game).iter().map(turned).collect()
}

#[test]
fn scores_keep_to_their_bounds_and_the_eliminated_have_the_least() {
    let (mut rng, eval) = (Rng::new(5), Eval::default());
    let bounds = eval.bounds(&FourPlayerChess::start(4, &(), 0));
    for _ in 0..5 {
        let mut game = FourPlayerChess::start(4, &(), 0);
        loop {
            let scores = eval.scores(&game);
            assert!(scores.sum() <= bounds.max_sum);
            for player in Player::all(4) {
                assert!(scores[player] >= bounds.min[player]);
                assert_eq!(scores[player] == 0, !game.is_in(player), "{}", game.to_text());
            }
            if game.payoff().is_some() {
                break;
            }
            for player in Player::all(4) {
                assert_eq!(eval.evaluate_for(&game, player), scores[player]);
            }
            let m = game.random_move(&mut Vec::new(), &mut rng);
            game.play(m);
        }
    }
}

fn sorted(game: &FourPlayerChess, order: Order, stance: Stance) -> Vec<String> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    order.sort(game, stance, &mut moves);
    moves.iter().map(|&m| game.move_to_text(m)).collect()
}

#[test]
fn captures_are_ordered_by_victim_then_attacker() {
    let game = rules::place("wKh1 wRf5 wPe4 wQc6 rKa7 bKg14 uKn8 bNf6 rRd5 bQk13 uPi5", "w wrbu - - 0 0 -");
    let own = sorted(&game, Order { attacker: true }, Stance::Own);
    assert_eq!(own[..6], ["e4-d5", "f5-d5", "c6-d5", "f5-f6", "c6-f6", "f5-i5"]);
    let blind = sorted(&game, Order { attacker: false }, Stance::Own);
    assert_eq!(blind[..6], ["c6-d5", "e4-d5", "f5-d5", "c6-f6", "f5-f6", "f5-i5"], "ties as listed");
    let against = sorted(&game, Order { attacker: true }, Stance::Against(Player::new(3)));
    assert_eq!(against[..3], ["f5-i5", "e4-d5", "f5-d5"]);
    let root = sorted(&game, Order { attacker: true }, Stance::Against(Player::new(0)));
    assert_eq!(root, own, "the root player rates by its own good");
}

#[test]
fn quiet_moves_are_not_left_as_generated() {
    let game = rules::place("wKh1 wPe13 wRf5 wNd1 rKa7 bKg14 uKn8 rPb7", "w wrbu - - 0 0 -");
    let moves = sorted(&game, Order::default(), Stance::Own);
    assert_eq!(moves[..4], ["e13-e14=Q", "e13-e14=R", "e13-e14=B", "e13-e14=N"]);
    assert_eq!(moves[4..6], ["f5-f8", "f5-g5"].map(String::from), "checks, then by the square gained");
    let knight = |to: &str| moves.iter().position(|m| m == to).unwrap();
    assert!(knight("d1-e3") < knight("d1-f2"), "towards the center");
}
