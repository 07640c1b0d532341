//! Lines: the columns, rows and diagonals, and what leaps.

use super::square::{Bits, SQUARES, column, on_board, row, square};

/// The four lines through a square: column, row, rising diagonal, falling diagonal.
pub(super) const COLUMN: usize = 0;
pub(super) const ROW: usize = 1;
pub(super) const RISING: usize = 2;
pub(super) const FALLING: usize = 3;

/// From one square of a line to the next.
pub(super) const STEP: [u8; 4] = [1, 16, 17, 15];

/// The number of a line of a square.
#[inline]
pub(super) const fn line(l: usize, s: u8) -> usize {
    let (x, y) = (column(s), row(s));
    match l {
        COLUMN => x,
        ROW => 16 + y,
        RISING => 32 + 13 + x - y,
        _ => 64 + x + y,
    }
}

/// The bit of a square in a line's occupancy: 1 to 14, with a wall at either end.
#[inline]
pub(super) const fn place(l: usize, s: u8) -> u32 {
    1 + if l == COLUMN { row(s) } else { column(s) } as u32
}

pub(super) const LINES: usize = 96;

/// The squares of each line.
pub(super) static LINE: [Bits; LINES] = {
    let mut table = [Bits::NONE; LINES];
    let mut n = 0;
    while n < 4 * SQUARES.len() {
        let (l, s) = (n % 4, SQUARES[n / 4]);
        table[line(l, s)] = table[line(l, s)].with(s);
        n += 1;
    }
    table
};

/// The occupancy of each line on an empty board: everything that is not a square is a wall.
pub(super) const WALLS: [u16; LINES] = {
    let mut table = [0xffff; LINES];
    let mut n = 0;
    while n < 4 * SQUARES.len() {
        let (l, s) = (n % 4, SQUARES[n / 4]);
        table[line(l, s)] &= !(1 << place(l, s));
        n += 1;
    }
    table
};

/// The columns from a place on, and those up to a place.
pub(super) static FROM: [Bits; 16] = places(true);
pub(super) static UPTO: [Bits; 16] = places(false);

const fn places(from: bool) -> [Bits; 16] {
    let mut table = [Bits::NONE; 16];
    let mut p = 0;
    while p < 16 {
        let mut x = 0;
        while x < 14 {
            if (from && x + 1 >= p) || (!from && x < p) {
                table[p].0[x / 4] |= 0xffff << (16 * (x % 4));
            }
            x += 1;
        }
        p += 1;
    }
    table
}

const fn jumps(steps: [(i32, i32); 8]) -> [Bits; 256] {
    let mut table = [Bits::NONE; 256];
    let mut n = 0;
    while n < 8 * SQUARES.len() {
        let (s, (dx, dy)) = (SQUARES[n / 8], steps[n % 8]);
        let (x, y) = (column(s) as i32 + dx, row(s) as i32 + dy);
        if x >= 0 && y >= 0 {
            let to = square(x as usize, y as usize);
            if on_board(to) {
                table[s as usize] = table[s as usize].with(to);
            }
        }
        n += 1;
    }
    table
}

/// The squares that a knight attacks.
pub(super) static KNIGHTS: [Bits; 256] =
    jumps([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);

/// The number of squares that a knight attacks.
pub(super) static LEAPS: [u8; 256] = {
    let mut table = [0; 256];
    let mut s = 0;
    while s < 256 {
        let [a, b, c, d] = KNIGHTS[s].0;
        table[s] = (a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()) as u8;
        s += 1;
    }
    table
};

/// The squares next to a square, which a king attacks.
pub(super) static NEAR: [Bits; 256] = jumps([(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);

/// The squares from which a piece could attack a square, or stand in the way of one that does.
pub(super) static ZONE: [Bits; 256] = {
    let mut table = KNIGHTS;
    let mut n = 0;
    while n < 16 * SQUARES.len() {
        let (s, l, word) = (SQUARES[n / 16], n / 4 % 4, n % 4);
        table[s as usize].0[word] |= LINE[line(l, s)].0[word];
        n += 1;
    }
    table
};
