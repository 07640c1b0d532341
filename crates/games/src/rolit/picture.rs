//! The drawing of a position.

use std::fmt;

use nply::{Game, Player};

use super::discs::Move;
use super::{Othello, Rolit};
use crate::draw::{Color, paint};

/// The looks of a color's discs.
pub(super) struct Disc {
    pub(super) letter: char,
    pub(super) name: &'static str,
    pub(super) color: Color,
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
    Disc { letter: 'B', name: "Black", color: Color::Green },
    Disc { letter: 'W', name: "White", color: Color::White },
];

/// The index of the disc on a field.
pub(super) fn disc(discs: &[u64], column: usize, row: usize) -> Option<usize> {
    discs.iter().position(|&set| set & Move::new(column, row).bit() != 0)
}

/// Draws a board with the number of discs of the first `players` colors; `turn` is `None` if the game is over.
fn draw(
    f: &mut fmt::Formatter<'_>,
    discs: &[u64],
    looks: &[Disc],
    players: usize,
    turn: Option<Player>,
) -> fmt::Result {
    paint(f, Color::Dim, "  a b c d e f g h")?;
    for row in 0..8 {
        f.write_str("\n")?;
        paint(f, Color::Dim, row + 1)?;
        for column in 0..8 {
            f.write_str(" ")?;
            match disc(discs, column, row) {
                Some(number) => paint(f, looks[number].color, looks[number].letter)?,
                None => paint(f, Color::Dim, '.')?,
            }
        }
    }
    f.write_str("\n")?;
    for (look, discs) in looks[..players].iter().zip(discs) {
        paint(f, look.color, look.name)?;
        write!(f, " {}, ", discs.count_ones())?;
    }
    match turn {
        Some(turn) => writeln!(f, "{} to move", looks[turn.index()].name),
        None => writeln!(f, "game over"),
    }
}

/// The board, row 1 at the top, and below it the discs of each player and who is to move.
impl fmt::Display for Rolit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = self.payoff().is_none().then_some(self.turn);
        draw(f, &self.discs, &ROLIT, self.player_count(), turn)
    }
}

/// The board, row 1 at the top, and below it the discs of each player and who is to move.
impl fmt::Display for Othello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw(f, &self.both(), &OTHELLO, 2, (!self.is_over()).then_some(self.turn))
    }
}
