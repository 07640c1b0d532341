//! The drawing of a position.

use std::fmt;

use nply::Game;

use super::ConnectFour;
use super::text::letter;
use crate::draw::{Color, paint};

const COLORS: [Color; 4] = [Color::Red, Color::Yellow, Color::Green, Color::Blue];

/// The board with the letters of the columns below it, and who is to move or has won.
impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..self.rows as usize).rev() {
            for column in 0..self.columns as usize {
                match self.owner(column, row) {
                    Some(player) => paint(f, COLORS[player.index()], player)?,
                    None => paint(f, Color::Dim, '.')?,
                }
                f.write_str(if column + 1 < self.columns as usize { " " } else { "\n" })?;
            }
        }
        let letters: Vec<String> = (0..self.columns).map(|column| letter(column).to_string()).collect();
        paint(f, Color::Dim, letters.join(" "))?;
        writeln!(f)?;
        match (self.winner, self.payoff()) {
            (Some(winner), _) => writeln!(f, "player {winner} has won"),
            (None, Some(_)) => writeln!(f, "drawn"),
            (None, None) => writeln!(f, "player {} to move", self.turn),
        }
    }
}
