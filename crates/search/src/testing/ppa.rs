//! Plain playout policy adaptation, for comparison with the tables of the fast one.

use std::collections::HashMap;
use std::hash::Hash;

use crate::Player;

/// A choice of a playout: the player, the legal moves, and the place of the one that was played.
pub type PlainChoice<M> = (Player, Vec<M>, usize);

/// The weight of each player and move; 0 unless something has been learned.
///
/// Player 1 has two moves, and the first wins twice, with α = 1. The weights are then ±0.5 and ±(0.5 + 0.269):
///
/// ```
/// use nply::{Player, testing::PlainWeights};
/// let mut weights = PlainWeights::default();
/// let player = Player::new(0);
/// let mut first = || {
///     let probability = weights.probabilities(player, &['a', 'b'])[0];
///     weights.learn(&[(player, vec!['a', 'b'], 0)], &[1.0, 0.0], 1.0);
///     (probability * 1000.0).round()
/// };
/// assert_eq!([first(), first(), first()], [500.0, 731.0, 823.0]);
/// ```
#[derive(Clone, Debug)]
pub struct PlainWeights<M> {
    weights: HashMap<(Player, M), f64>,
}

impl<M> Default for PlainWeights<M> {
    fn default() -> PlainWeights<M> {
        PlainWeights { weights: HashMap::new() }
    }
}

impl<M: Copy + Eq + Hash> PlainWeights<M> {
    /// How likely each of some legal moves is.
    pub fn probabilities(&self, player: Player, moves: &[M]) -> Vec<f64> {
        let power = |&m: &M| self.weights.get(&(player, m)).map_or(1.0, |weight| weight.exp());
        let sum: f64 = moves.iter().map(power).sum();
        moves.iter().map(|m| power(m) / sum).collect()
    }

    /// Learns from the choices of a playout, and what it gave each player, at a rate α.
    pub fn learn(&mut self, choices: &[PlainChoice<M>], gains: &[f64], rate: f64) {
        // The playout was played with the weights as they were.
        let before = self.clone();
        for (player, moves, chosen) in choices {
            let step = rate * gains[player.index()];
            for (&m, probability) in moves.iter().zip(before.probabilities(*player, moves)) {
                *self.weights.entry((*player, m)).or_default() -= step * probability;
            }
            *self.weights.entry((*player, moves[*chosen])).or_default() += step;
        }
    }
}
