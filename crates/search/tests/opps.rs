//! OPPS against a plain version of itself, and against the searches that it contains.

use nply::settings::read;
use nply::testing::{HashedOrder, HashedScores, Plain, Shape, Track, plain_moves, plain_opps, random_tree};
use nply::tree::LeafScores;
use nply::{
    Agent, AgentSettings, BrsPlus, Budget, Decision, Dice, Equals, Game, MoveOrder, Opps, OppsSettings, OrderBy,
    Paranoid, Parts, Player, Rng, Score, ScoreForm, Special, Stance, Tree, mix,
};

/// The parts that must not change a value, each singly off and on, with a table so small that it is full at once.
fn all_parts() -> Vec<Parts> {
    let (all, plain) = (Parts { table: 1 << 16, ..Parts::default() }, Parts::plain());
    vec![
        all,
        plain,
        Parts { table: 0, ..all },
        Parts { table: 1 << 9, ..all },
        Parts { killers: false, ..all },
        Parts { history: false, ..all },
        Parts { partial: false, ..all },
        Parts { threads: 2, ..all },
        Parts { table: 1 << 16, ..plain },
        Parts { killers: true, ..plain },
        Parts { history: true, ..plain },
        Parts { equals: Equals::Random, ..all },
    ]
}

const ORDERS: [Option<OrderBy>; 4] = [None, Some(OrderBy::Against), Some(OrderBy::Own), Some(OrderBy::AsListed)];

/// Three numbers, and sometimes a draw.
fn random_numbers(rng: &mut Rng) -> OppsSettings {
    let (others, best) = (1 + rng.below(3), rng.pick(&[None, None, Some(1), Some(2), Some(3)]));
    let top = if others == 1 && rng.below(3) == 0 { (1 + rng.below(3)).min(best.unwrap_or(3)) } else { 1 };
    OppsSettings { opponents: rng.below(5), best, others, top, ..OppsSettings::default() }
}

/// The special moves of an opponent and the free ones, by a full sort of all moves.
fn ranks<G: Game>(
    settings: &OppsSettings,
    seed: u64,
    order: &impl MoveOrder<G>,
    root: Player,
    game: &G,
) -> (Vec<G::Move>, Vec<G::Move>) {
    let mut moves = plain_moves(game, order, settings.parts.stance(Stance::Against(root), root), None);
    let drawn = ((u128::from(mix(game.key() ^ mix(seed))) * settings.top.min(moves.len()) as u128) >> 64) as usize;
    let special: Vec<G::Move> = match settings.top {
        1 => moves[..settings.others.min(moves.len())].to_vec(),
        _ => vec![moves[drawn]],
    };
    moves.truncate(settings.best.unwrap_or(usize::MAX));
    moves.retain(|m| !special.contains(m));
    (special, moves)
}

/// Compares a search with the plain one: the value is the highest of the root's moves, and the move the first that has it.
fn compare<G: Game>(
    game: &G,
    evaluator: &(impl nply::Evaluator<G> + Copy),
    order: HashedOrder,
    settings: &OppsSettings,
    depth: u32,
    rng: &mut Rng,
) where
    HashedOrder: MoveOrder<G>,
{
    let (seed, root) = (rng.bits(), game.turn());
    let dice = Dice::new(rng.bits());
    let mut opps = Opps::new(*evaluator, order);
    (opps.settings, opps.seed, opps.dice) = (settings.clone(), seed, dice);
    let found = opps.choose(game, &Budget::depth(depth));
    let plain = Plain::with(game, *evaluator, order, settings.score, settings.parts);
    let ranks = |game: &G| ranks(settings, seed, &order, root, game);
    let value = |m| {
        let mut child = game.clone();
        child.play(m);
        plain_opps(&plain, &ranks, &child, found.depth - 1, settings.opponents as u32, 0)
    };
    let mut moves = (plain.moves)(game);
    if settings.parts.equals == Equals::Random {
        // Each move is given a place at random.
        let mut places: Vec<usize> = (0..moves.len()).collect();
        dice.rng().shuffle(&mut places);
        let mut placed: Vec<_> = places.into_iter().zip(moves).collect();
        placed.sort_by_key(|&(place, _)| place);
        moves = placed.into_iter().map(|(_, m)| m).collect();
    }
    let values: Vec<i64> = moves.iter().map(|&m| value(m)).collect();
    let best = *values.iter().max().unwrap();
    let first = moves[values.iter().position(|&value| value == best).unwrap()];
    let context = format!("{game:?} {settings:?} {order:?} {seed}", game = game.key());
    assert_eq!((found.value, found.m), (Some(best as f64), first), "{context}");
    assert_eq!(best, plain_opps(&plain, &ranks, game, depth, settings.opponents as u32, 0), "{context}");
    let mut end = game.clone();
    found.pv.iter().for_each(|&m| end.play(m));
    assert_eq!((plain.value)(&end), best, "{context}");
}

#[test]
fn on_random_trees_opps_is_plain_opps() {
    let mut rng = Rng::new(51);
    for number in 0..12_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let parts = all_parts()[number % 12];
        // Threads cost more than such a tree.
        let parts = if number % 120 != 7 { Parts { threads: 1, ..parts } } else { parts };
        let settings = OppsSettings {
            score: rng.pick(&[ScoreForm::Difference, ScoreForm::Own]),
            parts: Parts { order: rng.pick(&ORDERS), ..parts },
            ..random_numbers(&mut rng)
        };
        let depth = if rng.below(3) == 0 { 1 + rng.below(4) as u32 } else { 10 };
        let order = HashedOrder { ratings: 3, seed: rng.bits() };
        compare(&tree, &LeafScores, order, &settings, depth, &mut rng);
    }
}

#[test]
fn on_the_track_opps_is_plain_opps_with_every_switch() {
    let mut rng = Rng::new(52);
    for number in 0..40 {
        let game = Track::random(2 + number % 5, &mut rng);
        let evaluator = HashedScores { most: 1 + rng.below(6) as Score, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        for parts in all_parts() {
            let parts = Parts { order: rng.pick(&ORDERS), ..parts };
            let settings = OppsSettings { parts, ..random_numbers(&mut rng) };
            for depth in [1, 4, 6] {
                compare(&game, &evaluator, order, &settings, depth, &mut rng);
            }
        }
    }
}

#[test]
fn with_one_free_move_and_one_special_move_it_is_brs_plus_node_for_node() {
    let mut rng = Rng::new(53);
    for number in 0..10_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let order = HashedOrder { ratings: 3, seed: rng.bits() };
        let (stance, special) = rng.pick(&[
            (None, Special::Against),
            (Some(OrderBy::Against), Special::Against),
            (Some(OrderBy::Own), Special::Own),
        ]);
        let parts = Parts { order: stance, threads: 1, ..all_parts()[number % 12] };
        let (score, top, seed) = (rng.pick(&[ScoreForm::Difference, ScoreForm::Own]), 1 + rng.below(3), rng.bits());
        let mut opps = Opps::new(LeafScores, order);
        opps.settings = OppsSettings { top, score, parts, ..OppsSettings::default() };
        let mut plus = BrsPlus::new(LeafScores, order);
        (plus.settings.special, plus.settings.top) = (special, top);
        (plus.settings.score, plus.settings.parts) = (score, parts);
        (opps.seed, plus.seed) = (seed, seed);
        let budget = [Budget::depth(10), Budget::depth(3), Budget::nodes(40)][rng.below(3)].clone();
        let (found, expected) = (opps.choose(&tree, &budget), plus.choose(&tree, &budget));
        assert_eq!(Decision { time: expected.time, ..found }, expected, "{tree:?} {parts:?}");
    }
}

/// The most moves that opponents make in a row, where they have just made so many.
fn longest_run(tree: &Tree, root: Player, run: usize) -> usize {
    let next = if tree.turn() == root { 0 } else { run + 1 };
    let mut moves = Vec::new();
    tree.moves(&mut moves);
    let below = |m| {
        let mut child = tree.clone();
        child.play(m);
        longest_run(&child, root, next)
    };
    moves.into_iter().map(below).max().unwrap_or(0).max(run)
}

#[test]
fn with_a_free_move_for_every_move_of_an_opponent_it_is_paranoid() {
    let mut rng = Rng::new(54);
    let (mut in_turn, mut longer) = (0, 0);
    for number in 0..10_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let order = HashedOrder { ratings: 3, seed: rng.bits() };
        let parts = Parts { threads: 1, order: rng.pick(&ORDERS), ..all_parts()[number % 12] };
        let score = rng.pick(&[ScoreForm::Difference, ScoreForm::Own]);
        let mut opps = Opps::new(LeafScores, order);
        // Everybody else has a free move, or somebody more than one.
        let run = longest_run(&tree, tree.turn(), 0);
        let (opponents, others) = (run.max(shape.players - 1), 1 + rng.below(3));
        opps.settings = OppsSettings { opponents, others, score, parts, ..OppsSettings::default() };
        let mut paranoid = Paranoid::new(LeafScores, order);
        (paranoid.settings.score, paranoid.settings.parts) = (score, parts);
        let budget = Budget::depth(rng.pick(&[10, 3]));
        let (found, expected) = (opps.choose(&tree, &budget), paranoid.choose(&tree, &budget));
        assert_eq!((found.value, found.m), (expected.value, expected.m), "{tree:?} {parts:?}");
        opps.settings.opponents = run;
        let found = opps.choose(&tree, &budget);
        assert_eq!((found.value, found.m), (expected.value, expected.m), "{run} {tree:?} {parts:?}");
        (in_turn, longer) = (in_turn + usize::from(run < shape.players), longer + usize::from(run >= shape.players));
    }
    assert!(in_turn > 8000 && longer > 500, "{in_turn} {longer}");
}

#[test]
fn more_free_moves_never_leave_the_root_player_more() {
    let mut rng = Rng::new(55);
    let mut less = 0;
    for _ in 0..2000 {
        let shape = Shape { players: 4, height: 6, width: 3, most: 8, constant_sum: false, any_turn: false };
        let tree: Tree = random_tree(&mut rng, shape);
        let value = |opponents, best, others| {
            let mut opps = Opps::new(LeafScores, HashedOrder { ratings: 3, seed: 1 });
            opps.settings = OppsSettings { opponents, best, others, ..OppsSettings::default() };
            opps.choose(&tree, &Budget::default()).value.unwrap()
        };
        let values = [value(0, None, 1), value(1, Some(2), 1), value(1, None, 1), value(2, None, 1), value(2, None, 2)];
        assert!(values.windows(2).all(|pair| pair[1] <= pair[0]), "{values:?}");
        less += usize::from(values[4] < values[2]);
    }
    assert!(less > 100, "{less}");
}

#[test]
fn numbers_that_do_not_go_together_are_refused() {
    for (text, message, help) in [
        ("width=3", "opps has no width, and width is 3", Some("best and others limit the opponents' moves")),
        ("top=2,others=2", "top=2 draws one move, and others is 2", Some("use top with others=1")),
        ("top=5,best=3", "top=5 draws from more moves than best=3 has", None),
        ("threads=2,table=off", "threads=2 share the search through the table, and there is none", None),
    ] {
        let mut settings = OppsSettings::default();
        read(&mut settings, text).unwrap();
        let error = settings.check(3).unwrap_err();
        assert_eq!(error.message, message);
        assert!(help.is_none() || error.help.as_deref() == help, "{error}");
    }
    let out_of_range = OppsSettings { opponents: 8, ..OppsSettings::default() };
    assert!(out_of_range.check(3).is_err());
    for text in ["opponents=0", "opponents=7,best=1,others=1000000", "top=3,best=3", "order=none"] {
        let mut settings = OppsSettings::default();
        read(&mut settings, text).unwrap();
        assert_eq!(settings.check(3), Ok(()));
    }
}
