//! MP-Mix is the search that the standing calls for.

use nply::settings::read;
use nply::testing::{HashedOrder, HashedScores, PlainMeans, Shape, Track, plain_moves, random_tree};
use nply::{
    Agent, AgentSettings, BrsPlus, Budget, Context, Decision, Dice, Equals, Evaluator, Game, Maxn, Mix, MixSettings,
    MoveOrder, Opps, OppsSettings, OrderBy, Paranoid, Parts, Player, Rng, Score, ScoreForm, Stance, Strategy, Ties,
};

const ORDERS: [Option<OrderBy>; 4] = [None, Some(OrderBy::Own), Some(OrderBy::Against), Some(OrderBy::AsListed)];

/// The parts of directed searches, each singly off and on.
fn all_parts() -> Vec<Parts> {
    let all = Parts { table: 1 << 16, ..Parts::default() };
    vec![
        all,
        Parts::plain(),
        Parts { table: 0, ..all },
        Parts { killers: false, ..all },
        Parts { history: false, ..all },
        Parts { partial: false, ..all },
        Parts { equals: Equals::Random, ..all },
        Parts { width: Some(2), ..all },
        Parts { lines: 2, ..all },
    ]
}

/// The calm agents.
fn calm<G: Game + 'static>(number: usize, evaluator: HashedScores, order: HashedOrder) -> Box<dyn Agent<G>>
where
    HashedOrder: MoveOrder<G>,
    HashedScores: Evaluator<G>,
{
    match number {
        0 => Box::new(Maxn::new(evaluator, order)),
        1 => Box::new(BrsPlus::new(evaluator, order)),
        _ => {
            let mut opps = Opps::new(evaluator, order);
            opps.settings = OppsSettings { opponents: 2, others: 2, ..OppsSettings::default() };
            Box::new(opps)
        }
    }
}

/// The strategy, by another way than the search finds it: everybody's score, sorted.
fn expected(scores: &[Score], root: Player, defend: Option<u32>, attack: Option<u32>) -> Strategy {
    let mut sorted: Vec<Score> = scores.to_vec();
    sorted.sort_unstable();
    let lead = sorted[sorted.len() - 1] - sorted[sorted.len() - 2];
    let most = sorted[sorted.len() - 1];
    let reaches = |threshold: Option<u32>| threshold.is_some_and(|threshold| lead >= threshold as Score);
    if scores[root.index()] == most {
        return if reaches(defend) { Strategy::Paranoid } else { Strategy::Calm };
    }
    let leader = Player::new(scores.iter().position(|&score| score == most).unwrap());
    if reaches(attack) { Strategy::Against(leader) } else { Strategy::Calm }
}

/// The leads from which it defends and attacks; `None` for never.
type Thresholds = (Option<u32>, Option<u32>);

fn random_thresholds(rng: &mut Rng) -> Thresholds {
    let threshold = |rng: &mut Rng| rng.pick(&[None, Some(0), Some(0), Some(1), Some(2), Some(3), Some(5)]);
    (threshold(rng), threshold(rng))
}

/// Checks a decision; returns the strategy.
fn compare<G: Game + std::fmt::Debug + 'static>(
    game: &G,
    (defend, attack): Thresholds,
    parts: Parts,
    depth: u32,
    rng: &mut Rng,
) -> Strategy
where
    HashedOrder: MoveOrder<G>,
    HashedScores: Evaluator<G>,
{
    let evaluator = HashedScores { most: 1 + rng.below(8) as Score, seed: rng.bits() };
    let (order, dice) = (HashedOrder { ratings: 3, seed: rng.bits() }, Dice::new(rng.bits()));
    let parts = Parts { order: rng.pick(&ORDERS), ..parts };
    let number = rng.below(3);
    let mut mix = Mix::new(evaluator, order, calm(number, evaluator, order));
    (mix.settings.defend, mix.settings.attack, mix.settings.parts, mix.dice) = (defend, attack, parts, dice);
    let (root, scores) = (game.turn(), evaluator.evaluate(game));
    let strategy = expected(scores.as_slice(), root, defend, attack);
    assert_eq!(mix.strategy(game), strategy, "{scores:?} {root} {defend:?} {attack:?}");
    let budget = [Budget::depth(depth), Budget::nodes(60)][rng.below(2)].clone();
    let found = mix.choose(game, &budget);
    let same = |found: Decision<G::Move>, alone: Decision<G::Move>| {
        assert_eq!(Decision { time: alone.time, ..found }, alone, "{game:?} {strategy:?} {parts:?}");
    };
    match strategy {
        Strategy::Calm => same(found, calm(number, evaluator, order).choose(game, &budget)),
        Strategy::Paranoid => {
            let mut paranoid = Paranoid::new(evaluator, order);
            (paranoid.settings.parts, paranoid.dice) = (parts, dice);
            same(found, paranoid.choose(game, &budget));
        }
        Strategy::Against(leader) => {
            let found = mix.choose(game, &Budget::depth(depth));
            let stance = parts.stance(Stance::Own, root);
            let plain = PlainMeans {
                root,
                leaf: Box::new(|game: &G| {
                    evaluator.scores(game).as_slice().iter().map(|&score| score.into()).collect()
                }),
                list: Box::new(|game: &G| plain_moves(game, &order, stance, parts.width)),
                worth: Box::new(
                    |value: &[f64], player: Player| {
                        if player == root { -value[leader.index()] } else { value[player.index()] }
                    },
                ),
                ties: Ties::Left,
            };
            let (value, chosen) = plain.value(game, found.depth);
            let context = format!("{game:?} {leader} {parts:?}");
            assert_eq!(found.scores.unwrap()[leader], value[leader.index()], "{context}");
            if parts.equals == Equals::First {
                assert_eq!(found.scores.unwrap().as_slice(), value, "{context}");
                assert_eq!(found.m, (plain.list)(game)[chosen.unwrap()], "{context}");
            }
        }
    }
    strategy
}

/// Compares decisions in so many random trees; counts the calm, the paranoid and the offensive ones.
fn compare_on_trees(seed: u64, trees: usize, thresholds: impl Fn(&mut Rng) -> Thresholds) -> [usize; 3] {
    let mut rng = Rng::new(seed);
    let mut counts = [0; 3];
    for number in 0..trees {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let depth = if rng.below(3) == 0 { 1 + rng.below(4) as u32 } else { 10 };
        let thresholds = thresholds(&mut rng);
        let strategy = compare(&tree, thresholds, all_parts()[number % 9], depth, &mut rng);
        counts[match strategy {
            Strategy::Calm => 0,
            Strategy::Paranoid => 1,
            Strategy::Against(_) => 2,
        }] += 1;
    }
    counts
}

#[test]
fn on_random_trees_it_is_the_search_that_the_standing_calls_for() {
    let counts = compare_on_trees(71, 12_000, random_thresholds);
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
}

#[test]
fn on_random_trees_infinite_thresholds_are_the_calm_agent() {
    assert_eq!(compare_on_trees(75, 10_000, |_| (None, None)), [10_000, 0, 0]);
}

#[test]
fn on_random_trees_a_player_who_leads_and_always_defends_is_paranoid() {
    let [_, paranoid, _] = compare_on_trees(76, 24_000, |rng| (Some(0), rng.pick(&[None, Some(1)])));
    assert!(paranoid > 10_000, "{paranoid}");
}

#[test]
fn on_the_track_it_is_the_search_that_the_standing_calls_for() {
    let mut rng = Rng::new(72);
    for number in 0..400 {
        let mut game = Track::new(2 + number % 5, 3);
        game.odd = rng.below(2) == 0;
        for _ in 0..rng.below(10) {
            if game.payoff().is_none() {
                game.play(game.random_move(&mut Vec::new(), &mut rng));
            }
        }
        if game.payoff().is_none() {
            let thresholds = random_thresholds(&mut rng);
            compare(&game, thresholds, all_parts()[number % 9], 4, &mut rng);
        }
    }
}

#[test]
fn with_infinite_thresholds_it_is_the_calm_agent_move_for_move() {
    let mut rng = Rng::new(73);
    for number in 0..60 {
        let (evaluator, order) = (HashedScores { most: 9, seed: rng.bits() }, HashedOrder { ratings: 3, seed: 1 });
        let mut mix = Mix::new(evaluator, order, calm(number % 3, evaluator, order));
        let mut alone = calm(number % 3, evaluator, order);
        let mut game = Track::new(2 + number % 4, 3);
        for ply in 0..20 {
            if game.payoff().is_some() {
                break;
            }
            let context = Context { ply, played: None, texts: &Vec::new, clocks: None };
            Agent::<Track>::observe(&mut mix, &context);
            alone.observe(&context);
            let budget = Budget::nodes(300);
            let (found, expected) = (mix.choose(&game, &budget), alone.choose(&game, &budget));
            assert_eq!(Decision { time: expected.time, ..found }, expected);
            game.play(expected.m);
        }
    }
}

#[test]
fn what_is_recorded_is_the_search_that_the_standing_calls_for() {
    let mut rng = Rng::new(74);
    for number in 0..60 {
        let game = Track::new(2 + number % 4, 3);
        let evaluator = HashedScores { most: 9, seed: rng.bits() };
        let order = HashedOrder { ratings: 3, seed: 1 };
        let mut mix = Mix::new(evaluator, order, calm(number % 3, evaluator, order));
        (mix.settings.defend, mix.settings.attack) = (Some(0), Some(2));
        let expected = mix.choose(&game, &Budget::depth(3));
        let (found, recording) = mix.explain(&game, &Budget::depth(3), 100_000).unwrap();
        assert_eq!(Decision { time: expected.time, ..found }, expected);
        assert!(recording.is_complete && recording.visited > 0);
    }
}

#[test]
fn only_some_agents_are_calm_and_numbers_are_read() {
    let mut settings = MixSettings::default();
    read(&mut settings, "defend=25,attack=inf,calm=(opps:opponents=2)").unwrap();
    assert_eq!((settings.defend, settings.attack, settings.inner()), (Some(25), None, Some("opps:opponents=2")));
    assert_eq!(settings.check(3), Ok(()));
    settings.calm = "mcts".into();
    let error = settings.check(3).unwrap_err();
    assert_eq!(error.message, "mix cannot be calm as \"mcts\"");
    assert_eq!(error.help.as_deref(), Some("it can as maxn, brs+, opps"));
    assert_eq!(ScoreForm::default(), Paranoid::<Track, _, _>::new((), ()).settings.score);
}
