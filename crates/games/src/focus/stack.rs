//! A stack of up to five pieces in sixteen bits.

/// Pieces on one field: two bits each, the top piece lowest, and a one above the bottom piece that marks the height.
///
/// Taking pieces off the top and putting them on another stack are shifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stack(u16);

/// By stack, the squared heights of each color's pieces (1 at the bottom), added up: sixteen bits per color.
static HEIGHTS: [u64; 1 << (2 * Stack::MOST + 1)] = {
    let mut heights = [0; 1 << (2 * Stack::MOST + 1)];
    let mut bits = 1;
    while bits < heights.len() {
        let (mut rest, mut height) = (bits, bits.ilog2() as u64 / 2);
        while height > 0 {
            heights[bits] += (height * height) << (16 * (rest & 3));
            rest >>= 2;
            height -= 1;
        }
        bits += 1;
    }
    heights
};

impl Stack {
    /// The most pieces a stack keeps.
    pub(super) const MOST: usize = 5;

    /// No piece.
    pub(super) const EMPTY: Stack = Stack(1);

    #[inline]
    pub(super) fn bits(self) -> u16 {
        self.0
    }

    /// The stack with these [bits](Stack::bits).
    pub(super) fn from_bits(bits: u16) -> Stack {
        Stack(bits)
    }

    /// The number of pieces.
    #[inline]
    pub(super) fn height(self) -> usize {
        // The bit that marks the height is always set; making that explicit avoids a test for zero.
        (self.0 | 1).ilog2() as usize / 2
    }

    /// The color of the top piece.
    #[inline]
    pub(super) fn top(self) -> Option<usize> {
        (self != Stack::EMPTY).then_some(self.0 as usize & 3)
    }

    /// The color of the piece that has `above` pieces on it.
    pub(super) fn at(self, above: usize) -> Option<usize> {
        (above < self.height()).then(|| (self.0 >> (2 * above)) as usize & 3)
    }

    /// The stack without its `count` top pieces, and those pieces.
    #[inline]
    pub(super) fn split(self, count: u32) -> (Stack, u32) {
        (Stack(self.0 >> (2 * count)), self.0 as u32 & ((1 << (2 * count)) - 1))
    }

    /// The stack with `count` pieces put on it, and the bottom pieces that are too many for it.
    #[inline]
    pub(super) fn join(self, pieces: u32, count: u32) -> (Stack, Stack) {
        const FULL: u32 = 1 << (2 * Stack::MOST);
        let all = (self.0 as u32) << (2 * count) | pieces;
        if all < 2 * FULL {
            (Stack(all as u16), Stack::EMPTY)
        } else {
            (Stack((all & (FULL - 1) | FULL) as u16), Stack((all / FULL) as u16))
        }
    }

    /// The number of pieces of each color: one byte per color.
    #[inline]
    pub(super) fn colors(self) -> u32 {
        let (mut rest, mut colors) = (self.0, 0);
        while rest > 1 {
            colors += 1 << (8 * (rest & 3));
            rest >>= 2;
        }
        colors
    }

    /// The squared heights of each color's pieces, added up: sixteen bits per color.
    #[inline]
    pub(super) fn heights(self) -> u64 {
        HEIGHTS[self.0 as usize]
    }

    /// The colors from the bottom to the top.
    pub(super) fn pieces(self) -> impl Iterator<Item = usize> {
        (0..self.height()).rev().map(move |above| (self.0 >> (2 * above)) as usize & 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(colors: &[u32]) -> Stack {
        colors.iter().fold(Stack::EMPTY, |stack, &color| stack.join(color, 1).0)
    }

    #[test]
    fn pieces_land_on_top_in_their_order() {
        let (rest, lifted) = stack(&[0, 1, 2, 3]).split(2);
        assert_eq!(rest, stack(&[0, 1]));
        assert_eq!(stack(&[1]).join(lifted, 2), (stack(&[1, 2, 3]), Stack::EMPTY));
    }

    #[test]
    fn pieces_over_five_leave_at_the_bottom() {
        let (rest, lifted) = stack(&[0, 1, 2, 3, 0]).split(5);
        assert_eq!(rest, Stack::EMPTY);
        let (kept, lost) = stack(&[3, 2, 2, 1]).join(lifted, 5);
        assert_eq!((kept, lost), (stack(&[0, 1, 2, 3, 0]), stack(&[3, 2, 2, 1])));
        assert_eq!(lost.colors(), 0x01_02_01_00);
    }

    #[test]
    fn heights_count_from_the_bottom() {
        assert_eq!(stack(&[0, 1, 0, 3]).heights(), 10 | 4 << 16 | 16 << 48);
        assert_eq!(stack(&[2; 5]).heights(), 55 << 32);
        assert_eq!(Stack::EMPTY.heights(), 0);
    }
}
