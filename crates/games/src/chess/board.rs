//! The board: squares, sets of squares, pieces, lines, and who attacks what.
//!
//! A square is a byte, `column << 4 | row`, both from 0. Bytes that are no square of the board (the corners, rows 14 and 15, columns
//! 14 and 15) hold a wall, and adding a step wraps around into walls only, so a ray needs no test for the edge. Each of the
//! columns, rows and diagonals also has its occupancy as a number of 16 bits, walls included: the two neighbours of a
//! piece in a line are two bit scans away.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A byte that is no square.
pub(super) const NOWHERE: u8 = 0xff;

/// What is on a square: `kind << 4 | direction << 2 | owner`; 0 is nothing. Only pawns have a direction other than 0.
pub(super) type Piece = u8;

pub(super) const EMPTY: Piece = 0;
pub(super) const WALL: Piece = 0x70;

pub(super) const PAWN: u8 = 1;
pub(super) const KNIGHT: u8 = 2;
pub(super) const BISHOP: u8 = 3;
pub(super) const ROOK: u8 = 4;
pub(super) const QUEEN: u8 = 5;
pub(super) const KING: u8 = 6;

/// The piece of this kind that `owner` moves in `direction` (0 unless it is a pawn).
#[inline]
pub(super) const fn piece(kind: u8, direction: usize, owner: usize) -> Piece {
    kind << 4 | (direction as u8) << 2 | owner as u8
}

#[inline]
pub(super) const fn kind(piece: Piece) -> u8 {
    piece >> 4
}

#[inline]
pub(super) const fn owner(piece: Piece) -> usize {
    (piece & 3) as usize
}

/// Up, right, down or left: 0 to 3, which is also the first direction of the pawns of White, Red, Black and Blue.
#[inline]
pub(super) const fn direction(piece: Piece) -> usize {
    (piece >> 2 & 3) as usize
}

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
    /// The rows of a column come as 1, 10, 11, 12, 13, 14, 2, …, 9; so three runs of bits change places in every lane of 16.
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

/// The four lines through a square: column, row, rising diagonal, falling diagonal.
const COLUMN: usize = 0;
const ROW: usize = 1;
const RISING: usize = 2;
const FALLING: usize = 3;

/// From one square of a line to the next.
const STEP: [u8; 4] = [1, 16, 17, 15];

/// The number of a line of a square.
#[inline]
const fn line(l: usize, s: u8) -> usize {
    let (x, y) = (column(s), row(s));
    match l {
        COLUMN => x,
        ROW => 16 + y,
        RISING => 32 + 13 + x - y,
        _ => 64 + x + y,
    }
}

/// The bit of a square in a line's occupancy: 1 to 14, so that there is a wall at either end.
#[inline]
const fn place(l: usize, s: u8) -> u32 {
    1 + if l == COLUMN { row(s) } else { column(s) } as u32
}

const LINES: usize = 96;

/// Calls of `f` for every square cannot be written in a constant, so the tables below are filled by loops over all bytes.
const BOARD: Bits = {
    let (mut set, mut s) = (Bits::NONE, 0u8);
    while s < 224 {
        if on_board(s) {
            set = set.with(s);
        }
        s += 1;
    }
    set
};

/// The squares of each line.
static LINE: [Bits; LINES] = {
    let mut table = [Bits::NONE; LINES];
    let mut s = 0u8;
    while s < 224 {
        if on_board(s) {
            let mut l = 0;
            while l < 4 {
                table[line(l, s)] = table[line(l, s)].with(s);
                l += 1;
            }
        }
        s += 1;
    }
    table
};

/// The occupancy of each line on a board without pieces: what is no square is a wall.
const WALLS: [u16; LINES] = {
    let mut table = [0xffff; LINES];
    let mut s = 0u8;
    while s < 224 {
        if on_board(s) {
            let mut l = 0;
            while l < 4 {
                table[line(l, s)] &= !(1 << place(l, s));
                l += 1;
            }
        }
        s += 1;
    }
    table
};

/// The columns from a place on, and those up to a place.
static FROM: [Bits; 16] = places(true);
static UPTO: [Bits; 16] = places(false);

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
    let mut s = 0;
    while s < 224 {
        let mut n = 0;
        while n < 8 {
            let (x, y) = (column(s as u8) as i32 + steps[n].0, row(s as u8) as i32 + steps[n].1);
            if on_board(s as u8) && x >= 0 && y >= 0 && x < 14 && y < 14 {
                let to = square(x as usize, y as usize);
                if on_board(to) {
                    table[s] = table[s].with(to);
                }
            }
            n += 1;
        }
        s += 1;
    }
    table
}

/// Where a knight goes.
pub(super) static KNIGHTS: [Bits; 256] =
    jumps([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);

/// How many squares a knight reaches.
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

/// The squares next to a square: where a king goes.
pub(super) static NEAR: [Bits; 256] = jumps([(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);

/// Where a pawn can go from a square; `NOWHERE` where there is nothing.
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
    /// All of these in the byte order of the names, `NOWHERE` last, each with what it takes and makes.
    pub(super) ways: [(u8, u8); 6],
}

/// What a pawn's way is: a capture, a double step, a promotion; else a plain step.
pub(super) const TAKES: u8 = 1;
pub(super) const DOUBLE: u8 = 2;
pub(super) const PROMOTES: u8 = 4;

/// By direction and owner (the low four bits of a pawn), and square.
pub(super) static PAWNS: [[Paths; 256]; 16] = {
    let none = Paths { steps: [NOWHERE; 2], double: NOWHERE, takes: [NOWHERE; 3], bend: 0, ways: [(NOWHERE, 0); 6] };
    let mut table = [[none; 256]; 16];
    let mut p = 0;
    while p < 16 {
        let mut s = 0;
        while s < 224 {
            table[p][s] = if on_board(s as u8) { in_order(paths(p as u8, s as u8), p as u8) } else { none };
            s += 1;
        }
        p += 1;
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

/// Where a square is in the byte order of the names.
const fn rank(s: u8) -> usize {
    let rows = [0, 6, 7, 8, 9, 10, 11, 12, 13, 1, 2, 3, 4, 5, 14, 15];
    column(s) << 4 | rows[row(s)]
}

/// The next square, or `NOWHERE`.
const fn step(s: u8, by: u8) -> u8 {
    let to = s.wrapping_add(by);
    if s != NOWHERE && on_board(to) { to } else { NOWHERE }
}

/// The diagonal steps: along the rising diagonal up and down, along the falling one down and up.
const SLANTS: [u8; 4] = [17, 0xef, 15, 0xf1];

/// For a square and a diagonal step, the pawns (a bit for each direction and owner) that attack the neighbour from there.
static HITS: [[u16; 4]; 256] = {
    let mut table = [[0; 4]; 256];
    let mut s = 0;
    while s < 224 {
        let mut p = 0;
        while p < 16 {
            if on_board(s as u8) {
                let takes = paths(p, s as u8).takes;
                let mut n = 0;
                while n < 4 {
                    let to = (s as u8).wrapping_add(SLANTS[n]);
                    if to != NOWHERE && (takes[0] == to || takes[1] == to || takes[2] == to) {
                        table[s][n] |= 1 << p;
                    }
                    n += 1;
                }
            }
            p += 1;
        }
        s += 1;
    }
    table
};

/// Whether a pawn with this direction has no square ahead: it promotes.
#[inline]
pub(super) fn at_the_edge(s: u8, direction: usize) -> bool {
    !BOARD.has(s.wrapping_add(FORWARD[direction]))
}

/// How many steps a pawn with each direction has to its promotion.
pub(super) static AHEAD: [[u8; 256]; 4] = {
    let mut table = [[0; 256]; 4];
    let mut way = 0;
    while way < 4 {
        let mut s = 0;
        while s < 224 {
            let mut next = step(s as u8, FORWARD[way]);
            while on_board(s as u8) && next != NOWHERE {
                table[way][s] += 1;
                next = step(next, FORWARD[way]);
            }
            s += 1;
        }
        way += 1;
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

/// The squares from which a piece could attack a square, or stand in the way of one that does.
pub(super) static ZONE: [Bits; 256] = {
    let mut table = KNIGHTS;
    let mut s = 0u8;
    while s < 224 {
        if on_board(s) {
            let mut l = 0;
            while l < 4 {
                let (all, mut word) = (LINE[line(l, s)], 0);
                while word < 4 {
                    table[s as usize].0[word] |= all.0[word];
                    word += 1;
                }
                l += 1;
            }
        }
        s += 1;
    }
    table
};

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
    /// How many pieces there are.
    pub(super) count: u32,
    /// How many pieces of each kind each player has.
    pub(super) counts: [[u8; 8]; 4],
}

/// The two neighbours of a square in a line, and where in the line they are.
struct Ends {
    low: u8,
    high: u8,
    from: usize,
    upto: usize,
}

/// What holds a player back: checks and pins.
pub(super) struct Guard {
    /// How many pieces give check.
    pub(super) checks: u32,
    /// Where a move of a piece other than the king ends a check, if there is only one.
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

    /// The neighbours of `s` in a line.
    #[inline(always)]
    fn ends<const L: usize>(&self, s: u8) -> Ends {
        Board::ends_in::<L>(self.lines[line(L, s)], s)
    }

    /// The neighbours of `s` in a line with this occupancy.
    #[inline(always)]
    fn ends_in<const L: usize>(taken: u16, s: u8) -> Ends {
        let (taken, at) = (taken as u32, place(L, s));
        // Walls stand at both ends, so the bits added only tell the compiler that there are any.
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

    /// Where a piece that slides along a line can get to, first pieces in the way and the square itself included.
    #[inline(always)]
    fn slide<const L: usize>(&self, s: u8) -> Bits {
        let ends = self.ends::<L>(s);
        Board::segment::<L>(s, ends.from, ends.upto)
    }

    /// Where a bishop can get to, first pieces in the way and the square itself included.
    #[inline]
    pub(super) fn bishop(&self, s: u8) -> Bits {
        self.slide::<RISING>(s) | self.slide::<FALLING>(s)
    }

    /// Where a rook can get to, likewise.
    #[inline]
    pub(super) fn rook(&self, s: u8) -> Bits {
        self.slide::<COLUMN>(s) | self.slide::<ROW>(s)
    }

    /// How many empty squares a bishop, a rook or a queen reaches.
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

    /// Who attacks a square: a bit for each player with a piece that could capture there.
    pub(super) fn attackers(&self, s: u8) -> u8 {
        self.attackers_if(s, NOWHERE)
    }

    /// Who attacks a square if the piece on `gone` were not there.
    pub(super) fn attackers_without(&self, s: u8, gone: u8) -> u8 {
        self.attackers_if(s, gone)
    }

    /// Both of these: the commoner one is compiled without the test for the piece that is gone.
    #[inline(always)]
    fn attackers_if(&self, s: u8, gone: u8) -> u8 {
        self.sliders::<COLUMN>(s, gone)
            | self.sliders::<ROW>(s, gone)
            | self.sliders::<RISING>(s, gone)
            | self.sliders::<FALLING>(s, gone)
            | self.attackers_close_to(s)
    }

    /// Who attacks a square along a line, if the piece on `gone` were not there.
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

    /// Who attacks a square with a knight, a king or a pawn.
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

    /// How many of `those` slide along a line through a square, whatever stands in between.
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

    /// What holds a player back.
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

    /// What holds a player back along a line through the king.
    #[inline(always)]
    fn guard_line<const L: usize>(&self, king: u8, own: Bits, me: u8, guard: &mut Guard) {
        let ends = self.ends::<L>(king);
        for (high, neighbour) in [(false, ends.low), (true, ends.high)] {
            if own.has(neighbour) {
                let behind = self.ends::<L>(neighbour);
                if self.slider::<L>(if high { behind.high } else { behind.low }) & !me != 0 {
                    guard.pinned = guard.pinned.with(neighbour);
                }
            } else if self.slider::<L>(neighbour) != 0 {
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
    use super::*;

    #[test]
    fn the_board_has_160_squares() {
        assert_eq!(BOARD.count(), 160);
    }

    #[test]
    fn squares_are_listed_in_the_byte_order_of_their_names() {
        let mut names = Vec::new();
        BOARD.each_by_name(|s| names.push(super::super::text::name(s)));
        assert_eq!(names.len(), 160);
        assert!(names.is_sorted());
    }

    #[test]
    fn no_ray_crosses_a_corner() {
        let board = Board::empty();
        assert!(!board.bishop(square(3, 0)).has(square(0, 3)));
        assert_eq!(board.rook(square(3, 0)).count(), 1 + 7 + 13);
    }

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
