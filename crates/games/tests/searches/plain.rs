//! Every search on every game against its plain version: random positions, few-valued random scores and the games' own
//! evaluations, every switch on and off, all the moves a few plies deep and few moves many plies deep.

use crate::walk::{configurations, evaluations, variants};
use nply::settings::Choice;
use nply::soft_maxn::Model;
use nply::testing::{
    HashedScores, Plain, PlainMeans, PlainProb, check_bounds, plain_brs, plain_brs_plus, plain_leaf, plain_maxn,
    plain_moves, plain_one_leaves, plain_opps, plain_paranoid, plain_quiet, plain_soft_maxn, plain_worth,
};
use nply::{
    Agent, Brs, BrsPlus, Budget, ByPlayer, Decision, Declaration, Evaluator, Game, GameVisitor, GeneralizedBrs, Maxn,
    Mix, MoveOrder, Opps, OppsSettings, OrderBy, OutOfTurn, Paranoid, Parts, Player, ProbMaxn, Pruning, Rng, Score,
    ScoreForm, SoftMaxn, Special, Stance, Switches, Ties, standard_depth,
};
use nply_games::cards::{self, Hearts, Spades, Tricks};

const PRUNINGS: [Pruning; 4] = [Pruning::Shallow, Pruning::Bound, Pruning::LastBranch, Pruning::Speculative];

/// The most random plies before a search.
const PLIES: usize = 200;

/// Nodes of max^n without pruning, and with each.
type Nodes = [u64; 5];

/// A position of a random game that is not over: anywhere in it, its last plies included.
fn position<G: Game>(start: &G, most: usize, rng: &mut Rng) -> G {
    let (mut game, mut past) = (start.clone(), Vec::new());
    for _ in 0..rng.below(most) + 1 {
        if game.payoff().is_some() {
            break;
        }
        past.push(game.clone());
        let m = game.random_move(&mut Vec::new(), rng);
        game.play(m);
    }
    let last = past.len();
    past[rng.below(last)].clone()
}

fn all_moves<G: Game>(game: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves
}

/// Few moves deep down, or all moves near the root.
fn shape(rng: &mut Rng) -> (u32, Option<usize>) {
    match rng.below(3) {
        0 => (2, None),
        1 => (4, Some(4)),
        _ => (6, Some(2)),
    }
}

fn parts(width: Option<usize>, rng: &mut Rng) -> Parts {
    Parts {
        table: rng.pick(&[0, 1 << 12, 1 << 20]),
        killers: rng.below(2) == 0,
        history: rng.below(2) == 0,
        width,
        order: rng.pick(&[None, Some(OrderBy::Own), Some(OrderBy::Against), Some(OrderBy::AsListed)]),
        ..Parts::default()
    }
}

/// Max^n, plain and pruned, with the table and without.
fn compare_maxn<G: Game>(
    game: &G,
    eval: &impl Evaluator<G>,
    order: &impl MoveOrder<G>,
    rng: &mut Rng,
    nodes: &mut Nodes,
) {
    let (depth, width) = shape(rng);
    let parts = parts(width, rng);
    let root = game.turn();
    let list = |game: &G| plain_moves(game, order, parts.stance(Stance::Own, root), width);
    let score = rng.pick(&[ScoreForm::Own, ScoreForm::Difference, ScoreForm::Relative]);
    let mut maxn = Maxn::new(eval.clone(), order.clone());
    (maxn.settings.score, maxn.settings.parts, maxn.settings.mu) = (score, parts, rng.below(2) as Score);
    let mut search = |pruning: Pruning, ties: Ties| {
        (maxn.settings.pruning, maxn.settings.ties) = (pruning, ties);
        maxn.choose(game, &Budget::depth(depth))
    };
    let found = search(Pruning::None, Ties::Left);
    let (scores, line) = plain_maxn(game, found.depth, eval, &list, &|scores, player| score.value(scores, player));
    nodes[0] += found.nodes;
    for (index, found) in std::iter::once(found).chain(PRUNINGS.map(|pruning| search(pruning, Ties::Left))).enumerate()
    {
        assert_eq!(found.scores, Some(scores.map(f64::from)), "pruning {index}, {parts:?}, {score:?}");
        assert_eq!(found.m, line[0], "pruning {index}, {parts:?}, {score:?}");
        nodes[index] += if index == 0 { 0 } else { found.nodes };
    }
    let cautious = search(Pruning::None, Ties::Cautious);
    let rate = |scores: &_, player| (score.value(scores, player), -score.value(scores, root));
    let (scores, line) = plain_maxn(game, cautious.depth, eval, &list, &rate);
    assert_eq!((cautious.scores, cautious.m), (Some(scores.map(f64::from)), line[0]), "cautious, {parts:?}, {score:?}");
}

/// Max^n with averaged ties, and with shares of the win.
fn compare_means<G: Game>(game: &G, eval: &impl Evaluator<G>, order: &impl MoveOrder<G>, rng: &mut Rng) {
    let (depth, width) = shape(rng);
    let parts = parts(width, rng);
    let root = game.turn();
    let score = rng.pick(&[ScoreForm::Own, ScoreForm::Difference, ScoreForm::Relative, ScoreForm::Share]);
    let ties =
        if score == ScoreForm::Share { rng.pick(&[Ties::Left, Ties::Cautious, Ties::Average]) } else { Ties::Average };
    let mut maxn = Maxn::new(eval.clone(), order.clone());
    (maxn.settings.score, maxn.settings.ties) = (score, ties);
    maxn.settings.parts = Parts { killers: false, history: false, ..parts };
    let found = maxn.choose(game, &Budget::depth(depth));
    let plain = PlainMeans {
        root,
        leaf: Box::new(|game: &G| plain_leaf(game, eval, score)),
        list: Box::new(|game: &G| plain_moves(game, order, parts.stance(Stance::Own, root), width)),
        worth: Box::new(|value: &[f64], player: Player| plain_worth(value, score, player)),
        ties,
    };
    let (value, chosen) = plain.value(game, found.depth);
    let context = format!("{ties:?}, {parts:?}, {score:?}: {:?} and {value:?}", found.scores);
    let scores = found.scores.expect("scores");
    assert!(scores.as_slice().iter().zip(&value).all(|(found, value)| (found - value).abs() < 1e-9), "{context}");
    assert_eq!(found.m, (plain.list)(game)[chosen.expect("a move")], "{context}");
}

/// Soft-max^n, without a cap where that is possible.
fn compare_soft<G: Game>(game: &G, eval: &impl Evaluator<G>, order: &impl MoveOrder<G>, rng: &mut Rng) {
    let (depth, width) = rng.pick(&[(2, Some(6)), (3, Some(4)), (5, Some(2))]);
    let parts = Parts { killers: false, history: false, ..parts(width, rng) };
    let root = game.turn();
    let models = rng.pick(&[&[Model::Own][..], &[Model::Own, Model::Difference], &[Model::Leader]]);
    let mut soft = SoftMaxn::new(eval.clone(), order.clone());
    soft.settings.models = models.iter().map(|model| model.word().to_string()).collect();
    (soft.settings.sets, soft.settings.parts) = (None, parts);
    let list = |game: &G| plain_moves(game, order, parts.stance(Stance::Own, root), width);
    let (set, _) = plain_soft_maxn(game, depth, eval, &list, models);
    let found: Vec<Vec<f64>> = soft.set(game, depth).iter().map(|vector| vector.as_slice().to_vec()).collect();
    assert_eq!(found, set, "{models:?}, {parts:?}");
}

/// Prob-max^n with uniform beliefs.
fn compare_prob<G: Game>(game: &G, eval: &impl Evaluator<G>, order: &impl MoveOrder<G>, rng: &mut Rng) {
    let (depth, width) = rng.pick(&[(2, Some(6)), (3, Some(4)), (5, Some(2))]);
    let parts = Parts { killers: false, history: false, ..parts(width, rng) };
    let root = game.turn();
    let models = rng.pick(&[&[Model::Own, Model::Against][..], &[Model::Leader, Model::Own, Model::Difference]]);
    let mut prob = ProbMaxn::new(eval.clone(), order.clone());
    prob.settings.models = models.iter().map(|model| model.word().to_string()).collect();
    prob.settings.parts = parts;
    let found = prob.choose(game, &Budget::depth(depth));
    let plain = PlainProb {
        root,
        models: models.to_vec(),
        beliefs: vec![vec![1.0 / models.len() as f64; models.len()]; game.player_count()],
        list: Box::new(|game: &G| plain_moves(game, order, parts.stance(Stance::Own, root), width)),
    };
    let scores = plain.value(game, found.depth, eval).scores;
    let is_near = |(player, score): (Player, f64)| (score - scores[player.index()]).abs() < 1e-6;
    assert!(found.scores.expect("scores").iter().all(is_near), "{:?} and {scores:?}, {parts:?}", found.scores);
}

/// Paranoid and BRS+.
fn compare_in_turn<G: Game>(game: &G, eval: &impl Evaluator<G>, order: &impl MoveOrder<G>, rng: &mut Rng) {
    let (depth, width) = shape(rng);
    let parts = parts(width, rng);
    let score = rng.pick(&[ScoreForm::Own, ScoreForm::Difference]);
    let plain = Plain::with(game, eval.clone(), order.clone(), score, parts);
    let mut paranoid = Paranoid::new(eval.clone(), order.clone());
    (paranoid.settings.score, paranoid.settings.parts) = (score, parts);
    let found = paranoid.choose(game, &Budget::depth(depth));
    assert_eq!(found.value, Some(plain_paranoid(&plain, game, found.depth) as f64), "paranoid, {parts:?}, {score:?}");

    let mut brs_plus = BrsPlus::new(eval.clone(), order.clone());
    (brs_plus.settings.score, brs_plus.settings.parts) = (score, parts);
    let own = rng.below(2) == 0;
    brs_plus.settings.special = if own { Special::Own } else { Special::Against };
    let root = game.turn();
    let first = |game: &G| order.first(game, if own { Stance::Own } else { Stance::Against(root) }, &all_moves(game));
    let special = |game: &G, _: u32| {
        let mut child = game.clone();
        child.play(first(game));
        Some(child)
    };
    let found = brs_plus.choose(game, &Budget::depth(depth));
    let context = format!("brs+, own {own}, {parts:?}, {score:?}");
    assert_eq!(found.value, Some(plain_one_leaves(&plain, &first, game, found.depth, false) as f64), "{context}");
    // The paper's formulation lets the last opponent before the root play the special move only as a regular one: it is among
    // those if all moves are searched.
    if width.is_none() {
        assert_eq!(found.value, Some(plain_brs_plus(&plain, &special, game, found.depth, 0) as f64), "{context}");
    }
}

/// Whether the only opponent of the player to move can make two moves in a row that follow its first one.
fn moves_twice<G: Game>(game: &G) -> bool {
    let root = game.turn();
    let is_again = |line: &[G::Move]| {
        let mut position = game.clone();
        line.iter().for_each(|&m| position.play(m));
        position.payoff().is_none() && position.turn() != root
    };
    let replies = |m: G::Move| {
        let mut child = game.clone();
        child.play(m);
        all_moves(&child).into_iter().map(move |reply| [m, reply])
    };
    game.player_count() == 2 && all_moves(game).into_iter().flat_map(replies).any(|line| is_again(&line))
}

/// OPPS, with what it contains.
fn compare_opps<G: Game>(game: &G, eval: &impl Evaluator<G>, order: &impl MoveOrder<G>, rng: &mut Rng) {
    let (depth, best) = rng.pick(&[(2, None), (3, Some(3)), (3, Some(2))]);
    let parts = parts(None, rng);
    let score = rng.pick(&[ScoreForm::Own, ScoreForm::Difference]);
    let (opponents, others, root) = (rng.below(4), 1 + rng.below(2), game.turn());
    let mut opps = Opps::new(eval.clone(), order.clone());
    opps.settings = OppsSettings { opponents, best, others, score, parts, ..OppsSettings::default() };
    let found = opps.choose(game, &Budget::depth(depth));
    let ranks = |game: &G| {
        let moves = plain_moves(game, order, parts.stance(Stance::Against(root), root), None);
        let (special, rest) = moves.split_at(others.min(moves.len()));
        let free = best.unwrap_or(usize::MAX).saturating_sub(others).min(rest.len());
        (special.to_vec(), rest[..free].to_vec())
    };
    let plain = Plain::with(game, eval.clone(), order.clone(), score, parts);
    let value = plain_opps(&plain, &ranks, game, found.depth, opponents as u32, 0);
    assert_eq!(found.value, Some(value as f64), "opps, {:?}", opps.settings);

    // With a free move for everybody it is Paranoid, unless somebody moves more often: on three plies, the only one.
    let parts = Parts { width: None, ..parts };
    let opponents = game.player_count() - if moves_twice(game) { 0 } else { 1 };
    opps.settings = OppsSettings { opponents, others, score, parts, ..OppsSettings::default() };
    let mut paranoid = Paranoid::new(eval.clone(), order.clone());
    (paranoid.settings.score, paranoid.settings.parts) = (score, parts);
    let (found, expected) = (opps.choose(game, &Budget::depth(3)), paranoid.choose(game, &Budget::depth(3)));
    assert_eq!((found.value, found.m), (expected.value, expected.m), "opps as paranoid, {parts:?}");

    // With one, and one move for the others, it is BRS+, node for node.
    let parts = Parts { order: None, ..parts };
    opps.settings = OppsSettings { score, parts, ..OppsSettings::default() };
    let mut plus = BrsPlus::new(eval.clone(), order.clone());
    (plus.settings.score, plus.settings.parts) = (score, parts);
    let (found, expected) = (opps.choose(game, &Budget::nodes(2000)), plus.choose(game, &Budget::nodes(2000)));
    assert_eq!(Decision { time: expected.time, ..found }, expected, "opps as brs+, {parts:?}");
}

/// MP-Mix: with infinite thresholds the calm agent, and Paranoid where it leads and always defends.
fn compare_mix<G: Game + 'static>(
    game: &G,
    eval: &(impl Evaluator<G> + 'static),
    order: &(impl MoveOrder<G> + 'static),
    rng: &mut Rng,
) {
    let (depth, width) = shape(rng);
    let (parts, number, root) = (parts(width, rng), rng.below(3), game.turn());
    let calm = || -> Box<dyn Agent<G>> {
        match number {
            0 => Box::new(Maxn::new(eval.clone(), order.clone())),
            1 => Box::new(BrsPlus::new(eval.clone(), order.clone())),
            _ => Box::new(Opps::new(eval.clone(), order.clone())),
        }
    };
    let mut mix = Mix::new(eval.clone(), order.clone(), calm());
    mix.settings.parts = parts;
    let budget = Budget { nodes: Some(300), ..Budget::depth(depth) };
    let expected = calm().choose(game, &budget);
    let found = mix.choose(game, &budget);
    assert_eq!(Decision { time: expected.time, ..found }, expected, "calm mix, {number}");

    mix.settings.defend = Some(0);
    let scores = eval.evaluate(game);
    let leads = scores.as_slice().iter().all(|&score| score <= scores[root]);
    let expected = if leads {
        let mut paranoid = Paranoid::new(eval.clone(), order.clone());
        paranoid.settings.parts = parts;
        paranoid.choose(game, &budget)
    } else {
        expected
    };
    let found = mix.choose(game, &budget);
    assert_eq!(Decision { time: expected.time, ..found }, expected, "defending mix, {leads}, {parts:?}");
}

/// BRS, which with two players equals Paranoid.
fn compare_out_of_turn<G: OutOfTurn>(game: &G, eval: &impl Evaluator<G>, order: &impl MoveOrder<G>, rng: &mut Rng) {
    let (depth, width) = shape(rng);
    let depth = depth.min(if width.is_none() { 2 } else { 4 });
    let parts = parts(width, rng);
    let score = rng.pick(&[ScoreForm::Own, ScoreForm::Difference]);
    let plain = Plain::with(game, eval.clone(), order.clone(), score, parts);
    let mut brs = Brs::new(eval.clone(), order.clone());
    (brs.settings.score, brs.settings.parts) = (score, parts);
    let found = brs.choose(game, &Budget::depth(depth));
    assert_eq!(found.value, Some(plain_brs(&plain, game, found.depth, true) as f64), "brs, {parts:?}, {score:?}");
    // With a width, places in the order may be shared by moves of two opponents, and a recorded search takes either first.
    if width.is_none() {
        check_inexact(game, depth, &mut brs, |brs, switches| brs.settings.parts.switches = switches);
    }
    if game.player_count() == 2 {
        let mut paranoid = Paranoid::new(eval.clone(), order.clone());
        (paranoid.settings.score, paranoid.settings.parts) = (score, parts);
        let alike = paranoid.choose(game, &Budget::depth(depth));
        assert_eq!((alike.value, alike.m), (found.value, found.m), "two players, {parts:?}, {score:?}");
    }
}

/// Generalized BRS with passes, which equals BRS where nobody can be eliminated.
fn compare_passes<G: OutOfTurn>(game: &G, eval: &impl Evaluator<G>, order: &impl MoveOrder<G>, rng: &mut Rng) {
    let parts = parts(Some(2), rng);
    let mut brs = Brs::new(eval.clone(), order.clone());
    brs.settings.parts = parts;
    let mut passing = GeneralizedBrs::new(eval.clone(), order.clone());
    passing.settings.parts = parts;
    for depth in 1..=3 {
        let all = standard_depth(depth, game.player_count());
        let (alone, found) = (brs.choose(game, &Budget::depth(depth)), passing.choose(game, &Budget::depth(all)));
        if (alone.depth, found.depth) == (depth, all) {
            assert_eq!((found.value, found.m), (alone.value, alone.m), "depth {depth}, {parts:?}");
        }
    }
}

/// Paranoid with switches: where they are exact, the value is that of the plain search, with quiet leaves if there are loud moves.
fn compare_switches<G: Game>(game: &G, eval: &impl Evaluator<G>, order: &impl MoveOrder<G>, rng: &mut Rng) {
    let (depth, width) = shape(rng);
    let depth = depth.min(4);
    let parts = Parts { table: 1 << 16, ..parts(width, rng) };
    let quiet = if G::HAS_LOUD_MOVES { rng.below(3) as u32 } else { 0 };
    let exact = Switches { quiet, ..Switches::default() };
    let mut paranoid = Paranoid::new(eval.clone(), order.clone());
    paranoid.settings.parts = Parts { switches: exact, threads: rng.pick(&[1, 1, 2]), ..parts };
    let mut game = game.clone();
    for _ in 0..2 {
        let stance = parts.stance(Stance::Against(game.turn()), game.turn());
        let loud = |game: &G| {
            let mut moves = Vec::new();
            game.loud(&mut moves);
            if let Some(stance) = stance {
                order.sort(game, stance, &mut moves);
            }
            moves.truncate(width.unwrap_or(usize::MAX));
            moves
        };
        let plain = || Plain::with(&game, eval.clone(), order.clone(), ScoreForm::Difference, parts);
        let leaves = Plain { moves: Box::new(loud), ..plain() };
        let reference = Plain { value: Box::new(|game| plain_quiet(&leaves, game, quiet)), ..plain() };
        let found = paranoid.choose(&game, &Budget::depth(depth));
        let context = format!("{exact:?}, {parts:?}");
        assert_eq!(found.value, Some(plain_paranoid(&reference, &game, found.depth) as f64), "{context}");
        game.play(found.m);
        while game.payoff().is_none() && game.turn() != reference.root {
            game.play(game.random_move(&mut Vec::new(), rng));
        }
        if game.payoff().is_some() {
            return;
        }
    }
    paranoid.settings.parts = parts;
    check_inexact(&game, depth, &mut paranoid, |paranoid, switches| paranoid.settings.parts.switches = switches);
}

/// A search with everything that depends on the order of the search: it is repeatable, and can be recorded.
fn check_inexact<G: Game, A: Agent<G>>(game: &G, depth: u32, agent: &mut A, set: impl Fn(&mut A, Switches)) {
    let quiet = if G::HAS_LOUD_MOVES { 2 } else { 0 };
    let null = G::HAS_NULL_MOVES;
    set(agent, Switches { deeper: true, reduce: true, null, quiet });
    let budget = Budget { nodes: Some(3000), ..Budget::depth(depth + 2) };
    let found = agent.choose(game, &budget);
    let again = agent.choose(game, &budget);
    assert_eq!((found.m, found.value, found.nodes, &found.pv), (again.m, again.value, again.nodes, &again.pv));
    let (explained, recording) = agent.explain(game, &budget, 500).expect("a search");
    assert_eq!((explained.m, explained.value, explained.nodes), (found.m, found.value, found.nodes));
    assert_eq!(recording.is_complete, found.depth > 0);
}

/// All comparisons that hold for any game. Returns the nodes of max^n.
fn compare<G: Game + 'static>(
    start: &G,
    eval: &(impl Evaluator<G> + 'static),
    order: &(impl MoveOrder<G> + 'static),
    rng: &mut Rng,
) -> Nodes {
    check_bounds(start, eval, 5);
    let mut nodes = [0; 5];
    for _ in 0..24 {
        let game = position(start, PLIES, rng);
        let few = HashedScores { most: 1 + rng.below(3) as Score, seed: rng.bits() };
        compare_maxn(&game, &few, order, rng, &mut nodes);
        compare_maxn(&game, eval, order, rng, &mut nodes);
        compare_in_turn(&game, &few, order, rng);
        compare_in_turn(&game, eval, order, rng);
        compare_means(&game, &few, order, rng);
        compare_means(&game, eval, order, rng);
        compare_prob(&game, &few, order, rng);
        compare_prob(&game, eval, order, rng);
        compare_soft(&game, &few, order, rng);
        compare_soft(&game, eval, order, rng);
        compare_opps(&game, &few, order, rng);
        compare_opps(&game, eval, order, rng);
        // What they draw changes nothing for the others.
        compare_switches(&game, eval, order, &mut Rng::new(game.key()));
        match game.key() % 2 {
            0 => compare_mix(&game, &few, order, &mut Rng::new(game.key())),
            _ => compare_mix(&game, eval, order, &mut Rng::new(game.key())),
        }
    }
    nodes
}

/// All comparisons that need moves out of turn.
fn compare_all_out_of_turn<G: OutOfTurn>(
    start: &G,
    eval: &impl Evaluator<G>,
    order: &impl MoveOrder<G>,
    rng: &mut Rng,
) {
    for _ in 0..24 {
        let game = position(start, PLIES, rng);
        let few = HashedScores { most: 1 + rng.below(3) as Score, seed: rng.bits() };
        compare_out_of_turn(&game, &few, order, rng);
        compare_out_of_turn(&game, eval, order, rng);
    }
    if eliminates(start) {
        return;
    }
    for _ in 0..12 {
        compare_passes(&position(start, PLIES, rng), eval, order, rng);
    }
}

/// Whether players are eliminated in the course of a game.
fn eliminates<G: OutOfTurn>(start: &G) -> bool {
    let (mut game, mut rng) = (start.clone(), Rng::new(1));
    while game.payoff().is_none() {
        game.play(game.random_move(&mut Vec::new(), &mut rng));
    }
    Player::all(game.player_count()).any(|player| !game.is_in(player))
}

/// Calls `check` with a start, an evaluation and an ordering: all of them, for every number of players and all options.
fn each<D: Declaration>(mut check: impl FnMut(&D::Game, &D::Eval, &D::Order, &mut Rng)) {
    for (players, options) in configurations::<D>() {
        let start = D::start(players, &options, 5);
        for (_, eval) in evaluations::<D>(&start) {
            for order in variants::<D::Order>() {
                check(&start, &eval, &order, &mut Rng::new(players as u64));
            }
        }
    }
}

struct InTurn;

impl GameVisitor for InTurn {
    fn game<D: Declaration>(&mut self) {
        each::<D>(|start, eval, order, rng| {
            let nodes = compare(start, eval, order, rng);
            assert!(nodes[4] < nodes[0], "{}: speculative pruning saves nodes: {nodes:?}", D::NAME);
        });
    }
}

#[test]
fn every_search_in_turn_on_every_game_equals_its_plain_version() {
    nply_games::games(&mut InTurn);
}

struct AnyTurn;

impl GameVisitor for AnyTurn {
    fn game<D: Declaration>(&mut self) {}

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        each::<D>(compare_all_out_of_turn);
    }
}

#[test]
fn every_search_out_of_turn_on_every_game_equals_its_plain_version() {
    nply_games::games(&mut AnyTurn);
}

#[test]
fn cards_with_nothing_in_play_between_them_come_to_the_same() {
    let mut rng = Rng::new(3);
    let mut left_out = 0;
    for deal in [Hearts::start, Spades::start] {
        for seed in 0..150 {
            let start = deal(3 + seed as usize % 2, &cards::Options::default(), seed);
            let game = position(&start, 51, &mut rng);
            let stance = rng.pick(&[None, Some(Stance::Own), Some(Stance::Against(game.turn()))]);
            let all = |game: &Tricks| {
                let mut moves = all_moves(game);
                if let Some(stance) = stance {
                    cards::Order.sort(game, stance, &mut moves);
                }
                moves
            };
            let distinct = |game: &Tricks| plain_moves(game, &cards::Order, stance, None);
            left_out += all(&game).len() - distinct(&game).len();
            for depth in 1..=5 {
                let own = |scores: &ByPlayer<Score>, player| scores[player];
                let expected = plain_maxn(&game, depth, &cards::Eval, &all, &own);
                assert_eq!(plain_maxn(&game, depth, &cards::Eval, &distinct, &own), expected, "{game} {depth}");
            }
        }
    }
    assert!(left_out > 300, "{left_out}");
}
