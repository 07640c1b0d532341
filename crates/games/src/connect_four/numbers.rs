//! Positions as planes, and the numbers of moves.

use nply::numbers::{Numbered, Planes};

use super::{ConnectFour, Move};

/// The board as it is drawn, the top row first, with a plane for each player's pieces. A move is its column.
impl Numbered for ConnectFour {
    fn grid(&self) -> [usize; 2] {
        [self.rows, self.columns].map(usize::from)
    }

    fn draw(&self, planes: &mut Planes) {
        let (columns, rows) = (self.columns as usize, self.rows as usize);
        for player in planes.players() {
            let mut plane = planes.plane(format_args!("piece of {}", planes.who(player)));
            for (column, &pieces) in self.pieces[player.index()][..columns].iter().enumerate() {
                for row in (0..rows).filter(|row| pieces >> row & 1 == 1) {
                    plane.mark(rows - 1 - row, column);
                }
            }
        }
    }

    fn move_count(&self) -> usize {
        self.columns.into()
    }

    fn move_number(&self, m: Move) -> usize {
        m.0.into()
    }
}
