//! Positions as planes, and the numbers of moves.

use nply::Game;
use nply::numbers::{Numbered, Plane, Planes};

use super::discs::{Discs, Move, side};
use super::{Othello, Rolit};

/// The number of a move on a field: row by row from the top. A pass comes after the fields.
fn number(m: Move, side: usize) -> usize {
    let index = m.index();
    if m == Move::PASS { side * side } else { index % 8 * side + index / 8 }
}

fn mark(mut plane: Plane<'_>, mut discs: u64) {
    while discs != 0 {
        let index = discs.trailing_zeros() as usize;
        plane.mark(index % 8, index / 8);
        discs &= discs - 1;
    }
}

fn draw_discs(game: &impl Discs, planes: &mut Planes) {
    for player in planes.players() {
        let plane = planes.plane(format_args!("disc of {}", planes.who(player)));
        mark(plane, game.discs(player));
    }
}

/// Row 1 first, with a plane for the discs of each color: those of players, then those without a player.
impl Numbered for Rolit {
    fn grid(&self) -> [usize; 2] {
        [side(self.board); 2]
    }

    fn draw(&self, planes: &mut Planes) {
        draw_discs(self, planes);
        for color in self.player_count()..self.discs.len() {
            let plane = planes.plane(format_args!("disc of color {color}, which has no player"));
            mark(plane, self.discs[color]);
        }
    }

    fn move_count(&self) -> usize {
        side(self.board).pow(2)
    }

    fn move_number(&self, m: Move) -> usize {
        number(m, side(self.board))
    }
}

/// Row 1 first, with a plane for each player's discs, and one that tells whether the player has passed since the last disc was placed.
impl Numbered for Othello {
    fn grid(&self) -> [usize; 2] {
        [side(self.board); 2]
    }

    fn draw(&self, planes: &mut Planes) {
        draw_discs(self, planes);
        for player in planes.players() {
            let passed = self.passed >> player.index() & 1;
            planes.all(format_args!("{} has passed", planes.who(player)), passed.into());
        }
    }

    fn move_count(&self) -> usize {
        side(self.board).pow(2) + 1
    }

    fn move_number(&self, m: Move) -> usize {
        number(m, side(self.board))
    }
}

#[cfg(test)]
mod tests {
    use nply::numbers::Numbers;
    use nply::{Declaration, Player};

    use super::super::Options;
    use super::*;

    #[test]
    fn fields_are_numbered_row_by_row() {
        assert_eq!(
            [Move::new(0, 0), Move::new(3, 0), Move::new(3, 2), Move::PASS].map(|m| number(m, 8)),
            [0, 3, 19, 64]
        );
        assert_eq!([Move::new(3, 0), Move::new(3, 2), Move::PASS].map(|m| number(m, 6)), [3, 15, 36]);
        let mut planes = Planes::default();
        planes.show(&Othello::start(2, &Options::default(), 0), Some(Player::new(1)));
        // White's d4 and e5, then Black's e4 and d5.
        let marked: Vec<usize> = (0..128).filter(|&index| planes.values()[index] == 1.0).collect();
        assert_eq!(marked, [27, 36, 64 + 28, 64 + 35]);
        let layout = Numbers::NEW.layout(&Rolit::start(3, &Options::default(), 0));
        assert_eq!(layout.planes[3], "disc of color 3, which has no player");
        assert_eq!(layout.planes.len(), 4 + 3 + 3);
    }
}
