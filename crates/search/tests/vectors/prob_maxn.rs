//! Prob-max^n against a plain version, Max-Prob and Bayes.

use nply::settings::read;
use nply::soft_maxn::Model;
use nply::testing::{
    HashedOrder, HashedScores, PlainMeans, PlainProb, Shape, Track, plain_leaf, plain_moves, random_tree,
};
use nply::tree::LeafScores;
use nply::{
    Agent, AgentSettings, AsListed, Budget, Context, Decision, Equals, Evaluator, Game, Maxn, MoveOrder, Parts, Player,
    ProbMaxn, ProbMaxnSettings, Rng, Score, ScoreForm, Stance, Ties, Tree,
};

use super::{ORDERS, all_parts, names, on_random_trees};

const MODELS: [Model; 4] = [Model::Own, Model::Difference, Model::Leader, Model::Against];

/// Some models in any order.
fn random_models(rng: &mut Rng) -> Vec<Model> {
    let mut models = MODELS.to_vec();
    rng.shuffle(&mut models);
    models.truncate(1 + rng.below(4));
    models
}

fn random_beliefs(count: usize, rng: &mut Rng) -> Vec<f64> {
    let weights: Vec<f64> = (0..count).map(|_| 0.01 + rng.unit()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

fn compare<G: Game>(
    game: &G,
    evaluator: impl Evaluator<G> + Copy,
    order: impl MoveOrder<G> + Copy,
    parts: Parts,
    depth: u32,
    rng: &mut Rng,
) {
    let (models, root) = (random_models(rng), game.turn());
    let parts = Parts { order: rng.pick(&ORDERS), ..parts };
    let mut prob = ProbMaxn::new(evaluator, order);
    prob.settings = ProbMaxnSettings { models: names(&models), parts, ..ProbMaxnSettings::default() };
    let players = game.player_count();
    let beliefs: Vec<Vec<f64>> = (0..players).map(|_| random_beliefs(models.len(), rng)).collect();
    Player::all(players).for_each(|player| prob.believe(player, &beliefs[player.index()]));
    let found = prob.choose(game, &Budget::depth(depth));
    let list = move |game: &G| plain_moves(game, &order, parts.stance(Stance::Own, root), parts.width);
    let plain = PlainProb { root, models, beliefs, list: Box::new(list) };
    let context = format!("{:?} {parts:?}", prob.settings);
    let value = plain.value(game, found.depth, &evaluator);
    for (player, score) in found.scores.unwrap().iter() {
        assert!((score - value.scores[player.index()]).abs() < 1e-9, "{:?} {value:?} {context}", found.scores);
    }
    let children = plain.children(game, found.depth, &evaluator);
    let chosen = PlainProb::<G>::chosen(&children, root.index(), 0);
    let moves = list(game);
    let first = chosen.iter().position(|&chosen| chosen > 0.0).unwrap();
    let at = moves.iter().position(|&m| m == found.m).unwrap();
    assert!(if parts.equals == Equals::First { at == first } else { chosen[at] > 0.0 }, "{context}");
    let mut end = game.clone();
    found.pv.iter().for_each(|&m| end.play(m));
    assert!(found.pv.len() as u32 == found.depth || end.payoff().is_some(), "{context}");
}

#[test]
fn on_random_trees_it_is_plain_prob_maxn() {
    on_random_trees(91, |tree, order, parts, depth, rng| compare(tree, LeafScores, order, parts, depth, rng));
}

#[test]
fn on_the_track_it_is_plain_prob_maxn_with_every_switch() {
    let mut rng = Rng::new(92);
    for number in 0..40 {
        let mut game = Track::new(2 + number % 5, 3);
        game.odd = rng.below(2) == 0;
        let evaluator = HashedScores { most: 1 + rng.below(9) as Score, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        for parts in all_parts() {
            compare(&game, evaluator, order, parts, 4, &mut rng);
        }
    }
}

#[test]
fn with_one_model_it_is_max_prob_for_its_utility() {
    on_random_trees(93, |tree, order, parts, depth, rng| {
        let (model, root) = (rng.pick(&MODELS), tree.turn());
        let parts = Parts { order: rng.pick(&ORDERS), ..parts };
        let mut prob = ProbMaxn::new(LeafScores, order);
        (prob.settings.models, prob.settings.parts) = (names(&[model]), parts);
        let found = prob.choose(tree, &Budget::depth(depth));
        let scores = found.scores.unwrap();
        let context = format!("{model:?} {parts:?} {tree:?}");
        let list = |game: &Tree| plain_moves(game, &order, parts.stance(Stance::Own, root), parts.width);
        let plain = PlainMeans {
            root,
            leaf: Box::new(|game: &Tree| {
                let scores: Vec<f64> = plain_leaf(game, &LeafScores, ScoreForm::Own);
                Player::all(scores.len()).map(|player| model.worth(&scores, player, root)).collect()
            }),
            list: Box::new(list),
            worth: Box::new(|value: &[f64], player: Player| value[player.index()]),
            ties: Ties::Average,
        };
        let (utilities, first) = plain.value(tree, found.depth);
        // The mean of worths is the worth of the mean, unless it depends on who leads.
        if model != Model::Leader {
            for (player, utility) in Player::all(scores.len()).zip(&utilities) {
                assert!((model.worth(scores.as_slice(), player, root) - utility).abs() < 1e-9, "{context}");
            }
        }
        if parts.equals == Equals::First {
            assert_eq!(found.m, list(tree)[first.unwrap()], "{context}");
        } else {
            let mut child = tree.clone();
            child.play(found.m);
            let utility = plain.value(&child, found.depth - 1).0[root.index()];
            assert!(utility >= utilities[root.index()] - 1e-9, "{context}");
        }
        let score = match model {
            Model::Own => ScoreForm::Own,
            Model::Difference => ScoreForm::Difference,
            _ => return,
        };
        let mut maxn = Maxn::new(LeafScores, order);
        (maxn.settings.ties, maxn.settings.score, maxn.settings.parts) = (Ties::Average, score, parts);
        let expected = maxn.choose(tree, &Budget::depth(depth));
        assert_eq!(found.m, expected.m, "{context}");
        assert!(found.nodes == expected.nodes || parts.threads > 1, "{context}");
        assert!(
            scores.iter().all(|(player, score)| (score - expected.scores.unwrap()[player]).abs() < 1e-9),
            "{context}"
        );
    });
}

fn observe<G: Game>(agent: &mut dyn Agent<G>, played: &[G::Move]) {
    agent.observe(&Context { ply: 0, played: Some(played), texts: &Vec::new, clocks: None });
}

#[test]
fn beliefs_follow_bayes() {
    let mut rng = Rng::new(94);
    let (mut learned, mut accumulated) = (0, 0);
    for number in 0..10_000 {
        let shape = Shape { height: 6, ..Shape::random(&mut rng) };
        let mut tree: Tree = random_tree(&mut rng, shape);
        let root = tree.turn();
        let models = random_models(&mut rng);
        let mut prob = ProbMaxn::new(LeafScores, AsListed);
        let (epsilon, look) = (rng.pick(&[0.0, 0.1, 0.5]), 1 + rng.below(6) as u32);
        let parts = Parts { width: None, threads: 1, ..all_parts()[number % 8] };
        prob.settings = ProbMaxnSettings { models: names(&models), epsilon, look, parts, ..prob.settings };
        prob.choose(&tree, &Budget::depth(1));
        let even = 1.0 / models.len() as f64;
        let mut beliefs = vec![vec![even; models.len()]; shape.players];
        let (mut played, mut lessons) = (Vec::new(), vec![0; shape.players]);
        // Random moves. The root player's own teach nothing; whenever it is to move, it has learned from all before.
        while tree.payoff().is_none() {
            let mover = tree.turn().index();
            let mut moves = Vec::new();
            tree.moves(&mut moves);
            // Mostly one after which the game goes on, so that there is more to learn from.
            let goes_on = |&m: &u32| tree.clone().visit(m, |child| child.payoff().is_none());
            let m =
                moves.iter().copied().find(goes_on).filter(|_| rng.below(4) > 0).unwrap_or_else(|| rng.pick(&moves));
            if tree.turn() != root && moves.len() > 1 {
                let list = |game: &Tree| plain_moves(game, &AsListed, None, None);
                let plain = PlainProb { root, models: models.clone(), beliefs: beliefs.clone(), list: Box::new(list) };
                let children = plain.children(&tree, look, &LeafScores);
                let at = moves.iter().position(|&other| other == m).unwrap();
                let likely: Vec<f64> = (0..models.len())
                    .map(|model| {
                        let chosen = PlainProb::<Tree>::chosen(&children, mover, model)[at];
                        beliefs[mover][model] * ((1.0 - epsilon) * chosen + epsilon / moves.len() as f64)
                    })
                    .collect();
                let sum: f64 = likely.iter().sum();
                beliefs[mover] = likely.iter().map(|likely| if sum > 0.0 { likely / sum } else { even }).collect();
                lessons[mover] += 1;
            }
            tree.play(m);
            played.push(m);
            if tree.payoff().is_some() || tree.turn() != root {
                continue;
            }
            observe(&mut prob, &played);
            prob.choose(&tree, &Budget::depth(1));
            played.clear();
            for player in Player::all(shape.players) {
                let found = prob.beliefs(player);
                let expected = &beliefs[player.index()];
                let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
                assert!(is_near, "{found:?} {expected:?} {tree:?}");
                assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
            learned += usize::from(lessons.iter().any(|&lessons| lessons > 0));
            accumulated += usize::from(lessons.iter().any(|&lessons| lessons > 1));
        }
    }
    assert!(learned > 4000 && accumulated > 1000, "{learned} {accumulated}");
}

#[test]
fn moves_that_lead_elsewhere_teach_nothing() {
    let tree: Tree = "(1 9,9 (2 (1 1,5 0,0) (1 0,4 0,0)))".parse().unwrap();
    let after = |moves: &[u32]| {
        let mut tree = tree.clone();
        moves.iter().for_each(|&m| tree.play(m));
        tree
    };
    let beliefs = |played: Option<&[u32]>, asked: &Tree| {
        let mut prob = ProbMaxn::new(LeafScores, AsListed);
        (prob.settings.models, prob.settings.look) = (names(&[Model::Own, Model::Against]), 9);
        prob.choose(&tree, &Budget::depth(1));
        Agent::<Tree>::observe(&mut prob, &Context { ply: 2, played, texts: &Vec::new, clocks: None });
        prob.choose(asked, &Budget::depth(1));
        prob.beliefs(Player::new(1))
    };
    assert!((beliefs(Some(&[2, 1]), &after(&[2, 1]))[0] - 0.95).abs() < 1e-9);
    assert!((beliefs(Some(&[2, 2]), &after(&[2, 2]))[0] - 0.05).abs() < 1e-9);
    assert_eq!(beliefs(Some(&[2, 1]), &after(&[2, 2])), [0.5, 0.5]);
    assert_eq!(beliefs(Some(&[2, 7]), &after(&[2, 2])), [0.5, 0.5]);
    assert_eq!(beliefs(None, &after(&[2, 2])), [0.5, 0.5]);
}

#[test]
fn what_is_recorded_is_the_same_search() {
    for players in 2..=6 {
        let game = Track::new(players, 3);
        let mut prob = ProbMaxn::new(HashedScores { most: 3, seed: 1 }, AsListed);
        let mut nodes = vec![0];
        let expected = prob.search(&game, &Budget::depth(4), &mut |decision| nodes.push(decision.nodes));
        let (found, recording) = prob.explain(&game, &Budget::depth(4), 100_000).unwrap();
        assert_eq!(Decision { time: expected.time, ..found }, expected);
        assert_eq!(recording.visited, nodes[nodes.len() - 1] - nodes[nodes.len() - 2]);
    }
}

#[test]
fn unknown_models_are_refused() {
    let mut settings = ProbMaxnSettings::default();
    read(&mut settings, "models=(against own),epsilon=0.25,look=3").unwrap();
    assert_eq!(settings.check(3), Ok(()));
    read(&mut settings, "models=(own win)").unwrap();
    let error = settings.check(3).unwrap_err();
    assert_eq!(error.help.as_deref(), Some("there are own, difference, leader, against"));
    read(&mut settings, "models=(own own)").unwrap();
    assert_eq!(settings.check(3).unwrap_err().message, "the model \"own\" is named twice");
}
