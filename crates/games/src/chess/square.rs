//! Squares, and sets of them.
//!
//! A square is a byte, `column << 4 | row`, both from 0. Bytes that are not squares of the board (the corners, rows 14 and 15,
//! columns 14 and 15) are walls, and adding a step wraps around into walls only, so a ray needs no test for the edge.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A byte that is not a square.
pub(super) const NOWHERE: u8 = 0xff;

/// One step up, right, down, left.
pub(super) const FORWARD: [u8; 4] = [1, 16, 0xff, 0xf0];

#[inline]
pub(super) const fn square(x: usize, y: usize) -> u8 {
    (x << 4 | y) as u8
}

#[inline]
pub(super) const fn column(s: u8) -> usize {
    (s >> 4) as usize
}

#[inline]
pub(super) const fn row(s: u8) -> usize {
    (s & 15) as usize
}

/// Whether a byte is a square: 14 by 14, less 3 by 3 in each corner.
pub(super) const fn on_board(s: u8) -> bool {
    let (x, y) = (column(s), row(s));
    x < 14 && y < 14 && !((x < 3 || x > 10) && (y < 3 || y > 10))
}

/// The square that White's `s` becomes for another player: the board turned clockwise by 90 degrees `turns` times.
pub(super) const fn turned(s: u8, turns: usize) -> u8 {
    let (mut x, mut y) = (column(s), row(s));
    let mut n = 0;
    while n < turns {
        (x, y) = (y, 13 - x);
        n += 1;
    }
    square(x, y)
}

/// The next square, or `NOWHERE`.
pub(super) const fn step(s: u8, by: u8) -> u8 {
    let to = s.wrapping_add(by);
    if s != NOWHERE && on_board(to) { to } else { NOWHERE }
}

/// All squares.
pub(super) const SQUARES: [u8; 160] = {
    let (mut all, mut count, mut s) = ([0; 160], 0, 0);
    while s < NOWHERE {
        if on_board(s) {
            all[count] = s;
            count += 1;
        }
        s += 1;
    }
    all
};

/// The set of all squares.
pub(super) const BOARD: Bits = {
    let (mut set, mut n) = (Bits::NONE, 0);
    while n < SQUARES.len() {
        set = set.with(SQUARES[n]);
        n += 1;
    }
    set
};

/// A set of squares: four columns of 16 bits in each word.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Bits(pub(super) [u64; 4]);

impl Bits {
    pub(super) const NONE: Bits = Bits([0; 4]);

    #[inline]
    pub(super) const fn with(mut self, s: u8) -> Bits {
        self.0[(s >> 6) as usize] |= 1 << (s & 63);
        self
    }

    #[inline]
    pub(super) fn toggle(&mut self, s: u8) {
        self.0[(s >> 6) as usize] ^= 1 << (s & 63);
    }

    #[inline]
    pub(super) const fn has(self, s: u8) -> bool {
        self.0[(s >> 6) as usize] >> (s & 63) & 1 != 0
    }

    #[inline]
    pub(super) const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    #[inline]
    pub(super) const fn without(self, other: Bits) -> Bits {
        let (a, b) = (self.0, other.0);
        Bits([a[0] & !b[0], a[1] & !b[1], a[2] & !b[2], a[3] & !b[3]])
    }

    #[inline]
    pub(super) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Calls `f` for each square, in the order of the numbers.
    #[inline]
    pub(super) fn each(self, mut f: impl FnMut(u8)) {
        for (index, mut word) in self.0.into_iter().enumerate() {
            while word != 0 {
                f((index as u8) << 6 | word.trailing_zeros() as u8);
                word &= word - 1;
            }
        }
    }

    /// Whether `f` holds for some square.
    #[inline]
    pub(super) fn any(self, mut f: impl FnMut(u8) -> bool) -> bool {
        for (index, mut word) in self.0.into_iter().enumerate() {
            while word != 0 {
                if f((index as u8) << 6 | word.trailing_zeros() as u8) {
                    return true;
                }
                word &= word - 1;
            }
        }
        false
    }

    /// Calls `f` for each square, in the byte order of the names: a10, a11, a4, … b10, …
    ///
    /// The rows of a column come as 1, 10, 11, 12, 13, 14, 2, …, 9, so three runs of bits are rearranged in every lane of 16.
    #[inline]
    pub(super) fn each_by_name(self, mut f: impl FnMut(u8)) {
        const ONES: u64 = 0x0001_0001_0001_0001;
        const ROW: [u8; 16] = [0, 9, 10, 11, 12, 13, 1, 2, 3, 4, 5, 6, 7, 8, 14, 15];
        for (index, word) in self.0.into_iter().enumerate() {
            let mut sorted = word & ONES | (word & (0x3e00 * ONES)) >> 8 | (word & (0x01fe * ONES)) << 5;
            while sorted != 0 {
                let bit = sorted.trailing_zeros() as u8;
                f((index as u8) << 6 | bit & 0x30 | ROW[(bit & 15) as usize]);
                sorted &= sorted - 1;
            }
        }
    }
}

impl BitAnd for Bits {
    type Output = Bits;
    #[inline]
    fn bitand(self, other: Bits) -> Bits {
        let (a, b) = (self.0, other.0);
        Bits([a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]])
    }
}

impl BitOr for Bits {
    type Output = Bits;
    #[inline]
    fn bitor(self, other: Bits) -> Bits {
        let (a, b) = (self.0, other.0);
        Bits([a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]])
    }
}

impl BitOrAssign for Bits {
    #[inline]
    fn bitor_assign(&mut self, other: Bits) {
        *self = *self | other;
    }
}

impl Not for Bits {
    type Output = Bits;
    #[inline]
    fn not(self) -> Bits {
        Bits(self.0.map(|word| !word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_listed_in_the_byte_order_of_their_names() {
        let mut names = Vec::new();
        BOARD.each_by_name(|s| names.push(super::super::text::name(s)));
        assert_eq!(names.len(), 160);
        assert!(names.is_sorted());
    }
}
