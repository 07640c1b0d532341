//! The formulas of Monte-Carlo tree search, for comparison with the code that computes them as it goes.
//!
//! What games brought is a pair: their number, and the sum of the chooser's shares.

/// UCT: a rate by n visits, at a node with so many, with the weight of exploration c.
///
/// ```
/// use nply::testing::plain_uct;
/// assert_eq!(plain_uct(0.5, 1, 4.0, 0.2), 0.5);
/// assert!((plain_uct(0.5, 100, 4.0, 0.2) - 0.7146).abs() < 1e-4);
/// ```
pub fn plain_uct(rate: f64, visits: u32, n: f64, c: f64) -> f64 {
    rate + c * (f64::from(visits.max(1)).ln() / n).sqrt()
}

/// GRAVE: the value of a child by its own games and by those in which its move was made anywhere after the reference; `None` if there
/// are none.
///
/// ```
/// use nply::testing::plain_grave;
/// // One own game was won, and one of three elsewhere: 1/4 · 1 + 3/4 · 1/3.
/// assert_eq!(plain_grave((1.0, 1.0), (3.0, 1.0), 0.0), Some(0.5));
/// assert_eq!(plain_grave((0.0, 0.0), (2.0, 1.0), 0.0), Some(0.5));
/// assert_eq!(plain_grave((0.0, 0.0), (0.0, 0.0), 0.0), None);
/// ```
pub fn plain_grave(own: (f64, f64), amaf: (f64, f64), bias: f64) -> Option<f64> {
    let ((p, share), (all, sum)) = (own, amaf);
    if p + all == 0.0 {
        return None;
    }
    let beta = all / (all + p + bias * all * p);
    let rate = |games: f64, sum: f64| if games > 0.0 { sum / games } else { 0.0 };
    Some((1.0 - beta) * rate(p, share) + beta * rate(all, sum))
}

/// Opponent move abstraction: a rate by n visits, moved toward that of the same own move after the same own move.
///
/// ```
/// use nply::testing::plain_oma;
/// // β = sqrt(9/12).
/// assert!((plain_oma(1.0, 1.0, (2.0, 1.0), 9.0) - (1.0 - 0.866 / 2.0)).abs() < 1e-4);
/// assert_eq!(plain_oma(1.0, 1.0, (0.0, 0.0), 9.0), 1.0);
/// ```
pub fn plain_oma(rate: f64, n: f64, whatever: (f64, f64), k: f64) -> f64 {
    let (all, sum) = whatever;
    let beta = if all > 0.0 { (k / (k + 3.0 * n)).sqrt() } else { 0.0 };
    (1.0 - beta) * rate + beta * sum / all.max(1.0)
}

/// Priors: a child's games, with w virtual ones at v.
///
/// ```
/// assert_eq!(nply::testing::plain_prior((1.0, 1.0), 3.0, 0.5), (4.0, 2.5));
/// ```
pub fn plain_prior(own: (f64, f64), w: f64, v: f64) -> (f64, f64) {
    (own.0 + w, own.1 + w * v)
}

/// Progressive widening: how many children are open at a node with so many visits, as long as it has as many.
///
/// ```
/// let open: Vec<usize> = (0..10).map(|visits| nply::testing::plain_widening(1.0, 0.5, visits)).collect();
/// assert_eq!(open, [1, 1, 1, 2, 2, 2, 2, 2, 3, 3]);
/// ```
pub fn plain_widening(c: f64, a: f64, visits: u64) -> usize {
    // A whole number must not be missed by the rounding of the power.
    let most = (c * ((visits + 1) as f64).powf(a) + 1e-9).floor();
    most.max(1.0) as usize
}

/// The lower end of Wilson's interval of 95 % for a rate by n games: the least p from which the rate is no more than 1.96 deviations
/// away.
///
/// ```
/// use nply::testing::plain_wilson;
/// assert!((plain_wilson(0.6, 1.0) - 0.077).abs() < 1e-3);
/// assert!((plain_wilson(0.5, 4.0) - 0.150).abs() < 1e-3);
/// ```
pub fn plain_wilson(rate: f64, n: f64) -> f64 {
    const SQUARE: f64 = 1.96 * 1.96;
    // The lesser root of n (rate − p)² = 1.96² p (1 − p).
    let (a, b, c) = (n + SQUARE, -(2.0 * n * rate + SQUARE), n * rate * rate);
    (-b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a)
}
