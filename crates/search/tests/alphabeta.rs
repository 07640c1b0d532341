//! Paranoid, Best-Reply Search and BRS+ against plain versions of themselves and against each other.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nply::testing::{
    HashedOrder, HashedScores, Plain, Shape, Track, plain_brs, plain_brs_plus, plain_one_leaves, plain_paranoid,
    random_tree,
};
use nply::tree::LeafScores;
use nply::{
    Agent, AsListed, Bounds, Brs, BrsPlus, Budget, ByPlayer, Decision, Dice, Equals, Evaluator, Game, GeneralizedBrs,
    MoveOrder, OrderBy, OutOfTurn, Paranoid, Parts, Player, Rng, Score, ScoreForm, Special, Stance, Statistics, Tree,
    mix, standard_depth,
};

/// All combinations of the parts that must not change a value, with a table so small that it is full at once.
fn all_parts() -> Vec<Parts> {
    let mut all = Vec::new();
    for table in [0, 1 << 9, 1 << 16] {
        for killers in [false, true] {
            for history in [false, true] {
                for order in [None, Some(OrderBy::Own), Some(OrderBy::AsListed)] {
                    all.push(Parts { table, order, killers, history, ..Parts::default() });
                }
            }
        }
    }
    all
}

/// Random parts, sometimes with a random width.
fn random_parts(rng: &mut Rng) -> Parts {
    let parts = rng.pick(&all_parts());
    Parts { width: (rng.below(4) == 0).then(|| 1 + rng.below(3)), ..parts }
}

fn child<G: Game>(game: &G, m: G::Move) -> G {
    let mut child = game.clone();
    child.play(m);
    child
}

/// The special pass: the position with the next living player to move. Passes lead nowhere if the root player is out.
fn passed(game: &Track, root: Player, regular: u32) -> Option<Track> {
    if regular == 1 && !game.is_in(root) {
        return None;
    }
    let mut next = game.turn().next(game.player_count());
    while !game.is_in(next) {
        next = next.next(game.player_count());
    }
    Some(game.clone().with_turn(next, |game| game.clone()))
}

/// How BRS+ finds its special move.
#[derive(Clone, Copy, Debug)]
struct Rule {
    own: bool,
    top: usize,
    seed: u64,
}

impl Rule {
    fn brs_plus<G: Game, E, O>(self, evaluator: E, order: O) -> BrsPlus<G, E, O> {
        let mut search = BrsPlus::new(evaluator, order);
        search.settings.special = if self.own { Special::Own } else { Special::Against };
        (search.settings.top, search.seed) = (self.top, self.seed);
        search
    }
}

/// The special move of BRS+, chosen with a full sort.
fn special<G: Game, O: MoveOrder<G>>(special: Rule, order: &O, root: Player, width: usize, game: &G) -> G::Move {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    order.sort(game, if special.own { Stance::Own } else { Stance::Against(root) }, &mut moves);
    let top = special.top.min(moves.len()).min(width);
    moves[((u128::from(mix(game.key() ^ mix(special.seed))) * top as u128) >> 64) as usize]
}

/// Checks a decision against the plain value of each move at the root, in the static order: the value is the highest,
/// the move the first that has it, the scores belong to the value, the line can be played and leads there if it is
/// whole.
fn check_decision<G: Game>(
    game: &G,
    score: ScoreForm,
    plain: &Plain<'_, G>,
    in_turn: bool,
    decision: &Decision<G::Move>,
    value: impl Fn(&G) -> i64,
    context: &str,
) {
    let moves = (plain.moves)(game);
    let values: Vec<i64> = moves.iter().map(|&m| value(&child(game, m))).collect();
    let best = *values.iter().max().unwrap();
    assert_eq!(decision.value, Some(best as f64), "{context}");
    assert_eq!(decision.m, moves[values.iter().position(|&value| value == best).unwrap()], "{context}");
    let scores = decision.scores.expect("scores").map(|score| score as Score);
    assert_eq!(score.value(&scores, plain.root), best, "{context}");
    assert_eq!(decision.pv[0], decision.m, "{context}");
    let mut end = game.clone();
    for &m in &decision.pv {
        let mut legal = Vec::new();
        end.moves(&mut legal);
        assert!(legal.contains(&m), "{context}");
        end.play(m);
    }
    // With moves out of turn the line is cut short, or ends in a position with another player to move.
    if in_turn {
        assert!(decision.pv.len() as u32 == decision.depth || end.payoff().is_some(), "{context}");
        assert_eq!((plain.value)(&end), best, "{context}");
    }
}

#[test]
fn paranoid_equals_plain_paranoid_on_random_trees() {
    let mut rng = Rng::new(1);
    for number in 0..60_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let order = HashedOrder { ratings: 3, seed: rng.bits() };
        let score = rng.pick(&[ScoreForm::Difference, ScoreForm::Own]);
        let parts = random_parts(&mut rng);
        let depth = if rng.below(3) == 0 { 1 + rng.below(4) as u32 } else { 10 };
        let mut search = Paranoid::new(LeafScores, order);
        (search.settings.score, search.settings.parts) = (score, parts);
        let decision = search.choose(&tree, &Budget::depth(depth));
        let plain = Plain::with(&tree, LeafScores, order, score, parts);
        let context = format!("tree {number} {:?} {parts:?} {score:?} depth {depth}", tree);
        check_decision(
            &tree,
            score,
            &plain,
            true,
            &decision,
            |child| plain_paranoid(&plain, child, decision.depth - 1),
            &context,
        );
        assert_eq!(decision.value, Some(plain_paranoid(&plain, &tree, depth) as f64), "{context}");
    }
}

#[test]
fn brs_plus_equals_plain_brs_plus_on_random_trees() {
    let mut rng = Rng::new(2);
    for number in 0..40_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let order = HashedOrder { ratings: 3, seed: rng.bits() };
        let score = rng.pick(&[ScoreForm::Difference, ScoreForm::Own]);
        let parts = random_parts(&mut rng);
        let rule = Rule { own: rng.below(2) == 0, top: rng.pick(&[0, 1, 1, 2, 3]).max(1), seed: rng.bits() };
        let depth = if rng.below(3) == 0 { 1 + rng.below(4) as u32 } else { 10 };
        let mut search = rule.brs_plus(LeafScores, order);
        (search.settings.score, search.settings.parts) = (score, parts);
        let decision = search.choose(&tree, &Budget::depth(depth));
        let plain = Plain::with(&tree, LeafScores, order, score, parts);
        let root = tree.turn();
        let width = parts.width.unwrap_or(usize::MAX);
        let first = |game: &Tree| special(rule, &order, root, width, game);
        let context = format!("tree {number} {:?} {rule:?} {parts:?} {score:?} depth {depth}", tree);
        let one_leaves = |game: &Tree, depth| plain_one_leaves(&plain, &first, game, depth, false);
        check_decision(&tree, score, &plain, true, &decision, |child| one_leaves(child, decision.depth - 1), &context);
        assert_eq!(decision.value, Some(one_leaves(&tree, depth) as f64), "{context}");
        // The printed algorithm has no width, outside of which a special move would not be a regular one.
        if parts.width.is_none() {
            let printed = plain_brs_plus(&plain, &|game, _| Some(child(game, first(game))), &tree, depth, 0);
            assert_eq!(decision.value, Some(printed as f64), "{context}");
        }
    }
}

/// Each player's score is how far its token has come, and 0 if it is out, so that good moves are good everywhere.
#[derive(Clone, Copy)]
struct Progress;

impl Evaluator<Track> for Progress {
    fn bounds(&self, game: &Track) -> Bounds {
        let count = game.player_count();
        Bounds { min: ByPlayer::splat(count, 0), max_sum: 1000 }
    }

    fn evaluate(&self, game: &Track) -> ByPlayer<Score> {
        let score = |player| if game.is_in(player) { 1 + Score::from(game.field(player)) } else { 0 };
        ByPlayer::from_fn(game.player_count(), score)
    }
}

#[test]
fn paranoid_equals_plain_paranoid_on_the_track_with_every_switch() {
    let mut rng = Rng::new(3);
    for number in 0..250 {
        let game = Track::random(2 + number % 5, &mut rng);
        let evaluator = HashedScores { most: 1 + rng.below(6) as Score, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        let score = rng.pick(&[ScoreForm::Difference, ScoreForm::Own]);
        for width in [None, Some(1), Some(2)] {
            for parts in all_parts() {
                let parts = Parts { width, ..parts };
                let plain = Plain::with(&game, evaluator, order, score, parts);
                let mut search = Paranoid::new(evaluator, order);
                (search.settings.score, search.settings.parts) = (score, parts);
                for depth in [1, 2, 5, 6] {
                    let decision = search.choose(&game, &Budget::depth(depth));
                    let context = format!("{game:?} {parts:?} {score:?} depth {depth}");
                    let value = |child: &Track| plain_paranoid(&plain, child, decision.depth - 1);
                    check_decision(&game, score, &plain, true, &decision, value, &context);
                    assert_eq!(decision.value, Some(plain_paranoid(&plain, &game, depth) as f64), "{context}");
                }
            }
        }
    }
}

#[test]
fn brs_equals_plain_brs_on_the_track_with_every_switch() {
    let mut rng = Rng::new(4);
    for number in 0..250 {
        let game = Track::random(2 + number % 5, &mut rng);
        let evaluator = HashedScores { most: 1 + rng.below(6) as Score, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        let score = rng.pick(&[ScoreForm::Difference, ScoreForm::Own]);
        for parts in all_parts() {
            let parts = Parts { width: rng.pick(&[None, None, Some(1), Some(2)]), ..parts };
            let plain = Plain::with(&game, evaluator, order, score, parts);
            let mut search = Brs::new(evaluator, order);
            (search.settings.score, search.settings.parts) = (score, parts);
            for depth in [1, 2, 4, 5] {
                let decision = search.choose(&game, &Budget::depth(depth));
                let context = format!("{game:?} {parts:?} {score:?} depth {depth}");
                let value = |child: &Track| plain_brs(&plain, child, decision.depth - 1, false);
                check_decision(&game, score, &plain, false, &decision, value, &context);
                assert_eq!(decision.value, Some(plain_brs(&plain, &game, depth, true) as f64), "{context}");
            }
        }
    }
}

#[test]
fn generalized_brs_equals_the_printed_algorithm_on_the_track_with_every_switch() {
    let mut rng = Rng::new(5);
    for number in 0..250 {
        let game = Track::random(2 + number % 5, &mut rng);
        let root = game.turn();
        let evaluator = HashedScores { most: 1 + rng.below(6) as Score, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        let score = rng.pick(&[ScoreForm::Difference, ScoreForm::Own]);
        let rule = Rule { own: rng.below(2) == 0, top: 1 + rng.below(3), seed: rng.bits() };
        for parts in all_parts() {
            let plain = Plain::with(&game, evaluator, order, score, parts);
            let mut search = rule.brs_plus(evaluator, order);
            (search.settings.score, search.settings.parts) = (score, parts);
            let mut passing = GeneralizedBrs::new(evaluator, order);
            (passing.settings.score, passing.settings.parts) = (score, parts);
            let first = |game: &Track, _| Some(child(game, special(rule, &order, root, usize::MAX, game)));
            let pass = |game: &Track, regular| passed(game, root, regular);
            for depth in [1, 3, 6, 7] {
                let context = format!("{game:?} {rule:?} {parts:?} {score:?} depth {depth}");
                let decision = search.choose(&game, &Budget::depth(depth));
                let value = |child: &Track| plain_brs_plus(&plain, &first, child, decision.depth - 1, 0);
                check_decision(&game, score, &plain, true, &decision, value, &context);
                assert_eq!(decision.value, Some(plain_brs_plus(&plain, &first, &game, depth, 0) as f64), "{context}");
                let decision = passing.choose(&game, &Budget::depth(depth));
                let value = |child: &Track| plain_brs_plus(&plain, &pass, child, decision.depth - 1, 0);
                check_decision(&game, score, &plain, false, &decision, value, &context);
                assert_eq!(decision.value, Some(plain_brs_plus(&plain, &pass, &game, depth, 0) as f64), "{context}");
            }
        }
    }
}

#[test]
fn for_two_players_brs_and_brs_plus_are_paranoid() {
    let mut rng = Rng::new(6);
    for _ in 0..300 {
        let mut game = Track::random(2, &mut rng);
        // With a second move in a row Best-Reply Search sees another game.
        game.odd = false;
        let evaluator = HashedScores { most: 5, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        for depth in 1..=8 {
            let budget = Budget::depth(depth);
            let paranoid = Paranoid::new(evaluator, order).choose(&game, &budget);
            let brs = Brs::new(evaluator, order).choose(&game, &budget);
            assert_eq!(Decision { time: paranoid.time, ..brs }, paranoid, "{game:?} depth {depth}");
            let passing = GeneralizedBrs::new(evaluator, order).choose(&game, &budget);
            assert_eq!(Decision { time: paranoid.time, ..passing }, paranoid, "{game:?} depth {depth}");
            // Special moves are no killers, so BRS+ may find another line of the same value.
            let plus = BrsPlus::new(evaluator, order).choose(&game, &budget);
            assert_eq!((plus.value, plus.m), (paranoid.value, paranoid.m), "{game:?} depth {depth}");
        }
    }
}

#[test]
fn generalized_brs_with_passes_is_brs() {
    let mut rng = Rng::new(7);
    let mut eliminated = 0;
    for number in 0..400 {
        let mut game = Track::random(2 + number % 5, &mut rng);
        (game.odd, game.captures) = (false, false);
        let living = Player::all(game.player_count()).filter(|&player| game.is_in(player)).count();
        eliminated += usize::from(living < game.player_count());
        let evaluator = HashedScores { most: 5, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        let score = rng.pick(&[ScoreForm::Difference, ScoreForm::Own]);
        let width = rng.pick(&[None, Some(2)]);
        let (mut brs, mut general) = (Brs::new(evaluator, order), GeneralizedBrs::new(evaluator, order));
        (brs.settings.score, general.settings.score) = (score, score);
        (brs.settings.parts.width, general.settings.parts.width) = (width, width);
        for depth in 1..=4 {
            let expected = brs.choose(&game, &Budget::depth(depth));
            let found = general.choose(&game, &Budget::depth(standard_depth(depth, living)));
            assert_eq!((found.value, found.m), (expected.value, expected.m), "{game:?} depth {depth}");
        }
    }
    assert!(eliminated > 50);
}

/// A uniform tree: everybody has `width` moves, and no position arises twice.
#[derive(Clone)]
struct Uniform {
    players: usize,
    width: u8,
    turn: Player,
    path: u64,
    /// What each player's own moves have brought.
    gains: ByPlayer<Score>,
}

impl Uniform {
    fn new(players: usize, width: usize) -> Uniform {
        Uniform { players, width: width as u8, turn: Player::new(0), path: 0, gains: ByPlayer::splat(players, 0) }
    }
}

impl Game for Uniform {
    type Move = u8;

    fn player_count(&self) -> usize {
        self.players
    }

    fn turn(&self) -> Player {
        self.turn
    }

    fn moves(&self, out: &mut Vec<u8>) {
        out.extend(0..self.width);
    }

    fn play(&mut self, m: u8) {
        self.path = mix(self.path ^ u64::from(m));
        self.gains[self.turn] += (self.path % 100) as Score;
        self.turn = self.turn.next(self.players);
    }

    fn payoff(&self) -> Option<ByPlayer<f32>> {
        None
    }

    fn key(&self) -> u64 {
        mix(self.path ^ self.turn.index() as u64)
    }
}

impl OutOfTurn for Uniform {
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        let turn = std::mem::replace(&mut self.turn, player);
        let result = f(self);
        self.turn = turn;
        result
    }
}

/// Every position is worth the same, so any order is a perfect order.
#[derive(Clone, Copy)]
struct Constant;

impl Evaluator<Uniform> for Constant {
    fn bounds(&self, game: &Uniform) -> Bounds {
        Bounds { min: ByPlayer::splat(game.players, 0), max_sum: 10 * game.players as Score }
    }

    fn evaluate(&self, game: &Uniform) -> ByPlayer<Score> {
        ByPlayer::splat(game.players, 5)
    }
}

/// A position is worth what the moves have brought: good moves stay good when more plies are searched.
#[derive(Clone, Copy)]
struct Gains;

impl Evaluator<Uniform> for Gains {
    fn bounds(&self, game: &Uniform) -> Bounds {
        Bounds { min: ByPlayer::splat(game.players, 0), max_sum: 1_000_000 }
    }

    fn evaluate(&self, game: &Uniform) -> ByPlayer<Score> {
        game.gains
    }
}

#[test]
fn the_table_puts_the_best_move_of_the_last_iteration_first() {
    for players in 2..=4 {
        let game = Uniform::new(players, 6);
        let found = [0, 1 << 20].map(|table| {
            let mut search = Paranoid::new(Gains, AsListed);
            search.settings.parts = Parts { table, ..Parts::plain() };
            let decision = search.choose(&game, &Budget::depth(6));
            (decision.nodes, search.statistics())
        });
        let [(without, _), (with, statistics)] = found;
        // No position arises twice, but some are searched again with a wider window.
        assert!(statistics.table_cuts < with / 50, "{statistics:?}");
        assert!(with * 10 < without * 8, "{players} players: {without} nodes without, {with} with a table");
    }
}

/// Nodes and leaves of the smallest tree that proves a value, and what is proved of a node.
#[derive(Clone, Copy)]
enum Proof {
    Exact,
    AtMost,
    AtLeast,
}

/// The generalization of Knuth and Moore's minimal tree: `next` gives whether the root player is to move in a state,
/// and the states that follow it, the first to be searched first.
fn minimal<S: Copy>(next: &dyn Fn(S) -> (bool, Vec<S>), state: S, depth: u32, proof: Proof) -> (u64, u64) {
    if depth == 0 {
        return (0, 1);
    }
    let (max, children) = next(state);
    let (mut nodes, mut leaves) = (0, 0);
    for (number, &child) in children.iter().enumerate() {
        let proof = match (proof, max) {
            (Proof::Exact, _) if number == 0 => Proof::Exact,
            (Proof::Exact, true) => Proof::AtMost,
            (Proof::Exact, false) => Proof::AtLeast,
            (Proof::AtMost, false) | (Proof::AtLeast, true) if number > 0 => break,
            (proof, _) => proof,
        };
        let below = minimal(next, child, depth - 1, proof);
        nodes += 1 + below.0;
        leaves += below.1;
    }
    (nodes, leaves)
}

/// Compares a search of a uniform tree, deepening from 1 to each depth, with the minimal trees; gives their leaves by
/// depth.
fn check_minimal<S: Copy>(
    mut search: impl FnMut(&Budget) -> (Decision<u8>, Statistics),
    next: &dyn Fn(S) -> (bool, Vec<S>),
    start: S,
    depths: u32,
) -> Vec<u64> {
    let mut nodes = 0;
    let mut leaves = Vec::new();
    for depth in 1..=depths {
        let minimal = minimal(next, start, depth, Proof::Exact);
        nodes += minimal.0;
        leaves.push(minimal.1);
        let (decision, statistics) = search(&Budget::depth(depth));
        assert_eq!((decision.nodes, decision.depth), (nodes, depth));
        assert_eq!(statistics.cut_moves, statistics.cut_nodes, "a perfect order cuts at once");
    }
    leaves
}

#[test]
fn a_perfectly_ordered_tree_costs_no_more_than_it_must() {
    for (players, width) in [(2, 2), (2, 5), (3, 3), (3, 4), (4, 3), (5, 2), (6, 2)] {
        let game = Uniform::new(players, width);
        let depths = if width == 2 { 10 } else { 7 };
        let (n, b) = (players as u32, width as u64);

        let mut paranoid = Paranoid::new(Constant, AsListed);
        paranoid.settings.parts = Parts::plain();
        let turns = |player: u32| (player == 0, vec![(player + 1) % n; width]);
        let leaves = check_minimal(|budget| (paranoid.choose(&game, budget), paranoid.statistics()), &turns, 0, depths);
        for (depth, &leaves) in (1..).zip(&leaves) {
            let max = u32::div_ceil(depth, n);
            assert_eq!(leaves, b.pow(max) + b.pow(depth - max) - 1);
        }

        let mut brs = Brs::new(Constant, AsListed);
        brs.settings.parts = Parts::plain();
        let replies = |max: bool| (max, vec![!max; if max { width } else { width * (players - 1) }]);
        let leaves =
            check_minimal(|budget| (brs.choose(&game, budget), brs.statistics()), &replies, true, depths.min(7));
        for (depth, &leaves) in (1..).zip(&leaves) {
            let max = u32::div_ceil(depth, 2);
            assert_eq!(leaves, b.pow(max) + (b * u64::from(n - 1)).pow(depth - max) - 1);
        }

        // The state: how many opponents are still to move before the root player, and whether one has left the first
        // move.
        let mut plus = BrsPlus::new(Constant, AsListed);
        plus.settings.parts = Parts::plain();
        let first = |(to_move, left): (u32, bool)| match to_move {
            0 => (true, vec![(n - 1, false); width]),
            _ if left => (false, vec![(to_move - 1, true)]),
            _ => {
                let mut next = vec![(to_move - 1, true); width];
                next[0].1 = false;
                (false, next)
            }
        };
        let leaves =
            check_minimal(|budget| (plus.choose(&game, budget), plus.statistics()), &first, (0, false), depths);
        for rounds in 1..=depths / n {
            let replies = u64::from(n - 1) * (b - 1) + 1;
            assert_eq!(leaves[(rounds * n) as usize - 1], b.pow(rounds) + replies.pow(rounds) - 1);
        }
    }
}

#[test]
fn each_part_saves_nodes() {
    let nodes = |parts: Parts| {
        let mut rng = Rng::new(8);
        let mut nodes = [0; 3];
        let mut table_cuts = 0;
        for number in 0..40 {
            let mut game = Track::random(2 + number % 5, &mut rng);
            (game.length, game.stride) = (20, 3);
            let (mut paranoid, mut brs) = (Paranoid::new(Progress, AsListed), Brs::new(Progress, AsListed));
            let mut plus = BrsPlus::new(Progress, HashedOrder { ratings: 2, seed: 1 });
            (paranoid.settings.parts, brs.settings.parts, plus.settings.parts) = (parts, parts, parts);
            nodes[0] += paranoid.choose(&game, &Budget::depth(8)).nodes;
            nodes[1] += brs.choose(&game, &Budget::depth(6)).nodes;
            nodes[2] += plus.choose(&game, &Budget::depth(10)).nodes;
            table_cuts += paranoid.statistics().table_cuts + brs.statistics().table_cuts + plus.statistics().table_cuts;
        }
        assert_eq!(table_cuts > 0, parts.table > 0);
        nodes
    };
    let none = nodes(Parts::plain());
    for parts in [
        Parts { table: 1 << 20, ..Parts::plain() },
        Parts { killers: true, ..Parts::plain() },
        Parts { history: true, ..Parts::plain() },
        Parts { width: Some(2), ..Parts::plain() },
    ] {
        let some = nodes(parts);
        for search in 0..3 {
            assert!(some[search] < none[search], "{parts:?}: {some:?} and {none:?}");
        }
    }
}

/// The agents under test.
fn agents() -> Vec<Box<dyn Agent<Track>>> {
    let order = HashedOrder { ratings: 3, seed: 5 };
    let mut top = BrsPlus::new(Progress, order);
    top.settings.top = 3;
    vec![
        Box::new(Paranoid::new(Progress, order)),
        Box::new(Brs::new(Progress, order)),
        Box::new(BrsPlus::new(Progress, order)),
        Box::new(GeneralizedBrs::new(Progress, order)),
        Box::new(top),
    ]
}

#[test]
fn node_budgets_are_met_exactly_and_the_same_budget_gives_the_same_decision() {
    let mut rng = Rng::new(9);
    for players in 2..=6 {
        let mut game = Track::new(players, 3);
        (game.length, game.captures) = (60, false);
        let other = Track::random(players, &mut rng);
        for (mut agent, mut fresh) in agents().into_iter().zip(agents()) {
            let mut depth = 0;
            for nodes in [0, 1, 2, 3, 100, 1000, 10_007] {
                let decision = agent.choose(&game, &Budget::nodes(nodes));
                assert_eq!(decision.nodes, nodes);
                assert!(decision.depth >= depth, "more nodes, no less depth");
                depth = decision.depth;
                // Neither the agent's last search nor a time limit that is not met makes a difference.
                agent.choose(&other, &Budget::nodes(500));
                let budget = Budget { time: Some(Duration::from_secs(600)), ..Budget::nodes(nodes) };
                for agent in [&mut agent, &mut fresh] {
                    let again = agent.choose(&game, &budget);
                    assert_eq!(Decision { time: decision.time, ..again }, decision);
                }
            }
            assert!(depth >= 5, "{depth}");
        }
    }
}

#[test]
fn a_first_iteration_cut_short_gives_the_best_move_so_far() {
    let mut game = Track::new(3, 3);
    (game.length, game.captures) = (60, false);
    // Longer moves are better, and listed later.
    let mut agent = Paranoid::new(Progress, AsListed);
    let chosen: Vec<(u8, u32)> = (0..=3)
        .map(|nodes| agent.choose(&game, &Budget::nodes(nodes)))
        .map(|decision| (decision.m, decision.depth))
        .collect();
    assert_eq!(chosen, [(1, 0), (1, 0), (2, 0), (3, 1)]);
}

/// A search of the track with these parts, and the plain value of a child of the root at a depth.
type Compared<'a> = (Box<dyn Agent<Track> + 'a>, Box<dyn Fn(&Track, u32) -> i64 + 'a>);

/// The three searches, each with its plain version.
fn compared<'a>(
    game: &Track,
    evaluator: HashedScores,
    order: HashedOrder,
    plain: &'a Plain<'a, Track>,
    parts: Parts,
    dice: Dice,
) -> [Compared<'a>; 3] {
    let (mut paranoid, mut brs) = (Paranoid::new(evaluator, order), Brs::new(evaluator, order));
    let rule = Rule { own: false, top: 1, seed: 1 };
    let mut plus = rule.brs_plus(evaluator, order);
    (paranoid.settings.parts, brs.settings.parts, plus.settings.parts) = (parts, parts, parts);
    (paranoid.dice, brs.dice, plus.dice) = (dice, dice, dice);
    let root = game.turn();
    let first = move |game: &Track| special(rule, &order, root, usize::MAX, game);
    [
        (Box::new(paranoid), Box::new(|child, depth| plain_paranoid(plain, child, depth))),
        (Box::new(brs), Box::new(|child, depth| plain_brs(plain, child, depth, false))),
        (Box::new(plus), Box::new(move |child, depth| plain_one_leaves(plain, &first, child, depth, false))),
    ]
}

#[test]
fn an_unfinished_iteration_counts_once_the_previous_move_is_searched() {
    let mut rng = Rng::new(28);
    let mut changed = [0; 3];
    for number in 0..60 {
        let game = Track::random(2 + number % 5, &mut rng);
        let evaluator = HashedScores { most: 5, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        let parts = Parts { equals: rng.pick(&[Equals::First, Equals::Random]), ..rng.pick(&all_parts()) };
        let plain = Plain::with(&game, evaluator, order, ScoreForm::Difference, parts);
        let dice = Dice::new(rng.bits());
        for (kind, (mut agent, value)) in compared(&game, evaluator, order, &plain, parts, dice).into_iter().enumerate()
        {
            let old = Parts { partial: false, ..parts };
            let (mut without, _) = compared(&game, evaluator, order, &plain, old, dice).into_iter().nth(kind).unwrap();
            let mut iterations: Vec<Decision<u8>> = Vec::new();
            agent.search(&game, &Budget::depth(5), &mut |decision| iterations.push(decision.clone()));
            for pair in iterations.windows(2) {
                let [before, after] = pair else { unreachable!() };
                let mut last = None;
                for limit in before.nodes..after.nodes {
                    let budget = Budget::nodes(limit);
                    let context = format!("{game:?} {parts:?} search {kind} limit {limit}");
                    // Without it, the previous iteration stands.
                    let found = without.choose(&game, &budget);
                    assert_eq!(
                        (found.m, found.value, found.scores, &found.pv),
                        (before.m, before.value, before.scores, &before.pv)
                    );
                    // With it, too, until its move is searched; then the value is that of the next depth.
                    let found = agent.choose(&game, &budget);
                    assert_eq!((found.depth, found.nodes), (before.depth, limit), "{context}");
                    let is_old = (found.value, &found.pv) == (before.value, &before.pv);
                    let deeper = |m| value(&child(&game, m), after.depth - 1) as f64;
                    let is_new = found.value == Some(deeper(found.m)) && found.value >= Some(deeper(before.m));
                    assert!(if last.is_none() { is_old || is_new } else { is_new }, "{context}");
                    assert!(found.value >= last.unwrap_or(found.value), "{context}");
                    let scores = found.scores.unwrap().map(|score| score as Score);
                    assert_eq!(
                        Some(ScoreForm::Difference.value(&scores, game.turn()) as f64),
                        found.value,
                        "{context}"
                    );
                    if !is_old {
                        last = Some(found.value);
                    }
                    changed[kind] += usize::from(found.m != before.m);
                }
                // All but the last node of the iteration: whatever was searched last can only have raised the value.
                assert!(last.is_none() || last.unwrap() <= after.value);
            }
        }
    }
    assert!(changed.iter().all(|&count| count > 50), "{changed:?}");
}

#[test]
fn of_equal_moves_any_can_be_played_whatever_is_searched_first() {
    let mut rng = Rng::new(29);
    let mut several = 0;
    for number in 0..60 {
        let game = Track::random(2 + number % 5, &mut rng);
        let evaluator = HashedScores { most: 2, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        let parts = Parts { equals: Equals::Random, ..rng.pick(&all_parts()) };
        let plain = Plain::with(&game, evaluator, order, ScoreForm::Difference, parts);
        for kind in 0..3 {
            let mut moves = (plain.moves)(&game);
            let mut seen = Vec::new();
            let mut equal = Vec::new();
            for ply in 0..60 {
                let mut dice = Dice::new(number as u64);
                dice.begin(ply);
                let agents = compared(&game, evaluator, order, &plain, parts, dice);
                let (mut agent, value) = agents.into_iter().nth(kind).unwrap();
                let found = agent.choose(&game, &Budget::depth(4));
                let values: Vec<i64> = moves.iter().map(|&m| value(&child(&game, m), found.depth - 1)).collect();
                let best = *values.iter().max().unwrap();
                assert_eq!(found.value, Some(best as f64));
                equal = moves.iter().zip(&values).filter(|(_, value)| **value == best).map(|(&m, _)| m).collect();
                assert!(equal.contains(&found.m), "{game:?} {parts:?}");
                // The same dice give the same move with every switch.
                let others = Parts { table: 1 << 16, killers: true, history: true, ..parts };
                let (mut other, _) =
                    compared(&game, evaluator, order, &plain, others, dice).into_iter().nth(kind).unwrap();
                assert_eq!(other.choose(&game, &Budget::depth(4)).m, found.m, "{game:?} {parts:?}");
                seen.push(found.m);
            }
            several += usize::from(equal.len() > 1);
            moves.retain(|m| equal.contains(m));
            assert!(moves.iter().all(|m| seen.contains(m)), "{moves:?} {seen:?}");
        }
    }
    assert!(several > 30, "{several}");
}

#[test]
fn time_budgets_and_stop_flags_are_kept() {
    let mut game = Track::new(4, 3);
    game.length = 200;
    for mut agent in agents() {
        for milliseconds in [1, 20] {
            let started = Instant::now();
            let decision = agent.choose(&game, &Budget::time(Duration::from_millis(milliseconds)));
            let late = started.elapsed().saturating_sub(Duration::from_millis(milliseconds));
            // Generous, for busy machines.
            assert!(late < Duration::from_millis(200), "{late:?} too late");
            assert!(decision.nodes > 0);
        }
        let stop = Arc::new(AtomicBool::new(true));
        let decision = agent.choose(&game, &Budget { stop: Some(stop), ..Budget::default() });
        assert_eq!((decision.nodes, decision.depth), (0, 0));
    }
}

#[test]
fn watchers_see_every_completed_iteration() {
    let game = Track::new(3, 3);
    for mut agent in agents() {
        let mut seen = Vec::new();
        let last = agent.search(&game, &Budget::depth(5), &mut |decision| seen.push(decision.clone()));
        let depths: Vec<u32> = seen.iter().map(|decision| decision.depth).collect();
        assert_eq!(depths, [1, 2, 3, 4, 5]);
        assert_eq!(Decision { time: last.time, ..seen.pop().unwrap() }, last);
    }
}

#[test]
fn a_proven_win_ends_the_deepening_and_so_does_the_end_of_the_game() {
    // Player 1 reaches the end with three fields.
    let tree: Tree = "(1 (2 (1 9,0,0) (1 5,4,0)) (2 (3 (1 9,0,0))) 9,0,0)".parse().unwrap();
    let quiet = Paranoid::new(LeafScores, AsListed).choose(&tree, &Budget::default());
    assert_eq!((quiet.m, quiet.depth, quiet.value), (3, 1, Some(9.0)));
    let noisy = nply::Noisy { inner: LeafScores, most: 2, dice: nply::Dice::new(1) };
    let noisy = Paranoid::new(noisy, AsListed).choose(&tree, &Budget::default());
    assert_eq!((noisy.m, noisy.depth, noisy.value), (3, 1, Some(9.0)));
    // Nobody wins here; the game lasts four plies.
    let tree: Tree = "(1 (2 (1 6,3,0) (1 5,4,0)) (2 (3 (1 4,1,4))) 4,5,0)".parse().unwrap();
    let decision = BrsPlus::new(LeafScores, AsListed).choose(&tree, &Budget::default());
    assert_eq!((decision.m, decision.depth, decision.value), (1, 4, Some(1.0)));
    assert_eq!(decision.pv, [1, 2, 1]);
}

#[test]
fn the_deepest_tree_does_not_exhaust_the_stack() {
    let height = nply::tree::MAX_HEIGHT;
    let text = format!("{}1,2,3{}", "(1 ".repeat(height), ")".repeat(height));
    let tree: Tree = text.parse().unwrap();
    let decision = Paranoid::new(LeafScores, AsListed).choose(&tree, &Budget::default());
    assert_eq!((decision.depth, decision.value, decision.pv.len()), (height as u32, Some(-4.0), height));
}

#[test]
fn the_seed_of_rand_top_k_matters_and_only_with_more_than_one() {
    let mut game = Track::new(4, 3);
    game.length = 40;
    let evaluator = HashedScores { most: 1000, seed: 3 };
    let values = |top: usize| -> Vec<Option<f64>> {
        let value = |seed| {
            let rule = Rule { own: false, top, seed };
            let mut search = rule.brs_plus(evaluator, HashedOrder { ratings: 100, seed: 4 });
            search.choose(&game, &Budget::depth(6)).value
        };
        (0..10).map(value).collect()
    };
    let (one, two) = (values(1), values(2));
    assert!(one.iter().all(|&value| value == one[0]));
    assert!(two.iter().any(|&value| value != two[0]));
}
