//! The position, its moves and the end of the game.

use nply::{ByPlayer, Game, OutOfTurn, Player, mix};

use super::Options;
use crate::check_players;

/// The most columns and rows.
pub(super) const SIZE: usize = 16;

/// The directions of lines as steps of columns and rows: up, right, and along both diagonals to the right.
pub(super) const DIRECTIONS: [(usize, i32); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// A position of Connect Four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectFour {
    /// The pieces of each player by column, one bit per row from the bottom.
    pub(super) pieces: [[u16; SIZE]; 4],
    /// The number of pieces in each column.
    pub(super) heights: [u8; SIZE],
    pub(super) columns: u8,
    pub(super) rows: u8,
    pub(super) line: u8,
    pub(super) players: u8,
    pub(super) turn: Player,
    /// The player who has a line.
    pub(super) winner: Option<Player>,
    /// The number of empty fields.
    left: u16,
    /// The key without the turn.
    key: u64,
}

/// The column that a piece is dropped into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(pub(super) u8);

impl ConnectFour {
    pub(super) fn new(players: usize, options: &Options) -> ConnectFour {
        check_players::<ConnectFour>(players);
        let columns = options.columns.unwrap_or(2 * players as u32 + 3);
        let rows = options.rows.unwrap_or(players as u32 + 4);
        let fits =
            [columns, rows].iter().all(|size| (3..=SIZE as u32).contains(size)) && (3..=6).contains(&options.line);
        assert!(fits, "connect-four has 3 to {SIZE} columns and rows and lines of 3 to 6, not {options:?}");
        ConnectFour::empty(players as u8, [columns, rows, options.line].map(|size| size as u8))
    }

    /// A board without pieces.
    pub(super) fn empty(players: u8, [columns, rows, line]: [u8; 3]) -> ConnectFour {
        ConnectFour {
            pieces: [[0; SIZE]; 4],
            heights: [0; SIZE],
            columns,
            rows,
            line,
            players,
            turn: Player::new(0),
            winner: None,
            left: u16::from(columns) * u16::from(rows),
            key: 0,
        }
    }

    /// Puts a piece on top of a column.
    #[inline]
    pub(super) fn put(&mut self, player: Player, column: usize) {
        let row = self.heights[column];
        self.pieces[player.index()][column] |= 1 << row;
        self.heights[column] += 1;
        self.left -= 1;
        self.key ^= key_of_piece(player, column, row);
        if self.completes(player, column, row) {
            self.winner = Some(player);
        }
    }

    /// The player who has a piece on a field.
    pub(super) fn owner(&self, column: usize, row: usize) -> Option<Player> {
        Player::all(self.players as usize).find(|player| self.pieces[player.index()][column] >> row & 1 == 1)
    }

    /// Whether a piece of the player on a field, with nothing above it, is or would be part of a line.
    #[inline]
    pub(super) fn completes(&self, player: Player, column: usize, row: u8) -> bool {
        let (pieces, columns, row) = (&self.pieces[player.index()], self.columns as usize, i32::from(row));
        let has = |column: usize, row: i32| (0..SIZE as i32).contains(&row) && pieces[column] >> row & 1 == 1;
        let others = self.line as usize - 1;
        let below = (1..=others as i32).all(|n| has(column, row - n));
        below
            || [1, 0, -1].iter().any(|rise| {
                let right = (1..columns - column).take_while(|&n| has(column + n, row + rise * n as i32)).count();
                let left = (1..=column).take_while(|&n| has(column - n, row - rise * n as i32)).count();
                right + left >= others
            })
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.winner.is_some() || self.left == 0
    }
}

#[inline]
fn key_of_piece(player: Player, column: usize, row: u8) -> u64 {
    mix((player.index() as u64) << 8 | (column as u64) << 4 | u64::from(row))
}

impl Game for ConnectFour {
    type Move = Move;

    #[inline]
    fn player_count(&self) -> usize {
        self.players as usize
    }

    #[inline]
    fn turn(&self) -> Player {
        self.turn
    }

    #[inline]
    fn moves(&self, out: &mut Vec<Move>) {
        if !self.is_over() {
            let open = |&column: &u8| self.heights[column as usize] < self.rows;
            out.extend((0..self.columns).filter(open).map(Move));
        }
    }

    #[inline]
    fn allows(&self, m: Move) -> Option<bool> {
        Some(!self.is_over() && self.heights[m.0 as usize] < self.rows)
    }

    #[inline]
    fn play(&mut self, m: Move) {
        self.put(self.turn, m.0 as usize);
        self.turn = self.turn.next(self.players as usize);
    }

    #[inline]
    fn visit<R>(&mut self, m: Move, f: impl FnOnce(&mut Self) -> R) -> R {
        let (column, mover) = (m.0 as usize, self.turn);
        self.play(m);
        let result = f(self);
        self.turn = mover;
        self.winner = None;
        self.left += 1;
        self.heights[column] -= 1;
        let row = self.heights[column];
        self.pieces[mover.index()][column] ^= 1 << row;
        self.key ^= key_of_piece(mover, column, row);
        result
    }

    #[inline]
    fn payoff(&self) -> Option<ByPlayer<f32>> {
        let count = self.players as usize;
        match self.winner {
            Some(winner) => Some(ByPlayer::from_fn(count, |player| if player == winner { 1.0 } else { 0.0 })),
            None if self.left == 0 => Some(ByPlayer::splat(count, 1.0 / count as f32)),
            None => None,
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key ^ mix(1 << 16 | self.turn.index() as u64)
    }
}

impl OutOfTurn for ConnectFour {
    #[inline]
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        let turn = std::mem::replace(&mut self.turn, player);
        let result = f(self);
        self.turn = turn;
        result
    }
}

#[cfg(test)]
mod tests {
    use nply::{Declaration, Notation};

    use super::*;

    /// The position after a game as letters.
    fn after(options: &Options, players: usize, line: &str) -> ConnectFour {
        let mut game = ConnectFour::start(players, options, 0);
        for letter in line.chars() {
            assert_eq!(game.payoff(), None, "{line} goes on before {letter}");
            game.play(game.move_from_text(&letter.to_string()).unwrap());
        }
        game
    }

    #[test]
    fn a_line_wins_in_every_direction() {
        for (line, winner) in [("abababa", 0), ("aabbccd", 0), ("abbccdcddgd", 0), ("gffeaeedddd", 0), ("gabacada", 1)]
        {
            let payoff = after(&Options::default(), 2, line).payoff().unwrap_or_else(|| panic!("{line} ends the game"));
            assert_eq!(payoff[Player::new(winner)], 1.0, "{line}");
        }
        let three = after(&Options { line: 3, ..Options::default() }, 3, "abcabca");
        assert_eq!(three.payoff().unwrap().as_slice(), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_line_is_found_wherever_it_lies() {
        for (players, line) in [(2, 4), (3, 5), (4, 3)] {
            let start = ConnectFour::start(players, &Options { line, ..Options::default() }, 0);
            let (columns, rows, line) = (start.columns as usize, start.rows as i32, line as i32);
            for (right, up) in DIRECTIONS {
                for column in 0..columns {
                    for row in 0..rows {
                        let cell = |n: i32| (column + right * n as usize, row + up * n);
                        let last = cell(line - 1);
                        if last.0 >= columns || !(0..rows).contains(&last.1) {
                            continue;
                        }
                        // The last piece may come anywhere in the line, except that nothing is above it.
                        for missing in if right == 0 { line - 1..line } else { 0..line } {
                            let mut game = start.clone();
                            for n in (0..line).filter(|&n| n != missing) {
                                game.pieces[1][cell(n).0] |= 1 << cell(n).1;
                            }
                            let (column, row) = cell(missing);
                            assert!(game.completes(Player::new(1), column, row as u8));
                            assert!(!game.completes(Player::new(0), column, row as u8));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_full_board_is_a_draw_for_all() {
        let game = after(&Options { columns: Some(3), rows: Some(3), line: 4 }, 2, "abcabcabc");
        assert_eq!(game.payoff().unwrap().as_slice(), [0.5, 0.5]);
    }

    #[test]
    fn the_board_grows_with_the_number_of_players() {
        for (players, size) in [(2, (7, 6)), (3, (9, 7)), (4, (11, 8))] {
            let game = ConnectFour::start(players, &Options::default(), 0);
            assert_eq!((game.columns, game.rows), size);
        }
    }
}
