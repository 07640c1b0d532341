//! Max^n against plain max^n, and its node counts against theory.

use super::*;
use crate::testing::{AllEqual, HashedOrder, HashedScores, Shape, Track, Uniform, plain_maxn, random_tree};
use crate::tree::LeafScores;
use crate::{AsListed, Bounds, Equals, Notation, OrderBy, Player, Rng, Tree};

const PRUNINGS: [Pruning; 5] =
    [Pruning::None, Pruning::Shallow, Pruning::Bound, Pruning::LastBranch, Pruning::Speculative];
const FORMS: [ScoreForm; 3] = [ScoreForm::Own, ScoreForm::Difference, ScoreForm::Relative];

type Line<G> = Vec<<G as Game>::Move>;

/// Max^n with a pruning and without a table.
fn maxn<E>(evaluator: E, pruning: Pruning, mu: Score) -> Maxn<E, AsListed> {
    let mut maxn = Maxn::new(evaluator, AsListed);
    maxn.settings = MaxnSettings { pruning, mu, parts: Parts::plain(), ..MaxnSettings::default() };
    maxn
}

/// One iteration: value and line, and the nodes.
fn iteration<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    maxn: &Maxn<E, O>,
    game: &G,
    depth: u32,
) -> ((ByPlayer<Score>, Line<G>), u64) {
    let (mut shared, mut meter) = (Shared::new(), Meter::new(&Budget::default()));
    shared.table.resize(maxn.settings.parts.table);
    let mut search = Search::new(maxn, game, &shared, &mut meter, None, &[]);
    search.run(&mut game.clone(), depth).unwrap();
    let found = (search.found(None).unwrap(), search.line().to_vec());
    (found, meter.nodes())
}

fn listed<G: Game>(game: &G) -> Line<G> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves
}

/// Plain max^n with ties to the left.
fn plain<G: Game, E: Evaluator<G>>(game: &G, depth: u32, evaluator: &E, form: ScoreForm) -> (ByPlayer<Score>, Line<G>) {
    plain_maxn(game, depth, evaluator, &listed, &|scores, player| form.value(scores, player))
}

/// A track with everything on it at random, for positions that arise in many ways and at any depth.
fn random_track(players: usize, rng: &mut Rng) -> Track {
    let mut track = Track::new(players, 3 + rng.below(2) as u8);
    track.length = 8 + rng.below(8) as u8;
    track.limit = rng.pick(&[6, 20, u32::MAX]);
    (track.captures, track.odd) = (rng.below(2) == 0, rng.below(2) == 0);
    track
}

/// The leaves of a tree, with the tightest bounds there are: those of the leaves below each node.
#[derive(Clone, Copy, Debug)]
struct Tight;

impl Evaluator<Tree> for Tight {
    fn bounds(&self, game: &Tree) -> Bounds {
        let below = |m| game.clone().visit(m, |child| self.bounds(child));
        let scores = LeafScores.evaluate(game);
        listed(game)
            .into_iter()
            .map(below)
            .fold(None, |all: Option<Bounds>, next| match all {
                None => Some(next),
                Some(all) => Some(Bounds {
                    min: ByPlayer::from_fn(scores.len(), |player| all.min[player].min(next.min[player])),
                    max_sum: all.max_sum.max(next.max_sum),
                }),
            })
            .unwrap_or(Bounds { min: scores, max_sum: scores.sum() })
    }

    fn evaluate(&self, game: &Tree) -> ByPlayer<Score> {
        LeafScores.evaluate(game)
    }

    fn terminal(&self, game: &Tree, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        LeafScores.terminal(game, payoff)
    }
}

#[test]
fn every_pruning_equals_plain_maxn_on_random_trees() {
    let mut rng = Rng::new(2003);
    let mut nodes = [[0; PRUNINGS.len()]; 2];
    let mut again = [0; 2];
    for count in 0..100_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        for form in [ScoreForm::Own, FORMS[count % 3]] {
            let expected = plain(&tree, tree.height(), &LeafScores, form);
            for mu in 0..2 {
                let mut visited = [0; PRUNINGS.len()];
                for (index, pruning) in PRUNINGS.into_iter().enumerate() {
                    let mut maxn = maxn(LeafScores, pruning, mu as Score);
                    maxn.settings.score = form;
                    let (found, visits) = iteration(&maxn, &tree, tree.height());
                    assert_eq!(found, expected, "{pruning:?}, mu={mu}, {form:?}: {} of {shape:?}", tree.to_text());
                    visited[index] = visits;
                    nodes[mu][index] += visits;
                }
                // Only speculative pruning can lose anything.
                assert!(visited[..4].is_sorted_by(|a, b| a >= b), "mu={mu}, {form:?}: {}", tree.to_text());
                again[mu] += u32::from(visited[4] > visited[0]);
            }
        }
    }
    // What each leaves out in all, and how often speculative pruning searched again in vain.
    println!("nodes {nodes:?}, more than plain {again:?}");
    for mu in 0..2 {
        let [none, shallow, bound, last_branch, speculative] = nodes[mu];
        assert!(none > shallow && bound > last_branch && bound > speculative, "{nodes:?}");
        assert_eq!(shallow, bound, "a tree's bounds are the same everywhere");
        assert!(again[mu] > 0, "nothing was searched again");
    }
}

#[test]
fn every_pruning_saves_more_on_wide_trees() {
    let mut rng = Rng::new(1986);
    let mut nodes = [[0; PRUNINGS.len()]; 2];
    for count in 0..400 {
        let shape = Shape {
            players: 3 + count % 3,
            height: 7,
            width: 5,
            most: 20,
            constant_sum: true,
            any_turn: count % 2 == 0,
        };
        let tree = random_tree(&mut rng, shape);
        let expected = plain(&tree, tree.height(), &LeafScores, ScoreForm::Own);
        for (mu, nodes) in nodes.iter_mut().enumerate() {
            for (pruning, nodes) in PRUNINGS.into_iter().zip(nodes) {
                let (found, visits) = iteration(&maxn(LeafScores, pruning, mu as Score), &tree, tree.height());
                assert_eq!(found, expected, "{pruning:?}, mu={mu}");
                *nodes += visits;
            }
        }
    }
    println!("nodes {nodes:?}");
    for [none, shallow, _, last_branch, speculative] in nodes {
        assert!(none > shallow && shallow > last_branch && last_branch > speculative, "{nodes:?}");
    }
    assert!(nodes[1][1..].iter().zip(&nodes[0][1..]).all(|(discrete, continuous)| discrete < continuous), "{nodes:?}");
}

/// Each shows that something is needed that a published or likely version of the search lacks.
#[test]
fn trees_that_simpler_versions_get_wrong() {
    for (why, tree, value) in [
        ("no bound yet is not the bound 0", "(1 (2 0,2,0 1,1,0))", [0, 2, 0].as_slice()),
        (
            "a pruned first child is queued, not taken for the best",
            "(1 1,3,0 (2 (3 0,0,4 1,1,2) (3 4,0,0 1,3,0)))",
            &[1, 3, 0],
        ),
        (
            "a child searched again wins equal scores from its right",
            "(3 2,1,0 (1 (2 1,2,0 1,1,1) (2 1,1,1 2,1,0)))",
            &[2, 1, 0],
        ),
        (
            "below a child searched again, a bound may mean at least",
            "(2 (3 2,0,1) (3 (1 (2 2,0,1 1,2,0) 2,0,1 2,0,1) (1 (2 0,1,2 0,1,2 0,2,1) (2 0,2,1)) 0,3,0))",
            &[2, 0, 1],
        ),
        (
            "a child searched again is not pruned for the same reason again",
            "(3 2,0,0,0 (4 (1 (2 0,0,2,0 1,0,1,0)) (1 (2 0,1,1,0 1,1,0,0) (2 1,0,0,1))))",
            &[2, 0, 0, 0],
        ),
        (
            "a node with pruned children is itself pruned, if its best is refused: four players",
            "(1 (2 1,2,1,0) (2 (3 (4 0,0,1,3 (1 1,0,3,0) 0,2,0,2) (4 (1 0,1,1,2 0,2,0,2) (1 0,2,1,1 2,1,1,0))) \
             (3 (4 (1 0,4,0,0 0,1,3,0 1,0,3,0) (1 2,1,1,0 1,3,0,0 3,0,0,1) 0,3,0,1)) 2,1,0,1))",
            &[2, 1, 0, 1],
        ),
        (
            "a node with pruned children is itself pruned, if its best is refused: five players",
            "(1 0,1,0,2,1 (2 (3 0,1,1,1,1 (4 0,0,2,1,1 2,1,0,1,0)) (3 (4 0,1,1,0,2 1,1,0,1,1))))",
            &[1, 1, 0, 1, 1],
        ),
        ("players in between must be refused their best", "(1 (2 0,0,4) (2 1,1,2 (3 2,1,1 1,1,2)))", &[1, 1, 2]),
        ("not n - 2 improvements: one has no bound to improve on", "(2 0,2,1,1 (3 2,0,0,2 0,3,1,0))", &[0, 3, 1, 0]),
        ("not n - 1 improvements: one has no bound to improve on", "(2 (3 1,1,1) (3 2,1,0 0,2,1))", &[0, 2, 1]),
        (
            "a queued child on the left needs no more than the best has",
            "(5 0,2,0,0,0 (2 0,0,1,0,1 (1 0,0,0,1,1 (5 (2 (5 0,0,0,1,1 0,2,0,0,0) 1,1,0,0,0) 0,1,1,0,0 1,0,1,0,0))))",
            &[0, 2, 0, 0, 0],
        ),
        ("the node's own best must be refused", "(1 0,1,0 (2 1,0,0 0,0,1))", &[1, 0, 0]),
    ] {
        let tree: Tree = tree.parse().unwrap();
        let expected = plain(&tree, tree.height(), &LeafScores, ScoreForm::Own);
        assert_eq!(expected.0.as_slice(), value, "{why}");
        for pruning in PRUNINGS {
            for mu in 0..2 {
                let found = iteration(&maxn(LeafScores, pruning, mu), &tree, tree.height()).0;
                assert_eq!(found, expected, "{pruning:?}, mu={mu}: {why}");
            }
        }
    }
}

/// The leaves that speculative pruning visits of a perfectly ordered uniform tree: T(d) = T(d−1) + (b−1) T(d−2) + …
/// with as many terms as there are players, and b^d while there are fewer plies than players.
fn leaves(players: usize, branching: u64, depth: usize) -> Vec<u64> {
    let mut leaves: Vec<u64> = vec![1];
    for depth in 1..=depth {
        let term = |back: usize| leaves[depth - back] * (branching - 1).pow(back as u32 - 1);
        let next = if depth < players { branching.pow(depth as u32) } else { (1..=players).map(term).sum() };
        leaves.push(next);
    }
    leaves
}

#[test]
fn a_perfectly_ordered_uniform_tree_takes_as_many_nodes_as_the_recurrence_says() {
    for players in 2..=6 {
        for branching in 1..=6 {
            let leaves = leaves(players, branching, 7);
            let mut nodes = 0;
            for (depth, leaves) in (1..).zip(&leaves[1..]) {
                nodes += leaves;
                if nodes > 30_000 {
                    break;
                }
                let game = Uniform::new(players, branching as u32);
                let (_, visited) = iteration(&maxn(AllEqual(5), Pruning::Speculative, 0), &game, depth);
                assert_eq!(visited, nodes, "{players} players, {branching} moves, {depth} plies");
            }
        }
    }
}

#[test]
fn deepening_to_six_plies_with_ten_moves_visits_84927_nodes_where_plain_maxn_visits_1234560() {
    let game = Uniform::new(3, 10);
    for (pruning, nodes) in [(Pruning::Speculative, 84_927), (Pruning::Shallow, 1_234_560), (Pruning::None, 1_234_560)]
    {
        let decision = maxn(AllEqual(5), pruning, 0).choose(&game, &Budget::depth(6));
        assert_eq!((decision.nodes, decision.depth, decision.m), (nodes, 6, 0), "{pruning:?}");
    }
}

/// Sturtevant 2003, table 8.
#[test]
fn the_tree_of_three_players_grows_as_the_paper_says() {
    for (branching, power, growth) in [
        (2, "1.5874", "1.8393"),
        (3, "2.0801", "2.4675"),
        (4, "2.5198", "3.0000"),
        (5, "2.9240", "3.4755"),
        (10, "4.6416", "5.4191"),
        (1000, "100.00", "103.61"),
    ] {
        let digits = if branching == 1000 { 2 } else { 4 };
        let b = f64::from(branching);
        assert_eq!(format!("{:.digits$}", b.powf(2.0 / 3.0)), power);
        // The recurrence, as often as its ratio needs to settle.
        let (mut t, mut ratio) = ([1.0, b, b * b], b);
        for _ in 0..200 {
            let next = t[2] + (b - 1.0) * t[1] + (b - 1.0).powi(2) * t[0];
            ratio = next / t[2];
            t = [t[1] / t[2], 1.0, ratio];
        }
        assert_eq!(format!("{ratio:.digits$}"), growth);
        // And the search follows it.
        let depth = if branching == 1000 { 2 } else { 6 };
        let game = Uniform::new(3, branching as u32);
        let (_, visited) = iteration(&maxn(AllEqual(1), Pruning::Speculative, 0), &game, depth);
        assert_eq!(visited, leaves(3, branching as u64, depth as usize)[1..].iter().sum::<u64>());
    }
}

#[test]
fn bounds_that_tighten_prune_more_than_those_of_the_root() {
    let mut rng = Rng::new(2000);
    let mut nodes = [[0; PRUNINGS.len()]; 2];
    for count in 0..20_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let form = FORMS[count % 3];
        let expected = plain(&tree, tree.height(), &Tight, form);
        for (mu, nodes) in nodes.iter_mut().enumerate() {
            for (pruning, nodes) in PRUNINGS.into_iter().zip(nodes) {
                let mut maxn = maxn(Tight, pruning, mu as Score);
                maxn.settings.score = form;
                let (found, visits) = iteration(&maxn, &tree, tree.height());
                assert_eq!(found, expected, "{pruning:?}, mu={mu}, {form:?}: {}", tree.to_text());
                *nodes += visits;
            }
        }
    }
    println!("nodes {nodes:?}");
    for [none, shallow, bound, last_branch, _] in nodes {
        assert!(none > shallow && shallow > bound && bound > last_branch, "{nodes:?}");
    }
}

#[test]
fn branch_and_bound_stops_before_the_first_move() {
    // Player 1 has 3, and the scores below the next node sum to no more than that.
    let tree: Tree = "(1 3,0,0 (2 2,1,0 2,0,1) 0,0,9)".parse().unwrap();
    let nodes = |pruning| iteration(&maxn(Tight, pruning, 1), &tree, 2).1;
    assert_eq!((nodes(Pruning::None), nodes(Pruning::Shallow), nodes(Pruning::Bound)), (5, 5, 3));
}

#[test]
fn the_table_changes_nothing_but_the_nodes() {
    let (mut with, mut without, mut ended) = (0, 0, 0);
    let mut rng = Rng::new(5);
    for count in 0..600 {
        let track = random_track(2 + count % 5, &mut rng);
        let scores = HashedScores { seed: rng.bits(), most: 1 + rng.below(3) as Score };
        let mut maxn = Maxn::new(scores, HashedOrder { seed: rng.bits(), ratings: 3 });
        maxn.settings.pruning = PRUNINGS[rng.below(5)];
        maxn.settings.mu = rng.below(2) as Score;
        maxn.settings.score = FORMS[rng.below(3)];
        maxn.settings.parts.order =
            rng.pick(&[None, Some(OrderBy::Own), Some(OrderBy::Against), Some(OrderBy::AsListed)]);
        maxn.settings.parts.width = rng.pick(&[None, Some(1), Some(2)]);
        if maxn.settings.pruning == Pruning::None {
            maxn.settings.ties = rng.pick(&[Ties::Left, Ties::Cautious]);
        }
        let budget = Budget::depth(4 + rng.below(5) as u32);
        maxn.settings.parts.table = 0;
        let plain = maxn.choose(&track, &budget);
        without += plain.nodes;
        ended += u32::from(Some(plain.depth) < budget.depth);
        for table in [1 << 20, 100] {
            maxn.settings.parts.table = table;
            let found = maxn.choose(&track, &budget);
            with += if table > 100 { found.nodes } else { 0 };
            let seen = |decision: &Decision<u8>| (decision.pv.clone(), decision.scores, decision.depth);
            assert_eq!(seen(&found), seen(&plain), "{:?}: {track:?}", maxn.settings.pruning);
            let again = maxn.choose(&track, &budget);
            assert_eq!((again.m, again.nodes), (found.m, found.nodes), "what was searched before has no say");
        }
    }
    println!("nodes {without} without, {with} with; {ended} searched to the end");
    assert!(with < without * 9 / 10 && ended > 50, "{with} {without} {ended}");
}

#[test]
fn the_table_is_not_asked_where_history_matters() {
    let mut track = Track::new(3, 4);
    let scores = HashedScores { seed: 1, most: 3 };
    let nodes = |table, track: &Track| {
        let mut maxn = Maxn::new(scores, AsListed);
        maxn.settings.parts.table = table;
        maxn.choose(track, &Budget::depth(7)).nodes
    };
    assert!(nodes(1 << 20, &track) < nodes(0, &track) / 2);
    track.limit = 8;
    assert_eq!(nodes(1 << 20, &track), nodes(0, &track));
}

#[test]
fn ties_order_and_width_are_those_of_plain_maxn() {
    let mut rng = Rng::new(6);
    for count in 0..600 {
        let track = random_track(2 + count % 5, &mut rng);
        let root = track.turn();
        let order = HashedOrder { seed: rng.bits(), ratings: 3 };
        let mut maxn = Maxn::new(HashedScores { seed: rng.bits(), most: 1 + rng.below(3) as Score }, order);
        (maxn.settings.parts.order, maxn.settings.score) =
            (rng.pick(&[None, Some(OrderBy::Against), Some(OrderBy::AsListed)]), FORMS[rng.below(3)]);
        maxn.settings.parts.width = rng.pick(&[None, Some(1), Some(2), Some(9)]);
        let victim = if rng.below(2) == 0 {
            maxn.settings.ties = Ties::Cautious;
            Some(root)
        } else {
            maxn.settings.pruning = PRUNINGS[rng.below(5)];
            None
        };
        let list = |track: &Track| {
            let mut moves = listed(track);
            match maxn.settings.parts.order {
                Some(OrderBy::AsListed) => {}
                Some(OrderBy::Against) => order.sort(track, Stance::Against(root), &mut moves),
                _ => order.sort(track, Stance::Own, &mut moves),
            }
            moves.truncate(maxn.settings.parts.width.unwrap_or(9));
            moves
        };
        let rate = |scores: &ByPlayer<Score>, player: Player| {
            (maxn.settings.score.value(scores, player), victim.map(|victim| -maxn.settings.score.value(scores, victim)))
        };
        let depth = 1 + rng.below(6) as u32;
        let expected = plain_maxn(&track, depth, &maxn.evaluator, &list, &rate);
        assert_eq!(
            iteration(&maxn, &track, depth).0,
            expected,
            "{:?}, {:?}: {track:?}",
            maxn.settings.pruning,
            maxn.settings.ties
        );
    }
}

#[test]
fn the_decision_is_that_of_the_last_completed_iteration_unless_unfinished_ones_count() {
    let mut track = Track::new(3, 4);
    track.captures = false;
    for pruning in PRUNINGS {
        let mut maxn = maxn(HashedScores { seed: 3, most: 4 }, pruning, 1);
        maxn.settings.parts.partial = false;
        let mut iterations: Vec<Decision<u8>> = Vec::new();
        let last = maxn.search(&track, &Budget::depth(4), &mut |decision| iterations.push(decision.clone()));
        assert_eq!((iterations.len(), last.depth, last.pv.len()), (4, 4, 4));
        for limit in 0..last.nodes {
            let found = maxn.choose(&track, &Budget::nodes(limit));
            assert_eq!(found.nodes, limit);
            let done = iterations.iter().take_while(|iteration| iteration.nodes <= limit).last();
            let done = done.map(|done| (done.m, done.depth, done.scores, done.value));
            let seen = (found.m, found.depth, found.scores, found.value);
            match done {
                Some(done) => assert_eq!(seen, done),
                // The best of the moves that were looked at.
                None => {
                    let mut moves = listed(&track);
                    moves.truncate((limit as usize).max(1));
                    let rate = |scores: &ByPlayer<Score>, player: Player| scores[player];
                    let best = plain_maxn(&track, 1, &maxn.evaluator, &|_| moves.clone(), &rate);
                    assert_eq!(seen, (best.1[0], 0, None, None));
                }
            }
        }
    }
}

#[test]
fn an_unfinished_iteration_counts_as_soon_as_the_previous_move_is_searched() {
    let mut rng = Rng::new(26);
    let mut changed = 0;
    for number in 0..40 {
        let track = random_track(2 + number % 5, &mut rng);
        let evaluator = HashedScores { seed: rng.bits(), most: 4 };
        for pruning in PRUNINGS {
            let mut maxn = maxn(evaluator, pruning, 1);
            // Shuffled, the previous move can be anywhere.
            maxn.settings.parts.equals = if rng.below(2) == 0 { Equals::First } else { Equals::Random };
            maxn.dice = Dice::new(rng.bits());
            let mut iterations: Vec<Decision<u8>> = Vec::new();
            maxn.search(&track, &Budget::depth(5), &mut |decision| iterations.push(decision.clone()));
            let mut moves = listed(&track);
            if maxn.settings.parts.equals == Equals::Random {
                maxn.dice.rng().shuffle(&mut moves);
            }
            for pair in iterations.windows(2) {
                let [before, after] = pair else { unreachable!() };
                for limit in before.nodes..after.nodes {
                    let found = maxn.choose(&track, &Budget::nodes(limit));
                    assert_eq!((found.depth, found.nodes), (before.depth, limit));
                    // Without pruning every node of the subtrees is visited, one subtree after the other.
                    let mut nodes = before.nodes;
                    let searched = moves.iter().take_while(|&&m| {
                        let mut child = track.clone();
                        child.play(m);
                        nodes += 1 + plain_nodes(&child, after.depth - 1);
                        nodes <= limit
                    });
                    let searched: Vec<u8> = searched.copied().collect();
                    let rate = |scores: &ByPlayer<Score>, player: Player| scores[player];
                    let best_of = |moves: &[u8]| {
                        let list = |game: &Track| if *game == track { moves.to_vec() } else { listed(game) };
                        plain_maxn(&track, after.depth, &evaluator, &list, &rate)
                    };
                    let expected = if searched.contains(&before.m) {
                        let (scores, pv) = best_of(&searched);
                        (Some(scores.map(f64::from)), pv)
                    } else {
                        (before.scores, before.pv.clone())
                    };
                    if pruning == Pruning::None {
                        assert_eq!((found.scores, &found.pv), (expected.0, &expected.1), "{track:?} {limit}");
                        changed += usize::from(found.m != before.m);
                    } else if found.pv != before.pv {
                        // Pruned, more has been searched by then, and nothing found is wrong.
                        let (scores, pv) = best_of(&[found.m]);
                        assert_eq!((found.scores, &found.pv), (Some(scores.map(f64::from)), &pv), "{track:?} {limit}");
                        let previous = best_of(&[before.m]).0;
                        assert!(scores[track.turn()] >= previous[track.turn()]);
                    }
                    assert_eq!(found.value, found.scores.map(|scores| scores[track.turn()]));
                }
            }
        }
    }
    assert!(changed > 100, "{changed}");
}

/// The nodes below a position, to a depth.
fn plain_nodes(game: &Track, depth: u32) -> u64 {
    if depth == 0 || game.payoff().is_some() {
        return 0;
    }
    let below = |m| {
        let mut child = game.clone();
        child.play(m);
        1 + plain_nodes(&child, depth - 1)
    };
    listed(game).into_iter().map(below).sum()
}

#[test]
fn of_equal_moves_any_can_be_played() {
    let mut rng = Rng::new(27);
    for pruning in PRUNINGS {
        let mut several = 0;
        for number in 0..60 {
            let track = random_track(2 + number % 5, &mut rng);
            let evaluator = HashedScores { seed: rng.bits(), most: 2 };
            let mut maxn = maxn(evaluator, pruning, 1);
            let first = maxn.choose(&track, &Budget::depth(3));
            maxn.settings.parts.equals = Equals::Random;
            maxn.dice = Dice::new(rng.bits());
            let value = |m| {
                let mut child = track.clone();
                child.play(m);
                plain(&child, first.depth - 1, &evaluator, ScoreForm::Own).0[track.turn()]
            };
            let values: Vec<Score> = listed(&track).into_iter().map(value).collect();
            let best = values.iter().max().unwrap();
            let equal: Vec<u8> =
                listed(&track).into_iter().zip(&values).filter(|(_, value)| *value == best).map(|(m, _)| m).collect();
            let mut seen = Vec::new();
            for ply in 0..60 {
                maxn.dice.begin(ply);
                let found = maxn.choose(&track, &Budget::depth(first.depth));
                assert_eq!(found.value, first.value);
                assert!(equal.contains(&found.m), "{track:?}");
                assert_eq!(maxn.choose(&track, &Budget::depth(first.depth)).m, found.m);
                seen.push(found.m);
            }
            several += usize::from(equal.len() > 1);
            assert!(equal.iter().all(|m| seen.contains(m)), "{equal:?} {seen:?}");
        }
        assert!(several > 10, "{several}");
    }
}

#[test]
fn deepening_ends_with_the_game_or_with_a_win_that_needs_nobody_else() {
    let choose = |tree: &str| {
        let found = Maxn::new(LeafScores, AsListed).choose(&tree.parse::<Tree>().unwrap(), &Budget::default());
        (found.m, found.depth)
    };
    assert_eq!(choose("(1 (2 0,3,0 (3 1,1,1)) 1,1,1)"), (2, 3));
    assert_eq!(choose("(1 (2 0,3,0) 3,0,0)"), (2, 1));
    assert_eq!(choose("(1 (2 0,3,0) (1 0,0,3 3,0,0))"), (2, 2));
    // At two plies player 2 has nothing better than to let player 1 win; one more ply shows that it is not so.
    assert_eq!(choose("(1 (2 3,0,0 (3 0,3,0)) 1,0,2)"), (2, 3));
    // A node that was cut off one ply further up, as the table knows from the iteration before; and one that was not.
    assert_eq!(choose("(1 (3 (2 (1 1,1,1))) (2 (3 (2 (1 1,1,1)))))"), (1, 5));
    assert_eq!(choose("(1 (2 (3 (1 1,1,1))) (3 (2 0,0,0)) (2 (3 (2 0,0,0))))"), (1, 4));
}

#[test]
fn the_scores_are_those_of_the_leaf_whatever_the_players_want() {
    let tree: Tree = "(2 (1 1,2,3) (3 4,5,0 9,1,0))".parse().unwrap();
    for score in FORMS {
        let mut maxn = Maxn::new(LeafScores, AsListed);
        maxn.settings.score = score;
        let found = maxn.choose(&tree, &Budget::default());
        assert_eq!((found.m, found.value, found.pv), (2, Some(5.0), vec![2, 1]));
        assert_eq!(found.scores, Some(ByPlayer::from_slice(&[4.0, 5.0, 0.0])));
    }
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    for pruning in PRUNINGS {
        let settings = MaxnSettings { pruning, ..MaxnSettings::default() };
        assert_eq!(settings.check(3), Ok(()));
        let error = MaxnSettings { ties: Ties::Cautious, ..settings }.check(3).err().map(|error| error.message);
        let expected = (pruning != Pruning::None).then(|| "max^n prunes only with ties=left".to_string());
        assert_eq!(error, expected);
    }
    for mu in [-1, 2] {
        let error = MaxnSettings { mu, ..MaxnSettings::default() }.check(3).unwrap_err();
        assert_eq!(error.message, format!("mu is 0 or 1, not {mu}"));
    }
}
