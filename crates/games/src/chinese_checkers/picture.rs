//! The drawing of a position.

use std::fmt;

use nply::{MAX_PLAYERS, Notation};

use super::ChineseCheckers;
use super::text::letter;
use crate::draw::{Color, paint};

const COLORS: [Color; MAX_PLAYERS] =
    [Color::Red, Color::Green, Color::Blue, Color::Yellow, Color::Magenta, Color::Cyan];

impl fmt::Display for ChineseCheckers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, row) in self.star.rows.iter().enumerate() {
            paint(f, Color::Dim, letter(index))?;
            write!(f, " {:indent$}", "", indent = self.star.indents[index])?;
            for &field in row {
                write!(f, " ")?;
                match self.owner(field) {
                    Some(player) => paint(f, COLORS[player.index()], player)?,
                    None => paint(f, Color::Dim, '.')?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for ChineseCheckers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChineseCheckers({:?})", self.to_text())
    }
}
