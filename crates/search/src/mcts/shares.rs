//! Shares of the win as whole numbers, whose sums are exact and do not depend on the order of additions.

use crate::{ByPlayer, MAX_PLAYERS};

/// Units in one share: divisible by up to six winners, and sixteen times as fine as that takes, for chances. By a power of two, so that
/// rates of plain payoffs are the same to the last bit in any such unit.
pub(super) const UNIT: u32 = 60 << FINER;

/// The power.
pub(super) const FINER: u32 = 4;

/// Every player's share of one game, in units.
pub(super) type Shares = [u32; MAX_PLAYERS];

/// Shares in units, which sum to exactly one share.
pub(super) fn units(payoff: &ByPlayer<f32>) -> Shares {
    let mut shares = [0; MAX_PLAYERS];
    for (share, &part) in shares.iter_mut().zip(payoff.as_slice()) {
        *share = (part.clamp(0.0, 1.0) * UNIT as f32 + 0.5) as u32;
    }
    // The largest share absorbs what rounding has added or removed.
    let sum: u32 = shares.iter().sum();
    if sum != UNIT
        && let Some(most) = shares.iter_mut().max()
    {
        *most = (*most + UNIT).saturating_sub(sum);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_in_units_sum_to_one() {
        for shares in [
            &[1.0, 0.0][..],
            &[0.5, 0.5],
            &[1.0 / 3.0; 3],
            &[0.25; 4],
            &[0.2; 5],
            &[1.0 / 6.0; 6],
            &[0.71, 0.29],
            &[0.1234, 0.5, 0.3766],
        ] {
            let units = units(&ByPlayer::from_slice(shares));
            assert_eq!(units.iter().sum::<u32>(), UNIT, "{units:?}");
            for (unit, share) in units.iter().zip(shares) {
                assert!((f64::from(*unit) / f64::from(UNIT) - f64::from(*share)).abs() < 0.001, "{units:?}");
            }
        }
    }
}
