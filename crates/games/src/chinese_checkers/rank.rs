//! Numbering the placements of six pieces on the small board: the combinatorial number system.

use super::board::FIELDS;

/// The number of fields of the small board.
pub(super) const SMALL: usize = 73;

/// The number of pieces of a player on the small board.
pub(super) const PIECES: usize = 6;

/// The number of placements.
pub(super) const PLACEMENTS: usize = CHOOSE[PIECES][SMALL] as usize;

/// Binomial coefficients: `CHOOSE[k][n]` is n over k.
pub(super) static CHOOSE: [[u32; FIELDS]; 8] = {
    let mut choose = [[0; FIELDS]; 8];
    let mut n = 0;
    while n <= SMALL {
        choose[0][n] = 1;
        let mut k = 1;
        while k <= PIECES && n > 0 {
            choose[k][n] = choose[k - 1][n - 1] + choose[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    choose
};

/// In a word of fields, a byte above all of them.
pub(super) const NONE: u64 = 0x7f;

/// The fields of a placement as the bytes of a word.
#[inline]
pub(super) fn pack(placement: [u8; PIECES]) -> u64 {
    placement.iter().rev().fold(NONE << 8 | NONE, |packed, &field| packed << 8 | u64::from(field))
}

/// The number of bytes of a word of fields that are at most `field`.
#[inline]
pub(super) fn count(packed: u64, field: u8) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // All bytes are below 128, so the high bit of each difference stays where the byte is not above the field.
    let at_most = (EACH * u64::from(field | 0x80)).wrapping_sub(packed) >> 7 & EACH;
    (at_most.wrapping_mul(EACH) >> 56) as usize % 8
}

/// The number of a placement, its fields in any order: the sum of each field over its place, places counted from 1 in the
/// order of the fields.
#[inline]
pub(super) fn rank(placement: [u8; PIECES]) -> u32 {
    let packed = pack(placement);
    placement.iter().map(|&field| CHOOSE[count(packed, field)][field as usize]).sum()
}

/// A placement of which one piece at a time is moved: finds the numbers of many such placements.
///
/// The pieces between the field that is left and the one that is reached move one place up or down. What that adds to the
/// number is kept as sums over the first places.
pub(super) struct Shifts {
    packed: u64,
    rank: u32,
    /// By place: what the pieces up to there add if each moves to the next place, and if each moves to the previous one.
    up: [u32; PIECES + 1],
    down: [u32; PIECES + 1],
}

impl Shifts {
    #[inline]
    pub(super) fn new(placement: [u8; PIECES]) -> Shifts {
        let packed = pack(placement);
        let mut sorted = [0; 8];
        for field in placement {
            sorted[count(packed, field)] = field;
        }
        let mut shifts = Shifts { packed, rank: 0, up: [0; PIECES + 1], down: [0; PIECES + 1] };
        for place in 1..=PIECES {
            let field = sorted[place] as usize;
            let here = CHOOSE[place][field];
            shifts.rank += here;
            shifts.up[place] = shifts.up[place - 1].wrapping_add(CHOOSE[place + 1][field]).wrapping_sub(here);
            shifts.down[place] = shifts.down[place - 1].wrapping_add(CHOOSE[place - 1][field]).wrapping_sub(here);
        }
        shifts
    }

    /// The number of the placement in which the piece on one field is on another, which is free.
    #[inline]
    pub(super) fn after(&self, from: u8, to: u8) -> u32 {
        let (left, below) = (count(self.packed, from), count(self.packed, to));
        let (place, shift) = if to > from {
            (below, self.down[below].wrapping_sub(self.down[left]))
        } else {
            (below + 1, self.up[left - 1].wrapping_sub(self.up[below]))
        };
        let moved = CHOOSE[place][to as usize].wrapping_sub(CHOOSE[left][from as usize]);
        self.rank.wrapping_add(moved).wrapping_add(shift)
    }
}

/// The placement with a number, its fields in ascending order.
#[inline]
pub(super) fn unrank(mut rank: u32) -> [u8; PIECES] {
    let mut placement = [0; PIECES];
    let mut field = SMALL - 1;
    for place in (0..PIECES).rev() {
        let choose = &CHOOSE[place + 1];
        while choose[field] > rank {
            field -= 1;
        }
        rank -= choose[field];
        placement[place] = field as u8;
    }
    placement
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_any_piece_to_any_free_field_gives_the_number_of_the_new_placement() {
        for number in (0..PLACEMENTS as u32).step_by(999_983) {
            let placement = unrank(number);
            let shifts = Shifts::new(placement);
            for moved in 0..PIECES {
                for to in (0..SMALL as u8).filter(|to| !placement.contains(to)) {
                    let mut after = placement;
                    after[moved] = to;
                    assert_eq!(shifts.after(placement[moved], to), rank(after), "{placement:?}: {moved} to {to}");
                }
            }
        }
    }

    #[test]
    fn placements_are_numbered_without_gaps() {
        assert_eq!(PLACEMENTS, 170_230_452);
        assert_eq!(unrank(0), [0, 1, 2, 3, 4, 5]);
        assert_eq!(unrank(PLACEMENTS as u32 - 1), [67, 68, 69, 70, 71, 72]);
        for number in (0..PLACEMENTS as u32).step_by(4999) {
            let placement = unrank(number);
            assert!(placement.is_sorted_by(|a, b| a < b));
            let [a, b, c, d, e, f] = placement;
            assert_eq!(rank([d, b, f, a, e, c]), number);
        }
    }
}
