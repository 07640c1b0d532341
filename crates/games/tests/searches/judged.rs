//! Evaluations that judge moves without playing them: what they judge is what they make of the positions, and searches are the same with it
//! and without, node for node.

use crate::walk::{configurations, evaluations};
use nply::testing::{Played, check_judge};
use nply::{
    Agent, Brs, BrsPlus, BrsPlusSettings, Budget, Decision, Declaration, Evaluator, Game, GameVisitor, MoveOrder,
    OrderBy, OutOfTurn, Paranoid, Parts, Rng, ScoreForm, Special,
};

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

fn parts(rng: &mut Rng) -> Parts {
    Parts {
        table: rng.pick(&[0, 1 << 12, 1 << 20]),
        killers: rng.below(2) == 0,
        history: rng.below(2) == 0,
        order: rng.pick(&[None, Some(OrderBy::Own), Some(OrderBy::Against), Some(OrderBy::AsListed)]),
        ..Parts::default()
    }
}

/// Paranoid and BRS+ with an evaluation that judges moves without playing them, and with the same that plays them: one search in every
/// respect. Positions near the end have leaves that are over.
fn compare_judged<G: Game>(game: &G, eval: &impl Evaluator<G>, order: &impl MoveOrder<G>, rng: &mut Rng) {
    let score = rng.pick(&[ScoreForm::Own, ScoreForm::Difference]);
    let parts = parts(rng);
    let budget = Budget::nodes(rng.pick(&[300, 1_000, 5_000]));
    let (mut judged, mut played) =
        (Paranoid::new(eval.clone(), order.clone()), Paranoid::new(Played(eval.clone()), order.clone()));
    (judged.settings.score, judged.settings.parts) = (score, parts);
    played.settings = judged.settings.clone();
    let found = (outcome(judged.choose(game, &budget)), judged.statistics());
    let expected = (outcome(played.choose(game, &budget)), played.statistics());
    assert_eq!(found, expected, "paranoid, {parts:?}, {score:?}, {budget:?}");

    let (mut judged, mut played) =
        (BrsPlus::new(eval.clone(), order.clone()), BrsPlus::new(Played(eval.clone()), order.clone()));
    judged.settings = BrsPlusSettings { score, parts, ..BrsPlusSettings::default() };
    (judged.settings.special, judged.settings.top) =
        (rng.pick(&[Special::Own, Special::Against]), rng.pick(&[1, 1, 3]));
    played.settings = judged.settings.clone();
    let found = (outcome(judged.choose(game, &budget)), judged.statistics());
    let expected = (outcome(played.choose(game, &budget)), played.statistics());
    assert_eq!(found, expected, "brs+, {:?}, {budget:?}", judged.settings);
}

/// The same for BRS.
fn compare_judged_out_of_turn<G: OutOfTurn>(
    game: &G,
    eval: &impl Evaluator<G>,
    order: &impl MoveOrder<G>,
    rng: &mut Rng,
) {
    let budget = Budget::nodes(rng.pick(&[300, 1_000, 5_000]));
    let (mut judged, mut played) =
        (Brs::new(eval.clone(), order.clone()), Brs::new(Played(eval.clone()), order.clone()));
    (judged.settings.score, judged.settings.parts) = (rng.pick(&[ScoreForm::Own, ScoreForm::Difference]), parts(rng));
    played.settings = judged.settings.clone();
    let found = (outcome(judged.choose(game, &budget)), judged.statistics());
    let expected = (outcome(played.choose(game, &budget)), played.statistics());
    assert_eq!(found, expected, "brs, {:?}, {budget:?}", judged.settings);
}

/// All of a decision but its time.
fn outcome<M: Copy>(decision: Decision<M>) -> (M, Vec<M>, Option<f64>, u32, u64) {
    (decision.m, decision.pv, decision.value, decision.depth, decision.nodes)
}

/// Calls `check` with a start, an evaluation and the usual ordering: all of them, for every number of players and all options.
fn each<D: Declaration>(mut check: impl FnMut(&D::Game, &D::Eval, &D::Order, &mut Rng)) {
    for (players, options) in configurations::<D>() {
        let start = D::start(players, &options, 5);
        for (_, eval) in evaluations::<D>(&start) {
            check(&start, &eval, &D::Order::default(), &mut Rng::new(players as u64));
        }
    }
}

/// The games with an evaluation that judges moves.
struct Judged(Vec<&'static str>);

impl GameVisitor for Judged {
    fn game<D: Declaration>(&mut self) {
        each::<D>(|start, eval, order, rng| {
            if check_judge(start, eval, 2) > 0 && !self.0.contains(&D::NAME) {
                self.0.push(D::NAME);
            }
            for _ in 0..5 {
                compare_judged(&position(start, 200, rng), eval, order, rng);
            }
        });
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        self.game::<D>();
        each::<D>(|start, eval, order, rng| {
            for _ in 0..5 {
                compare_judged_out_of_turn(&position(start, 200, rng), eval, order, rng);
            }
        });
    }
}

#[test]
fn leaves_that_are_judged_without_being_played_change_nothing_about_a_search() {
    let mut judged = Judged(Vec::new());
    nply_games::games(&mut judged);
    assert_eq!(judged.0, ["chinese-checkers", "focus", "rolit", "othello"]);
}
