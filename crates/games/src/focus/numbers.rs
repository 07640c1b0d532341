//! Positions as planes, and the numbers of moves.

use std::sync::LazyLock;

use nply::Game;
use nply::numbers::{Numbered, Planes};

use super::board::{FIELDS, PLACES, TARGETS, bits, pieces};
use super::stack::Stack;
use super::{Focus, Move};

/// By the bits of a move, its number: every move of one to five pieces, then the placements, then the pass.
static NUMBERS: LazyLock<(usize, Vec<u16>)> = LazyLock::new(|| {
    let shifts = bits(FIELDS).flat_map(|from| TARGETS[from][Stack::MOST].moves());
    let (mut count, mut numbers) = (0, vec![0; 1 << 15]);
    for m in shifts.chain(&PLACES).chain(&[Move::PASS]) {
        numbers[m.bits()] = count as u16;
        count += 1;
    }
    (count, numbers)
});

/// Row 8 first. For each place in a stack, counted from the top, and each player there is a plane of that player's pieces; then one for
/// each player's reserve and for the pieces that each has captured of each other, as the part of all the pieces of a color; and one for
/// the part of the limit that has been played.
impl Numbered for Focus {
    fn grid(&self) -> [usize; 2] {
        [8, 8]
    }

    fn draw(&self, planes: &mut Planes) {
        for depth in 0..Stack::MOST {
            for player in planes.players() {
                let who = planes.who(player);
                let mut plane = planes.plane(format_args!("piece of {who} with {depth} above it"));
                for field in bits(FIELDS) {
                    if self.stacks[field].at(depth) == Some(player.index()) {
                        plane.mark(7 - field % 8, field / 8);
                    }
                }
            }
        }
        let all = pieces(self.player_count());
        for player in planes.players() {
            planes.part(format_args!("reserve of {}", planes.who(player)), self.reserve(player), all);
        }
        for player in planes.players() {
            for from in planes.players().filter(|&from| from != player) {
                let (who, whose) = (planes.who(player), planes.who(from));
                planes.part(format_args!("captured by {who} of {whose}"), self.captured(player, from), all);
            }
        }
        planes.part(format_args!("plies of the limit"), self.ply, self.limit);
    }

    fn move_count(&self) -> usize {
        NUMBERS.0
    }

    fn move_number(&self, m: Move) -> usize {
        NUMBERS.1[m.bits()].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_of_the_board_has_a_number() {
        // Along a line of n fields there are 2(n - k) moves of k pieces: in four lines of 8, two of 6 and two of 4, both ways.
        let lines = [8, 8, 8, 8, 6, 6, 4, 4];
        let moves = |fields: usize| (1..=5.min(fields - 1)).map(|far| 2 * (fields - far)).sum::<usize>();
        let shifts = 2 * lines.into_iter().map(moves).sum::<usize>();
        assert_eq!(NUMBERS.0, shifts + 52 + 1);
    }
}
