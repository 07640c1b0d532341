//! What must hold of max^n.

use super::*;
use crate::testing::{AllEqual, Shape, Uniform, plain_maxn, random_tree};
use crate::tree::LeafScores;
use crate::{AsListed, Bounds, Notation, Order, Player, Rng, Tree, mix};

const PRUNINGS: [Pruning; 5] =
    [Pruning::None, Pruning::Shallow, Pruning::Bound, Pruning::LastBranch, Pruning::Speculative];
const FORMS: [ScoreForm; 3] = [ScoreForm::Own, ScoreForm::Difference, ScoreForm::Relative];

type Line<G> = Vec<<G as Game>::Move>;

/// Max^n with a pruning and without a table.
fn maxn<E>(evaluator: E, pruning: Pruning, mu: Score) -> Maxn<E, AsListed> {
    let mut maxn = Maxn::new(evaluator, AsListed);
    (maxn.pruning, maxn.mu, maxn.parts) = (pruning, mu, Parts::plain());
    maxn
}

/// One iteration: value and line, and the nodes.
fn iteration<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    maxn: &Maxn<E, O>,
    game: &G,
    depth: u32,
) -> ((ByPlayer<Score>, Line<G>), u64) {
    let (mut table, mut meter) = (Table::new(maxn.parts.table), Meter::new(&Budget::default()));
    let mut search = Search::new(maxn, game, &mut table, &mut meter);
    let scores = search.run(&mut game.clone(), depth).unwrap();
    let line = search.line().to_vec();
    ((scores, line), meter.nodes())
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

/// A game in which positions arise in many ways: a move adds one to a counter, in any order.
#[derive(Clone, Debug)]
struct Counters {
    players: usize,
    counters: [u8; 5],
    /// The game ends after so many plies.
    length: u8,
    /// Whether the turn depends on the position, and may come twice or not at all.
    any_turn: bool,
    /// What [`Game::history_matters`] says.
    history: bool,
}

impl Counters {
    fn new(players: usize, length: u8, any_turn: bool) -> Counters {
        Counters { players, counters: [0; 5], length, any_turn, history: false }
    }

    fn plies(&self) -> u8 {
        self.counters.iter().sum()
    }
}

impl Game for Counters {
    type Move = usize;

    fn player_count(&self) -> usize {
        self.players
    }

    fn turn(&self) -> Player {
        let turn = if self.any_turn { self.key() as usize } else { self.plies().into() };
        Player::new(turn % self.players)
    }

    fn moves(&self, out: &mut Vec<usize>) {
        out.extend((0..5).filter(|_| self.payoff().is_none()));
    }

    fn play(&mut self, m: usize) {
        self.counters[m] += 1;
    }

    fn payoff(&self) -> Option<ByPlayer<f32>> {
        let winner = self.key() as usize % self.players;
        let shares = |player: Player| f32::from(player.index() == winner);
        (self.plies() >= self.length).then(|| ByPlayer::from_fn(self.players, shares))
    }

    fn key(&self) -> u64 {
        self.counters.iter().fold(self.players as u64, |key, &count| mix(key ^ u64::from(count)))
    }

    fn history_matters(&self) -> bool {
        self.history
    }
}

/// Random scores from 0 to `most`, of the end of the game as well.
#[derive(Clone, Copy, Debug)]
struct Few {
    seed: u64,
    most: Score,
}

impl Evaluator<Counters> for Few {
    fn bounds(&self, game: &Counters) -> Bounds {
        Bounds { min: ByPlayer::splat(game.players, 0), max_sum: self.most * game.players as Score }
    }

    fn evaluate(&self, game: &Counters) -> ByPlayer<Score> {
        let mut rng = Rng::new(game.key() ^ self.seed);
        ByPlayer::from_fn(game.players, |_| rng.below(self.most as usize + 1) as Score)
    }

    fn terminal(&self, game: &Counters, _: &ByPlayer<f32>) -> ByPlayer<Score> {
        self.evaluate(game)
    }
}

/// Points that have been taken stay, as in card games; each ply gives one to somebody.
#[derive(Clone, Copy, Debug)]
struct Taken;

impl Evaluator<Counters> for Taken {
    fn bounds(&self, game: &Counters) -> Bounds {
        Bounds { min: self.evaluate(game), max_sum: game.length.into() }
    }

    fn evaluate(&self, game: &Counters) -> ByPlayer<Score> {
        let taken = |player: Player| game.counters.iter().skip(player.index()).step_by(game.players);
        ByPlayer::from_fn(game.players, |player| taken(player).map(|&count| Score::from(count)).sum())
    }

    fn terminal(&self, game: &Counters, _: &ByPlayer<f32>) -> ByPlayer<Score> {
        self.evaluate(game)
    }
}

/// An order with ties that depends on whom it is against.
#[derive(Clone, Copy, Debug)]
struct Shuffled;

impl MoveOrder<Counters> for Shuffled {
    fn rate(&self, game: &Counters, stance: Stance, m: usize) -> i32 {
        let against = match stance {
            Stance::Own => 0,
            Stance::Against(player) => player.number() as u64,
        };
        mix(game.key() ^ mix(against + 10 * m as u64)) as i32 % 3
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
                    maxn.score = form;
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

/// The leaves that speculative pruning visits of a perfectly ordered uniform tree: T(d) = T(d−1) + (b−1) T(d−2) + … with as many terms
/// as there are players, and b^d while there are fewer plies than players.
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
    let mut nodes = [[0; PRUNINGS.len()]; 2];
    for players in 2..=5 {
        for any_turn in [false, true] {
            for length in 2..=6 {
                let game = Counters::new(players, length, any_turn);
                for form in FORMS {
                    for depth in [length.into(), u32::from(length) - 1] {
                        let expected = plain(&game, depth, &Taken, form);
                        for (mu, nodes) in nodes.iter_mut().enumerate() {
                            for (pruning, nodes) in PRUNINGS.into_iter().zip(nodes) {
                                let mut maxn = maxn(Taken, pruning, mu as Score);
                                maxn.score = form;
                                let (found, visits) = iteration(&maxn, &game, depth);
                                assert_eq!(found, expected, "{pruning:?}, mu={mu}, {form:?}: {game:?}");
                                *nodes += visits;
                            }
                        }
                    }
                }
            }
        }
    }
    println!("nodes {nodes:?}");
    for [none, shallow, bound, last_branch, speculative] in nodes {
        assert!(none > shallow && shallow > bound && bound > last_branch && last_branch > speculative, "{nodes:?}");
    }
}

#[test]
fn the_table_changes_nothing_but_the_nodes() {
    let (mut with, mut without) = (0, 0);
    let mut rng = Rng::new(5);
    for count in 0..360 {
        let game = Counters::new(2 + count % 5, 3 + rng.below(6) as u8, rng.below(2) == 0);
        let few = Few { seed: rng.bits(), most: 1 + rng.below(3) as Score };
        let mut maxn = Maxn::new(few, Shuffled);
        maxn.pruning = PRUNINGS[rng.below(5)];
        maxn.mu = rng.below(2) as Score;
        maxn.score = FORMS[rng.below(3)];
        maxn.parts.order = rng.pick(&[Order::Usual, Order::Own, Order::Against, Order::None]);
        maxn.parts.width = rng.pick(&[None, Some(1), Some(3)]);
        if maxn.pruning == Pruning::None {
            maxn.ties = rng.pick(&[Ties::Left, Ties::Cautious]);
        }
        let budget = Budget::depth(4 + rng.below(3) as u32);
        maxn.parts.table = 0;
        let plain = maxn.choose(&game, &budget);
        without += plain.nodes;
        for table in [1 << 20, 100] {
            maxn.parts.table = table;
            let found = maxn.choose(&game, &budget);
            with += if table > 100 { found.nodes } else { 0 };
            let seen = |decision: &Decision<usize>| (decision.m, decision.scores, decision.depth);
            assert_eq!(seen(&found), seen(&plain), "{maxn:?}: {game:?}");
            // In a table with two places the rest of a line is soon lost.
            assert!(plain.pv.starts_with(&found.pv) && (table == 100 || plain.pv.len() == found.pv.len()));
            let again = maxn.choose(&game, &budget);
            assert_eq!((again.m, again.nodes), (found.m, found.nodes), "what was searched before has no say");
        }
    }
    assert!(with < without / 2, "{with} {without}");
}

#[test]
fn the_table_is_not_asked_where_history_matters() {
    let mut game = Counters::new(3, 9, false);
    let few = Few { seed: 1, most: 3 };
    let plain = maxn(few, Pruning::None, 1).choose(&game, &Budget::depth(5)).nodes;
    assert!(Maxn::new(few, AsListed).choose(&game, &Budget::depth(5)).nodes < plain / 4);
    game.history = true;
    assert_eq!(Maxn::new(few, AsListed).choose(&game, &Budget::depth(5)).nodes, plain);
}

#[test]
fn ties_order_and_width_are_those_of_plain_maxn() {
    let mut rng = Rng::new(6);
    for count in 0..400 {
        let game = Counters::new(2 + count % 5, 2 + rng.below(6) as u8, rng.below(2) == 0);
        let root = game.turn();
        let mut maxn = Maxn::new(Few { seed: rng.bits(), most: 1 + rng.below(3) as Score }, Shuffled);
        (maxn.parts.order, maxn.score) = (rng.pick(&[Order::Usual, Order::Against, Order::None]), FORMS[rng.below(3)]);
        maxn.parts.width = rng.pick(&[None, Some(1), Some(2), Some(4), Some(9)]);
        let victim = if rng.below(2) == 0 {
            maxn.ties = Ties::Cautious;
            Some(root)
        } else {
            maxn.pruning = PRUNINGS[rng.below(5)];
            None
        };
        let list = |game: &Counters| {
            let mut moves = listed(game);
            match maxn.parts.order {
                Order::None => {}
                Order::Against => Shuffled.sort(game, Stance::Against(root), &mut moves),
                _ => Shuffled.sort(game, Stance::Own, &mut moves),
            }
            moves.truncate(maxn.parts.width.unwrap_or(5));
            moves
        };
        let rate = |scores: &ByPlayer<Score>, player: Player| {
            (maxn.score.value(scores, player), victim.map(|victim| -maxn.score.value(scores, victim)))
        };
        let depth = 1 + rng.below(5) as u32;
        let expected = plain_maxn(&game, depth, &maxn.evaluator, &list, &rate);
        assert_eq!(iteration(&maxn, &game, depth).0, expected, "{maxn:?}: {game:?}");
    }
}

#[test]
fn the_decision_is_that_of_the_last_completed_iteration() {
    let game = Counters::new(3, 20, true);
    for pruning in PRUNINGS {
        let mut maxn = maxn(Few { seed: 3, most: 4 }, pruning, 1);
        let mut iterations: Vec<Decision<usize>> = Vec::new();
        let last = maxn.search(&game, &Budget::depth(4), &mut |decision| iterations.push(decision.clone()));
        assert_eq!((iterations.len(), last.depth, last.pv.len()), (4, 4, 4));
        for limit in 0..last.nodes {
            let found = maxn.choose(&game, &Budget::nodes(limit));
            assert_eq!(found.nodes, limit);
            let done = iterations.iter().take_while(|iteration| iteration.nodes <= limit).last();
            let done = done.map(|done| (done.m, done.depth, done.scores, done.value));
            let seen = (found.m, found.depth, found.scores, found.value);
            match done {
                Some(done) => assert_eq!(seen, done),
                // The best of the moves that were looked at.
                None => {
                    let mut moves = listed(&game);
                    moves.truncate((limit as usize).max(1));
                    let rate = |scores: &ByPlayer<Score>, player: Player| scores[player];
                    let best = plain_maxn(&game, 1, &maxn.evaluator, &|_| moves.clone(), &rate);
                    assert_eq!(seen, (best.1[0], 0, None, None));
                }
            }
        }
    }
}

#[test]
fn deepening_ends_with_the_game_or_with_a_win_that_needs_nobody_else() {
    for table in [0, 1 << 20] {
        let mut maxn = Maxn::new(Few { seed: 8, most: 5 }, AsListed);
        maxn.parts.table = table;
        assert_eq!(maxn.choose(&Counters::new(3, 5, false), &Budget::default()).depth, 5);
    }
    let choose = |tree: &str| {
        let found = Maxn::new(LeafScores, AsListed).choose(&tree.parse::<Tree>().unwrap(), &Budget::default());
        (found.m, found.depth)
    };
    assert_eq!(choose("(1 (2 0,3,0) 3,0,0)"), (2, 1));
    assert_eq!(choose("(1 (2 0,3,0) (1 0,0,3 3,0,0))"), (2, 2));
    // Player 2 has something better, as one more ply shows.
    assert_eq!(choose("(1 (2 3,0,0 (3 0,3,0)) 1,0,2)"), (2, 3));
}

#[test]
fn the_scores_are_those_of_the_leaf_whatever_the_players_want() {
    let tree: Tree = "(2 (1 1,2,3) (3 4,5,0 9,1,0))".parse().unwrap();
    for score in FORMS {
        let mut maxn = Maxn::new(LeafScores, AsListed);
        maxn.score = score;
        let found = maxn.choose(&tree, &Budget::default());
        assert_eq!((found.m, found.value, found.pv), (2, Some(5.0), vec![2, 1]));
        assert_eq!(found.scores, Some(ByPlayer::from_slice(&[4.0, 5.0, 0.0])));
    }
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    for pruning in PRUNINGS {
        let mut maxn = maxn(LeafScores, pruning, 0);
        assert_eq!(maxn.check(), Ok(()));
        maxn.ties = Ties::Cautious;
        let expected = if pruning == Pruning::None { Ok(()) } else { Err(MaxnError::CautiousPruning) };
        assert_eq!(maxn.check(), expected);
    }
    for mu in [-1, 2] {
        let error = maxn(LeafScores, Pruning::None, mu).check().unwrap_err();
        assert!(error.to_string().ends_with(&format!("not mu={mu}")), "{error}");
    }
}
