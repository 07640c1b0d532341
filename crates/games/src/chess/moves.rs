//! Moves, and which of them are legal.

use nply::Game;

use super::board::{ALL_BUT, Guard, at_the_edge, direction_after, kind, owner};
use super::board::{BISHOP, Bits, Board, FORWARD, KING, KNIGHT, KNIGHTS, NEAR, NOWHERE, PAWN, PAWNS, QUEEN, ROOK};
use super::{CASTLING, FourPlayerChess};

/// A move: from a square to a square, and what a pawn becomes; or a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    pub(super) from: u8,
    pub(super) to: u8,
    /// A kind, or 0.
    pub(super) promotion: u8,
}

impl Move {
    pub(super) const PASS: Move = Move { from: NOWHERE, to: NOWHERE, promotion: 0 };
}

/// What a pawn can become, in the byte order of the letters.
pub(super) const PROMOTIONS: [u8; 4] = [BISHOP, KNIGHT, QUEEN, ROOK];

impl FourPlayerChess {
    /// Appends the legal moves in the byte order of the notation.
    pub(super) fn list(&self, out: &mut Vec<Move>) {
        if self.payoff().is_some() {
            return;
        }
        let (me, before) = (self.state.turn as usize, out.len());
        let guard = self.board.guard(me);
        self.board.sets[me].each_by_name(|from| {
            let targets = self.legal(me, from, &guard);
            if kind(self.board.at(from)) == PAWN {
                targets.each_by_name(|to| self.push_pawn(from, to, out));
            } else {
                targets.each_by_name(|to| out.push(Move { from, to, promotion: 0 }));
            }
        });
        if out.len() == before {
            out.push(Move::PASS);
        }
    }

    fn push_pawn(&self, from: u8, to: u8, out: &mut Vec<Move>) {
        if at_the_edge(to, direction_after(self.board.at(from), from, to)) {
            out.extend(PROMOTIONS.map(|promotion| Move { from, to, promotion }));
        } else {
            out.push(Move { from, to, promotion: 0 });
        }
    }

    /// Whether the player to move has a legal move.
    pub(super) fn can_move(&self) -> bool {
        let me = self.state.turn as usize;
        let (board, own) = (&self.board, self.board.sets[me]);
        let king = board.kings[me];
        // Out of check, a pawn that is in no line with the king may step: true of nearly all positions.
        let loose = own.without(Board::lines_of(king));
        let steps = |s: u8| board.at(PAWNS[(board.at(s) & 15) as usize][s as usize].steps[0]) == super::board::EMPTY;
        if (loose & board.kinds[PAWN as usize]).any(steps) && !self.in_check(me) {
            return true;
        }
        let guard = board.guard(me);
        own.any(|from| !self.legal(me, from, &guard).is_empty())
    }

    /// Where the piece of `me` on a square may go without leaving the own king attacked.
    fn legal(&self, me: usize, from: u8, guard: &Guard) -> Bits {
        let king = self.board.kings[me];
        let moved = kind(self.board.at(from));
        let targets = self.targets(me, from, guard);
        // What takes more than the piece on the square: a king, which takes its owner's army along, and en passant.
        let mut special = self.prey(me);
        if moved == PAWN {
            special |= self.passed_squares(me);
        }
        let special = special & targets;
        let plain = targets.without(special);
        let mut legal = if moved == KING {
            let mut safe = Bits::NONE;
            plain.each(|to| {
                if !self.attacked(me, to, king) {
                    safe = safe.with(to);
                }
            });
            safe
        } else {
            match guard.checks {
                0 if !guard.pinned.has(from) => plain,
                0 => plain & Board::line_through(king, from),
                1 if !guard.pinned.has(from) => plain & guard.block,
                _ => Bits::NONE,
            }
        };
        if !special.is_empty() {
            special.each(|to| {
                if self.is_safe_after(me, from, to) {
                    legal = legal.with(to);
                }
            });
        }
        legal
    }

    /// The kings of the opponents.
    fn prey(&self, me: usize) -> Bits {
        self.board.kinds[KING as usize].without(self.board.sets[me])
    }

    /// The squares where opponents' pawns can be captured en passant.
    fn passed_squares(&self, me: usize) -> Bits {
        let mut set = Bits::NONE;
        for (player, passed) in self.state.passed.into_iter().enumerate() {
            if player != me && passed != NOWHERE {
                set = set.with(passed);
            }
        }
        set
    }

    /// Where a piece could go if its king did not matter.
    fn targets(&self, me: usize, from: u8, guard: &Guard) -> Bits {
        let board = &self.board;
        let own = board.sets[me];
        match kind(board.at(from)) {
            PAWN => self.pawn_targets(me, from),
            KNIGHT => KNIGHTS[from as usize].without(own),
            BISHOP => board.bishop(from).without(own),
            ROOK => board.rook(from).without(own),
            QUEEN => (board.bishop(from) | board.rook(from)).without(own),
            _ => NEAR[from as usize].without(own) | self.castlings(me, guard),
        }
    }

    fn pawn_targets(&self, me: usize, from: u8) -> Bits {
        let board = &self.board;
        let paths = &PAWNS[(board.at(from) & 15) as usize][from as usize];
        let mut targets = Bits::NONE;
        let is_empty = |s: u8| board.at(s) == super::board::EMPTY;
        for to in paths.steps {
            if is_empty(to) {
                targets = targets.with(to);
            }
        }
        if targets.has(paths.steps[0]) && is_empty(paths.double) {
            targets = targets.with(paths.double);
        }
        let others = board.occupied().without(board.sets[me]) | self.passed_squares(me).without(board.sets[me]);
        for to in paths.takes {
            if others.has(to) {
                targets = targets.with(to);
            }
        }
        targets
    }

    /// Where the king may castle to, if the square it reaches is not attacked.
    fn castlings(&self, me: usize, guard: &Guard) -> Bits {
        let mut set = Bits::NONE;
        if self.state.rights >> (2 * me) & 3 == 0 || guard.checks > 0 {
            return set;
        }
        for side in 0..2 {
            let right = 2 * me + side;
            let way = &CASTLING[right];
            // The king and the rook are at their places, so the line between them is free if the rook sees the king.
            let free = || self.board.rook(way.rook).has(way.king);
            if self.state.rights >> right & 1 != 0 && free() && !self.attacked(me, way.over, NOWHERE) {
                set = set.with(way.to);
            }
        }
        set
    }

    /// Whether the own king is safe after a capture of a king or en passant: tried on a copy of the board.
    #[cold]
    fn is_safe_after(&self, me: usize, from: u8, to: u8) -> bool {
        let mut board = self.board;
        let moved = board.take(from);
        let mut captured = [to, NOWHERE];
        if kind(moved) == PAWN
            && let Some(victim) = self.passed_here(me, from, to)
        {
            captured[1] = to.wrapping_add(FORWARD[victim]);
        }
        for s in captured {
            if s == NOWHERE || board.at(s) == super::board::EMPTY {
                continue;
            }
            let piece = board.take(s);
            if kind(piece) == KING {
                board.sets[owner(piece)].each(|s| _ = board.take(s));
            }
        }
        board.put(to, moved);
        !board.is_attacked(board.kings[me], &ALL_BUT[me], !board.sets[me], NOWHERE)
    }
}
