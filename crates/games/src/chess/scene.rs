//! How a position looks, and what a person clicks.

use std::fmt;

use nply::scene::{Clicks, Color, Figure, Piece, Place, Scene, Seat};
use nply::{Game, Player};

use super::piece::{BISHOP, EMPTY, KING, KNIGHT, PAWN, QUEEN, ROOK, kind, owner};
use super::square::{on_board, square};
use super::text::{LETTERS, NAMES, letter, name};
use super::{FourPlayerChess, Move};
use crate::grid::Grid;

const COLORS: [Color; 4] = [Color::White, Color::Red, Color::Black, Color::Blue];

const GRID: Grid = Grid { columns: 14, rows: 14, is_down: false, has_numbers: true };

/// The figure of a kind of piece.
fn figure(kind: u8) -> Figure {
    match kind {
        PAWN => Figure::Pawn,
        KNIGHT => Figure::Knight,
        BISHOP => Figure::Bishop,
        ROOK => Figure::Rook,
        QUEEN => Figure::Queen,
        KING => Figure::King,
        other => unreachable!("{other} is no kind of piece"),
    }
}

/// The cross-shaped board. Armies without a king are off the board, so no piece is faded.
pub(super) fn scene(game: &FourPlayerChess) -> Scene {
    let seats = (0..4).map(|player| {
        let about = if game.lives(player) { "" } else { "out" };
        Seat { about: about.into(), ..Seat::named(NAMES[player], LETTERS[player], COLORS[player]) }
    });
    let mut scene = GRID.scene(seats.collect());
    scene.text_width = 2;
    for y in (0..14).rev() {
        for x in 0..14 {
            let s = square(x, y);
            if !on_board(s) {
                continue;
            }
            scene.places.push(Place { tone: ((x + y + 1) % 2) as u8, ..GRID.field(x, y) });
            let piece = game.board.at(s);
            if piece != EMPTY {
                let player = Player::new(owner(piece));
                let text = Some(letter(piece).into());
                scene.pieces.push(Piece { text, ..Piece::new(name(s), player, figure(kind(piece))) });
            }
        }
    }
    let names: Vec<&str> = (0..4).filter(|&player| game.lives(player)).map(|player| NAMES[player]).collect();
    scene.turn = game.payoff().is_none().then(|| game.turn());
    scene.status = match game.payoff() {
        None => String::new(),
        Some(_) if names.len() == 1 => format!("{} has won", names[0]),
        Some(_) => format!("drawn between {}", names.join(", ")),
    };
    scene
}

/// The two squares, and what a pawn becomes; castling is the king's move.
pub(super) fn clicks(m: Move) -> Clicks {
    if m == Move::PASS {
        return Clicks::pass();
    }
    let choice = (m.promotion != 0).then(|| figure(m.promotion).name().into());
    Clicks { choice, ..Clicks::on([name(m.from), name(m.to)]) }
}

impl fmt::Display for FourPlayerChess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scene(self).fmt(f)
    }
}
