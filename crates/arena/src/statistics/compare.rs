//! Comparisons: how unlikely a difference is by chance, and what remains of that when several are looked at.

/// The probability that a standard normal value is at least this far from 0, on either side.
///
/// ```
/// use nply_arena::statistics::two_sided;
/// for (z, expected) in [(0.0, "1.0000"), (1.0, "0.3173"), (1.96, "0.0500"), (2.5758, "0.0100"), (-3.2905, "0.0010")] {
///     assert_eq!(format!("{:.4}", two_sided(z)), expected);
/// }
/// ```
pub fn two_sided(z: f64) -> f64 {
    if z.is_nan() {
        return 1.0;
    }
    // The complementary error function by Abramowitz and Stegun, 7.1.26.
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let sum =
        t * (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    (sum * (-x * x).exp()).clamp(0.0, 1.0)
}

/// Probabilities of several comparisons, corrected by Holm's procedure: the chance of a single false one among all stays what
/// it would be for one.
///
/// ```
/// use nply_arena::statistics::holm;
/// // The example of R's `p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")`.
/// let corrected: Vec<String> = holm(&[0.01, 0.04, 0.03, 0.005]).iter().map(|p| format!("{p:.3}")).collect();
/// assert_eq!(corrected, ["0.030", "0.060", "0.060", "0.020"]);
/// ```
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
    let (mut corrected, mut least) = (vec![1.0; probabilities.len()], 0.0f64);
    for (rank, &index) in order.iter().enumerate() {
        least = least.max(probabilities[index] * (probabilities.len() - rank) as f64).min(1.0);
        corrected[index] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::Rng;

    #[test]
    fn a_false_difference_among_several_is_as_rare_as_promised() {
        let mut rng = Rng::new(5);
        // A sum of twelve uniform values is as good as normal here.
        let mut normal = || (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
        let (mut plain, mut corrected) = (0, 0);
        for _ in 0..4000 {
            let all: Vec<f64> = (0..10).map(|_| two_sided(normal())).collect();
            plain += usize::from(all.iter().any(|&p| p < 0.05));
            corrected += usize::from(holm(&all).iter().any(|&p| p < 0.05));
        }
        assert!(plain > 1400 && (120..=260).contains(&corrected), "{plain} {corrected}");
    }
}
