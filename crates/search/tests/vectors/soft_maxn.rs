//! Soft-max^n against a plain version and against max^n.

use nply::settings::read;
use nply::soft_maxn::Model;
use nply::testing::{
    HashedOrder, HashedScores, Shape, Track, plain_moves, plain_outcomes, plain_soft_maxn, random_tree,
};
use nply::tree::LeafScores;
use nply::{
    Agent, AgentSettings, AsListed, Budget, ByPlayer, Choose, Decision, Equals, Evaluator, Game, Maxn, MoveOrder,
    Parts, Player, Rng, Score, SoftMaxn, SoftMaxnSettings, Stance, Ties, Tree,
};

use super::{ORDERS, all_parts, names, on_random_trees};

fn random_models(rng: &mut Rng) -> Vec<Model> {
    let all = [Model::Own, Model::Difference, Model::Leader];
    match rng.below(4) {
        0 => vec![Model::Own],
        1 => vec![rng.pick(&all)],
        2 => vec![Model::Own, rng.pick(&all[1..])],
        _ => all.to_vec(),
    }
}

/// How good a set is for the root player.
fn rate(set: &[Vec<f64>], root: Player, choose: Choose) -> f64 {
    let scores = set.iter().map(|vector| vector[root.index()]);
    match choose {
        Choose::Cautious => scores.fold(f64::INFINITY, f64::min),
        Choose::Mean => scores.sum::<f64>() / set.len() as f64,
    }
}

fn found_set<G: Game>(
    soft: &mut SoftMaxn<impl Evaluator<G>, impl MoveOrder<G>>,
    game: &G,
    depth: u32,
) -> Vec<Vec<f64>> {
    soft.set(game, depth).iter().map(|vector| vector.as_slice().to_vec()).collect()
}

fn compare<G: Game>(
    game: &G,
    evaluator: impl Evaluator<G> + Copy,
    order: impl MoveOrder<G> + Copy,
    parts: Parts,
    depth: u32,
    rng: &mut Rng,
) {
    let models = random_models(rng);
    let choose = rng.pick(&[Choose::Cautious, Choose::Mean]);
    let parts = Parts { order: rng.pick(&ORDERS), ..parts };
    let mut soft = SoftMaxn::new(evaluator, order);
    soft.settings = SoftMaxnSettings { models: names(&models), sets: None, choose, parts, ..soft.settings };
    let root = game.turn();
    let list = |game: &G| plain_moves(game, &order, parts.stance(Stance::Own, root), parts.width);
    let found = soft.choose(game, &Budget::depth(depth));
    let (set, children) = plain_soft_maxn(game, found.depth, &evaluator, &list, &models);
    let context = format!("{models:?} {choose:?} {parts:?}");
    assert_eq!(found_set(&mut soft, game, found.depth), set, "{context}");
    // The root player chooses among what is not dominated, by its own score.
    let possible: Vec<usize> = (0..children.len()).filter(|&at| children[at].1).collect();
    let children: Vec<Vec<Vec<f64>>> = children.into_iter().map(|(child, _)| child).collect();
    let best = possible.iter().map(|&at| rate(&children[at], root, choose)).fold(f64::NEG_INFINITY, f64::max);
    assert!((found.value.unwrap() - best).abs() < 1e-9, "{context}");
    let moves = list(game);
    let equal = |at: &&usize| rate(&children[**at], root, choose) >= best - 1e-9;
    if parts.equals == Equals::First {
        assert_eq!(found.m, moves[*possible.iter().find(equal).unwrap()], "{context}");
    }
    let chosen = moves.iter().position(|&m| m == found.m).unwrap();
    for (player, score) in found.scores.unwrap().iter() {
        assert!((score - rate(&children[chosen], player, choose)).abs() < 1e-9, "{context}");
    }
    let mut end = game.clone();
    found.pv.iter().for_each(|&m| end.play(m));
    assert!(found.pv.len() as u32 == found.depth || end.payoff().is_some(), "{context}");
}

#[test]
fn on_random_trees_the_set_is_that_of_plain_soft_maxn() {
    on_random_trees(81, |tree, order, parts, depth, rng| compare(tree, LeafScores, order, parts, depth, rng));
}

#[test]
fn on_the_track_the_set_is_that_of_plain_soft_maxn_with_every_switch() {
    let mut rng = Rng::new(82);
    for number in 0..40 {
        let mut game = Track::new(2 + number % 5, 3);
        game.odd = rng.below(2) == 0;
        let evaluator = HashedScores { most: 1 + rng.below(9) as Score, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        for parts in all_parts() {
            compare(&game, evaluator, order, parts, 3, &mut rng);
        }
    }
}

#[test]
fn the_order_of_moves_does_not_matter() {
    let mut rng = Rng::new(83);
    for _ in 0..10_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let (models, depth) = (names(&random_models(&mut rng)), 1 + rng.below(7) as u32);
        // Capped sets are the same as well, since their vectors are kept in an order of their own.
        for sets in [None, rng.pick(&[Some(1), Some(3), Some(8)])] {
            let set = |seed, rng: &mut Rng| {
                let mut soft = SoftMaxn::new(LeafScores, HashedOrder { ratings: 100, seed });
                (soft.settings.models, soft.settings.sets) = (models.clone(), sets);
                soft.settings.parts.table = rng.pick(&[0, 1 << 12]);
                found_set(&mut soft, &tree, depth)
            };
            assert_eq!(set(1, &mut rng), set(2, &mut rng), "{sets:?} {tree:?}");
        }
    }
}

#[test]
fn without_ties_it_is_max_n() {
    on_random_trees(84, |_, order, parts, _, rng| {
        let shape = Shape { most: 1_000_000, constant_sum: false, ..Shape::random(rng) };
        let tree: Tree = random_tree(rng, shape);
        // Inner nodes have the same scores, so only the whole tree has no ties.
        let budget = Budget::depth(tree.height());
        let maxn = Maxn::new(LeafScores, order).choose(&tree, &budget);
        let mut soft = SoftMaxn::new(LeafScores, order);
        soft.settings.parts = Parts { width: None, ..parts };
        let found = soft.choose(&tree, &budget);
        assert_eq!((found.m, found.scores, found.pv), (maxn.m, maxn.scores, maxn.pv), "{parts:?}");
        assert_eq!(soft.set(&tree, tree.height()), [maxn.scores.unwrap()], "{parts:?}");
    });
}

#[test]
fn the_set_contains_the_vector_of_max_n_under_every_rule_for_ties() {
    let mut several = 0;
    on_random_trees(85, |tree, order, parts, _, rng| {
        let mut soft = SoftMaxn::new(LeafScores, order);
        // More models dominate less.
        let models = rng.pick(&[&[Model::Own][..], &[Model::Own, Model::Difference], &[Model::Own, Model::Leader]]);
        (soft.settings.models, soft.settings.sets) = (names(models), None);
        soft.settings.parts = Parts { width: None, ..parts };
        let set = soft.set(tree, tree.height());
        let own = |scores: &ByPlayer<Score>, player: Player| scores[player].into();
        let outcomes = plain_outcomes(tree, &LeafScores, &own, &mut { u64::MAX }).expect("a small tree");
        for (_, scores) in &outcomes {
            assert!(set.contains(&scores.map(f64::from)), "{models:?} {scores:?} {tree:?}");
        }
        several += usize::from(outcomes.iter().any(|(_, scores)| *scores != outcomes[0].1));
        let mut maxn = Maxn::new(LeafScores, order);
        for ties in [Ties::Left, Ties::Cautious] {
            maxn.settings.ties = ties;
            let found = maxn.choose(tree, &Budget::default());
            assert!(set.contains(&found.scores.unwrap()), "{models:?} {tree:?}");
        }
    });
    assert!(several > 2000, "{several}");
}

#[test]
fn a_capped_set_has_the_extremes_of_every_player_and_then_the_most_spread() {
    let tree: Tree = "(2 0,5 1,5 2,5 3,5 8,5 9,5 10,5)".parse().unwrap();
    let mut soft = SoftMaxn::new(LeafScores, AsListed);
    let mut set = |sets| {
        soft.settings.sets = sets;
        let set = soft.set(&tree, 1);
        set.iter().map(|vector| vector.as_slice()[0] as u32).collect::<Vec<u32>>()
    };
    assert_eq!(set(None), [0, 1, 2, 3, 8, 9, 10]);
    assert_eq!(set(Some(2)), [0, 10]);
    // 3 is 3 from 0, and 8 is 2 from 10.
    assert_eq!(set(Some(3)), [0, 3, 10]);
    assert_eq!(set(Some(4)), [0, 3, 8, 10]);
    assert_eq!(set(Some(1)), [0]);
    let mut rng = Rng::new(86);
    for _ in 0..1000 {
        let shape = Shape { players: 3, height: 1, width: 4, most: 3, constant_sum: false, any_turn: false };
        let tree: Tree = random_tree(&mut rng, shape);
        let mut soft = SoftMaxn::new(LeafScores, AsListed);
        soft.settings.sets = None;
        let all = soft.set(&tree, 1);
        soft.settings.sets = Some(6);
        let kept = soft.set(&tree, 1);
        assert!(kept.len() <= 6 && kept.iter().all(|vector| all.contains(vector)));
        for player in Player::all(3) {
            let ends = |set: &[ByPlayer<f64>]| {
                let scores: Vec<i64> = set.iter().map(|vector| vector[player] as i64).collect();
                (scores.iter().copied().min(), scores.iter().copied().max())
            };
            assert_eq!(ends(&kept), ends(&all));
        }
    }
}

#[test]
fn what_is_recorded_is_the_same_search() {
    for players in 2..=6 {
        let game = Track::new(players, 3);
        let mut soft = SoftMaxn::new(HashedScores { most: 3, seed: 1 }, AsListed);
        let mut nodes = vec![0];
        let expected = soft.search(&game, &Budget::depth(4), &mut |decision| nodes.push(decision.nodes));
        let (found, recording) = soft.explain(&game, &Budget::depth(4), 100_000).unwrap();
        assert_eq!(Decision { time: expected.time, ..found }, expected);
        assert_eq!(recording.visited, nodes[nodes.len() - 1] - nodes[nodes.len() - 2]);
    }
}

#[test]
fn unknown_models_are_refused() {
    let mut settings = SoftMaxnSettings::default();
    read(&mut settings, "models=(own leader),sets=all,choose=mean").unwrap();
    assert_eq!(settings.check(3), Ok(()));
    read(&mut settings, "models=(own win)").unwrap();
    let error = settings.check(3).unwrap_err();
    assert_eq!(error.message, "unknown model \"win\"");
    assert_eq!(error.help.as_deref(), Some("there are own, difference, leader"));
    read(&mut settings, "models=(own own)").unwrap();
    assert_eq!(settings.check(3).unwrap_err().message, "the model \"own\" is named twice");
    settings.models.clear();
    assert_eq!(settings.check(3).unwrap_err().message, "players need a model");
}
