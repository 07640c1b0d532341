//! Ratings as differences: by how much an agent would be above another in Elo's system if it won as often in a game for two as it
//! finishes ahead of the other.
//!
//! Reference: A. Elo, *The Rating of Chessplayers*, 1978.

use super::interval::Estimate;

/// The difference of ratings at which the stronger player makes this part of the points; infinite for none and all.
///
/// ```
/// use nply_arena::statistics::elo;
/// for (share, expected) in [(0.5, "0"), (0.64, "100"), (0.76, "200"), (0.24, "-200"), (1.0, "inf")] {
///     assert_eq!(format!("{:.0}", elo(share)), expected);
/// }
/// ```
pub fn elo(share: f64) -> f64 {
    400.0 * (share / (1.0 - share)).log10()
}

/// A share with its interval as a difference of ratings. The interval holds as often as that of the share: the one follows from
/// the other.
pub(super) fn difference(share: Estimate) -> Estimate {
    let Estimate { value, low, high, games } = share;
    Estimate { value: elo(value), low: elo(low), high: elo(high), games }
}
