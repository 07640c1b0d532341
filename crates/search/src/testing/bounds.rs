//! Whether an evaluator stays within its bounds.

use crate::{Evaluator, Game, Player, Rng, mix};

/// Plays `games` random games and checks that the scores of every position are within the bounds of that position and
/// of all before it. Pruning relies on that.
///
/// ```
/// use nply::{Tree, testing::check_bounds, tree::LeafScores};
/// let tree: Tree = "(1 5,4,1 (2 4,6,0 0,5,5))".parse().unwrap();
/// check_bounds(&tree, &LeafScores, 10);
/// ```
///
/// # Panics
/// If they are not.
pub fn check_bounds<G: Game>(start: &G, evaluator: &impl Evaluator<G>, games: u64) {
    for seed in 0..games {
        let (mut game, mut rng, mut scratch) = (start.clone(), Rng::new(mix(seed)), Vec::new());
        let (mut seen, mut line) = (Vec::new(), Vec::new());
        loop {
            seen.push(evaluator.bounds(&game));
            let scores = evaluator.scores(&game);
            for (ply, bounds) in seen.iter().enumerate() {
                let is_within = scores.sum() <= bounds.max_sum
                    && Player::all(scores.len()).all(|player| scores[player] >= bounds.min[player]);
                assert!(is_within, "{scores:?} after {line:?} is not within {bounds:?} of ply {ply}");
            }
            if game.payoff().is_some() {
                break;
            }
            let m = game.random_move(&mut scratch, &mut rng);
            game.play(m);
            line.push(m);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{HashedScores, Track};
    use crate::{Bounds, ByPlayer, Score};

    /// Scores whose sum is within the bounds only as long as it does not exceed this.
    #[derive(Clone)]
    struct Short(u8);

    impl Evaluator<Track> for Short {
        fn bounds(&self, game: &Track) -> Bounds {
            Bounds { min: ByPlayer::splat(game.player_count(), 0), max_sum: self.0.into() }
        }

        fn evaluate(&self, game: &Track) -> ByPlayer<Score> {
            ByPlayer::from_fn(game.player_count(), |player| game.field(player).into())
        }
    }

    #[test]
    fn bounds_that_hold_pass() {
        check_bounds(&Track::new(4, 3), &HashedScores { most: 3, seed: 1 }, 50);
        check_bounds(&Track::new(2, 3), &Short(40), 50);
    }

    #[test]
    #[should_panic(expected = "is not within")]
    fn bounds_that_do_not_hold_are_found() {
        check_bounds(&Track::new(2, 3), &Short(30), 50);
    }
}
