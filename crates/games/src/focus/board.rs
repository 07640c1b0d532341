//! The fields, where stacks can go from each, and the set-ups.

use super::Move;
use super::stack::Stack;

/// The length of tables by field, missing corners included.
pub(super) const SIZE: usize = 64;

/// The fields as a set: field 8 * column + row, so that counting up follows the notation. Three are missing in each corner.
pub(super) const FIELDS: u64 = 0x3c7e_ffff_ffff_7e3c;

/// The length of tables by height.
const HEIGHTS: usize = 8;

pub(super) const FIELD_COUNT: usize = FIELDS.count_ones() as usize;

/// The set-ups for two, three and four players, as the board is written in a position's text.
pub(super) const STARTS: [&str; 3] = [
    "..____../.RRGGRR./_GGRRGG_/_RRGGRR_/_GGRRGG_/_RRGGRR_/.GGRRGG./..____..",
    "..____../.RRBBGG./_GGRRBB_/_BBGGRR_/_RRBBGG_/_GGRRBB_/.BBGGRR./..____..",
    "..BBRY../.YYYRYR./BBBBRYRY/YYYYRYRY/GBGBGGGG/GBGBRRRR/.BGBGGG./..GBRR..",
];

/// The letters of the colors, in turn order.
pub(super) const LETTERS: [char; 4] = ['R', 'G', 'B', 'Y'];

/// The number of pieces that each player starts with.
pub(super) const fn pieces(players: usize) -> u32 {
    match players {
        2 => 18,
        3 => 12,
        _ => 13,
    }
}

/// The stacks of a set-up.
pub(super) fn start(players: usize) -> [Stack; SIZE] {
    let mut stacks = [Stack::EMPTY; SIZE];
    for (row, line) in STARTS[players - 2].split('/').rev().enumerate() {
        for (column, letter) in line.chars().enumerate() {
            if let Some(color) = LETTERS.iter().position(|&known| known == letter) {
                stacks[8 * column + row] = Stack::EMPTY.join(color as u32, 1).0;
            }
        }
    }
    stacks
}

/// The fields of a set, counting up.
#[inline]
pub(super) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let field = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(field)
    })
}

/// The moves of a stack of one height from one field, in the order of the notation.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    len: u16,
    /// A line has at most seven other fields, and there are two of them.
    moves: [Move; 15],
}

impl Targets {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    pub(super) fn moves(&self) -> &[Move] {
        &self.moves[..self.len as usize]
    }
}

/// By field and height, every move of a stack there. Six heights occur; with eight entries no look-up needs a bounds
/// check, which makes random games a tenth faster.
pub(super) static TARGETS: [[Targets; HEIGHTS]; SIZE] = {
    let mut targets = [[Targets { len: 0, moves: [Move::PASS; 15] }; HEIGHTS]; SIZE];
    let mut from = 0;
    while from < SIZE {
        let mut height = 0;
        while height <= Stack::MOST {
            targets[from][height] = list(from, height);
            height += 1;
        }
        from += 1;
    }
    targets
};

/// Every placement, in the order of the notation.
pub(super) static PLACES: [Move; FIELD_COUNT] = {
    let mut places = [Move::PASS; FIELD_COUNT];
    let (mut count, mut to) = (0, 0);
    while to < SIZE {
        if FIELDS >> to & 1 == 1 {
            places[count] = Move::place(to);
            count += 1;
        }
        to += 1;
    }
    places
};

const fn list(from: usize, height: usize) -> Targets {
    let mut targets = Targets { len: 0, moves: [Move::PASS; 15] };
    let mut to = 0;
    while to < SIZE {
        let (across, along) = ((from / 8).abs_diff(to / 8), (from % 8).abs_diff(to % 8));
        let straight = (across == 0) != (along == 0);
        let on_board = FIELDS >> from & FIELDS >> to & 1 == 1;
        if on_board && straight && across + along <= height {
            targets.moves[targets.len as usize] = Move::shift(from, to);
            targets.len += 1;
        }
        to += 1;
    }
    targets
}
