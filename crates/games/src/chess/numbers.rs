//! Positions as planes, and the numbers of moves.

use std::sync::LazyLock;

use nply::numbers::{Numbered, Planes};

use super::line::{COLUMN, FALLING, KNIGHTS, LINE, RISING, ROW, line};
use super::moves::PROMOTIONS;
use super::pawn::{PAWNS, PROMOTES};
use super::piece::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, direction};
use super::rules::{CASTLING, PATIENCE};
use super::square::{Bits, NOWHERE, SQUARES, column, row};
use super::{FourPlayerChess, Move};

const KINDS: [(u8, &str); 6] =
    [(PAWN, "pawn"), (KNIGHT, "knight"), (BISHOP, "bishop"), (ROOK, "rook"), (QUEEN, "queen"), (KING, "king")];
const DIRECTIONS: [&str; 4] = ["up", "right", "down", "left"];

/// The numbers of moves.
struct Table {
    count: usize,
    /// By both squares: the move of a piece as it is, or of a pawn that becomes the first of [`PROMOTIONS`].
    plain: Vec<[u16; 256]>,
    promoting: Vec<[u16; 256]>,
}

/// First what a queen or a knight could do on an empty board, which includes what all others do; then the promotions of pawns of any
/// direction; then the pass.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { count: 0, plain: vec![[0; 256]; 256], promoting: vec![[0; 256]; 256] };
    for from in SQUARES {
        let lines = [COLUMN, ROW, RISING, FALLING].map(|l| LINE[line(l, from)]);
        let reached = lines.into_iter().fold(KNIGHTS[from as usize], |all, line| all | line);
        reached.without(Bits::NONE.with(from)).each(|to| {
            table.plain[from as usize][to as usize] = table.count as u16;
            table.count += 1;
        });
    }
    for from in SQUARES {
        let ways = PAWNS.iter().flat_map(|paths| paths[from as usize].ways);
        let promoting = ways.filter(|&(to, how)| to != NOWHERE && how & PROMOTES != 0);
        promoting.fold(Bits::NONE, |all, (to, _)| all.with(to)).each(|to| {
            table.promoting[from as usize][to as usize] = table.count as u16;
            table.count += PROMOTIONS.len();
        });
    }
    table.count += 1;
    table
});

/// Row 14 first. There is a plane for each kind of piece and player; four for the pawns by the direction that they have now; one for the
/// rooks that may still castle; one for each player's square that can be captured en passant; one for whether each player is in; one for the
/// plies without progress, as the part of those that end the game; and one for how often the position has occurred before, as the part of
/// the two times that end it. Earlier positions are not shown.
impl Numbered for FourPlayerChess {
    fn grid(&self) -> [usize; 2] {
        [14, 14]
    }

    fn draw(&self, planes: &mut Planes) {
        for (kind, name) in KINDS {
            for player in planes.players() {
                let mut plane = planes.plane(format_args!("{name} of {}", planes.who(player)));
                let pieces = self.board.sets[player.index()] & self.board.kinds[kind as usize];
                pieces.each(|s| plane.mark(13 - row(s), column(s)));
            }
        }
        for (way, name) in DIRECTIONS.iter().enumerate() {
            let mut plane = planes.plane(format_args!("pawn that moves {name}"));
            self.board.kinds[PAWN as usize].each(|s| {
                if direction(self.board.at(s)) == way {
                    plane.mark(13 - row(s), column(s));
                }
            });
        }
        let mut plane = planes.plane(format_args!("rook that may castle"));
        for (right, way) in CASTLING.iter().enumerate() {
            if self.state.rights >> right & 1 != 0 {
                plane.mark(13 - row(way.rook), column(way.rook));
            }
        }
        for player in planes.players() {
            let mut plane = planes.plane(format_args!("en passant square of {}", planes.who(player)));
            let passed = self.state.passed[player.index()];
            if passed != NOWHERE {
                plane.mark(13 - row(passed), column(passed));
            }
        }
        for player in planes.players() {
            let lives = u8::from(self.lives(player.index()));
            planes.all(format_args!("{} is in", planes.who(player)), lives.into());
        }
        let patience = PATIENCE * self.state.living.count_ones();
        planes.part(format_args!("plies without progress"), self.state.clock, patience);
        // Out of turn, a position is not recorded.
        let occurred = self.seen[self.state.since as usize..].iter().filter(|&&key| key == self.state.key).count();
        planes.part(format_args!("occurred before"), occurred.saturating_sub(1) as u32, 2);
    }

    fn move_count(&self) -> usize {
        TABLE.count
    }

    fn move_number(&self, Move { from, to, promotion }: Move) -> usize {
        if from == NOWHERE {
            return TABLE.count - 1;
        }
        let table = if promotion == 0 { &TABLE.plain } else { &TABLE.promoting };
        let first: usize = table[from as usize][to as usize].into();
        first + PROMOTIONS.iter().position(|&kind| kind == promotion).unwrap_or(0)
    }
}
