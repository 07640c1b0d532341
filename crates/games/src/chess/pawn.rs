//! The ways of pawns: ahead, at the diagonals also to the side, and diagonally to capture.

use super::piece::{Piece, direction, owner};
use super::square::{BOARD, FORWARD, NOWHERE, SQUARES, column, row, step, turned};

/// The squares that a pawn can go to from a square; `NOWHERE` if there is none.
#[derive(Clone, Copy)]
pub(super) struct Paths {
    /// One step ahead, in the direction it has and in the one it may bend to.
    pub(super) steps: [u8; 2],
    /// Two steps ahead, from the start.
    pub(super) double: u8,
    /// Captures; the third keeps only the direction it may bend to.
    pub(super) takes: [u8; 3],
    /// The direction it may bend to; its own if none.
    pub(super) bend: u8,
    /// All of these in the byte order of the names, `NOWHERE` last, each with its kind.
    pub(super) ways: [(u8, u8); 6],
}

/// The kinds of a pawn's ways: a capture, a double step, a promotion; otherwise a plain step.
pub(super) const TAKES: u8 = 1;
pub(super) const DOUBLE: u8 = 2;
pub(super) const PROMOTES: u8 = 4;

/// By direction and owner (the low four bits of a pawn), and square.
pub(super) static PAWNS: [[Paths; 256]; 16] = {
    let none = Paths { steps: [NOWHERE; 2], double: NOWHERE, takes: [NOWHERE; 3], bend: 0, ways: [(NOWHERE, 0); 6] };
    let mut table = [[none; 256]; 16];
    let mut n = 0;
    while n < 16 * SQUARES.len() {
        let (pawn, s) = ((n % 16) as u8, SQUARES[n / 16]);
        table[pawn as usize][s as usize] = in_order(paths(pawn, s), pawn);
        n += 1;
    }
    table
};

const fn paths(pawn: Piece, s: u8) -> Paths {
    let (way, own) = (direction(pawn), owner(pawn));
    let (x, y) = (column(s), row(s));
    let ahead = FORWARD[way];
    let (left, right) = ((way + 3) % 4, (way + 1) % 4);
    let one = step(s, ahead);
    let mut paths = Paths {
        steps: [one, NOWHERE],
        double: NOWHERE,
        takes: [step(s, ahead.wrapping_add(FORWARD[left])), step(s, ahead.wrapping_add(FORWARD[right])), NOWHERE],
        bend: way as u8,
        ways: [(NOWHERE, 0); 6],
    };
    if way != own {
        return paths;
    }
    // Turned to White's side, the start squares are those of row 2.
    if row(turned(s, (4 - own) % 4)) == 1 {
        paths.double = step(one, ahead);
    }
    // Moving up, right where x = y and left where x + y = 13; a quarter turn exchanges the diagonals.
    let (rising, falling) = (x == y, x + y == 13);
    let second = if (way % 2 == 0 && rising) || (way % 2 == 1 && falling) {
        right
    } else if rising || falling {
        left
    } else {
        return paths;
    };
    paths.bend = second as u8;
    paths.steps[1] = step(s, FORWARD[second]);
    paths.takes[2] = step(s, FORWARD[second].wrapping_sub(ahead));
    paths
}

/// Lists the ways of a pawn.
const fn in_order(mut paths: Paths, pawn: Piece) -> Paths {
    let (own, bend) = (direction(pawn), paths.bend as usize);
    let Paths { steps: [one, other], double, takes: [left, right, bent], .. } = paths;
    let all = [
        (one, 0, own),
        (other, 0, bend),
        (double, DOUBLE, own),
        (left, TAKES, own),
        (right, TAKES, own),
        (bent, TAKES, bend),
    ];
    let (mut n, mut count) = (0, 0);
    while n < 6 {
        let (to, how, way) = all[n];
        if to != NOWHERE {
            let promotes = if step(to, FORWARD[way]) == NOWHERE { PROMOTES } else { 0 };
            let mut at = count;
            while at > 0 && rank(paths.ways[at - 1].0) > rank(to) {
                paths.ways[at] = paths.ways[at - 1];
                at -= 1;
            }
            paths.ways[at] = (to, how | promotes);
            count += 1;
        }
        n += 1;
    }
    paths
}

/// The position of a square in the byte order of the names.
const fn rank(s: u8) -> usize {
    let rows = [0, 6, 7, 8, 9, 10, 11, 12, 13, 1, 2, 3, 4, 5, 14, 15];
    column(s) << 4 | rows[row(s)]
}

/// The diagonal steps: along the rising diagonal up and down, along the falling one down and up.
pub(super) const SLANTS: [u8; 4] = [17, 0xef, 15, 0xf1];

/// For a square and a diagonal step, the pawns (a bit for each direction and owner) that attack the neighbor from there.
pub(super) static HITS: [[u16; 4]; 256] = {
    let mut table = [[0; 4]; 256];
    let mut n = 0;
    while n < 64 * SQUARES.len() {
        let (pawn, slant, s) = ((n % 16) as u8, n / 16 % 4, SQUARES[n / 64]);
        let (takes, to) = (paths(pawn, s).takes, step(s, SLANTS[slant]));
        if to != NOWHERE && (takes[0] == to || takes[1] == to || takes[2] == to) {
            table[s as usize][slant] |= 1 << pawn;
        }
        n += 1;
    }
    table
};

/// Whether a pawn with this direction has no square ahead: it promotes.
#[inline]
pub(super) fn at_the_edge(s: u8, direction: usize) -> bool {
    !BOARD.has(s.wrapping_add(FORWARD[direction]))
}

/// The number of steps to promotion for a pawn with each direction.
pub(super) static AHEAD: [[u8; 256]; 4] = {
    let mut table = [[0; 256]; 4];
    let mut n = 0;
    while n < 4 * SQUARES.len() {
        let (way, s) = (n % 4, SQUARES[n / 4]);
        let mut next = step(s, FORWARD[way]);
        while next != NOWHERE {
            table[way][s as usize] += 1;
            next = step(next, FORWARD[way]);
        }
        n += 1;
    }
    table
};

/// The direction a pawn has after its move: its own if that allows the move, else the one it bends to.
#[inline]
pub(super) fn direction_after(pawn: Piece, from: u8, to: u8) -> usize {
    let paths = &PAWNS[(pawn & 15) as usize][from as usize];
    let bends = to == paths.steps[1] || to == paths.takes[2];
    if bends { paths.bend as usize } else { direction(pawn) }
}

#[cfg(test)]
mod tests {
    use super::super::piece::{PAWN, piece};
    use super::*;

    #[test]
    fn a_pawn_bends_where_the_way_to_promotion_stays_the_same() {
        let mut bends = 0;
        BOARD.each(|s| {
            for own in 0..4usize {
                let pawn = piece(PAWN, own, own);
                let paths = &PAWNS[(pawn & 15) as usize][s as usize];
                let to_edge = |way: usize| match way {
                    0 => 13 - row(s),
                    1 => 13 - column(s),
                    2 => row(s),
                    _ => column(s),
                };
                if paths.bend as usize != own {
                    assert_eq!(to_edge(own), to_edge(paths.bend as usize));
                    bends += 1;
                }
            }
        });
        // Eight squares on each diagonal, for four players.
        assert_eq!(bends, 64);
    }
}
