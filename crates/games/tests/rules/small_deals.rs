//! Small deals searched to the end, against an exhaustive search.

use std::collections::HashMap;

use nply::{
    Agent, Budget, Declaration, Game, Maxn, MoveOrder, Notation, Paranoid, Parts, Player, Pruning, Rng, Stance,
};
use nply_games::cards::Rules::{self, Hearts, Spades};
use nply_games::cards::{self, Card, Hand, Tricks};

/// Each player's final score, as searches count it: the tricks taken, or the points that others have taken.
type Scores = [i64; 4];

fn scores(game: &Tricks) -> Scores {
    let taken = |player: usize| game.taken(Player::new(player)) as i64;
    let all: i64 = (0..game.player_count()).map(taken).sum();
    let score = |player| if game.rules() == Spades { taken(player) } else { all - taken(player) };
    std::array::from_fn(|player| if player < game.player_count() { score(player) } else { 0 })
}

/// Everything that matters for the rest of the game: the hands, the cards on the table, the leader, and what has been taken.
type Position = ([Hand; 4], [Option<Card>; 4], Player, Scores);

fn position(game: &Tricks) -> Position {
    let mut position = ([Hand::NONE; 4], [None; 4], game.leader(), scores(game));
    for player in Player::all(game.player_count()) {
        position.0[player.index()] = game.hand(player);
        position.1[player.index()] = game.laid_by(player);
    }
    position
}

/// The positions after each card, in the order in which ties are broken.
fn children(game: &Tricks) -> Vec<(Card, Tricks)> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    cards::Order.sort(game, Stance::Own, &mut moves);
    let child = |m: Card| {
        let mut child = game.clone();
        child.play(m);
        (m, child)
    };
    moves.into_iter().map(child).collect()
}

/// The final scores if each player plays the first of the cards that are best for their own score.
fn selfish(game: &Tricks, memo: &mut HashMap<Position, Scores>) -> Scores {
    if game.payoff().is_some() {
        return scores(game);
    }
    let position = position(game);
    if let Some(known) = memo.get(&position) {
        return *known;
    }
    let mover = game.turn().index();
    let ends: Vec<Scores> = children(game).iter().map(|(_, child)| selfish(child, memo)).collect();
    let most = ends.iter().map(|end| end[mover]).max().unwrap();
    let end = *ends.iter().find(|end| end[mover] == most).unwrap();
    memo.insert(position, end);
    end
}

/// The final lead of `root` over all others together, if they play to harm it.
fn besieged(game: &Tricks, root: Player, memo: &mut HashMap<Position, i64>) -> i64 {
    if game.payoff().is_some() {
        let scores = scores(game);
        return 2 * scores[root.index()] - scores.iter().sum::<i64>();
    }
    let position = position(game);
    if let Some(&known) = memo.get(&position) {
        return known;
    }
    let ends = children(game).into_iter().map(|(_, child)| besieged(&child, root, memo));
    let value = if game.turn() == root { ends.max() } else { ends.min() }.unwrap();
    memo.insert(position, value);
    value
}

const RANKS: &str = "AKQJT98765432";

/// A deal in which player 1 leads: suits dealt evenly, then `even` cards exchanged for others that are not in play; or any cards.
fn deal(rules: Rules, players: usize, each: usize, even: Option<usize>, seed: u64) -> Tricks {
    let mut rng = Rng::new(seed);
    let mut pack: Vec<(usize, char)> = (0..4).flat_map(|suit| RANKS.chars().map(move |rank| (suit, rank))).collect();
    rng.shuffle(&mut pack);
    let mut hands: Vec<Vec<(usize, char)>> = Vec::new();
    for _ in 0..players {
        let mut hand = Vec::new();
        for n in 0..each {
            // Six cards are two, two, one and one of the suits.
            let wanted = |&(suit, _): &(usize, char)| even.is_none() || suit == (n + seed as usize) % 4;
            let at = pack.iter().position(wanted).unwrap();
            hand.push(pack.remove(at));
        }
        hands.push(hand);
    }
    for n in 0..even.unwrap_or(0) {
        let at = rng.below(each);
        std::mem::swap(&mut hands[n % players][at], &mut pack[n]);
    }
    let suit = |hand: &[(usize, char)], suit| RANKS.chars().filter(|&rank| hand.contains(&(suit, rank))).collect();
    let hand = |hand: &Vec<(usize, char)>| (0..4).map(|s| suit(hand, s)).collect::<Vec<String>>().join(".");
    let hands: Vec<String> = hands.iter().map(hand).collect();
    let options = cards::Options::default();
    let start = match rules {
        Hearts => cards::Hearts::start(players, &options, seed),
        Spades => cards::Spades::start(players, &options, seed),
    };
    start.read(&format!("1:{}", hands.join(" "))).unwrap()
}

/// The size of a table, in bytes, that is too small for some of the deals.
const TABLE: usize = 1 << 21;

/// Max^n with every pruning finds the scores and the card of plain search.
fn check_maxn(game: &Tricks, tables: &[usize]) {
    let mut memo = HashMap::new();
    let end = selfish(game, &mut memo);
    let card = children(game).into_iter().find(|(_, child)| selfish(child, &mut memo) == end).unwrap().0;
    let wanted = end.map(|score| score as f64);
    for &table in tables {
        for pruning in [Pruning::None, Pruning::Shallow, Pruning::Bound, Pruning::LastBranch, Pruning::Speculative] {
            let mut maxn = Maxn::new(cards::Eval, cards::Order);
            (maxn.settings.pruning, maxn.settings.parts.table) = (pruning, table);
            let found = maxn.choose(game, &Budget::default());
            let scores = found.scores.unwrap();
            assert_eq!((scores.as_slice(), found.m), (&wanted[..scores.len()], card), "{pruning:?}, {table}\n{game}");
        }
    }
}

/// Paranoid with everything on and off finds the value of plain search, and a card that keeps it.
fn check_paranoid(game: &Tricks) {
    let (root, mut memo) = (game.turn(), HashMap::new());
    let value = besieged(game, root, &mut memo);
    for switches in 0..8 {
        let is_on = |bit: u32| switches >> bit & 1 != 0;
        let table = if is_on(0) { TABLE } else { 0 };
        let mut paranoid = Paranoid::new(cards::Eval, cards::Order);
        paranoid.settings.parts = Parts { table, killers: is_on(1), history: is_on(2), ..Parts::default() };
        let found = paranoid.choose(game, &Budget::default());
        let mut child = game.clone();
        child.play(found.m);
        let kept = besieged(&child, root, &mut memo);
        assert_eq!((found.value, kept), (Some(value as f64), value), "switches {switches:03b}\n{game}");
    }
}

#[test]
fn small_deals_are_searched_to_the_end_as_exhaustively() {
    for rules in [Hearts, Spades] {
        for (players, each, seeds) in [(3, 2, 6), (3, 3, 6), (3, 4, 6), (3, 5, 3), (4, 2, 6), (4, 3, 6), (4, 4, 6)] {
            for seed in 0..seeds {
                let game = deal(rules, players, each, None, seed);
                check_maxn(&game, &[TABLE, 0]);
                check_paranoid(&game);
            }
        }
        let game = deal(rules, 3, 6, None, 0);
        check_maxn(&game, &[TABLE]);
        check_paranoid(&game);
    }
}

/// Where suits are dealt evenly, most cards are forced; where some are exchanged, suits run out early and cards are thrown off.
#[test]
fn deals_of_six_cards_to_four_are_searched_to_the_end_as_exhaustively() {
    for rules in [Hearts, Spades] {
        for (each, exchanged, seeds) in [(5, 0, 1..2), (5, 2, 0..4), (5, 4, 0..4), (6, 0, 0..1)] {
            for seed in seeds {
                let game = deal(rules, 4, each, Some(exchanged), seed);
                check_maxn(&game, &[TABLE]);
                check_paranoid(&game);
            }
        }
        for (exchanged, seed) in [(2, 1), (2, 7), (4, 3), (4, 7)] {
            let game = deal(rules, 4, 6, Some(exchanged), seed);
            check_maxn(&game, &[TABLE]);
            check_paranoid(&game);
        }
        for seed in 2..5 {
            check_paranoid(&deal(rules, 4, 6, Some(2), seed));
        }
    }
}
