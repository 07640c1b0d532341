//! The switches of two-sided searches: they do what they say, are repeatable, and change nothing where they are exact.

use nply::testing::{HashedOrder, HashedScores, Plain, Shape, Track, plain_paranoid, plain_quiet, random_tree};
use nply::tree::LeafScores;
use nply::{
    Agent, AsListed, Brs, BrsPlus, Budget, Context, Dice, Equals, Evaluator, Game, GeneralizedBrs, MoveOrder, Opps,
    OutOfTurn, Paranoid, Parts, Player, Rng, ScoreForm, Switches, settings,
};

/// What the searches of a comparison have in common.
#[derive(Clone, Copy, Debug)]
struct Common {
    score: ScoreForm,
    dice: u64,
    top: usize,
}

impl Common {
    fn random(rng: &mut Rng) -> Common {
        let score = rng.pick(&[ScoreForm::Own, ScoreForm::Difference]);
        Common { score, dice: rng.bits(), top: 1 + rng.below(2) }
    }
}

/// The searches that let players move in turn.
fn in_turn<'a, G: Game + 'a>(
    evaluator: impl Evaluator<G> + 'a,
    order: impl MoveOrder<G> + 'a,
    common: Common,
    parts: Parts,
) -> Vec<Box<dyn Agent<G> + 'a>> {
    let Common { score, dice, top } = common;
    let mut paranoid = Paranoid::new(evaluator.clone(), order.clone());
    (paranoid.settings.parts, paranoid.settings.score, paranoid.dice) = (parts, score, Dice::new(dice));
    let mut opps = Opps::new(evaluator.clone(), order.clone());
    (opps.settings.parts, opps.settings.score, opps.dice) = (Parts { width: None, ..parts }, score, Dice::new(dice));
    (opps.settings.opponents, opps.settings.others) = (2, 2);
    let mut brs_plus = BrsPlus::new(evaluator, order);
    (brs_plus.settings.parts, brs_plus.settings.score, brs_plus.dice) = (parts, score, Dice::new(dice));
    brs_plus.settings.top = top;
    vec![Box::new(paranoid), Box::new(brs_plus), Box::new(opps)]
}

/// All searches.
fn all<'a, G: OutOfTurn + 'a>(
    evaluator: impl Evaluator<G> + 'a,
    order: impl MoveOrder<G> + 'a,
    common: Common,
    parts: Parts,
) -> Vec<Box<dyn Agent<G> + 'a>> {
    let Common { score, dice, .. } = common;
    let mut agents = in_turn(evaluator.clone(), order.clone(), common, parts);
    let mut brs = Brs::new(evaluator.clone(), order.clone());
    (brs.settings.parts, brs.settings.score, brs.dice) = (parts, score, Dice::new(dice));
    let mut passing = GeneralizedBrs::new(evaluator.clone(), order.clone());
    (passing.settings.parts, passing.settings.score, passing.dice) = (parts, score, Dice::new(dice));
    agents.push(Box::new(brs));
    agents.push(Box::new(passing));
    let mut opps = Opps::new(evaluator, order);
    (opps.settings.parts, opps.settings.score, opps.dice) = (Parts { width: None, ..parts }, score, Dice::new(dice));
    (opps.settings.opponents, opps.settings.others) = (2, 2);
    agents.push(Box::new(opps));
    agents
}

/// Parts with a table, from one that is full at once to one that never is.
fn random_parts(rng: &mut Rng) -> Parts {
    Parts {
        table: rng.pick(&[1 << 9, 1 << 12, 1 << 18]),
        width: rng.pick(&[None, None, Some(2)]),
        equals: rng.pick(&[Equals::First, Equals::Random]),
        lines: rng.pick(&[1, 1, 3]),
        killers: rng.below(2) == 0,
        history: rng.below(2) == 0,
        ..Parts::default()
    }
}

fn observe<M: Copy>(agent: &mut dyn Agent<impl Game<Move = M>>, ply: u32, played: Option<&[M]>) {
    agent.observe(&Context { ply, played, texts: &Vec::new, clocks: None });
}

/// The moves, values and nodes of a game that an agent plays against itself at a depth.
fn play<G: Game>(agent: &mut dyn Agent<G>, game: &G, depth: u32, plies: usize) -> Vec<(G::Move, Option<f64>, u64)> {
    let (mut game, mut decisions, mut played) = (game.clone(), Vec::new(), Vec::new());
    for ply in 0..plies {
        if game.payoff().is_some() {
            break;
        }
        observe(agent, ply as u32, Some(&played));
        let decision = agent.choose(&game, &Budget::depth(depth));
        decisions.push((decision.m, decision.value, decision.nodes));
        played = vec![decision.m];
        game.play(decision.m);
    }
    decisions
}

#[test]
fn all_switches_are_off_by_default() {
    assert_eq!(Parts::default().switches, Switches::default());
    let values: Vec<Option<String>> =
        settings::list(&mut Switches::default()).into_iter().map(|setting| setting.value).collect();
    assert!(values.iter().flatten().all(|value| value == "no" || value == "0"), "{values:?}");
    assert_eq!(settings::write(&Parts::default()), "");
}

#[test]
fn results_of_deeper_searches_save_nodes_and_are_repeatable() {
    let mut rng = Rng::new(3);
    let (mut nodes, mut fewer) = (0, 0);
    for _ in 0..100 {
        let (shared, plain) = (Common::random(&mut rng), Parts { lines: 1, ..random_parts(&mut rng) });
        let switches = Switches { deeper: true, ..Switches::default() };
        let deeper = Parts { switches, ..plain };
        let (evaluator, order) =
            (HashedScores { most: 20, seed: rng.bits() }, HashedOrder { ratings: 3, seed: rng.bits() });
        let start = Track::random(2 + rng.below(3), &mut rng);
        let games = |parts: Parts| -> Vec<Vec<(u8, Option<f64>, u64)>> {
            all(evaluator, order, shared, parts).iter_mut().map(|agent| play(&mut **agent, &start, 6, 5)).collect()
        };
        let total =
            |games: &[Vec<(u8, Option<f64>, u64)>]| games.iter().flatten().map(|decision| decision.2).sum::<u64>();
        let (one, two) = (games(deeper), games(deeper));
        assert_eq!(one, two);
        // Where several threads are asked for, one searches.
        assert_eq!(games(Parts { threads: 3, ..deeper }), one);
        nodes += total(&games(plain));
        fewer += total(&one);
    }
    assert!(fewer < nodes, "{fewer} of {nodes}");
}

#[test]
fn switches_that_do_not_go_with_other_settings_are_refused() {
    for (text, expected) in [
        (
            "deeper=yes,table=off",
            "deeper=yes uses the transposition table, and there is none\n  help: leave out table=off",
        ),
        ("deeper=yes,threads=2", "leave out deeper=yes, or use threads=1"),
        ("reduce=yes,threads=2", "leave out reduce=yes, or use threads=1"),
        ("null=yes,threads=2", "leave out null=yes, or use threads=1"),
    ] {
        let mut parts = Parts::default();
        settings::read(&mut parts, text).unwrap();
        let error = parts.check().unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let mut parts = Parts::default();
    settings::read(&mut parts, "deeper=yes,reduce=yes,null=yes,quiet=4").unwrap();
    parts.check().unwrap();
    settings::read(&mut parts, "deeper=no,reduce=no,null=no,threads=4").unwrap();
    parts.check().unwrap();
}

#[test]
fn quiet_leaves_are_those_of_a_plain_quiescence_search() {
    let mut rng = Rng::new(4);
    let (mut louder, mut compared) = (0, 0);
    for round in 0..400 {
        let (shared, parts) = (Common::random(&mut rng), random_parts(&mut rng));
        let parts = Parts { threads: if rng.below(4) == 0 { 2 } else { 1 }, lines: 1, width: None, ..parts };
        let switches = Switches { quiet: 1 + rng.below(4) as u32, ..Switches::default() };
        let (evaluator, order) =
            (HashedScores { most: 20, seed: rng.bits() }, HashedOrder { ratings: 3, seed: rng.bits() });
        let game = Track::random(2 + rng.below(3), &mut rng);
        let depth = 1 + rng.below(4) as u32;
        let context = format!("round {round}, depth {depth}, {parts:?}, {switches:?}");
        let mut agents = all(evaluator, order, shared, Parts { switches, ..parts });
        let plain = || Plain::with(&game, evaluator, order, shared.score, parts);
        let leaves = plain();
        let reference = Plain { value: Box::new(|game| plain_quiet(&leaves, game, switches.quiet)), ..plain() };
        let decision = agents[0].choose(&game, &Budget::depth(depth));
        // A search that notices that more depth would change nothing has the value of any depth.
        assert_eq!(decision.value, Some(plain_paranoid(&reference, &game, depth) as f64), "{context}");
        louder += usize::from(decision.value != Some(plain_paranoid(&plain(), &game, depth) as f64));
        compared += 1;
        if game.player_count() == 2 && !game.odd {
            // For two players who take turns Best-Reply Search is Paranoid.
            assert_eq!(agents[2].choose(&game, &Budget::depth(depth)).value, decision.value, "{context}");
        }
        for agent in &mut agents[1..] {
            let mut values = || agent.choose(&game, &Budget::depth(depth)).value;
            assert_eq!(values(), values(), "{context}");
        }
    }
    assert!(louder * 10 > compared, "{louder} of {compared}");
}

#[test]
fn reductions_and_null_moves_are_repeatable_and_save_nodes() {
    let mut rng = Rng::new(5);
    for switches in [
        Switches { reduce: true, ..Switches::default() },
        Switches { null: true, ..Switches::default() },
        Switches { reduce: true, null: true, deeper: true, quiet: 2 },
    ] {
        let (mut nodes, mut fewer) = (0, 0);
        for _ in 0..60 {
            let (shared, plain) = (Common::random(&mut rng), random_parts(&mut rng));
            let parts = Parts { switches, ..plain };
            let (evaluator, order) =
                (HashedScores { most: 20, seed: rng.bits() }, HashedOrder { ratings: 3, seed: rng.bits() });
            let mut start = Track::random(2 + rng.below(3), &mut rng);
            (start.stride, start.length) = (6, 40);
            let games = |parts: Parts| -> Vec<Vec<(u8, Option<f64>, u64)>> {
                all(evaluator, order, shared, parts).iter_mut().map(|agent| play(&mut **agent, &start, 5, 3)).collect()
            };
            let total = |games: &[Vec<(u8, Option<f64>, u64)>]| -> u64 {
                games.iter().flatten().map(|decision| decision.2).sum()
            };
            let one = games(parts);
            assert_eq!(games(parts), one, "{parts:?}");
            assert_eq!(games(Parts { threads: 3, ..parts }), one, "one thread searches: {parts:?}");
            nodes += total(&games(plain));
            fewer += total(&one);
            // What the budget ends at any node does no harm to the next search.
            for agent in &mut all(evaluator, order, shared, parts) {
                for limit in [0, 1, 7, 100, 1000] {
                    agent.choose(&start, &Budget::nodes(limit));
                }
                let explained = agent.explain(&start, &Budget::depth(4), 100).unwrap();
                assert!(explained.1.is_complete);
            }
        }
        assert!(fewer < nodes, "{switches:?}: {fewer} of {nodes}");
    }
}

#[test]
fn a_win_is_not_claimed_by_a_null_move_and_short_games_are_solved() {
    let mut rng = Rng::new(6);
    let switches = Switches { reduce: true, null: true, deeper: true, quiet: 2 };
    for round in 0..200 {
        let (shared, plain) = (Common::random(&mut rng), Parts { lines: 1, width: None, ..random_parts(&mut rng) });
        let evaluator = HashedScores { most: 20, seed: rng.bits() };
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        // A tree has neither loud moves nor null moves, and an end that every search reaches.
        let solved = |parts: Parts| -> Vec<Option<f64>> {
            let mut agents = in_turn(LeafScores, AsListed, shared, parts);
            agents.iter_mut().map(|agent| agent.choose(&tree, &Budget::default()).value).collect()
        };
        assert_eq!(solved(plain), solved(Parts { switches, ..plain }), "round {round}, {plain:?}");
        let mut game = Track::random(2 + rng.below(3), &mut rng);
        game.length = 7;
        if game.payoff().is_none() && Player::all(game.player_count()).all(|player| game.field(player) < 7) {
            for agent in &mut all(evaluator, AsListed, shared, Parts { switches, ..plain }) {
                agent.choose(&game, &Budget::depth(30));
            }
        }
    }
}

/// What a recorded search with all switches shows: what it chose, and each node's own decision.
#[test]
fn recorded_searches_with_switches_count_what_they_visit() {
    let mut rng = Rng::new(7);
    for round in 0..400 {
        let (shared, plain) = (Common::random(&mut rng), Parts { lines: 1, ..random_parts(&mut rng) });
        let flag = |rng: &mut Rng| rng.below(2) == 0;
        let switches = Switches {
            reduce: flag(&mut rng),
            null: flag(&mut rng),
            deeper: flag(&mut rng),
            quiet: rng.below(3) as u32,
        };
        let parts = Parts { switches, ..plain };
        let evaluator = HashedScores { most: rng.pick(&[2, 20]), seed: rng.bits() };
        let order = HashedOrder { ratings: 3, seed: rng.bits() };
        let mut game = Track::random(2 + rng.below(3), &mut rng);
        (game.stride, game.length) = rng.pick(&[(game.stride, game.length), (5, 40)]);
        for (kind, (one, other)) in
            all(evaluator, order, shared, parts).iter_mut().zip(&mut all(evaluator, order, shared, parts)).enumerate()
        {
            let mut nodes = vec![0];
            let decision = one.search(&game, &Budget::depth(5), &mut |decision| nodes.push(decision.nodes));
            let (explained, recording) = other.explain(&game, &Budget::depth(5), 100_000).unwrap();
            let context = format!("round {round}, search {kind}, {parts:?}");
            assert_eq!(
                (explained.m, explained.value, explained.nodes),
                (decision.m, decision.value, decision.nodes),
                "{context}"
            );
            assert_eq!(recording.visited, nodes[nodes.len() - 1] - nodes[nodes.len() - 2], "{context}");
            for node in &recording.nodes[1..] {
                let parent = &recording.nodes[node.parent.unwrap()];
                assert!(node.depth < parent.depth, "{context}");
            }
        }
    }
}
