//! Boards of discs as sets of fields in 64 bits, moves, and the discs that a move flips.
//!
//! Bit `8 * column + row` is a field, so the order of bits is the byte order of the notation: a1, a2, …, a8, b1, ….

use std::fmt;

use nply::{Game, Player, Rng};

use crate::sets;

/// The field that a disc is placed on, or a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u8);

impl Move {
    /// No disc is placed.
    pub const PASS: Move = Move(64);

    /// A disc on this field; column and row count from 0, row 0 is the top one.
    ///
    /// # Panics
    /// If there is no such field.
    #[inline]
    pub const fn new(column: usize, row: usize) -> Move {
        assert!(column < 8 && row < 8, "the board has eight columns and eight rows");
        Move((8 * column + row) as u8)
    }

    /// The number of the field, a1 being 0, a2 1 and h8 63; 64 for a pass.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The field as a set of one, or no field.
    #[inline]
    pub(crate) const fn bit(self) -> u64 {
        if self.0 < 64 { 1 << self.0 } else { 0 }
    }

    /// The lowest field of a set that is not empty.
    #[inline]
    fn lowest(set: u64) -> Move {
        Move(set.trailing_zeros() as u8)
    }
}

/// `d3`, or `-` for a pass.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            64.. => f.write_str("-"),
            index => write!(f, "{}{}", char::from(b'a' + index / 8), index % 8 + 1),
        }
    }
}

/// The number of columns and rows of the board.
///
/// A smaller board is the upper left part of the full one, so fields have the same bits and names on all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Size {
    /// 4 by 4 fields.
    Four,
    /// 6 by 6 fields.
    Six,
    /// 8 by 8 fields.
    #[default]
    Eight,
}

impl Size {
    /// The number of columns, which is that of rows.
    pub const fn side(self) -> usize {
        match self {
            Size::Four => 4,
            Size::Six => 6,
            Size::Eight => 8,
        }
    }

    /// The fields of the board.
    pub(crate) const fn board(self) -> u64 {
        let side = self.side();
        let (mut board, mut column) = (0, 0);
        while column < side {
            board |= (0xff >> (8 - side)) << (8 * column);
            column += 1;
        }
        board
    }

    /// The four fields in the middle: upper left, upper right, lower left, lower right.
    pub(crate) fn middle(self) -> [u64; 4] {
        let (low, high) = (self.side() / 2 - 1, self.side() / 2);
        [Move::new(low, low), Move::new(high, low), Move::new(low, high), Move::new(high, high)].map(Move::bit)
    }
}

/// The number of columns of a board: those of a smaller one are shorter as well.
#[inline]
pub(crate) fn side(board: u64) -> usize {
    (board & 0xff).count_ones() as usize
}

/// The corner fields of a board, where a disc is never flipped.
#[inline]
pub(crate) fn corners(board: u64) -> u64 {
    let last = side(board) - 1;
    let column = 1 | 1 << last;
    column | column << (8 * last)
}

/// For each size of board, field and kind of line, the line through that field; empty where the field is an end of it, so that no disc
/// there is ever between two others.
static LINES: [[[u64; 4]; 64]; 3] = [lines(Size::Four), lines(Size::Six), lines(Size::Eight)];

const fn lines(size: Size) -> [[u64; 4]; 64] {
    let side = size.side() as i32;
    let mut lines = [[0; 4]; 64];
    let mut index = 0;
    while index < 64 {
        let mut kind = 0;
        while kind < 4 {
            let (right, down) = [(1, 0), (0, 1), (1, 1), (1, -1)][kind];
            let (mut line, mut sides) = (1 << index, 0);
            let mut sign = -1;
            while sign <= 1 {
                let (mut column, mut row) = (index / 8 + sign * right, index % 8 + sign * down);
                sides += (0 <= column && column < side && 0 <= row && row < side) as i32;
                while 0 <= column && column < side && 0 <= row && row < side {
                    line |= 1 << (8 * column + row);
                    column += sign * right;
                    row += sign * down;
                }
                sign += 2;
            }
            lines[index as usize][kind] = if sides == 2 { line } else { 0 };
            kind += 1;
        }
        index += 1;
    }
    lines
}

/// The discs of a set that nothing can flip, whoever moves.
///
/// A disc is safe along a line if it is at an end of it, if the line is full, or if the next disc on one side is of the same color and
/// safe along all lines.
pub(crate) fn safe(own: u64, occupied: u64, board: u64) -> u64 {
    const STEPS: [i32; 4] = [8, 1, 9, 7];
    let (lines, empty) = (&LINES[side(board) / 2 - 2], board & !occupied);
    let mut safe = 0;
    loop {
        let before = safe;
        let mut rest = own & !safe;
        while rest != 0 {
            let index = rest.trailing_zeros();
            let is_safe = |kind: usize| {
                let line = lines[index as usize][kind];
                // Where there is a line, there are neighbors on both sides.
                line & empty == 0 || safe & line & (1 << index << STEPS[kind] | 1 << index >> STEPS[kind]) != 0
            };
            if (0..4).all(is_safe) {
                safe |= 1 << index;
            }
            rest &= rest - 1;
        }
        if safe == before {
            return safe;
        }
    }
}

/// A game with discs on a square board: what Rolit and Othello share.
pub trait Discs: Game<Move = Move> {
    /// The fields with a disc of this player: bit [`Move::index`] for each.
    fn discs(&self, player: Player) -> u64;

    /// The fields with a disc of any color, with a player or without.
    fn occupied(&self) -> u64;

    /// The fields of the board: all bits, unless it is a smaller one.
    fn board(&self) -> u64;

    /// The player who will place the last disc, if everybody moves in turn; `None` if that is not certain, or if the board is
    /// full.
    fn last_mover(&self) -> Option<Player>;
}

/// The rows that are not on the edge, where discs can be flipped along a column or a diagonal.
const INNER_ROWS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// For each field the fields beyond it to the right: straight, down and up.
static RAYS: [[u64; 3]; 64] = rays();

const fn rays() -> [[u64; 3]; 64] {
    let mut rays = [[0; 3]; 64];
    let mut index = 0;
    while index < 64 {
        let mut direction = 0;
        while direction < 3 {
            let down = [0, 1, -1][direction];
            let (mut column, mut row) = (index as i32 / 8 + 1, index as i32 % 8 + down);
            while column < 8 && 0 <= row && row < 8 {
                rays[index][direction] |= 1 << (8 * column + row);
                column += 1;
                row += down;
            }
            direction += 1;
        }
        index += 1;
    }
    rays
}

/// For each row of a column, and the other discs in the six inner rows: the fields where a disc of the mover ends a flip.
static ENDS: [[u8; 64]; 8] = ends();

const fn ends() -> [[u8; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut row = 0;
    while row < 8 {
        let mut inner = 0;
        while inner < 64 {
            let others = inner << 1;
            let mut end = row + 1;
            while end < 8 && others >> end & 1 == 1 {
                end += 1;
            }
            if end > row + 1 {
                table[row][inner] |= 1 << end;
            }
            end = row;
            while end > 0 && others >> (end - 1) & 1 == 1 {
                end -= 1;
            }
            if 0 < end && end < row {
                table[row][inner] |= 1 << (end - 1);
            }
            inner += 1;
        }
        row += 1;
    }
    table
}

/// For each row of a column, and the at most two discs of the mover that end flips: the fields between.
static BETWEEN: [[u8; 256]; 8] = between();

const fn between() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut row = 0;
    while row < 8 {
        let mut end = 0;
        while end < 8 {
            let (low, high) = if end < row { (end, row) } else { (row, end) };
            let mut ends = 0;
            while ends < 256 {
                if ends >> end & 1 == 1 && low < high {
                    table[row][ends] |= ((1 << high) - (2 << low)) as u8;
                }
                ends += 1;
            }
            end += 1;
        }
        row += 1;
    }
    table
}

/// The fields where a disc of `own` would flip any of `others`.
///
/// Always inlined, like [`flips`]: in a playout each depends on the result of the other, and a call lengthens the chain.
#[inline(always)]
pub(crate) fn flipping(own: u64, others: u64) -> u64 {
    let inner = others & INNER_ROWS;
    // Down a column, a carry runs through each run of other discs that follows a disc of the mover, and stops within the
    // column.
    let mut moves = inner.wrapping_add(inner & own << 1) & !inner;
    moves |= before::<1>(own, inner);
    moves |= after::<8>(own, others) | before::<8>(own, others);
    moves |= after::<7>(own, inner) | before::<7>(own, inner);
    moves |= after::<9>(own, inner) | before::<9>(own, inner);
    moves & !(own | others)
}

/// The fields just after a run of one to six `others` that follows an `own` disc, towards higher bits: each line doubles the
/// length that the previous one has found (Kogge-Stone).
#[inline]
fn after<const STEP: u32>(own: u64, others: u64) -> u64 {
    let mut found = others & own << STEP;
    found |= others & found << STEP;
    let pairs = others & others << STEP;
    found |= pairs & found << (2 * STEP);
    found |= pairs & found << (2 * STEP);
    found << STEP
}

/// The same towards lower bits.
#[inline]
fn before<const STEP: u32>(own: u64, others: u64) -> u64 {
    let mut found = others & own >> STEP;
    found |= others & found >> STEP;
    let pairs = others & others >> STEP;
    found |= pairs & found >> (2 * STEP);
    found |= pairs & found >> (2 * STEP);
    found >> STEP
}

/// The discs among `others` that a disc of `own` on a field flips.
#[inline(always)]
pub(crate) fn flips(m: Move, own: u64, others: u64) -> u64 {
    if m == Move::PASS {
        return 0;
    }
    let index = m.index();
    let right = flips_right(&RAYS[index], own, others);
    let left = flips_right(&RAYS[index ^ 56], own.swap_bytes(), others.swap_bytes());
    let (column, row) = (index & 56, index & 7);
    let ends = ENDS[row][(others >> column >> 1 & 63) as usize] & (own >> column) as u8;
    let along = u64::from(BETWEEN[row][ends as usize]) << column;
    right | left.swap_bytes() | along
}

/// The discs that are flipped along three rays towards higher bits.
#[inline]
fn flips_right(rays: &[u64; 3], own: u64, others: u64) -> u64 {
    let mut flipped = 0;
    for &ray in rays {
        // The carry from below the ray stops at the first field of it that is not an other disc.
        let end = (others | !ray).wrapping_add(1) & own & ray;
        flipped |= end.wrapping_sub(u64::from(end != 0)) & ray;
    }
    flipped
}

/// The fields next to a set, in any of the eight directions, that are not in it.
#[inline]
pub(crate) fn neighbors(set: u64) -> u64 {
    const NOT_FIRST_ROW: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_LAST_ROW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let columns = set | set << 8 | set >> 8;
    (columns | (columns & NOT_LAST_ROW) << 1 | (columns & NOT_FIRST_ROW) >> 1) & !set
}

/// Appends the fields of a set, lowest bit first.
#[inline]
pub(crate) fn list(mut set: u64, out: &mut Vec<Move>) {
    while set != 0 {
        out.push(Move::lowest(set));
        set &= set - 1;
    }
}

/// A random field of a non-empty set, all equally likely.
#[inline]
pub(crate) fn pick(set: u64, rng: &mut Rng) -> Move {
    Move(sets::pick(set, rng) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_bits_is_the_byte_order_of_the_notation() {
        let mut moves = Vec::new();
        list(u64::MAX, &mut moves);
        let texts: Vec<String> = moves.iter().map(Move::to_string).collect();
        assert_eq!(texts.len(), 64);
        assert!(texts.is_sorted());
        assert_eq!(Move::new(3, 2).to_string(), "d3");
        assert_eq!(Move::PASS.to_string(), "-");
    }

    #[test]
    fn a_smaller_board_is_the_upper_left_part_of_the_full_one() {
        for (size, last, corners_of) in [(Size::Four, "d4", "a1 a4 d1 d4"), (Size::Six, "f6", "a1 a6 f1 f6")] {
            let names = |set| {
                let mut moves = Vec::new();
                list(set, &mut moves);
                moves.iter().map(Move::to_string).collect::<Vec<_>>()
            };
            let fields = names(size.board());
            assert_eq!((fields.len(), fields[fields.len() - 1].as_str()), (size.side().pow(2), last));
            assert_eq!(side(size.board()), size.side());
            assert_eq!(names(corners(size.board())).join(" "), corners_of);
        }
        assert_eq!((Size::Eight.board(), side(u64::MAX)), (u64::MAX, 8));
        assert_eq!(corners(u64::MAX), 0x8100_0000_0000_0081);
    }
}
