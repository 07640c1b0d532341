//! The drawing of a position.

use std::fmt;

use nply::{MAX_PLAYERS, Notation, Player};

use super::ChineseCheckers;
use super::text::letter;
use crate::draw::{Color, paint};

const COLORS: [Color; MAX_PLAYERS] =
    [Color::Red, Color::Green, Color::Blue, Color::Yellow, Color::Magenta, Color::Cyan];

/// The corners clockwise from the north.
const CORNERS: [&str; 6] = ["north", "northeast", "southeast", "south", "southwest", "northwest"];

/// How the empty fields of each player's goal are drawn.
const GOALS: [char; MAX_PLAYERS] = ['₁', '₂', '₃', '₄', '₅', '₆'];

/// The star with the names of the first and the last field of each row, pieces as the numbers of their players and empty goal
/// fields as small ones; below it, where the goals are and who is to move or has won.
impl fmt::Display for ChineseCheckers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, row) in self.star.rows.iter().enumerate() {
            write!(f, "{:indent$}", "", indent = self.star.indents[index])?;
            paint(f, Color::Dim, format_args!("{}1", letter(index)))?;
            for &field in row {
                f.write_str(" ")?;
                let corner = self.star.corner_of[field as usize];
                let goal = self.goals[..self.players as usize].iter().position(|&goal| goal == corner);
                match (self.owner(field), goal) {
                    (Some(player), _) => paint(f, COLORS[player.index()], player)?,
                    (None, Some(player)) => paint(f, COLORS[player], GOALS[player])?,
                    (None, None) => paint(f, Color::Dim, '.')?,
                }
            }
            if row.len() > 1 {
                paint(f, Color::Dim, format_args!(" {}{}", letter(index), row.len()))?;
            }
            writeln!(f)?;
        }
        f.write_str("goals:")?;
        for player in Player::all(self.players as usize) {
            let comma = if player.index() > 0 { "," } else { "" };
            write!(f, "{comma} ")?;
            paint(f, COLORS[player.index()], GOALS[player.index()])?;
            write!(f, " {}", CORNERS[self.goals[player.index()] as usize])?;
        }
        writeln!(f)?;
        match self.winner {
            Some(winner) => writeln!(f, "player {winner} has won after {} plies", self.plies),
            None if self.is_over() => writeln!(f, "drawn after {} plies", self.plies),
            None => writeln!(f, "player {} to move, ply {} of {}", self.turn, self.plies + 1, self.limit),
        }
    }
}

impl fmt::Debug for ChineseCheckers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChineseCheckers({:?})", self.to_text())
    }
}
