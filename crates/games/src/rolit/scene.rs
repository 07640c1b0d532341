//! How positions look, and what a person clicks.

use std::fmt;

use nply::scene::{Clicks, Color, Figure, Piece, Place, Scene, Seat};
use nply::{Game, Player};

use super::discs::{Move, side};
use super::{Othello, Rolit};
use crate::grid::{Grid, name};

/// The looks of a color's discs.
pub(super) struct Disc {
    pub(super) letter: char,
    pub(super) name: &'static str,
    color: Color,
}

/// The colors of Rolit, in turn order.
pub(super) const ROLIT: [Disc; 4] = [
    Disc { letter: 'R', name: "Red", color: Color::Red },
    Disc { letter: 'G', name: "Green", color: Color::Green },
    Disc { letter: 'Y', name: "Yellow", color: Color::Yellow },
    Disc { letter: 'B', name: "Blue", color: Color::Blue },
];

/// The colors of Othello, in turn order.
pub(super) const OTHELLO: [Disc; 2] = [
    Disc { letter: 'B', name: "Black", color: Color::Black },
    Disc { letter: 'W', name: "White", color: Color::White },
];

/// The index of the disc on a field.
pub(super) fn disc(discs: &[u64], column: usize, row: usize) -> Option<usize> {
    discs.iter().position(|&set| set & Move::new(column, row).bit() != 0)
}

/// The board, row 1 at the top; discs of colors without a player are nobody's. `turn` is `None` if the game is over.
fn board(side: usize, discs: &[u64], looks: &[Disc], players: usize, tone: u8, turn: Option<Player>) -> Scene {
    let grid = Grid { columns: side, rows: side, is_down: true, has_numbers: true };
    let seats = looks[..players].iter().zip(discs).map(|(look, discs)| {
        let count = discs.count_ones();
        let about = format!("{count} disc{}", if count == 1 { "" } else { "s" });
        Seat { about, ..Seat::named(look.name, look.letter, look.color) }
    });
    let mut scene = grid.scene(seats.collect());
    for row in 0..side {
        for column in 0..side {
            scene.places.push(Place { tone, ..grid.field(column, row) });
            let name = name(column, row);
            match disc(discs, column, row) {
                Some(number) if number < players => {
                    scene.pieces.push(Piece::new(name, Player::new(number), Figure::Disc));
                }
                Some(number) => {
                    let text = Some(looks[number].letter.into());
                    scene.pieces.push(Piece { text, ..Piece::new(name, None, Figure::Disc) });
                }
                None => {}
            }
        }
    }
    if turn.is_none() {
        scene.status = "game over".into();
    }
    scene.turn = turn;
    scene
}

impl Rolit {
    pub(super) fn look(&self) -> Scene {
        let turn = self.payoff().is_none().then_some(self.turn);
        board(side(self.board), &self.discs, &ROLIT, self.player_count(), 0, turn)
    }
}

impl Othello {
    pub(super) fn look(&self) -> Scene {
        board(side(self.board), &self.both(), &OTHELLO, 2, 2, (!self.is_over()).then_some(self.turn))
    }
}

/// The field of the disc.
pub(super) fn clicks(m: Move) -> Clicks {
    if m == Move::PASS { Clicks::pass() } else { Clicks::on([m.to_string()]) }
}

impl fmt::Display for Rolit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.look().fmt(f)
    }
}

impl fmt::Display for Othello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.look().fmt(f)
    }
}
