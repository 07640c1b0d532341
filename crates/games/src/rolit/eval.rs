//! The evaluations.

use std::sync::Arc;

use nply::{Bounds, ByPlayer, Evaluator, Player, Score};

use super::discs::{Discs, flipping};
use super::patterns::{Method, Patterns};

/// The score of one disc.
const DISC: Score = 1000;

/// The corner fields, where a disc is never flipped.
const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The evaluations of Rolit and Othello, in thousandths of a disc.
#[derive(Clone, Debug)]
pub enum Eval {
    /// The final difference, the player's discs less all others, that the patterns on the board led to in recorded games. A
    /// finished game has the difference it ended with.
    Patterns(Arc<Patterns>),
    /// The player's discs.
    Discs,
    /// Ten discs for each corner held and one for each flipping move: a simple reference. A win has all that the bounds
    /// allow.
    Mobility,
}

/// The averages of patterns that come with this crate.
impl Default for Eval {
    fn default() -> Eval {
        Eval::Patterns(Patterns::shipped(Method::Averages))
    }
}

/// The number of discs in a set, as a score.
#[inline]
fn count(discs: u64) -> Score {
    discs.count_ones() as Score * DISC
}

/// Corners and flipping moves, as a score.
#[inline]
fn mobility(own: u64, occupied: u64) -> Score {
    10 * count(own & CORNERS) + count(flipping(own, occupied & !own))
}

/// Whether all discs on the board belong to the two players of a game: then the scores of patterns are opposite.
#[inline]
fn is_duel<G: Discs>(game: &G) -> bool {
    game.player_count() == 2 && game.discs(Player::new(0)) | game.discs(Player::new(1)) == game.occupied()
}

impl<G: Discs> Evaluator<G> for Eval {
    /// Discs: a corner is never lost, and the board has 64 fields. Patterns: nobody is more than 64 discs ahead or behind; two
    /// players' scores sum to 0 where all discs are theirs; averages guarantee nothing more.
    fn bounds(&self, game: &G) -> Bounds {
        let players = game.player_count();
        match self {
            Eval::Patterns(_) => {
                let max_sum = if is_duel(game) { 0 } else { players as Score * 64 * DISC };
                Bounds { min: ByPlayer::splat(players, -64 * DISC), max_sum }
            }
            Eval::Discs => {
                let min = ByPlayer::from_fn(players, |player| count(game.discs(player) & CORNERS));
                Bounds { min, max_sum: 64 * DISC }
            }
            // Forty for the corners, and no position has more than sixty moves.
            Eval::Mobility => Bounds { min: ByPlayer::splat(players, 0), max_sum: players as Score * 100 * DISC },
        }
    }

    #[inline]
    fn evaluate(&self, game: &G) -> ByPlayer<Score> {
        let players = game.player_count();
        match self {
            Eval::Patterns(patterns) if is_duel(game) => {
                let score = patterns.score(game.discs(Player::new(0)), game.occupied());
                ByPlayer::from_slice(&[score, -score])
            }
            Eval::Patterns(patterns) => {
                let score = patterns.scorer(game.occupied());
                ByPlayer::from_fn(players, |player| score(game.discs(player)))
            }
            _ => ByPlayer::from_fn(players, |player| self.evaluate_for(game, player)),
        }
    }

    #[inline]
    fn evaluate_for(&self, game: &G, player: Player) -> Score {
        match self {
            Eval::Patterns(patterns) => patterns.score(game.discs(player), game.occupied()),
            Eval::Discs => count(game.discs(player)),
            Eval::Mobility => mobility(game.discs(player), game.occupied()),
        }
    }

    fn terminal(&self, game: &G, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        ByPlayer::from_fn(game.player_count(), |player| match self {
            Eval::Patterns(_) => 2 * count(game.discs(player)) - count(game.occupied()),
            Eval::Discs => count(game.discs(player)),
            Eval::Mobility => (payoff[player] * (payoff.len() as Score * 100 * DISC) as f32) as Score,
        })
    }
}
