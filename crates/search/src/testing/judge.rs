//! Evaluations that judge moves without playing them, and the same without that.

use crate::{Bounds, ByPlayer, Evaluator, Game, Player, Rng, Score, ScoreForm, mix};

/// An evaluator that [judges](Evaluator::judge) no move: a search has to play them all. All else is the inner one's.
///
/// Nodes, values and moves of a search do not depend on it.
#[derive(Clone, Debug)]
pub struct Played<E>(pub E);

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Played<E> {
    fn begin(&mut self, ply: u32) {
        self.0.begin(ply);
    }

    fn bounds(&self, game: &G) -> Bounds {
        self.0.bounds(game)
    }

    fn evaluate(&self, game: &G) -> ByPlayer<Score> {
        self.0.evaluate(game)
    }

    fn evaluate_for(&self, game: &G, player: Player) -> Score {
        self.0.evaluate_for(game, player)
    }

    fn terminal(&self, game: &G, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        self.0.terminal(game, payoff)
    }

    fn win(&self, game: &G, player: Player) -> ByPlayer<Score> {
        self.0.win(game, player)
    }
}

/// Plays `games` random games and checks at every position that what an evaluator [judges](Evaluator::judge), all moves together
/// and each alone, is what it makes of the positions after them, and that it judges no move that ends the game or puts somebody out of it.
/// Returns how many moves were judged.
///
/// # Panics
/// If it does not hold.
pub fn check_judge<G: Game>(start: &G, evaluator: &impl Evaluator<G>, games: u64) -> u64 {
    let mut judged = 0;
    for seed in 0..games {
        let (mut game, mut rng) = (start.clone(), Rng::new(mix(seed)));
        let (mut moves, mut line) = (Vec::new(), Vec::new());
        while game.payoff().is_none() {
            moves.clear();
            game.moves(&mut moves);
            let form = rng.pick(&[ScoreForm::Own, ScoreForm::Difference, ScoreForm::Relative]);
            let player = Player::new(rng.below(game.player_count()));
            let weights = form.weights(game.player_count(), player);
            let mut values = Vec::new();
            let can = evaluator.judge(&game, &weights, &moves, |value| values.push(value));
            assert_eq!(evaluator.judge(&game, &weights, &[], |_| ()), can, "whatever the moves; after {line:?}");
            assert_eq!(values.len(), if can { moves.len() } else { 0 }, "a value for each move; after {line:?}");
            for (&m, &value) in moves.iter().zip(&values) {
                let mut alone = Vec::new();
                evaluator.judge(&game, &weights, &[m], |value| alone.push(value));
                assert_eq!(alone, [value], "{m:?} is judged alone as with others; after {line:?}");
                let Some(value) = value else { continue };
                let mut child = game.clone();
                child.play(m);
                let is_in = |game: &G| Player::all(game.player_count()).filter(|&player| game.is_in(player)).count();
                assert!(child.payoff().is_none() && is_in(&child) == is_in(&game), "{m:?} after {line:?}");
                assert_eq!(value, form.value(&evaluator.evaluate(&child), player), "{m:?} after {line:?}");
                judged += 1;
            }
            let m = rng.pick(&moves);
            line.push(m);
            game.play(m);
        }
    }
    judged
}
