//! A move in sixteen bits.

use std::fmt;

/// A move of Focus, displayed as in the notation: `c3-e3`, `@c3`, or the pass `-`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u16);

impl Move {
    /// The move of a player who can do nothing else.
    pub const PASS: Move = Move(0);

    /// Moves as many top pieces of a stack as the fields are apart.
    pub(super) const fn shift(from: usize, to: usize) -> Move {
        let pieces = (from / 8).abs_diff(to / 8) + (from % 8).abs_diff(to % 8);
        Move((pieces << 12 | from << 6 | to) as u16)
    }

    /// Places a reserve piece: one piece that comes from the field it goes to.
    pub(super) const fn place(to: usize) -> Move {
        Move((1 << 12 | to << 6 | to) as u16)
    }

    /// A number below 2^15.
    #[inline]
    pub(super) fn bits(self) -> usize {
        self.0.into()
    }

    #[inline]
    pub(super) fn is_placement(self) -> bool {
        self != Move::PASS && self.from() == self.to()
    }

    #[inline]
    pub(super) fn from(self) -> usize {
        (self.0 >> 6 & 63) as usize
    }

    #[inline]
    pub(super) fn to(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The number of pieces moved; 0 for a pass.
    #[inline]
    pub(super) fn pieces(self) -> u32 {
        (self.0 >> 12) as u32
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |field: usize| [b'a' + (field / 8) as u8, b'1' + (field % 8) as u8].map(char::from);
        let ([column, row], [to_column, to_row]) = (name(self.from()), name(self.to()));
        if *self == Move::PASS {
            f.write_str("-")
        } else if self.is_placement() {
            write!(f, "@{to_column}{to_row}")
        } else {
            write!(f, "{column}{row}-{to_column}{to_row}")
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
