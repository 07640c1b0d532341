//! Plain means of sequences of moves, for comparison with the tables of MAST and NST.

use std::collections::HashMap;
use std::hash::Hash;

use crate::Player;

/// Plays after which sequences of two and three moves count.
const TRUSTED: f64 = 7.0;

/// What sequences of up to three moves have brought the player of the last one: how often they were played, and the sum.
///
/// ```
/// use nply::{Player, testing::PlainGrams};
/// let mut grams = PlainGrams::default();
/// let (first, second) = (Player::new(0), Player::new(1));
/// // The second player's move 1 wins after 8 and loses after 9.
/// for _ in 0..7 {
///     grams.learn(&[(first, 8), (second, 1)], &[0.0, 1.0]);
///     grams.learn(&[(first, 9), (second, 1)], &[1.0, 0.0]);
/// }
/// let value = |before, m, most| grams.value(&[(first, before)], (second, m), most);
/// assert_eq!([value(8, 1, 1), value(9, 1, 1)], [0.5, 0.5]);
/// assert_eq!([value(8, 1, 2), value(9, 1, 2)], [(0.5 + 1.0) / 2.0, (0.5 + 0.0) / 2.0]);
/// // A move that was never played counts as a win.
/// assert_eq!(value(8, 2, 2), 1.0);
/// ```
#[derive(Clone, Debug)]
pub struct PlainGrams<M> {
    records: HashMap<Vec<(Player, M)>, (f64, f64)>,
}

impl<M> Default for PlainGrams<M> {
    fn default() -> PlainGrams<M> {
        PlainGrams { records: HashMap::new() }
    }
}

impl<M: Copy + Eq + Hash> PlainGrams<M> {
    /// What a move after a line has brought its player: the average of the means of all sequences of up to so many moves that end with it.
    pub fn value(&self, line: &[(Player, M)], next: (Player, M), most: usize) -> f64 {
        let mean = |length: usize| {
            let start = line.len().checked_sub(length - 1)?;
            let gram: Vec<(Player, M)> = line[start..].iter().copied().chain([next]).collect();
            let (plays, gain) = self.records.get(&gram).filter(|found| length == 1 || found.0 >= TRUSTED)?;
            Some(gain / plays)
        };
        if mean(1).is_none() {
            return 1.0;
        }
        let means: Vec<f64> = (1..=most).filter_map(mean).collect();
        means.iter().sum::<f64>() / means.len() as f64
    }

    /// Learns from a game, and what it gave each player.
    pub fn learn(&mut self, line: &[(Player, M)], gains: &[f64]) {
        for end in 1..=line.len() {
            for length in 1..=end.min(3) {
                let (plays, gain) = self.records.entry(line[end - length..end].to_vec()).or_default();
                (*plays, *gain) = (*plays + 1.0, *gain + gains[line[end - 1].0.index()]);
            }
        }
    }
}
