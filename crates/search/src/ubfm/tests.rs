//! Best-first search against plain max^n, Paranoid and BRS+.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::search::Graph;
use super::*;
use crate::settings::Choice;
use crate::testing::{
    HashedOrder, HashedScores, Outcome, Plain, Shape, Track, Uniform, plain_one_leaves, plain_outcomes, plain_paranoid,
    random_tree,
};
use crate::tree::LeafScores;
use crate::{AsListed, Bounds, ByPlayer, Rng, Score, Stance, Tree};

/// All that max^n may choose where every player maximizes its scores in a form.
fn outcomes<G: Game>(game: &G, evaluator: &impl Evaluator<G>, form: ScoreForm) -> Vec<Outcome<G::Move>> {
    plain_outcomes(game, evaluator, &|scores, player| form.value(scores, player), &mut { u64::MAX })
        .expect("a small tree")
}

/// Settings that must make no difference to what is resolved, except the score.
fn random_settings(rng: &mut Rng) -> UbfmSettings {
    UbfmSettings {
        score: rng.pick(&[None, Some(ScoreForm::Own), Some(ScoreForm::Difference)]),
        epsilon: rng.pick(&[0.0, 0.0, 0.3, 1.0]),
        batch: rng.pick(&[1, 1, 2, 7]),
        memory: 8 << 20,
        lines: 1 + rng.below(3),
        // A second one costs more than a small tree.
        threads: 1 + usize::from(rng.below(50) == 0),
        ..UbfmSettings::default()
    }
}

/// A search for each number of players, whose memory serves many trees.
fn searches() -> Vec<Ubfm<Tree, LeafScores, AsListed>> {
    (0..=6).map(|_| Ubfm::new(LeafScores, AsListed)).collect()
}

/// Compares the scores of every resolved node with what they must be; returns how many there are. `left` is whether an opponent has left
/// the first move since the root player's last one.
fn check_resolved(
    graph: &Graph<Tree>,
    at: u32,
    tree: &Tree,
    left: bool,
    is_right: &impl Fn(&Tree, bool, &ByPlayer<Score>) -> bool,
) -> usize {
    let node = graph.arena.node(at);
    let mut count = 0;
    if node.marks() != 0 {
        count += 1;
        let scores = node.scores();
        match tree.payoff() {
            Some(payoff) => assert_eq!(scores, LeafScores.terminal(tree, &payoff)),
            None => assert!(is_right(tree, left, &scores), "{scores:?} at {tree} in {}", graph.game),
        }
    }
    if let Some(children) = node.children() {
        for at in children.first..children.first + children.count {
            let m = graph.numbers.at(graph.arena.node(at).m());
            let mut child = tree.clone();
            child.play(m);
            let left = tree.turn() != graph.game.turn() && (left || m != 1);
            count += check_resolved(graph, at, &child, left, is_right);
        }
    }
    count
}

#[test]
fn every_finite_tree_is_resolved_with_the_value_and_move_of_maxn() {
    let mut rng = Rng::new(1);
    let (mut without_ties, mut with_ties, mut saved, mut searches) = (0, 0, 0, searches());
    while without_ties < 10_000 {
        let mut shape = Shape::random(&mut rng);
        if rng.below(2) == 0 {
            (shape.most, shape.constant_sum) = (100_000, false);
        }
        let tree = random_tree(&mut rng, shape);
        let ubfm = &mut searches[tree.player_count()];
        ubfm.settings = random_settings(&mut rng);
        let found = ubfm.choose(&tree, &Budget::default());
        let scores = found.scores.unwrap().map(|score| score as Score);
        let graph = ubfm.graph.as_ref().unwrap();
        assert_ne!(graph.arena.node(graph.root).marks(), 0, "{tree} is not resolved");
        let expected = outcomes(&tree, &LeafScores, ubfm.settings.form());
        let context = format!("{:?}: {tree}", ubfm.settings);
        assert!(expected.contains(&(found.m, scores)), "{context}: {found:?}, expected {expected:?}");
        without_ties += usize::from(expected.len() == 1);
        with_ties += usize::from(expected.len() > 1);
        let mut all = 0;
        count(&tree, &mut all);
        assert!(found.nodes <= all);
        saved += usize::from(found.nodes < all);
    }
    assert!(with_ties > 2000, "{with_ties}");
    assert!(saved > 200, "{saved}");
}

fn count(tree: &Tree, all: &mut u64) {
    let mut moves = Vec::new();
    tree.moves(&mut moves);
    for m in moves {
        *all += 1;
        let mut child = tree.clone();
        child.play(m);
        count(&child, all);
    }
}

#[test]
fn a_resolved_node_is_never_wrong_however_early_the_search_ends() {
    let mut rng = Rng::new(2);
    let (mut resolved, mut searches) = ([0; 3], searches());
    for _ in 0..10_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let ubfm = &mut searches[tree.player_count()];
        let nodes = rng.below(60) as u64;
        for (at, &(policy, _)) in BestFirstPolicy::WORDS.iter().enumerate() {
            ubfm.settings = UbfmSettings { policy, ..random_settings(&mut rng) };
            let found = ubfm.choose(&tree, &Budget::nodes(nodes));
            let (graph, form) = (ubfm.graph.as_ref().unwrap(), ubfm.settings.form());
            let plain = Plain::with(&tree, LeafScores, AsListed, form, crate::Parts::plain());
            let is_right = |game: &Tree, left: bool, scores: &ByPlayer<Score>| {
                let value = form.value(scores, plain.root);
                match policy {
                    BestFirstPolicy::MaxN => outcomes(game, &LeafScores, form).iter().any(|found| found.1 == *scores),
                    BestFirstPolicy::Paranoid => value == plain_paranoid(&plain, game, 9),
                    BestFirstPolicy::BrsPlus => value == plain_one_leaves(&plain, &|_| 1, game, 9, left),
                }
            };
            resolved[at] += check_resolved(graph, graph.root, &tree, false, &is_right);
            let mut moves = Vec::new();
            tree.moves(&mut moves);
            assert!(moves.contains(&found.m));
        }
    }
    assert!(resolved.iter().all(|&resolved| resolved > 30_000), "{resolved:?}");
}

/// A game with transpositions, eliminations, uneven turns and, in half of all cases, a limit of plies.
fn track(rng: &mut Rng) -> Track {
    let mut track = Track::new(2 + rng.below(3), 2 + rng.below(2) as u8);
    track.length = 7 + rng.below(3) as u8;
    (track.captures, track.odd) = (rng.below(2) == 0, rng.below(2) == 0);
    let plies = 3 + rng.below(6) as u32;
    track.limit = rng.pick(&[u32::MAX, plies]);
    track
}

#[test]
fn transpositions_share_what_is_below_and_change_no_value() {
    let mut rng = Rng::new(3);
    let (mut nodes, mut all) = (0, 0);
    for _ in 0..300 {
        let game = track(&mut rng);
        let scores = HashedScores { most: rng.pick(&[2, 1000]), seed: rng.bits() };
        let mut ubfm = Ubfm::new(scores, HashedOrder { ratings: 3, seed: rng.bits() });
        ubfm.settings = random_settings(&mut rng);
        let (mut left, form) = (200_000, ubfm.settings.form());
        let worth = |scores: &ByPlayer<Score>, player| form.value(scores, player);
        let Some(expected) = plain_outcomes(&game, &scores, &worth, &mut left) else { continue };
        let found = ubfm.choose(&game, &Budget { nodes: Some(u64::MAX), ..Budget::default() });
        let scores = found.scores.unwrap().map(|score| score as Score);
        assert!(expected.contains(&(found.m, scores)), "{game:?}: {found:?}, expected {expected:?}");
        if game.limit == u32::MAX {
            (nodes, all) = (nodes + found.nodes, all + 200_000 - left);
        }
    }
    assert!(nodes * 3 < all, "{nodes} of {all} nodes");
}

#[test]
fn the_other_policies_find_what_the_searches_of_their_names_find() {
    let (mut rng, mut searches) = (Rng::new(4), searches());
    for number in 0..10_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let score = rng.pick(&[ScoreForm::Own, ScoreForm::Difference]);
        let plain = Plain::with(&tree, LeafScores, AsListed, score, crate::Parts::plain());
        let ubfm = &mut searches[tree.player_count()];
        ubfm.settings =
            UbfmSettings { policy: BestFirstPolicy::Paranoid, score: Some(score), ..random_settings(&mut rng) };
        let found = ubfm.choose(&tree, &Budget::default()).value;
        assert_eq!(found, Some(plain_paranoid(&plain, &tree, 9) as f64), "{number}: {tree}");
        ubfm.settings.policy = BestFirstPolicy::BrsPlus;
        let found = ubfm.choose(&tree, &Budget::default()).value;
        assert_eq!(found, Some(plain_one_leaves(&plain, &|_| 1, &tree, 9, false) as f64), "{number}: {tree}");
    }
    for _ in 0..60 {
        let mut game = track(&mut rng);
        game.limit = 8;
        let (scores, order) =
            (HashedScores { most: 5, seed: rng.bits() }, HashedOrder { ratings: 3, seed: rng.bits() });
        let plain = Plain::with(&game, scores, order, ScoreForm::Difference, crate::Parts::plain());
        let first = |game: &Track| {
            let mut moves = Vec::new();
            game.moves(&mut moves);
            crate::MoveOrder::first(&order, game, Stance::Against(plain.root), &moves)
        };
        let mut ubfm = Ubfm::new(scores, order);
        ubfm.settings.policy = BestFirstPolicy::BrsPlus;
        let found = ubfm.choose(&game, &Budget { nodes: Some(u64::MAX), ..Budget::default() });
        assert_eq!(found.value, Some(plain_one_leaves(&plain, &first, &game, 99, false) as f64), "{game:?}");
    }
}

#[test]
fn several_threads_resolve_the_same_trees() {
    let mut rng = Rng::new(5);
    for _ in 0..300 {
        let game = track(&mut rng);
        let scores = HashedScores { most: rng.pick(&[2, 1000]), seed: rng.bits() };
        let mut ubfm = Ubfm::new(scores, AsListed);
        ubfm.settings = UbfmSettings { threads: 2 + rng.below(3), ..random_settings(&mut rng) };
        let form = ubfm.settings.form();
        let worth = |scores: &ByPlayer<Score>, player| form.value(scores, player);
        let Some(expected) = plain_outcomes(&game, &scores, &worth, &mut 20_000) else { continue };
        let found = ubfm.choose(&game, &Budget { nodes: Some(u64::MAX), ..Budget::default() });
        let graph = ubfm.graph.as_ref().unwrap();
        assert_ne!(graph.arena.node(graph.root).marks(), 0, "{game:?} is not resolved");
        let scores = found.scores.unwrap().map(|score| score as Score);
        assert!(expected.contains(&(found.m, scores)), "{game:?}: {found:?}, expected {expected:?}");
    }
}

#[test]
fn one_thread_repeats_itself_and_chance_depends_on_the_seed() {
    let game = Uniform::new(3, 5);
    let choose = |settings: &UbfmSettings, seed| {
        let mut ubfm = Ubfm::new(HashedScores { most: 50, seed: 7 }, AsListed);
        (ubfm.settings, ubfm.dice) = (settings.clone(), Dice::new(seed));
        let first = ubfm.choose(&game, &Budget::nodes(5000));
        let again = ubfm.choose(&game, &Budget::nodes(5000));
        assert_eq!((first.m, &first.pv, first.nodes, first.depth), (again.m, &again.pv, again.nodes, again.depth));
        (first.m, first.pv, first.scores, first.depth)
    };
    let greedy = UbfmSettings::default();
    assert_eq!(choose(&greedy, 1), choose(&greedy, 2));
    let curious = UbfmSettings { epsilon: 0.5, ..greedy };
    assert_eq!(choose(&curious, 1), choose(&curious, 1));
    assert!((2..20).any(|seed| choose(&curious, seed) != choose(&curious, 1)));
}

#[test]
fn limits_of_nodes_are_never_exceeded_and_time_and_stop_flag_end_the_search() {
    let game = Uniform::new(4, 6);
    for threads in [1, 2, 3] {
        let mut ubfm = Ubfm::new(HashedScores { most: 50, seed: 7 }, AsListed);
        (ubfm.settings.threads, ubfm.settings.memory) = (threads, 32 << 20);
        for nodes in [0, 1, 5, 6, 7, 100, 20_000] {
            let found = ubfm.choose(&game, &Budget::nodes(nodes));
            assert!(found.nodes <= nodes && (threads > 1 || found.nodes + 6 > nodes), "{} of {nodes}", found.nodes);
            assert_eq!(found.value.is_some(), nodes >= 6);
        }
        assert!(ubfm.choose(&game, &Budget::time(Duration::from_millis(20))).nodes > 0);
        let stop = Arc::new(AtomicBool::new(false));
        let mut reports = 0;
        let budget = Budget { stop: Some(stop.clone()), ..Budget::default() };
        let found = ubfm.search(&game, &budget, &mut |interim| {
            reports += 1;
            assert!(interim.nodes > 0 && interim.value.is_some());
            stop.store(reports == 3, Ordering::Relaxed);
        });
        assert!(reports == 3 && found.nodes >= 4096, "{reports} {}", found.nodes);
    }
}

#[test]
fn a_full_arena_ends_the_search_within_its_memory() {
    for threads in [1, 2] {
        let mut ubfm = Ubfm::new(HashedScores { most: 50, seed: 7 }, AsListed);
        (ubfm.settings.threads, ubfm.settings.memory) = (threads, 4 << 20);
        let found = ubfm.choose(&Uniform::new(4, 6), &Budget { nodes: Some(u64::MAX), ..Budget::default() });
        assert!(ubfm.bytes() <= 4 << 20, "{}", ubfm.bytes());
        assert!(found.nodes > 50_000 && found.value.is_some(), "{}", found.nodes);
    }
}

/// Notes how many positions it is asked about at once.
#[derive(Clone)]
struct Together(HashedScores, Arc<Mutex<Vec<usize>>>);

impl<G: Game> Evaluator<G> for Together {
    fn bounds(&self, game: &G) -> Bounds {
        self.0.bounds(game)
    }

    fn evaluate(&self, _: &G) -> ByPlayer<Score> {
        panic!("positions are judged together");
    }

    fn evaluate_all(&self, games: &mut dyn Iterator<Item = &G>, each: &mut dyn FnMut(ByPlayer<Score>)) {
        let mut count = 0;
        for game in games {
            count += 1;
            each(self.0.evaluate(game));
        }
        self.1.lock().unwrap_or_else(PoisonError::into_inner).push(count);
    }
}

#[test]
fn the_children_of_all_leaves_of_a_batch_are_evaluated_together() {
    for (batch, threads) in [(1, 1), (8, 1), (8, 2)] {
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let mut ubfm = Ubfm::new(Together(HashedScores { most: 50, seed: 7 }, sizes.clone()), AsListed);
        (ubfm.settings.batch, ubfm.settings.threads) = (batch, threads);
        let found = ubfm.choose(&Uniform::new(3, 6), &Budget::nodes(6000));
        let sizes = sizes.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(sizes.iter().all(|size| *size <= 6 * batch), "{sizes:?}");
        // All but the first few, before there are as many leaves, and the last.
        let full = sizes.iter().filter(|&&size| size == 6 * batch).sum::<usize>();
        assert!(full > 5000, "{full} of {}", found.nodes);
    }
}

#[test]
fn the_best_moves_are_listed_with_their_lines() {
    let tree: Tree = "(1 (2 1,6,1 4,3,1) (2 2,5,1 (3 3,0,5)) 0,0,9)".parse().unwrap();
    let mut ubfm = Ubfm::new(LeafScores, AsListed);
    ubfm.settings.lines = 3;
    let found = ubfm.choose(&tree, &Budget::default());
    let lines: Vec<(f64, &[u32])> = found.lines.iter().map(|line| (line.value.unwrap(), &line.pv[..])).collect();
    assert_eq!(lines, [(2.0, &[2, 1][..]), (1.0, &[1, 1]), (0.0, &[3])]);
    assert_eq!((found.pv, found.depth), (vec![2, 1], 3));
}

#[test]
fn an_unresolved_root_plays_what_was_walked_most_and_avoids_resolved_losses() {
    // Player 1 has moves to a loss, and to a game without end that looks as bad.
    let mut ubfm = Ubfm::new(HashedScores { most: 50, seed: 7 }, AsListed);
    let found = ubfm.choose(&Uniform::new(3, 5), &Budget::nodes(3000));
    let graph = ubfm.graph.as_ref().unwrap();
    let children = graph.root_children().unwrap();
    let visits = graph.arena.children(children).nodes().map(|node| (node.visits(), graph.numbers.at(node.m())));
    assert_eq!(visits.max_by_key(|&(visits, m)| (visits, std::cmp::Reverse(m))).unwrap().1, found.m);
    let tree: Tree = "(1 0,9 (2 (1 (2 0,5 5,0) (2 5,0 0,5)) (1 5,0 0,5)))".parse().unwrap();
    for nodes in 2..6 {
        assert_eq!(Ubfm::new(LeafScores, AsListed).choose(&tree, &Budget::nodes(nodes)).m, 2, "{nodes}");
    }
}

#[test]
fn a_recorded_search_shows_the_nodes_that_it_evaluated() {
    let tree: Tree = "(1 (2 1,6,1 4,3,1) (2 2,5,1 (3 3,0,5)))".parse().unwrap();
    let mut ubfm = Ubfm::new(LeafScores, AsListed);
    let (decision, recording) = ubfm.explain(&tree, &Budget::default(), 100).unwrap();
    assert_eq!((decision.m, recording.nodes.len(), recording.visited, recording.is_truncated), (2, 8, 7, false));
    let scores = |at: usize| recording.nodes[at].found;
    assert_eq!(scores(0), Some(crate::recording::Found::Scores(ByPlayer::from_slice(&[2, 5, 1]))));
    let chosen: Vec<usize> = (0..8).filter(|&at| recording.nodes[at].is_chosen).collect();
    assert_eq!(chosen, [2, 4, 5, 7]);
    let (_, recording) = ubfm.explain(&tree, &Budget::nodes(50), 3).unwrap();
    assert_eq!((recording.nodes.len(), recording.is_truncated), (3, true));
}
