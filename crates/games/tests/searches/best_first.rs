//! Best-first search on the last plies of every game against all that max^n may choose there.

use crate::walk::{configurations, evaluations, limited};
use nply::testing::plain_outcomes;
use nply::{
    Agent, BestFirstPolicy, Budget, ByPlayer, Declaration, Game, GameVisitor, Player, Rng, Score, ScoreForm, Ubfm,
};

/// The most nodes of a tree that is searched plainly.
const NODES: u64 = 1000;

/// The last positions of a random game, the last one first.
fn endgames<G: Game>(start: &G, rng: &mut Rng) -> Vec<G> {
    let (mut game, mut past) = (start.clone(), Vec::new());
    while game.payoff().is_none() {
        past.push(game.clone());
        let m = game.random_move(&mut Vec::new(), rng);
        game.play(m);
    }
    past.reverse();
    past.truncate(5);
    past
}

/// What is compared: the number of positions, and of those in which max^n has one value whatever decides ties.
#[derive(Default)]
struct Endgames {
    all: usize,
    clear: usize,
}

impl GameVisitor for Endgames {
    fn game<D: Declaration>(&mut self) {
        // Wherever chess can end it can also go on for long: it has no small trees.
        if D::NAME == "four-player-chess" {
            return;
        }
        let before = self.all;
        for (players, options) in configurations::<D>() {
            let start = D::start(players, &limited::<D>(&options, 40), players as u64);
            let mut rng = Rng::new(players as u64);
            for (name, eval) in evaluations::<D>(&start) {
                let mut ubfm = Ubfm::new(eval.clone(), D::Order::default());
                ubfm.settings.memory = 4 << 20;
                // Games that end early are no use: what could have followed is too much.
                let found = self.all;
                let games: Vec<D::Game> = (0..40).flat_map(|_| endgames(&start, &mut rng)).collect();
                for game in games {
                    if self.all >= found + 8 {
                        break;
                    }
                    let root = game.turn();
                    let own = |scores: &ByPlayer<Score>, player: Player| i64::from(scores[player]);
                    let Some(expected) = plain_outcomes(&game, &eval, &own, &mut { NODES }) else { continue };
                    (ubfm.settings.policy, ubfm.settings.threads) = (BestFirstPolicy::MaxN, 1 + rng.below(2));
                    let found = ubfm.choose(&game, &Budget { nodes: Some(u64::MAX), ..Budget::default() });
                    let scores = found.scores.expect("it is searched").map(|score| score as Score);
                    let context = format!("{} {players} {name}: {}", D::NAME, nply::Notation::to_text(&game));
                    assert!(expected.contains(&(found.m, scores)), "{context}: {found:?}, not {expected:?}");
                    self.all += 1;
                    self.clear += usize::from(expected.iter().all(|(_, scores)| *scores == expected[0].1));
                    // Against all others there are no ties that matter.
                    let against = |scores: &ByPlayer<Score>, player: Player| {
                        let value = ScoreForm::Difference.value(scores, root);
                        if player == root { value } else { -value }
                    };
                    let expected = plain_outcomes(&game, &eval, &against, &mut { NODES }).expect("a small tree");
                    ubfm.settings.policy = BestFirstPolicy::Paranoid;
                    let found = ubfm.choose(&game, &Budget { nodes: Some(u64::MAX), ..Budget::default() });
                    assert_eq!(found.value, Some(against(&expected[0].1, root) as f64), "paranoid, {context}");
                }
            }
        }
        assert!(self.all > before + 5, "{} has few endgames: {}", D::NAME, self.all - before);
    }
}

#[test]
fn small_endgames_of_every_game_are_resolved_as_by_maxn() {
    let mut endgames = Endgames::default();
    nply_games::games(&mut endgames);
    assert!(endgames.clear > 200, "{} of {}", endgames.clear, endgames.all);
}
