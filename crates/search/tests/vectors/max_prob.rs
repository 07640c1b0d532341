//! Max^n with averaged ties and with shares of the win, against a plain version.

use nply::recording::{Found, NODES};
use nply::settings::read;
use nply::testing::{
    HashedOrder, HashedScores, PlainMeans, Shape, Track, plain_leaf, plain_moves, plain_worth, random_tree,
};
use nply::tree::LeafScores;
use nply::{
    Agent, AgentSettings, AsListed, Budget, ByPlayer, Decision, Dice, Equals, Evaluator, Game, Maxn, MaxnSettings,
    MoveOrder, Parts, Rng, Score, ScoreForm, Stance, Ties, Tree,
};

use super::{ORDERS, all_parts, on_random_trees};

const FORMS: [ScoreForm; 4] = [ScoreForm::Own, ScoreForm::Difference, ScoreForm::Relative, ScoreForm::Share];

/// Ties that are averaged, or shares with any ties.
fn random_settings(parts: Parts, rng: &mut Rng) -> MaxnSettings {
    let score = rng.pick(&FORMS);
    let ties = match score {
        ScoreForm::Share => rng.pick(&[Ties::Average, Ties::Average, Ties::Left, Ties::Cautious]),
        _ => Ties::Average,
    };
    // Where one of several is chosen, the order of the root's moves decides which.
    let equals = if ties == Ties::Average { parts.equals } else { Equals::First };
    let parts = Parts { order: rng.pick(&ORDERS), equals, ..parts };
    MaxnSettings { ties, score, parts, ..MaxnSettings::default() }
}

fn plain<'a, G: Game, E: Evaluator<G> + Copy + 'a, O: MoveOrder<G> + Copy + 'a>(
    game: &G,
    evaluator: E,
    order: O,
    settings: &MaxnSettings,
) -> PlainMeans<'a, G> {
    let (root, score, parts) = (game.turn(), settings.score, settings.parts);
    let stance = parts.stance(Stance::Own, root);
    PlainMeans {
        root,
        leaf: Box::new(move |game| plain_leaf(game, &evaluator, score)),
        list: Box::new(move |game| plain_moves(game, &order, stance, parts.width)),
        worth: Box::new(move |value, player| plain_worth(value, score, player)),
        ties: settings.ties,
    }
}

fn is_near(found: &ByPlayer<f64>, expected: &[f64]) -> bool {
    found.as_slice().iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9)
}

/// Compares a search with the plain one: the scores of the root, the move, and the line, which leads to the end.
fn compare<G: Game>(
    game: &G,
    evaluator: impl Evaluator<G> + Copy,
    order: impl MoveOrder<G> + Copy,
    settings: &MaxnSettings,
    depth: u32,
    dice: Dice,
) {
    let mut maxn = Maxn::new(evaluator, order);
    (maxn.settings, maxn.dice) = (settings.clone(), dice);
    let found = maxn.choose(game, &Budget::depth(depth));
    let plain = plain(game, evaluator, order, settings);
    let (scores, chosen) = plain.value(game, found.depth);
    let context = format!("{settings:?} depth {depth}");
    assert!(is_near(&found.scores.unwrap(), &scores), "{:?} {scores:?} {context}", found.scores);
    assert_eq!(found.value, Some(found.scores.unwrap()[game.turn()]), "{context}");
    assert!(is_near(&found.scores.unwrap(), &plain.value(game, depth).0), "{context}");
    let moves = (plain.list)(game);
    if settings.parts.equals == Equals::First {
        assert_eq!(found.m, moves[chosen.unwrap()], "{context}");
    }
    // The chosen move is as good as any, and every further move of the line is what the mover is expected to play.
    let mut end = game.clone();
    for (ply, &m) in (0..).zip(&found.pv) {
        let moves = (plain.list)(&end);
        let expected = moves[plain.value(&end, found.depth - ply).1.unwrap()];
        if ply > 0 {
            assert_eq!(m, expected, "{context}");
        }
        end.play(m);
    }
    assert!(found.pv.len() as u32 == found.depth || end.payoff().is_some(), "{context}");
    if settings.score == ScoreForm::Share {
        assert_eq!(found.chances, found.scores, "{context}");
    }
    // Each of the best few moves has the value of the root without those before it.
    for (at, line) in found.lines.iter().enumerate() {
        let before: Vec<G::Move> = found.lines[..at].iter().map(|line| line.pv[0]).collect();
        let (list, key) = (&plain.list, game.key());
        let rest = PlainMeans {
            list: Box::new(move |game: &G| {
                let mut moves = list(game);
                moves.retain(|m| game.key() != key || !before.contains(m));
                moves
            }),
            leaf: Box::new(|game| (plain.leaf)(game)),
            worth: Box::new(|value, player| (plain.worth)(value, player)),
            ..plain
        };
        assert!(is_near(&line.scores.unwrap(), &rest.value(game, found.depth).0), "{context}");
    }
}

#[test]
fn on_random_trees_every_node_has_the_mean_of_its_best_children() {
    on_random_trees(61, |tree, order, parts, depth, rng| {
        let settings = random_settings(parts, rng);
        compare(tree, LeafScores, order, &settings, depth, Dice::new(rng.bits()));
    });
}

#[test]
fn on_the_track_the_value_is_that_of_the_plain_search_with_every_switch() {
    let mut rng = Rng::new(62);
    for number in 0..30 {
        let game = Track::random(2 + number % 5, &mut rng);
        let evaluator = HashedScores { most: 1 + rng.below(4) as Score, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        for parts in all_parts() {
            let settings = random_settings(parts, &mut rng);
            for depth in [1, 3, 5] {
                compare(&game, evaluator, order, &settings, depth, Dice::new(rng.bits()));
            }
        }
    }
}

#[test]
fn without_ties_it_is_max_n() {
    let mut rng = Rng::new(63);
    for _ in 0..3000 {
        let shape = Shape { most: 1_000_000, constant_sum: false, ..Shape::random(&mut rng) };
        let tree: Tree = random_tree(&mut rng, shape);
        let mut maxn = Maxn::new(LeafScores, AsListed);
        maxn.settings.score = FORMS[rng.below(3)];
        // Inner nodes have the same scores, so only the whole tree has no ties.
        let budget = Budget::depth(tree.height());
        let expected = maxn.choose(&tree, &budget);
        maxn.settings.ties = Ties::Average;
        let found = maxn.choose(&tree, &budget);
        assert_eq!((found.m, found.scores, found.pv), (expected.m, expected.scores, expected.pv));
    }
}

#[test]
fn node_budgets_are_met_exactly_and_an_unfinished_iteration_counts_once_the_previous_move_is_searched() {
    let mut rng = Rng::new(64);
    let mut changed = 0;
    for number in 0..20 {
        let mut game = Track::random(2 + number % 5, &mut rng);
        game.captures = false;
        let evaluator = HashedScores { most: 3, seed: rng.bits() };
        let settings = MaxnSettings { ties: Ties::Average, ..MaxnSettings::default() };
        let mut maxn = Maxn::new(evaluator, AsListed);
        maxn.settings = settings.clone();
        let mut iterations: Vec<Decision<u8>> = Vec::new();
        maxn.search(&game, &Budget::depth(4), &mut |decision| iterations.push(decision.clone()));
        for pair in iterations.windows(2) {
            let [before, after] = pair else { unreachable!() };
            for limit in before.nodes..after.nodes {
                let found = maxn.choose(&game, &Budget::nodes(limit));
                assert_eq!((found.nodes, found.depth), (limit, before.depth));
                changed += usize::from(found.m != before.m);
                if (found.value, &found.pv) != (before.value, &before.pv) {
                    // What is found is at least as good as the previous move one ply deeper.
                    let plain = plain(&game, evaluator, AsListed, &settings);
                    let deeper = |m| {
                        let mut child = game.clone();
                        child.play(m);
                        plain.value(&child, after.depth - 1).0[game.turn().index()]
                    };
                    assert!((found.value.unwrap() - deeper(found.m)).abs() < 1e-9);
                    assert!(deeper(found.m) >= deeper(before.m) - 1e-9);
                }
                maxn.settings.parts.partial = false;
                let old = maxn.choose(&game, &Budget::nodes(limit));
                assert_eq!((old.m, old.value, &old.pv), (before.m, before.value, &before.pv));
                maxn.settings.parts.partial = true;
            }
        }
    }
    assert!(changed > 20, "{changed}");
}

#[test]
fn the_table_saves_nodes_and_is_not_asked_where_history_matters() {
    let mut track = Track::new(3, 4);
    let nodes = |table, track: &Track| {
        let mut maxn = Maxn::new(HashedScores { seed: 1, most: 3 }, AsListed);
        (maxn.settings.ties, maxn.settings.parts.table) = (Ties::Average, table);
        maxn.choose(track, &Budget::depth(7)).nodes
    };
    assert!(nodes(1 << 20, &track) < nodes(0, &track) / 2);
    track.limit = 8;
    assert_eq!(nodes(1 << 20, &track), nodes(0, &track));
}

#[test]
fn what_is_recorded_is_what_the_plain_search_finds() {
    let mut rng = Rng::new(65);
    let mut tables = 0;
    for number in 0..60 {
        let game = Track::random(2 + number % 5, &mut rng);
        let evaluator = HashedScores { most: 2, seed: rng.bits() };
        let settings = random_settings(all_parts()[number % 3], &mut rng);
        let mut maxn = Maxn::new(evaluator, HashedOrder { ratings: 2, seed: 1 });
        maxn.settings = settings.clone();
        let budget = Budget::depth(4);
        let mut nodes = vec![0];
        let expected = maxn.search(&game, &budget, &mut |decision| nodes.push(decision.nodes));
        let (found, recording) = maxn.explain(&game, &budget, NODES * 100).unwrap();
        assert_eq!(Decision { time: expected.time, ..found }, expected);
        assert_eq!(recording.visited, nodes[nodes.len() - 1] - nodes[nodes.len() - 2]);
        let plain = plain(&game, evaluator, HashedOrder { ratings: 2, seed: 1 }, &settings);
        let mut positions: Vec<Track> = vec![game.clone()];
        for (id, node) in recording.nodes.iter().enumerate() {
            if let (Some(parent), Some(step)) = (node.parent, node.step) {
                let mut child = positions[parent].clone();
                child.play(step.m.unwrap());
                positions.push(child);
            }
            let (value, chosen) = plain.value(&positions[id], node.depth);
            let Some(Found::Means(scores)) = node.found else { panic!("{:?}", node.found) };
            assert!(is_near(&scores, &value), "{settings:?}");
            tables += usize::from(node.cut.is_some());
            let children: Vec<_> = recording.nodes.iter().filter(|child| child.parent == Some(id)).collect();
            if let (None, Some(chosen)) = (&node.cut, chosen) {
                let marked: Vec<usize> = (0..children.len()).filter(|&at| children[at].is_chosen).collect();
                assert_eq!(marked, [chosen]);
            }
        }
    }
    assert!(tables > 20, "{tables}");
}

#[test]
fn it_does_not_prune() {
    for (text, message, help) in [
        ("ties=average,pruning=shallow", "max^n prunes only with ties=left", "with ties=average use pruning=none"),
        (
            "score=share,pruning=bound",
            "max^n prunes scores, and score=share has none",
            "with score=share use pruning=none",
        ),
    ] {
        let mut settings = MaxnSettings::default();
        read(&mut settings, text).unwrap();
        let error = settings.check(3).unwrap_err();
        assert_eq!((error.message.as_str(), error.help.as_deref()), (message, Some(help)));
    }
}
