//! The drawing of a position.

use std::fmt;

use nply::Game;

use super::FourPlayerChess;
use super::piece::{EMPTY, owner};
use super::square::{on_board, square};
use super::text::{LETTERS, NAMES, letter};
use crate::draw::{Color, paint};

const COLORS: [Color; 4] = [Color::White, Color::Red, Color::Yellow, Color::Blue];

impl fmt::Display for FourPlayerChess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in (0..14).rev() {
            paint(f, Color::Dim, format_args!("{:>2}", y + 1))?;
            for x in 0..14 {
                let s = square(x, y);
                let piece = self.board.at(s);
                match piece {
                    _ if !on_board(s) => f.write_str(if x < 7 { "   " } else { "" })?,
                    EMPTY => paint(f, Color::Dim, "  .")?,
                    _ => {
                        let own = owner(piece);
                        paint(f, COLORS[own], format_args!(" {}{}", LETTERS[own], letter(piece)))?;
                    }
                }
            }
            f.write_str("\n")?;
        }
        f.write_str("  ")?;
        for x in 0..14 {
            paint(f, Color::Dim, format_args!("  {}", (b'a' + x) as char))?;
        }
        f.write_str("\n")?;
        let names: Vec<&str> = (0..4).filter(|&p| self.lives(p)).map(|p| NAMES[p]).collect();
        match self.payoff() {
            None => writeln!(f, "{} to move", NAMES[self.state.turn as usize]),
            Some(_) if names.len() == 1 => writeln!(f, "{} has won", names[0]),
            Some(_) => writeln!(f, "drawn between {}", names.join(", ")),
        }
    }
}
