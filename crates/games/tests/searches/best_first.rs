//! Best-first search on the last plies of every game against all that max^n may choose there.

use crate::walk::{configurations, evaluations, past};
use nply::testing::plain_outcomes;
use nply::{
    Agent, BestFirstPolicy, Budget, ByPlayer, Declaration, Evaluator, Game, GameVisitor, Player, Rng, Score, ScoreForm,
    Ubfm,
};

/// The most nodes of a tree that is searched plainly.
const NODES: u64 = 1000;

/// What is compared: the number of positions, of those in which max^n has one value whatever decides ties, and of those in which it
/// matters what is played.
#[derive(Default)]
struct Endgames {
    all: usize,
    clear: usize,
    decided: usize,
}

/// Whether the moves of a position differ in what max^n may make of them for the mover.
fn is_decided<G: Game>(game: &G, eval: &impl Evaluator<G>) -> bool {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    let best = |m: &G::Move| {
        let mut child = game.clone();
        child.play(*m);
        let own = |scores: &ByPlayer<Score>, player: Player| i64::from(scores[player]);
        match child.payoff() {
            Some(payoff) => own(&eval.terminal(&child, &payoff), game.turn()),
            None => {
                let outcomes = plain_outcomes(&child, eval, &own, &mut { NODES }).expect("a small tree");
                outcomes.iter().map(|(_, scores)| own(scores, game.turn())).max().expect("an outcome")
            }
        }
    };
    moves.iter().any(|m| best(m) != best(&moves[0]))
}

impl GameVisitor for Endgames {
    fn game<D: Declaration>(&mut self) {
        // Wherever chess can end it can also go on for long: it has no small trees.
        if D::NAME == "four-player-chess" {
            return;
        }
        let (before, decided) = (self.all, self.decided);
        for (players, options) in configurations::<D>() {
            let start = D::start(players, &options, players as u64);
            let mut rng = Rng::new(players as u64);
            for (name, eval) in evaluations::<D>(&start) {
                let mut ubfm = Ubfm::new(eval.clone(), D::Order::default());
                ubfm.settings.memory = 4 << 20;
                let found = self.all;
                for seed in 0..40 {
                    if self.all >= found + 8 {
                        break;
                    }
                    // Somewhere between the end and the longest endgame that is not too large.
                    let past = past::<D>(players, &options, seed, &mut rng);
                    let last = past.iter().rev().take(1 + rng.below(16));
                    let own = |scores: &ByPlayer<Score>, player: Player| i64::from(scores[player]);
                    let small = |game| Some((game, plain_outcomes(game, &eval, &own, &mut { NODES })?));
                    let Some((game, expected)) = last.map_while(small).last() else { continue };
                    let root = game.turn();
                    (ubfm.settings.policy, ubfm.settings.threads) = (BestFirstPolicy::MaxN, 1 + rng.below(2));
                    let found = ubfm.choose(game, &Budget { nodes: Some(u64::MAX), ..Budget::default() });
                    let scores = found.scores.expect("it is searched").map(|score| score as Score);
                    let context = format!("{} {players} {name}: {}", D::NAME, nply::Notation::to_text(game));
                    assert!(expected.contains(&(found.m, scores)), "{context}: {found:?}, not {expected:?}");
                    self.all += 1;
                    self.decided += usize::from(is_decided(game, &eval));
                    self.clear += usize::from(expected.iter().all(|(_, scores)| *scores == expected[0].1));
                    // Against all others there are no ties that matter.
                    let against = |scores: &ByPlayer<Score>, player: Player| {
                        let value = ScoreForm::Difference.value(scores, root);
                        if player == root { value } else { -value }
                    };
                    let expected = plain_outcomes(game, &eval, &against, &mut { NODES }).expect("a small tree");
                    ubfm.settings.policy = BestFirstPolicy::Paranoid;
                    let found = ubfm.choose(game, &Budget { nodes: Some(u64::MAX), ..Budget::default() });
                    assert_eq!(found.value, Some(against(&expected[0].1, root) as f64), "paranoid, {context}");
                }
            }
        }
        let (all, decided) = (self.all - before, self.decided - decided);
        println!("{}: {all} endgames, {decided} of them decided by the first move", D::NAME);
        assert!(all > 5 && decided * 10 >= all, "{} has few endgames: {all}, {decided}", D::NAME);
    }
}

#[test]
fn small_endgames_of_every_game_are_resolved_as_by_maxn() {
    let mut endgames = Endgames::default();
    nply_games::games(&mut endgames);
    assert!(endgames.clear > 200, "{} of {}", endgames.clear, endgames.all);
}
