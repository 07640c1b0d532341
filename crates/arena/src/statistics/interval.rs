//! 95 % intervals of rates and means.

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

/// The fewest rounds whose spread says something of the spread of games.
const ROUNDS: u64 = 10;

/// A ratio of sums over games, such as points per game or nodes per move, with an interval: fed one game at a time, in the order of
/// their numbers.
///
/// The interval is not too narrow where games resemble each other: it is the widest of that of single games, that of whole
/// rounds, whose games share a seed and an opening, and that of as many games as are distinct.
///
/// ```
/// use nply_arena::statistics::Ratio;
/// let mut mean = Ratio::default();
/// for (game, value) in [4.0, 6.0, 8.0].into_iter().enumerate() {
///     mean.add(game as u64, value, 1.0);
/// }
/// let found = mean.estimate(3, false).unwrap();
/// assert_eq!(format!("{} {:.3} {:.3}", found.value, found.low, found.high), "6 1.031 10.969");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ratio {
    games: Moments,
    /// The rounds that are complete.
    rounds: Moments,
    /// The round that is not: its number, and the sums of values and weights so far.
    open: Option<(u64, f64, f64)>,
}

impl Ratio {
    /// Adds what a game of this round adds to both sums.
    pub fn add(&mut self, round: u64, value: f64, weight: f64) {
        self.games.add(value, weight);
        self.open = match self.open {
            Some((open, values, weights)) if open == round => Some((open, values + value, weights + weight)),
            before => {
                before.into_iter().for_each(|(_, values, weights)| self.rounds.add(values, weights));
                Some((round, value, weight))
            }
        };
    }

    /// Number of games that were added.
    pub fn games(&self) -> u64 {
        self.games.count
    }

    /// Sum of the values.
    pub fn sum(&self) -> f64 {
        self.games.value
    }

    /// Sum of the values over the sum of the weights, if so many of the games are distinct; `None` without any weight. A
    /// rate is between 0 and 1. The ends are infinite if a single game shows nothing of the spread.
    pub fn estimate(&self, distinct: u64, is_rate: bool) -> Option<Estimate> {
        let plain = self.games.ratio()?;
        let (count, distinct) = (plain.games, distinct.clamp(1, plain.games));
        let (mut low, mut high) = if is_rate {
            interval(plain.value, distinct)
        } else {
            let wider = (count as f64 / distinct as f64).sqrt();
            (plain.value - (plain.value - plain.low) * wider, plain.value + (plain.high - plain.value) * wider)
        };
        let mut rounds = self.rounds;
        self.open.into_iter().for_each(|(_, value, weight)| rounds.add(value, weight));
        if rounds.count >= ROUNDS {
            let rounds = rounds.ratio()?;
            (low, high) = (low.min(rounds.low), high.max(rounds.high));
        }
        if is_rate {
            (low, high) = (low.max(0.0), high.min(1.0));
        }
        Some(Estimate { low, high, ..plain })
    }
}

/// Sums of pairs of a value and a weight, and their spread around the means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Moments {
    count: u64,
    value: f64,
    weight: f64,
    /// Means of values and weights.
    means: (f64, f64),
    /// Sums of the squared distances of values, of the products with those of weights, and of the squared ones of weights.
    squares: (f64, f64, f64),
}

impl Moments {
    /// Adds a pair, by Welford's method, which loses no digits where values are large and their spread is small.
    fn add(&mut self, value: f64, weight: f64) {
        (self.count, self.value, self.weight) = (self.count + 1, self.value + value, self.weight + weight);
        let n = self.count as f64;
        let before = (value - self.means.0, weight - self.means.1);
        self.means = (self.means.0 + before.0 / n, self.means.1 + before.1 / n);
        let after = (value - self.means.0, weight - self.means.1);
        self.squares.0 += before.0 * after.0;
        self.squares.1 += before.0 * after.1;
        self.squares.2 += before.1 * after.1;
    }

    /// The sum of values over the sum of weights, with the interval of a ratio of means by linearization.
    fn ratio(&self) -> Option<Estimate> {
        if self.weight <= 0.0 {
            return None;
        }
        let (n, value) = (self.count as f64, self.value / self.weight);
        let (values, products, weights) = self.squares;
        let squares = (values - value * (2.0 * products - value * weights)).max(0.0);
        let spread = if self.count > 1 { (squares * n / (n - 1.0)).sqrt() / self.weight } else { f64::INFINITY };
        let margin = student(self.count as usize) * spread;
        Some(Estimate { value, low: value - margin, high: value + margin, games: self.count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::Rng;

    fn ratio(values: &[f64], seatings: u64) -> Ratio {
        let mut ratio = Ratio::default();
        values.iter().enumerate().for_each(|(game, &value)| ratio.add(game as u64 / seatings, value, 1.0));
        ratio
    }

    #[test]
    fn the_interval_of_a_mean_comes_from_its_spread() {
        let found = ratio(&[4.0, 6.0, 8.0], 1).estimate(3, false).unwrap();
        assert!(
            (found.high - 6.0 - 4.303 * 2.0 / 3f64.sqrt()).abs() < 1e-9 && (found.low + found.high - 12.0).abs() < 1e-9
        );
        assert!(ratio(&[5.0], 1).estimate(1, false).unwrap().high.is_infinite());
        assert_eq!(ratio(&[], 1).estimate(0, false), None);
    }

    #[test]
    fn a_ratio_is_linearized_around_its_value() {
        // By hand: 6 of 5, and residuals of 0.6, −0.6 and 0.
        let mut found = Ratio::default();
        [(3.0, 2.0), (0.0, 0.5), (3.0, 2.5)]
            .iter()
            .enumerate()
            .for_each(|(game, &(x, w))| found.add(game as u64, x, w));
        let found = found.estimate(3, false).unwrap();
        let spread = ((0.6f64 * 0.6 * 2.0) * 3.0 / 2.0).sqrt() / 5.0;
        assert!((found.value - 1.2).abs() < 1e-12 && (found.high - 1.2 - 4.303 * spread).abs() < 1e-9, "{found:?}");
        // A spread that is tiny beside the values, and none at all.
        let large: Vec<f64> = (0..1000).map(|game| 1e9 + f64::from(game % 2)).collect();
        let found = ratio(&large, 1).estimate(1000, false).unwrap();
        assert!((found.high - found.value - 1.962 * 0.50025 / 1000f64.sqrt()).abs() < 1e-5, "{found:?}");
        let same = ratio(&[0.1; 50], 1).estimate(50, false).unwrap();
        assert_eq!(same.low, same.high);
    }

    #[test]
    fn intervals_of_games_that_share_a_round_cover_as_often_as_they_promise() {
        let mut rng = Rng::new(8);
        let (mut covered, mut naive) = (0, 0);
        for _ in 0..2000 {
            // Twenty rounds of six games, half of which have a result that the whole round shares.
            let won = (0..120).scan(false, |shared, game| {
                if game % 6 == 0 {
                    *shared = rng.unit() < 0.4;
                }
                let won = if rng.unit() < 0.5 { *shared } else { rng.unit() < 0.4 };
                Some(f64::from(u8::from(won)))
            });
            let found = ratio(&won.collect::<Vec<f64>>(), 6).estimate(120, true).unwrap();
            covered += usize::from((found.low..=found.high).contains(&0.4));
            let (low, high) = interval(found.value, 120);
            naive += usize::from((low..=high).contains(&0.4));
        }
        assert!(covered > 1860 && naive < 1800, "{covered} {naive}");
    }

    #[test]
    fn games_that_repeat_others_do_not_narrow_an_interval() {
        let values: Vec<f64> = (0..60).map(|game| f64::from(game % 2)).collect();
        for is_rate in [true, false] {
            let of = |distinct| ratio(&values, 60).estimate(distinct, is_rate).unwrap();
            let (all, few) = (of(60), of(15));
            assert!(((few.high - 0.5) / (all.high - 0.5) - 2.0).abs() < 1e-9, "{all:?} {few:?}");
        }
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
