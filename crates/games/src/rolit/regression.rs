//! Fitting the values of all patterns of a stage together.
//!
//! A score is linear in the values: each of the 42 places adds the value of its pattern. The values that follow from one
//! another, a pattern read from either end or with the colors exchanged, are one unknown, with its sign. The unknowns w of a
//! stage minimize Σ (x·w − d)² + λ |w|² over its positions, x counting the unknowns on the board and d being the final
//! difference; a rare pattern stays near 0 that way, where plain averages repeat the result of a single game. The normal
//! equations, about 11,000 of them, are never written down: conjugate gradients need only products with them.
//!
//! Reference: M. Buro, *Improving Heuristic Mini-Max Search by Supervised Learning*, 2002; the method here is Hestenes and
//! Stiefel's with the diagonal as preconditioner.

use super::patterns::{Family, PATTERNS, PLACES, indices, others};

/// The weight λ of the values' own size. Chosen on the games of 2004 and 2005, learning from the earlier ones; see
/// [`learn`](super::learn).
pub(super) const RIDGE: f64 = 100.0;

/// The most steps; each takes two passes over the positions.
const STEPS: usize = 200;

/// The part of the first residual at which the values do not change any more after rounding.
const ENOUGH: f64 = 1e-5;

/// A board with the final difference of its game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) own: u64,
    pub(super) occupied: u64,
    pub(super) difference: i8,
}

/// The unknown that each pattern of a stage stands for, and with which sign; 0 for a pattern that is its own opposite.
fn unknowns(families: &[Family]) -> Vec<(u16, f32)> {
    let mut unknowns = vec![(0, 0.0); PATTERNS];
    for (number, family) in families.iter().enumerate() {
        let opposites = family.opposites.into_iter().flatten().map(|opposite| (opposite, -1.0));
        for (pattern, sign) in [(family.pattern, 1.0), (family.reverse, 1.0)].into_iter().chain(opposites) {
            unknowns[pattern] = (number as u16, if family.is_zero() { 0.0 } else { sign });
        }
    }
    unknowns
}

/// What each family adds to a score, in discs, of boards with the mean difference 0 or less that mean.
pub(super) fn fit(samples: &[Sample], families: &[Family], mean: f64, ridge: f64) -> Vec<f64> {
    let unknowns = unknowns(families);
    let rows: Vec<[u16; PLACES]> = samples.iter().map(|sample| indices(sample.own, &others(sample.occupied))).collect();
    let count = families.len();
    // What the patterns add up to, as the unknowns they stand for.
    let gathered = |patterns: &[f64]| {
        let mut result = vec![0.0; count];
        for (amount, &(unknown, sign)) in patterns.iter().zip(&unknowns) {
            result[unknown as usize] += f64::from(sign) * amount;
        }
        result
    };
    // The product with the matrix of the normal equations.
    let product = |vector: &[f64]| {
        let values: Vec<f64> =
            unknowns.iter().map(|&(unknown, sign)| f64::from(sign) * vector[unknown as usize]).collect();
        let mut sums = vec![0.0; PATTERNS];
        for row in &rows {
            let score: f64 = row.iter().map(|&index| values[index as usize]).sum();
            row.iter().for_each(|&index| sums[index as usize] += score);
        }
        let mut result = gathered(&sums);
        result.iter_mut().zip(vector).for_each(|(sum, value)| *sum += ridge * value);
        result
    };
    let mut sums = vec![0.0; PATTERNS];
    let mut diagonal = vec![ridge; count];
    for (row, sample) in rows.iter().zip(samples) {
        for &index in row {
            sums[index as usize] += f64::from(sample.difference) - mean;
            diagonal[unknowns[index as usize].0 as usize] += 1.0;
        }
    }
    let mut residual = gathered(&sums);

    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let scaled = |residual: &[f64]| residual.iter().zip(&diagonal).map(|(a, b)| a / b).collect::<Vec<f64>>();
    let mut values = vec![0.0; count];
    let mut direction = scaled(&residual);
    let mut size = dot(&residual, &direction);
    let first = size;
    for _ in 0..STEPS {
        if size <= first * ENOUGH * ENOUGH {
            break;
        }
        let image = product(&direction);
        let step = size / dot(&direction, &image);
        for at in 0..count {
            values[at] += step * direction[at];
            residual[at] -= step * image[at];
        }
        let next = scaled(&residual);
        let (before, after) = (size, dot(&residual, &next));
        size = after;
        direction.iter_mut().zip(next).for_each(|(value, new)| *value = new + after / before * *value);
    }
    values
}

#[cfg(test)]
mod tests {
    use nply::{Game, Player, Rng};

    use super::*;
    use crate::rolit::patterns::families;
    use crate::rolit::{Discs, Othello, Size};

    fn samples(count: usize) -> Vec<Sample> {
        let mut rng = Rng::new(5);
        let sample = |_| {
            let mut game = Othello::new(2, Size::Eight);
            for _ in 0..12 {
                let m = game.random_move(&mut Vec::new(), &mut rng);
                game.play(m);
            }
            let own = game.discs(Player::new(0));
            Sample { own, occupied: game.occupied(), difference: (own % 127) as i8 - 63 }
        };
        (0..count).map(sample).collect()
    }

    /// The sum that the values should make least, from first principles.
    fn loss(samples: &[Sample], values: &[f64], ridge: f64) -> f64 {
        let families: Vec<Family> = families(2).collect();
        let mut all = vec![0.0; PATTERNS];
        for (family, &value) in families.iter().zip(values) {
            let value = if family.is_zero() { 0.0 } else { value };
            family.opposites.iter().flatten().for_each(|&opposite| all[opposite] = -value);
            (all[family.pattern], all[family.reverse]) = (value, value);
        }
        let errors = samples.iter().map(|sample| {
            let row = indices(sample.own, &others(sample.occupied));
            let score: f64 = row.iter().map(|&index| all[index as usize]).sum();
            (score - f64::from(sample.difference)).powi(2)
        });
        errors.sum::<f64>() + ridge * values.iter().map(|value| value * value).sum::<f64>()
    }

    #[test]
    fn no_change_of_a_value_brings_the_scores_closer_to_the_results() {
        let samples = samples(60);
        let values = fit(&samples, &families(2).collect::<Vec<_>>(), 0.0, 3.0);
        let best = loss(&samples, &values, 3.0);
        assert!(best < 0.5 * loss(&samples, &vec![0.0; values.len()], 3.0));
        let used: Vec<usize> = (0..values.len()).filter(|&at| values[at] != 0.0).collect();
        assert!(used.len() > 100);
        for &at in used.iter().step_by(17) {
            for change in [-0.01, 0.01] {
                let mut other = values.clone();
                other[at] += change;
                assert!(loss(&samples, &other, 3.0) > best, "value {at}");
            }
        }
    }
}
