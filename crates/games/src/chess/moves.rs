//! Moves, and which of them are legal.

use nply::{Game, Rng};

use super::board::{Board, Guard};
use super::line::{KNIGHTS, NEAR, ZONE};
use super::pawn::{DOUBLE, PAWNS, PROMOTES, TAKES};
use super::piece::{BISHOP, EMPTY, KING, KNIGHT, PAWN, Piece, QUEEN, ROOK, WALL, kind, owner};
use super::rules::{CASTLING, FourPlayerChess};
use super::square::{Bits, FORWARD, NOWHERE};

/// A move: from a square to a square, and what a pawn becomes; or a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    pub(super) from: u8,
    pub(super) to: u8,
    /// The kind of piece that a pawn becomes, or 0.
    pub(super) promotion: u8,
}

impl Move {
    pub(super) const PASS: Move = Move { from: NOWHERE, to: NOWHERE, promotion: 0 };
}

/// The kinds a pawn can promote to, in the byte order of their letters.
pub(super) const PROMOTIONS: [u8; 4] = [BISHOP, KNIGHT, QUEEN, ROOK];

/// The player to move, and what is common to the moves of all pieces.
struct Mover {
    me: usize,
    own: Bits,
    /// Squares where a capture takes more than the piece on them: pawns en passant, and kings, whose armies go with them.
    special: Bits,
    /// The squares of pawns that can be captured en passant.
    passed: Bits,
}

impl FourPlayerChess {
    fn mover(&self) -> Mover {
        let me = self.state.turn as usize;
        let (mut passed, mut kings) = (Bits::NONE, Bits::NONE);
        for p in (0..4).filter(|&p| p != me) {
            if self.state.passed[p] != NOWHERE {
                passed = passed.with(self.state.passed[p]);
            }
            if self.state.danger[p] >> me & 1 != 0 {
                kings = kings.with(self.board.kings[p]);
            }
        }
        Mover { me, own: self.board.sets[me], special: passed | kings, passed }
    }

    /// Appends the legal moves in the byte order of the notation.
    pub(super) fn list(&self, out: &mut Vec<Move>) {
        if self.payoff().is_some() {
            return;
        }
        let (mover, before) = (self.mover(), out.len());
        let guard = self.board.guard(mover.me);
        mover.own.each_by_name(|from| {
            if kind(self.board.at(from)) == PAWN {
                self.pawn_ways(&mover, from, |to, how| {
                    if self.is_legal(&mover, &guard, from, to) {
                        push(from, to, how, out);
                    }
                });
            } else {
                let targets = self.legal(&mover, &guard, from);
                targets.each_by_name(|to| out.push(Move { from, to, promotion: 0 }));
            }
        });
        if out.len() == before {
            out.push(Move::PASS);
        }
    }

    /// Appends the captures among the legal moves, in the same order.
    pub(super) fn captures(&self, out: &mut Vec<Move>) {
        if self.payoff().is_some() {
            return;
        }
        let mover = self.mover();
        let guard = self.board.guard(mover.me);
        let prey = self.board.occupied();
        mover.own.each_by_name(|from| {
            if kind(self.board.at(from)) == PAWN {
                self.pawn_ways(&mover, from, |to, how| {
                    if how & TAKES != 0 && self.is_legal(&mover, &guard, from, to) {
                        push(from, to, how, out);
                    }
                });
            } else if !(self.targets(&mover, from) & prey).is_empty() {
                let targets = self.legal(&mover, &guard, from) & prey;
                targets.each_by_name(|to| out.push(Move { from, to, promotion: 0 }));
            }
        });
    }

    /// A random legal move: draws among all moves of the pieces until one is legal.
    pub(super) fn draw(&self, scratch: &mut Vec<Move>, rng: &mut Rng) -> Move {
        let mover = self.mover();
        scratch.clear();
        mover.own.each(|from| {
            if kind(self.board.at(from)) == PAWN {
                self.pawn_ways(&mover, from, |to, how| push(from, to, how, scratch));
            } else {
                let targets = self.targets(&mover, from);
                targets.each(|to| scratch.push(Move { from, to, promotion: 0 }));
            }
        });
        let king = self.board.kings[mover.me];
        let safe = self.state.danger[mover.me] == 0;
        let mut guard = None;
        while !scratch.is_empty() {
            let drawn = rng.below(scratch.len());
            let Move { from, to, .. } = scratch[drawn];
            let free = safe && from != king && !ZONE[king as usize].has(from) && !mover.special.has(to);
            if free || self.is_legal(&mover, guard.get_or_insert_with(|| self.board.guard(mover.me)), from, to) {
                return scratch[drawn];
            }
            scratch.swap_remove(drawn);
        }
        Move::PASS
    }

    /// Whether the player to move has a legal move.
    #[inline]
    pub(super) fn can_move(&self) -> bool {
        let me = self.state.turn as usize;
        let (board, own) = (&self.board, self.board.sets[me]);
        let zone = &ZONE[board.kings[me] as usize];
        // Out of check, a pawn that is in no line with the king may step: true of nearly all positions.
        let steps = |s: u8| board.at(PAWNS[(board.at(s) & 15) as usize][s as usize].steps[0]) == EMPTY && !zone.has(s);
        (self.state.danger[me] == 0 && (own & board.kinds[PAWN as usize]).any(steps)) || self.has_legal_move()
    }

    /// The same without the quickest test; what needs no knowledge of pins comes first.
    fn has_legal_move(&self) -> bool {
        let mover = self.mover();
        let king = self.board.kings[mover.me];
        let army = mover.own.without(self.board.kinds[PAWN as usize]);
        if self.state.danger[mover.me] == 0 {
            let moves = |from: u8| !self.targets(&mover, from).without(mover.special).is_empty();
            if army.without(ZONE[king as usize]).any(moves) {
                return true;
            }
        }
        if NEAR[king as usize].without(mover.own).any(|to| self.king_may_go(&mover, to)) {
            return true;
        }
        let guard = self.board.guard(mover.me);
        let pawn_moves = |from: u8| {
            let mut found = false;
            self.pawn_ways(&mover, from, |to, _| found = found || self.is_legal(&mover, &guard, from, to));
            found
        };
        army.any(|from| from != king && !self.legal(&mover, &guard, from).is_empty())
            || (mover.own & self.board.kinds[PAWN as usize]).any(pawn_moves)
    }

    /// The squares that a piece other than a pawn may go to without leaving its king attacked.
    fn legal(&self, mover: &Mover, guard: &Guard, from: u8) -> Bits {
        let targets = self.targets(mover, from);
        let king = self.board.kings[mover.me];
        let special = targets & mover.special;
        if from == king || !special.is_empty() {
            let mut legal = Bits::NONE;
            targets.each(|to| {
                if self.is_legal(mover, guard, from, to) {
                    legal = legal.with(to);
                }
            });
            return legal;
        }
        match guard.checks {
            0 if !guard.pinned.has(from) => targets,
            0 => targets & Board::line_through(king, from),
            1 if !guard.pinned.has(from) => targets & guard.block,
            _ => Bits::NONE,
        }
    }

    /// Whether a move leaves the mover's king safe.
    #[inline]
    fn is_legal(&self, mover: &Mover, guard: &Guard, from: u8, to: u8) -> bool {
        let king = self.board.kings[mover.me];
        if from == king {
            return self.king_may_go(mover, to);
        }
        if mover.special.has(to) {
            return self.is_safe_after(mover.me, from, to);
        }
        match guard.checks {
            0 => !guard.pinned.has(from) || Board::line_through(king, from).has(to),
            1 => !guard.pinned.has(from) && guard.block.has(to),
            _ => false,
        }
    }

    /// Whether the king is safe on a square that it can get to.
    fn king_may_go(&self, mover: &Mover, to: u8) -> bool {
        let king = self.board.kings[mover.me];
        if mover.special.has(to) {
            return self.is_safe_after(mover.me, king, to);
        }
        self.board.attackers_without(to, king) & !(1 << mover.me) == 0
    }

    /// The squares that a piece other than a pawn could go to, disregarding its king's safety.
    #[inline]
    fn targets(&self, mover: &Mover, from: u8) -> Bits {
        let board = &self.board;
        let reached = match kind(board.at(from)) {
            KNIGHT => KNIGHTS[from as usize],
            BISHOP => board.bishop(from),
            ROOK => board.rook(from),
            QUEEN => board.bishop(from) | board.rook(from),
            _ => NEAR[from as usize] | self.castlings(mover.me),
        };
        reached.without(mover.own)
    }

    /// Calls `f` for each square a pawn could go to, disregarding its king's safety, and what kind of move it is, in the byte
    /// order of the squares' names.
    #[inline]
    fn pawn_ways(&self, mover: &Mover, from: u8, mut f: impl FnMut(u8, u8)) {
        let pawn = self.board.at(from);
        let paths = &PAWNS[(pawn & 15) as usize][from as usize];
        for (to, how) in paths.ways {
            if to == NOWHERE {
                break;
            }
            let there = self.board.at(to);
            let open = if how & TAKES != 0 {
                is_prey(there, mover.me) || (mover.passed.has(to) && there == EMPTY)
            } else {
                there == EMPTY && (how & DOUBLE == 0 || self.board.at(paths.steps[0]) == EMPTY)
            };
            if open {
                f(to, how);
            }
        }
    }

    /// The squares that the king may castle to, if not attacked there.
    #[inline]
    fn castlings(&self, me: usize) -> Bits {
        let mut set = Bits::NONE;
        if self.state.rights >> (2 * me) & 3 == 0 || self.state.danger[me] != 0 {
            return set;
        }
        for side in 0..2 {
            let right = 2 * me + side;
            let way = &CASTLING[right];
            // The king and the rook are at their places, so the line between them is free if the rook sees the king.
            let free = || self.board.rook(way.rook).has(way.king);
            let safe = || self.board.attackers(way.over) & !(1 << me) == 0;
            if self.state.rights >> right & 1 != 0 && free() && safe() {
                set = set.with(way.to);
            }
        }
        set
    }

    /// Whether the mover's king is safe after a capture of a king or en passant, tried on a copy of the board.
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
            if s == NOWHERE || board.at(s) == EMPTY {
                continue;
            }
            let piece = board.take(s);
            if kind(piece) == KING {
                board.sets[owner(piece)].each(|s| _ = board.take(s));
            }
        }
        board.put(to, moved);
        board.attackers(board.kings[me]) & !(1 << me) == 0
    }
}

/// Whether a piece can be captured by a player.
#[inline]
fn is_prey(piece: Piece, by: usize) -> bool {
    piece != EMPTY && piece != WALL && owner(piece) != by
}

/// Appends a pawn's move, or the four of a promotion.
#[inline]
fn push(from: u8, to: u8, how: u8, out: &mut Vec<Move>) {
    if how & PROMOTES != 0 {
        out.extend(PROMOTIONS.map(|promotion| Move { from, to, promotion }));
    } else {
        out.push(Move { from, to, promotion: 0 });
    }
}
