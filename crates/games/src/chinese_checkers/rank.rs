//! Numbering the placements of six pieces on the small board: the combinatorial number system.

/// Fields of the small board.
pub(super) const SMALL: usize = 73;

/// Pieces of a player on the small board.
pub(super) const PIECES: usize = 6;

/// How many placements there are.
pub(super) const PLACEMENTS: usize = CHOOSE[PIECES][SMALL] as usize;

/// Binomial coefficients: `CHOOSE[k][n]` is n over k.
pub(super) static CHOOSE: [[u32; 128]; 8] = {
    let mut choose = [[0; 128]; 8];
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

/// The number of a placement, its fields in any order: the sum of `field` over `place`, where places count from 1 in order
/// of the fields.
#[inline]
pub(super) fn rank(placement: [u8; PIECES]) -> u32 {
    let mut rank = 0;
    for field in placement {
        let below: usize = placement.iter().map(|&other| (other < field) as usize).sum();
        rank += CHOOSE[(below + 1) % 8][field as usize % 128];
    }
    rank
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
