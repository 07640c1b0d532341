//! The evaluations.

use std::sync::Arc;

use nply::{Bounds, ByPlayer, Evaluator, Player, Score};

use super::discs::{Discs, Move, corners, flipping, flips};
use super::patterns::{Patterns, Side, others};

/// The score of one disc.
const DISC: Score = 1000;

/// The evaluations of Rolit and Othello, in thousandths of a disc. Those other than [`Eval::Discs`] are for 8 by 8 fields.
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
        Eval::Patterns(Patterns::shipped())
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
    10 * count(own & corners(u64::MAX)) + count(flipping(own, occupied & !own))
}

/// Whether all discs on the board belong to the two players of a game: then the scores of patterns are opposite.
#[inline]
fn is_duel<G: Discs>(game: &G) -> bool {
    game.player_count() == 2 && game.discs(Player::new(0)) | game.discs(Player::new(1)) == game.occupied()
}

impl<G: Discs> Evaluator<G> for Eval {
    /// Discs: a corner is never lost, and there is a disc at most on every field. Patterns: nobody is more than 64 discs ahead or behind; two
    /// players' scores sum to 0 where all discs are theirs; averages guarantee nothing more.
    fn bounds(&self, game: &G) -> Bounds {
        let players = game.player_count();
        match self {
            Eval::Patterns(_) => {
                let max_sum = if is_duel(game) { 0 } else { players as Score * 64 * DISC };
                Bounds { min: ByPlayer::splat(players, -64 * DISC), max_sum }
            }
            Eval::Discs => {
                let corners = corners(game.board());
                let min = ByPlayer::from_fn(players, |player| count(game.discs(player) & corners));
                Bounds { min, max_sum: count(game.board()) }
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

    /// Only patterns: those of the board are found once, and each move changes them by the discs that it puts and flips.
    #[inline]
    fn judge(&self, game: &G, weights: &ByPlayer<i64>, moves: &[Move], mut each: impl FnMut(Option<i64>)) -> bool {
        let Eval::Patterns(patterns) = self else { return false };
        let (mover, occupied) = (game.turn(), game.occupied());
        let own = game.discs(mover);
        // The last disc ends the game, and so may a pass.
        let ends = |m: Move| m == Move::PASS || (occupied | m.bit()) == game.board();
        let duel = is_duel(game).then(|| weights[mover] - weights[mover.next(2)]);
        if let &[m] = moves {
            let flipped = flips(m, own, occupied & !own);
            let score = patterns.scorer(occupied | m.bit());
            let score_of = |player: Player| {
                let discs = game.discs(player);
                i64::from(score(if player == mover { discs | flipped | m.bit() } else { discs & !flipped }))
            };
            let value = || match duel {
                Some(weight) => weight * score_of(mover),
                None => Player::all(weights.len()).map(|player| weights[player] * score_of(player)).sum(),
            };
            each((!ends(m)).then(value));
            return true;
        }
        if moves.is_empty() {
            return true;
        }
        let (others, score) = (others(occupied), patterns.scorer_after(occupied));
        let mut sides = [const { None }; 4];
        for player in Player::all(weights.len()).filter(|&player| duel.is_none() || player == mover) {
            let weight = duel.unwrap_or(weights[player]);
            sides[player.index()] = Some((weight, player == mover, Side::new(game.discs(player), &others)));
        }
        for &m in moves {
            if ends(m) {
                each(None);
                continue;
            }
            let flipped = flips(m, own, occupied & !own);
            let value = |(weight, is_mover, side): &(i64, bool, Side)| {
                weight * i64::from(score(side, m.index(), flipped, *is_mover))
            };
            each(Some(sides.iter().flatten().map(value).sum()));
        }
        true
    }

    fn terminal(&self, game: &G, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        ByPlayer::from_fn(game.player_count(), |player| match self {
            Eval::Patterns(_) => 2 * count(game.discs(player)) - count(game.occupied()),
            Eval::Discs => count(game.discs(player)),
            Eval::Mobility => (payoff[player] * (payoff.len() as Score * 100 * DISC) as f32) as Score,
        })
    }
}
