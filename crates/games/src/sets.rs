//! Sets of up to 64 items, a bit for each.

use nply::Rng;

/// A random item of a non-empty set, all equally likely: what [`Rng::below`] draws is its place among them.
///
/// The number of bits and the position of the one drawn are found in all eight bytes at once, without a branch, which a processor could not predict.
#[inline]
pub(crate) fn pick(set: u64, rng: &mut Rng) -> u32 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let pairs = set - (set >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // Byte i: the number of bits in bytes 0 to i, at most 64.
    let sums = bytes.wrapping_mul(LOW);
    let rank = rng.below((sums >> 56) as usize) as u64;
    // The top bit of a byte is cleared if its sum is above the rank: first in the byte wanted, at the latest in the last.
    let above = !(((rank * LOW) | HIGH) - sums) & HIGH;
    let shift = (above | 1 << 63).trailing_zeros() & 56;
    let rank = rank - ((sums << 8) >> shift & 0xff);
    let byte = set >> shift & 0xff;
    shift + u32::from(SELECT[byte as usize][rank as usize & 7])
}

/// For each byte the positions of its bits, lowest first.
static SELECT: [[u8; 8]; 256] = select();

const fn select() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut rank) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][rank] = bit as u8;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_an_item_is_what_is_drawn() {
        let (mut rng, mut draws) = (Rng::new(9), Rng::new(9));
        for number in 1..20_000u64 {
            let set = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (number % 60) | 1;
            let mut rest = set;
            (0..draws.below(set.count_ones() as usize)).for_each(|_| rest &= rest - 1);
            assert_eq!(pick(set, &mut rng), rest.trailing_zeros(), "{set:x}");
        }
    }

    #[test]
    fn every_item_of_a_set_is_picked_equally_often() {
        let mut rng = Rng::new(3);
        for set in [1, 1 << 63, 0x8000_0000_0000_0001, 0xff, 0xff00_0000_0000_00ff, 0x0010_2400_8101_0244, u64::MAX] {
            let mut counts = [0u32; 64];
            let draws = 2000 * set.count_ones();
            for _ in 0..draws {
                counts[pick(set, &mut rng) as usize] += 1;
            }
            for (index, &count) in counts.iter().enumerate() {
                let expected = if set >> index & 1 == 1 { 2000 } else { 0 };
                // Six standard deviations.
                assert!(count.abs_diff(expected) <= 270 * u32::from(expected > 0), "{set:x}: {counts:?}");
            }
        }
    }

    #[test]
    fn random_sets_are_picked_from_correctly() {
        let mut rng = Rng::new(4);
        for _ in 0..100_000 {
            let set = rng.bits() & rng.bits() & if rng.below(2) == 0 { rng.bits() } else { u64::MAX };
            if set != 0 {
                assert_ne!(1 << pick(set, &mut rng) & set, 0);
            }
        }
    }
}
