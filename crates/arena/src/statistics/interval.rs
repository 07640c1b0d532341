//! 95 % intervals of rates and means.

use std::collections::BTreeMap;

/// The normal distribution's quantile for 95 % intervals.
const Z: f64 = 1.96;

/// A measured value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The lower end; infinite if a single game shows nothing of the spread.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Number of games it is based on.
    pub games: u64,
}

/// Half the width of the 95 % interval of a rate over so many games, by the normal approximation.
///
/// Table 1 of the Playout Search paper, for 1,500 games:
///
/// ```
/// use nply_arena::statistics::margin;
/// for (rate, expected) in [(0.5, "2.5"), (0.4, "2.5"), (0.3, "2.3"), (0.2, "2.0")] {
///     assert_eq!(format!("{:.1}", 100.0 * margin(rate, 1500)), expected);
/// }
/// ```
pub fn margin(rate: f64, games: u64) -> f64 {
    let rate = rate.clamp(0.0, 1.0);
    if games == 0 { 1.0 } else { Z * (rate * (1.0 - rate) / games as f64).sqrt() }
}

/// Student's quantile for the 95 % interval of a mean of `n` values; infinite for one value.
///
/// ```
/// use nply_arena::statistics::student;
/// for (n, expected) in [(2, "12.706"), (4, "3.182"), (6, "2.571"), (10, "2.262"), (11, "2.228"), (31, "2.042"), (1001, "1.962")] {
///     assert_eq!(format!("{:.3}", student(n)), expected);
/// }
/// ```
pub fn student(n: usize) -> f64 {
    const FEW: [f64; 10] = [f64::INFINITY, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];
    let degrees = n.saturating_sub(1);
    // The expansion of Cornish and Fisher about the normal quantile.
    let part = 1.0 / degrees.max(1) as f64;
    FEW.get(degrees).copied().unwrap_or(Z + part * (2.372 + part * (2.823 + part * 2.556)))
}

/// A 95 % interval of a rate over so many games: the papers' normal approximation or, with fewer than five points won or lost,
/// Wilson's interval.
///
/// ```
/// use nply_arena::statistics::interval;
/// let (low, high) = interval(0.5, 1500);
/// assert_eq!(format!("{low:.3} {high:.3}"), "0.475 0.525");
/// let (low, high) = interval(1.0, 30);
/// assert_eq!(format!("{low:.3} {high:.3}"), "0.886 1.000");
/// ```
pub fn interval(rate: f64, games: u64) -> (f64, f64) {
    let n = games as f64;
    if n * rate.min(1.0 - rate) >= 5.0 { normal_interval(rate, games) } else { wilson_interval(rate, games) }
}

/// The 95 % interval of a rate by the normal approximation, as in the papers.
pub fn normal_interval(rate: f64, games: u64) -> (f64, f64) {
    let margin = margin(rate, games);
    ((rate - margin).max(0.0), (rate + margin).min(1.0))
}

/// Wilson's 95 % interval of a rate, which also holds for few games and for rates near 0 and 1.
///
/// ```
/// let (low, high) = nply_arena::statistics::wilson_interval(0.5, 10);
/// assert_eq!(format!("{low:.3} {high:.3}"), "0.237 0.763");
/// ```
pub fn wilson_interval(rate: f64, games: u64) -> (f64, f64) {
    let (rate, n) = (rate.clamp(0.0, 1.0), games as f64);
    if games == 0 {
        return (0.0, 1.0);
    }
    let middle = (rate + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).max(0.0).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// The 95 % interval of the mean of these values; `None` for fewer than two, which show nothing of the spread.
///
/// ```
/// let (low, high) = nply_arena::statistics::mean_interval(&[4.0, 6.0, 8.0]).unwrap();
/// assert_eq!(format!("{low:.3} {high:.3}"), "1.031 10.969");
/// assert_eq!(nply_arena::statistics::mean_interval(&[5.0]), None);
/// ```
pub fn mean_interval(values: &[f64]) -> Option<(f64, f64)> {
    let parts: Vec<(f64, f64)> = values.iter().map(|&value| (value, 1.0)).collect();
    ratio(&parts).filter(|_| values.len() > 1).map(|mean| (mean.low, mean.high))
}

/// The fewest rounds whose spread says something of the spread of games.
const ROUNDS: usize = 10;

/// What one game adds to a sum, and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    /// The game's number.
    pub(crate) game: u64,
    pub(crate) value: f64,
    pub(crate) weight: f64,
}

/// The ratio of sums with an interval that is not too narrow where games resemble each other: the widest of that of single
/// games, that of whole rounds, whose games share a seed, and that of as many games as are distinct.
pub(crate) fn careful(parts: &[Part], seatings: u64, distinct: u64, is_rate: bool) -> Option<Estimate> {
    let pairs: Vec<(f64, f64)> = parts.iter().map(|part| (part.value, part.weight)).collect();
    let plain = ratio(&pairs)?;
    let (count, wider) = (plain.games, (plain.games as f64 / distinct.clamp(1, plain.games) as f64).sqrt());
    let (mut low, mut high) = if is_rate {
        interval(plain.value, count.min(distinct.max(1)))
    } else {
        (plain.value - (plain.value - plain.low) * wider, plain.value + (plain.high - plain.value) * wider)
    };
    let mut rounds: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for part in parts {
        let round = rounds.entry(part.game / seatings.max(1)).or_default();
        (round.0, round.1) = (round.0 + part.value, round.1 + part.weight);
    }
    if rounds.len() >= ROUNDS {
        let rounds = ratio(&rounds.into_values().collect::<Vec<(f64, f64)>>())?;
        (low, high) = (low.min(rounds.low), high.max(rounds.high));
    }
    if is_rate {
        (low, high) = (low.max(0.0), high.min(1.0));
    }
    Some(Estimate { low, high, ..plain })
}

/// The sum of values over the sum of weights, a pair for each game, with the interval of a ratio of means by linearization.
pub(crate) fn ratio(parts: &[(f64, f64)]) -> Option<Estimate> {
    let (n, weight) = (parts.len() as f64, parts.iter().map(|part| part.1).sum::<f64>());
    if weight <= 0.0 {
        return None;
    }
    let value = parts.iter().map(|part| part.0).sum::<f64>() / weight;
    let squares: f64 = parts.iter().map(|(x, w)| (x - value * w).powi(2)).sum();
    let spread = if n > 1.0 { (squares * n / (n - 1.0)).sqrt() / weight } else { f64::INFINITY };
    let margin = student(parts.len()) * spread;
    Some(Estimate { value, low: value - margin, high: value + margin, games: parts.len() as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::Rng;

    #[test]
    fn the_interval_of_a_mean_comes_from_its_spread() {
        let (low, high) = mean_interval(&[4.0, 6.0, 8.0]).unwrap();
        assert!((high - 6.0 - 4.303 * 2.0 / 3f64.sqrt()).abs() < 1e-9 && (low + high - 12.0).abs() < 1e-9);
        assert_eq!((mean_interval(&[5.0]), mean_interval(&[])), (None, None));
    }

    #[test]
    fn intervals_of_games_that_share_a_round_cover_as_often_as_they_promise() {
        let mut rng = Rng::new(8);
        let (mut covered, mut naive) = (0, 0);
        for _ in 0..2000 {
            // Twenty rounds of six games, half of which have a result that the whole round shares.
            let parts: Vec<Part> = (0..120)
                .scan(false, |shared, game| {
                    if game % 6 == 0 {
                        *shared = rng.unit() < 0.4;
                    }
                    let won = if rng.unit() < 0.5 { *shared } else { rng.unit() < 0.4 };
                    Some(Part { game, value: f64::from(u8::from(won)), weight: 1.0 })
                })
                .collect();
            let found = careful(&parts, 6, 120, true).unwrap();
            covered += usize::from((found.low..=found.high).contains(&0.4));
            let (low, high) = interval(found.value, 120);
            naive += usize::from((low..=high).contains(&0.4));
        }
        assert!(covered > 1850 && naive < 1800, "{covered} {naive}");
    }

    #[test]
    fn games_that_repeat_others_do_not_narrow_an_interval() {
        let parts: Vec<Part> = (0..60).map(|game| Part { game, value: (game % 2) as f64, weight: 1.0 }).collect();
        let (all, few) = (careful(&parts, 60, 60, true).unwrap(), careful(&parts, 60, 15, true).unwrap());
        assert!(((few.high - 0.5) / (all.high - 0.5) - 2.0).abs() < 1e-9, "{all:?} {few:?}");
        let (all, few) = (careful(&parts, 60, 60, false).unwrap(), careful(&parts, 60, 15, false).unwrap());
        assert!(((few.high - 0.5) / (all.high - 0.5) - 2.0).abs() < 1e-9, "{all:?} {few:?}");
    }

    #[test]
    fn intervals_cover_as_often_as_they_promise() {
        let mut rng = Rng::new(3);
        for (rate, games) in [(0.5, 120), (0.25, 360), (0.8, 360), (0.97, 120), (0.02, 240)] {
            let covered = (0..4000).filter(|_| {
                let won = (0..games).filter(|_| rng.unit() < rate).count();
                let (low, high) = interval(won as f64 / games as f64, games);
                (low..=high).contains(&rate)
            });
            let part = covered.count() as f64 / 4000.0;
            // Few points lost make for few possible intervals, which then cover more than they promise.
            let most = if games as f64 * f64::min(rate, 1.0 - rate) < 10.0 { 1.0 } else { 0.97 };
            assert!((0.93..=most).contains(&part), "{rate} over {games} games: {part}");
        }
    }
}
