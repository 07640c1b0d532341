//! Pieces.

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
