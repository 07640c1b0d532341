//! The drawing of a position.

use std::fmt;

use nply::Player;

use super::Focus;
use super::board::{FIELDS, LETTERS};
use super::rules::{COLORS, State};
use super::stack::Stack;
use super::text::NAMES;
use crate::draw::{Color, paint};

const PAINTS: [Color; COLORS] = [Color::Red, Color::Green, Color::Blue, Color::Yellow];

/// Every field shows its stack from the bottom to the top, so the last letter is its owner.
impl fmt::Display for Focus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..8).rev() {
            paint(f, Color::Dim, row + 1)?;
            let mut gap = 2;
            for column in 0..8 {
                let field = 8 * column + row;
                let stack = self.stacks[field];
                if FIELDS >> field & 1 == 0 {
                    gap += 6;
                    continue;
                }
                write!(f, "{:gap$}", "")?;
                for color in stack.pieces() {
                    paint(f, PAINTS[color], LETTERS[color])?;
                }
                if stack == Stack::EMPTY {
                    paint(f, Color::Dim, '.')?;
                }
                gap = 6 - stack.height().max(1);
            }
            writeln!(f)?;
        }
        paint(f, Color::Dim, "   a     b     c     d     e     f     g     h")?;
        writeln!(f)?;
        for player in Player::all(self.players as usize) {
            self.draw_player(f, player)?;
        }
        match self.state {
            State::Open => {
                paint(f, PAINTS[self.turn.index()], NAMES[self.turn.index()])?;
                writeln!(f, " to move, ply {} of {}", self.ply + 1, self.limit)
            }
            State::Won(winner) => {
                paint(f, PAINTS[winner.index()], NAMES[winner.index()])?;
                writeln!(f, " has won after {} plies", self.ply)
            }
            State::Drawn => writeln!(f, "drawn after {} plies", self.ply),
        }
    }
}

impl Focus {
    fn draw_player(&self, f: &mut fmt::Formatter<'_>, player: Player) -> fmt::Result {
        let name = NAMES[player.index()];
        paint(f, PAINTS[player.index()], name)?;
        write!(f, "{:1$}", "", 8 - name.len())?;
        write!(f, "{:>2} stacks, {:>2} in reserve, captured", self.stacks(player), self.reserve(player))?;
        let mut nothing = true;
        for from in self.others(player).filter(|&from| self.captured(player, from) > 0) {
            f.write_str(" ")?;
            let letters = LETTERS[from.index()].to_string().repeat(self.captured(player, from) as usize);
            paint(f, PAINTS[from.index()], letters)?;
            nothing = false;
        }
        writeln!(f, "{}", if nothing { " nothing" } else { "" })
    }
}
