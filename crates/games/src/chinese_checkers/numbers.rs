//! Positions as planes, and the numbers of moves.

use nply::numbers::{Numbered, Planes};

use super::board::fields;
use super::{ChineseCheckers, Move};

/// Cube coordinates: rows of the board from the top, columns by *x*, so that the neighbors of a field are the ones to its left and right,
/// above and below, and on the diagonal from the lower left to the upper right. There is a plane for each player's pieces and one for the
/// part of the limit that has been played.
///
/// A move is numbered by its two fields, of which only pairs exist that a step or hops can connect.
impl Numbered for ChineseCheckers {
    fn grid(&self) -> [usize; 2] {
        [self.star.rows.len(); 2]
    }

    fn draw(&self, planes: &mut Planes) {
        for player in planes.players() {
            let mut plane = planes.plane(format_args!("piece of {}", planes.who(player)));
            for field in fields(self.pieces[player.index()]) {
                let [row, column] = self.star.grid[field as usize];
                plane.mark(row.into(), column.into());
            }
        }
        planes.part(format_args!("plies of the limit"), self.plies, self.limit);
    }

    fn move_count(&self) -> usize {
        self.star.moves
    }

    fn move_number(&self, m: Move) -> usize {
        if m == Move::PASS { self.star.moves - 1 } else { self.star.numbers[m.from as usize][m.to as usize].into() }
    }
}

#[cfg(test)]
mod tests {
    use nply::Declaration;

    use super::super::board::Board;
    use super::*;

    #[test]
    fn a_move_joins_neighbors_or_fields_that_hops_can_join() {
        for board in [Board::Small, Board::Large] {
            let star = board.star();
            // Neighbors; what hops join by their parity in rows and columns; and the pass.
            let steps: usize = star.degree[..star.fields].iter().map(|&degree| usize::from(degree)).sum();
            let parity = |[row, column]: [u8; 2]| usize::from(2 * (row % 2) + column % 2);
            let mut sizes = [0; 4];
            for &place in &star.grid[..star.fields] {
                sizes[parity(place)] += 1;
            }
            let hops: usize = sizes.iter().map(|&size| size * (size - 1)).sum();
            assert_eq!(star.moves, steps + hops + 1);
        }
        let start = ChineseCheckers::start(2, &super::super::Options::default(), 0);
        assert_eq!(start.move_number(Move::PASS), start.move_count() - 1);
    }
}
