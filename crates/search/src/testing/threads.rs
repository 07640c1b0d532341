//! Several threads against one.

use crate::{
    Agent, Brs, BrsPlus, Budget, ByPlayer, Count, Decision, Dice, Equals, Evaluator, Game, GeneralizedBrs, Maxn,
    MaxnSettings, MoveOrder, Opps, OrderBy, OutOfTurn, Paranoid, Parts, Pruning, Rng, Score, ScoreForm, Special, Ties,
};

const THREADS: [usize; 3] = [2, 3, 8];

/// Parts at random, with a table: from one that is full at once to one that is never.
fn random_parts(width: Option<usize>, rng: &mut Rng) -> Parts {
    Parts {
        table: rng.pick(&[1 << 9, 1 << 12, 1 << 18]),
        order: rng.pick(&[None, Some(OrderBy::Own), Some(OrderBy::Against), Some(OrderBy::AsListed)]),
        width,
        equals: rng.pick(&[Equals::First, Equals::Random]),
        lines: rng.pick(&[1, 1, 3]),
        count: rng.pick(&[Count::Visits, Count::Expansions]),
        killers: rng.below(2) == 0,
        history: rng.below(2) == 0,
        ..Parts::default()
    }
}

/// What a search found at one depth: the depth, the move, the value and moves of each line, and the scores.
type Found<M> = (u32, M, Vec<(Option<f64>, Vec<M>)>, Option<ByPlayer<f64>>);

/// Everything that a search found and that does not depend on the number of threads. In max^n that is all.
fn found<M: Copy>(decision: &Decision<M>, is_maxn: bool) -> Found<M> {
    let line = |value: Option<f64>, pv: &[M]| (value, pv[..if is_maxn { pv.len() } else { 1 }].to_vec());
    let mut lines = vec![line(decision.value, &decision.pv)];
    lines.extend(decision.lines.iter().map(|other| line(other.value, &other.pv)));
    (decision.depth, decision.m, lines, decision.scores.filter(|_| is_maxn))
}

/// Compares the completed iterations of two searches; returns how many there are.
fn compare<G: Game>(
    game: &G,
    depth: u32,
    is_maxn: bool,
    [one, many]: [&mut dyn Agent<G>; 2],
    context: &dyn Fn() -> String,
) -> usize {
    let budget = Budget::depth(depth);
    let all = |agent: &mut dyn Agent<G>| {
        let mut iterations = Vec::new();
        let last = agent.search(game, &budget, &mut |decision| iterations.push(found(decision, is_maxn)));
        assert_eq!(found(&last, is_maxn), iterations[iterations.len() - 1], "{}", context());
        iterations
    };
    let (one, many) = (all(one), all(many));
    let common = one.len().min(many.len());
    assert_eq!(one[..common], many[..common], "{}", context());
    // A search that notices earlier that the rest of the game is searched, or won, has the value that the other finds further on.
    let (last, other) = (&one[one.len() - 1], &many[many.len() - 1]);
    assert_eq!(last.2[0].0, other.2[0].0, "{}", context());
    common
}

/// Checks that every search which lets players move in turn finds with several threads what it finds with one: with random settings, at
/// each depth up to this, with at most so many moves at a node. Returns how many depths were compared.
///
/// # Panics
/// If a search finds something else.
pub fn check_threads<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    game: &G,
    (depth, width): (u32, Option<usize>),
    evaluator: &E,
    order: &O,
    rng: &mut Rng,
) -> usize {
    let (parts, threads, dice) = (random_parts(width, rng), rng.pick(&THREADS), Dice::new(rng.bits()));
    let score = rng.pick(&[ScoreForm::Own, ScoreForm::Difference]);
    let all = [parts, Parts { threads, ..parts }];
    let mut common = 0;

    let mut pair = all.map(|parts| {
        let mut agent = Paranoid::new(evaluator.clone(), order.clone());
        (agent.settings.parts, agent.settings.score, agent.dice) = (parts, score, dice);
        agent
    });
    let [one, many] = &mut pair;
    common += compare(game, depth, false, [one, many], &|| format!("paranoid {threads} {parts:?} {score:?}"));

    let special = rng.pick(&[Special::Against, Special::Own]);
    let (top, seed) = (1 + rng.below(3), rng.bits());
    let mut pair = all.map(|parts| {
        let mut agent = BrsPlus::new(evaluator.clone(), order.clone());
        (agent.settings.parts, agent.settings.score, agent.dice) = (parts, score, dice);
        (agent.settings.special, agent.settings.top, agent.seed) = (special, top, seed);
        agent
    });
    let [one, many] = &mut pair;
    common += compare(game, depth, false, [one, many], &|| format!("brs+ {threads} {parts:?} {score:?} {special:?}"));

    let (opponents, best, others) = (rng.below(4), rng.pick(&[None, Some(3), Some(8)]), 1 + rng.below(3));
    // It has no width of its own, and few moves are enough.
    let (depth_here, best) = if width.is_none() { (depth, best) } else { (depth.min(3), best.or(width)) };
    let mut pair = all.map(|parts| {
        let mut agent = Opps::new(evaluator.clone(), order.clone());
        (agent.settings.parts, agent.settings.score, agent.dice) = (Parts { width: None, ..parts }, score, dice);
        (agent.settings.opponents, agent.settings.best, agent.settings.others) = (opponents, best, others);
        if others == 1 && best.is_none() {
            (agent.settings.top, agent.seed) = (top, seed);
        }
        agent
    });
    let [one, many] = &mut pair;
    let context = || format!("opps {threads} {parts:?} {score:?} {opponents} {best:?} {others} {top}");
    common += compare(game, depth_here, false, [one, many], &context);

    let (score, mu) = (rng.pick(&[ScoreForm::Own, ScoreForm::Difference, ScoreForm::Relative]), rng.below(2) as Score);
    let prunings = [Pruning::None, Pruning::Shallow, Pruning::Bound, Pruning::LastBranch, Pruning::Speculative];
    for (pruning, ties) in
        prunings.map(|pruning| (pruning, Ties::Left)).into_iter().chain([(Pruning::None, Ties::Cautious)])
    {
        let mut pair = all.map(|parts| {
            let mut agent = Maxn::new(evaluator.clone(), order.clone());
            let parts = Parts { killers: false, history: false, ..parts };
            agent.settings = MaxnSettings { pruning, ties, score, mu, parts, ..MaxnSettings::default() };
            agent.dice = dice;
            agent
        });
        let [one, many] = &mut pair;
        let context = || format!("maxn {threads} {pruning:?} {ties:?} {parts:?} {score:?} {mu}");
        common += compare(game, depth, true, [one, many], &context);
    }

    let (ties, score) = (
        rng.pick(&[Ties::Average, Ties::Left, Ties::Cautious]),
        rng.pick(&[ScoreForm::Own, ScoreForm::Difference, ScoreForm::Relative, ScoreForm::Share]),
    );
    let ties = if score == ScoreForm::Share { ties } else { Ties::Average };
    let mut pair = all.map(|parts| {
        let mut agent = Maxn::new(evaluator.clone(), order.clone());
        let parts = Parts { killers: false, history: false, ..parts };
        agent.settings = MaxnSettings { ties, score, parts, ..MaxnSettings::default() };
        agent.dice = dice;
        agent
    });
    let [one, many] = &mut pair;
    common += compare(game, depth, true, [one, many], &|| format!("maxn {threads} {ties:?} {parts:?} {score:?}"));
    common
}

/// The same of the searches that let players move out of turn.
///
/// # Panics
/// If a search finds something else.
pub fn check_threads_out_of_turn<G: OutOfTurn, E: Evaluator<G>, O: MoveOrder<G>>(
    game: &G,
    (depth, width): (u32, Option<usize>),
    evaluator: &E,
    order: &O,
    rng: &mut Rng,
) -> usize {
    let (parts, threads, dice) = (random_parts(width, rng), rng.pick(&THREADS), Dice::new(rng.bits()));
    let score = rng.pick(&[ScoreForm::Own, ScoreForm::Difference]);
    let all = [parts, Parts { threads, ..parts }];
    let mut pair = all.map(|parts| {
        let mut agent = Brs::new(evaluator.clone(), order.clone());
        (agent.settings.parts, agent.settings.score, agent.dice) = (parts, score, dice);
        agent
    });
    let [one, many] = &mut pair;
    let common = compare(game, depth, false, [one, many], &|| format!("brs {threads} {parts:?} {score:?}"));
    let mut pair = all.map(|parts| {
        let mut agent = GeneralizedBrs::new(evaluator.clone(), order.clone());
        (agent.settings.parts, agent.settings.score, agent.dice) = (parts, score, dice);
        agent
    });
    let [one, many] = &mut pair;
    common + compare(game, depth + 1, false, [one, many], &|| format!("passes {threads} {parts:?} {score:?}"))
}
