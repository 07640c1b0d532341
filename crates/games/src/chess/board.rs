//! The board: pieces on squares, and who attacks what.
//!
//! Each column, row and diagonal has its occupancy as a number of 16 bits, walls included, so the two neighbors of a piece in a
//! line take two bit scans.

use super::line::{COLUMN, FALLING, FROM, KNIGHTS, LINE, LINES, NEAR, RISING, ROW, STEP, UPTO, WALLS, line, place};
use super::pawn::{HITS, SLANTS};
use super::piece::{BISHOP, EMPTY, KING, KNIGHT, PAWN, Piece, QUEEN, ROOK, WALL, kind, owner};
use super::square::{BOARD, Bits, NOWHERE, column, row};

/// By piece, the bit of its owner if it slides along columns and rows (first) or diagonals (second).
static SLIDES: [[u8; 128]; 2] = [slides(ROOK), slides(BISHOP)];

const fn slides(like: u8) -> [u8; 128] {
    let mut table = [0; 128];
    let mut p = 0;
    while p < 128 {
        if kind(p as u8) == like || kind(p as u8) == QUEEN {
            table[p] = 1 << owner(p as u8);
        }
        p += 1;
    }
    table
}

/// The pieces on the board.
#[derive(Clone, Copy)]
pub(super) struct Board {
    cells: [Piece; 256],
    /// Each player's pieces.
    pub(super) sets: [Bits; 4],
    /// All pieces of a kind.
    pub(super) kinds: [Bits; 8],
    lines: [u16; LINES],
    /// Each player's king; not kept for those without one.
    pub(super) kings: [u8; 4],
    /// The number of pieces.
    pub(super) count: u32,
    /// The number of pieces of each kind that each player has.
    pub(super) counts: [[u8; 8]; 4],
}

/// The two neighbors of a square in a line, and where in the line they are.
struct Ends {
    low: u8,
    high: u8,
    from: usize,
    upto: usize,
}

/// What restricts a player's moves: checks and pins.
pub(super) struct Guard {
    /// The number of pieces that give check.
    pub(super) checks: u32,
    /// The squares where a piece other than the king ends the check, if there is only one.
    pub(super) block: Bits,
    /// Pieces that shield the king.
    pub(super) pinned: Bits,
}

impl Board {
    pub(super) fn empty() -> Board {
        let mut cells = [WALL; 256];
        BOARD.each(|s| cells[s as usize] = EMPTY);
        Board {
            cells,
            sets: [Bits::NONE; 4],
            kinds: [Bits::NONE; 8],
            lines: WALLS,
            kings: [NOWHERE; 4],
            count: 0,
            counts: [[0; 8]; 4],
        }
    }

    /// What is on a square, or a wall.
    #[inline]
    pub(super) fn at(&self, s: u8) -> Piece {
        self.cells[s as usize]
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(super) fn put(&mut self, s: u8, piece: Piece) {
        self.cells[s as usize] = piece;
        self.count += 1;
        self.counts[owner(piece)][kind(piece) as usize & 7] += 1;
        self.toggle(s, piece);
        if kind(piece) == KING {
            self.kings[owner(piece)] = s;
        }
    }

    /// Takes the piece of a square away.
    #[inline]
    pub(super) fn take(&mut self, s: u8) -> Piece {
        let piece = std::mem::replace(&mut self.cells[s as usize], EMPTY);
        self.count -= 1;
        self.counts[owner(piece)][kind(piece) as usize & 7] -= 1;
        self.toggle(s, piece);
        piece
    }

    #[inline]
    fn toggle(&mut self, s: u8, piece: Piece) {
        self.sets[owner(piece)].toggle(s);
        self.kinds[kind(piece) as usize & 7].toggle(s);
        self.lines[line(COLUMN, s)] ^= 1 << place(COLUMN, s);
        self.lines[line(ROW, s)] ^= 1 << place(ROW, s);
        self.lines[line(RISING, s)] ^= 1 << place(RISING, s);
        self.lines[line(FALLING, s)] ^= 1 << place(FALLING, s);
    }

    #[inline]
    pub(super) fn occupied(&self) -> Bits {
        self.sets[0] | self.sets[1] | self.sets[2] | self.sets[3]
    }

    /// The neighbors of `s` in a line.
    #[inline(always)]
    fn ends<const L: usize>(&self, s: u8) -> Ends {
        Board::ends_in::<L>(self.lines[line(L, s)], s)
    }

    /// The neighbors of `s` in a line with this occupancy.
    #[inline(always)]
    fn ends_in<const L: usize>(taken: u16, s: u8) -> Ends {
        let (taken, at) = (taken as u32, place(L, s));
        // Walls stand at both ends; the added bits only tell the compiler that some bit is set.
        let up = (taken >> (at + 1) | 1 << 20).trailing_zeros() + 1;
        let down = at - (31 - (taken & ((1 << at) - 1) | 1).leading_zeros());
        Ends {
            low: s.wrapping_sub(STEP[L].wrapping_mul(down as u8)),
            high: s.wrapping_add(STEP[L].wrapping_mul(up as u8)),
            from: (at - down) as usize & 15,
            upto: (at + up) as usize & 15,
        }
    }

    /// The squares of a line of `s` between two places, both included.
    #[inline(always)]
    fn segment<const L: usize>(s: u8, from: usize, upto: usize) -> Bits {
        let all = LINE[line(L, s)];
        if L == COLUMN {
            let rows = ((2u64 << upto) - (1 << from)) >> 1 & 0x3fff;
            return all & Bits([rows * 0x0001_0001_0001_0001; 4]);
        }
        all & FROM[from] & UPTO[upto]
    }

    /// The squares that a piece sliding along a line reaches, the first pieces in the way and its own square included.
    #[inline(always)]
    fn slide<const L: usize>(&self, s: u8) -> Bits {
        let ends = self.ends::<L>(s);
        Board::segment::<L>(s, ends.from, ends.upto)
    }

    /// The squares that a bishop reaches, the first pieces in the way and its own square included.
    #[inline]
    pub(super) fn bishop(&self, s: u8) -> Bits {
        self.slide::<RISING>(s) | self.slide::<FALLING>(s)
    }

    /// The squares that a rook reaches, likewise.
    #[inline]
    pub(super) fn rook(&self, s: u8) -> Bits {
        self.slide::<COLUMN>(s) | self.slide::<ROW>(s)
    }

    /// The number of empty squares that a bishop, a rook or a queen reaches.
    #[inline]
    pub(super) fn reach(&self, s: u8, kind: u8) -> i32 {
        let empty = |ends: Ends| (ends.upto - ends.from) as i32 - 2;
        let mut count = 0;
        if kind != ROOK {
            count += empty(self.ends::<RISING>(s)) + empty(self.ends::<FALLING>(s));
        }
        if kind != BISHOP {
            count += empty(self.ends::<COLUMN>(s)) + empty(self.ends::<ROW>(s));
        }
        count
    }

    /// The attackers of a square: one bit per player with a piece that could capture there.
    pub(super) fn attackers(&self, s: u8) -> u8 {
        self.attackers_if(s, NOWHERE)
    }

    /// The attackers of a square if the piece on `gone` were not there.
    pub(super) fn attackers_without(&self, s: u8, gone: u8) -> u8 {
        self.attackers_if(s, gone)
    }

    /// Both of the above; inlined, so that the more frequent one is compiled without the test for the missing piece.
    #[inline(always)]
    fn attackers_if(&self, s: u8, gone: u8) -> u8 {
        self.sliders::<COLUMN>(s, gone)
            | self.sliders::<ROW>(s, gone)
            | self.sliders::<RISING>(s, gone)
            | self.sliders::<FALLING>(s, gone)
            | self.attackers_close_to(s)
    }

    /// The attackers of a square along a line, if the piece on `gone` were not there.
    #[inline(always)]
    fn sliders<const L: usize>(&self, s: u8, gone: u8) -> u8 {
        let mut taken = self.lines[line(L, s)];
        if gone != NOWHERE && line(L, gone) == line(L, s) {
            taken &= !(1 << place(L, gone));
        }
        let ends = Board::ends_in::<L>(taken, s);
        self.slider::<L>(ends.low) | self.slider::<L>(ends.high)
    }

    /// The owner's bit if the piece on `from` slides along this kind of line.
    #[inline(always)]
    fn slider<const L: usize>(&self, from: u8) -> u8 {
        SLIDES[L / 2][(self.at(from) & 127) as usize]
    }

    /// The attackers of a square with a knight, a king or a pawn.
    #[inline(always)]
    fn attackers_close_to(&self, s: u8) -> u8 {
        let mut by = 0;
        let leaps = KNIGHTS[s as usize] & self.kinds[KNIGHT as usize];
        let steps = NEAR[s as usize] & self.kinds[KING as usize];
        let close = leaps | steps;
        if !close.is_empty() {
            close.each(|from| by |= 1 << owner(self.at(from)));
        }
        for n in 0..4 {
            by |= self.pawn_striking(s, n);
        }
        by
    }

    /// The owner's bit if a pawn attacks `s` by the diagonal step `n`.
    #[inline(always)]
    fn pawn_striking(&self, s: u8, n: usize) -> u8 {
        let from = s.wrapping_sub(SLANTS[n]);
        let pawn = self.at(from);
        if kind(pawn) != PAWN {
            return 0;
        }
        ((HITS[from as usize][n] >> (pawn & 15) & 1) as u8) << owner(pawn)
    }

    /// The number of pieces of `those` that slide along a line through a square, whatever stands between.
    #[inline]
    pub(super) fn aims(&self, s: u8, those: Bits) -> u32 {
        let [_, _, _, bishops, rooks, queens, ..] = self.kinds;
        let straight = (LINE[line(COLUMN, s)] | LINE[line(ROW, s)]) & (rooks | queens);
        let slanting = (LINE[line(RISING, s)] | LINE[line(FALLING, s)]) & (bishops | queens);
        ((straight | slanting) & those).count()
    }

    /// The line through the king that a pinned piece must keep to.
    #[inline]
    pub(super) fn line_through(king: u8, s: u8) -> Bits {
        let l = match () {
            () if column(king) == column(s) => COLUMN,
            () if row(king) == row(s) => ROW,
            () if line(RISING, king) == line(RISING, s) => RISING,
            () => FALLING,
        };
        LINE[line(l, king)]
    }

    /// The checks and pins of a player.
    pub(super) fn guard(&self, player: usize) -> Guard {
        let (king, own, me) = (self.kings[player], self.sets[player], 1 << player);
        let mut guard = Guard { checks: 0, block: Bits::NONE, pinned: Bits::NONE };
        self.guard_line::<COLUMN>(king, own, me, &mut guard);
        self.guard_line::<ROW>(king, own, me, &mut guard);
        self.guard_line::<RISING>(king, own, me, &mut guard);
        self.guard_line::<FALLING>(king, own, me, &mut guard);
        let mut check = |from: u8| {
            guard.checks += 1;
            guard.block = guard.block.with(from);
        };
        let close =
            KNIGHTS[king as usize] & self.kinds[KNIGHT as usize] | NEAR[king as usize] & self.kinds[KING as usize];
        close.without(own).each(&mut check);
        for (n, step) in SLANTS.into_iter().enumerate() {
            if self.pawn_striking(king, n) & !me != 0 {
                check(king.wrapping_sub(step));
            }
        }
        guard
    }

    /// The checks and pins of a player along a line through the king.
    #[inline(always)]
    fn guard_line<const L: usize>(&self, king: u8, own: Bits, me: u8, guard: &mut Guard) {
        let ends = self.ends::<L>(king);
        for (high, neighbor) in [(false, ends.low), (true, ends.high)] {
            if own.has(neighbor) {
                let behind = self.ends::<L>(neighbor);
                if self.slider::<L>(if high { behind.high } else { behind.low }) & !me != 0 {
                    guard.pinned = guard.pinned.with(neighbor);
                }
            } else if self.slider::<L>(neighbor) != 0 {
                let at = place(L, king) as usize;
                let (from, upto) = if high { (at + 1, ends.upto) } else { (ends.from, at - 1) };
                guard.checks += 1;
                guard.block |= Board::segment::<L>(king, from, upto);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::square::square;
    use super::*;

    #[test]
    fn no_ray_crosses_a_corner() {
        let board = Board::empty();
        assert!(!board.bishop(square(3, 0)).has(square(0, 3)));
        assert_eq!(board.rook(square(3, 0)).count(), 1 + 7 + 13);
    }
}
