//! Positions and moves as text; the module's page describes the format.

use nply::scene::{Clicks, Scene};
use nply::{Game, Notation, Player, PositionError};

use super::scene::{clicks, scene};
use super::{ConnectFour, Move};
use crate::grid::letter;
use crate::text::Words;

impl Notation for ConnectFour {
    const MOVE_FORM: &'static str = "the letter of a column, `d`";

    fn to_text(&self) -> String {
        let field = |column, row| self.owner(column, row).map_or(".".into(), |player| player.to_string());
        let row = |row| (0..self.columns as usize).map(|column| field(column, row)).collect::<String>();
        let rows: Vec<String> = (0..self.rows as usize).rev().map(row).collect();
        format!("{} {}", rows.join("/"), self.turn)
    }

    fn read(&self, text: &str) -> Result<ConnectFour, PositionError> {
        let mut words = Words::new(text);
        let board = words.word("the rows of the board")?;
        let mut game = self.read_board(&words, board)?;
        let turn = words.number("the number of the player to move", 1..=self.player_count() as u32)?;
        words.end()?;
        game.turn = Player::new(turn as usize - 1);
        Ok(game)
    }

    fn scene(&self, _viewers: &[Player]) -> Option<Scene> {
        Some(scene(self))
    }

    fn clicks(&self, m: Move) -> Clicks {
        clicks(self, m)
    }

    fn move_to_text(&self, m: Move) -> String {
        letter(m.0 as usize).to_string()
    }
}

impl ConnectFour {
    fn read_board(&self, words: &Words<'_>, board: &str) -> Result<ConnectFour, PositionError> {
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() != self.rows as usize {
            return words.error(board, format!("{} rows separated by `/`, not {},", self.rows, rows.len()));
        }
        let mut game = ConnectFour::empty(self.players, [self.columns, self.rows, self.line]);
        for (row, fields) in rows.into_iter().rev().enumerate() {
            let count = fields.chars().count();
            if count != self.columns as usize {
                return words.error(fields, format!("a row of {} fields, not {count},", self.columns));
            }
            for (column, (at, field)) in fields.char_indices().enumerate() {
                if field == '.' {
                    continue;
                }
                let number = field.to_digit(10).map_or(0, |number| number as usize);
                if !(1..=self.player_count()).contains(&number) {
                    return words
                        .error(&fields[at..], format!("`.` or a player's number up to {}", self.player_count()));
                }
                if (game.heights[column] as usize) < row {
                    return words.error(
                        &fields[at..],
                        format!("`.`, as the field below {}{} is empty", letter(column), row + 1),
                    );
                }
                let winner = game.winner;
                game.put(Player::new(number - 1), column);
                if winner.is_some_and(|winner| game.winner != Some(winner)) {
                    return words.error(&fields[at..], "a line of one player only");
                }
            }
        }
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use nply::Declaration;

    use super::super::Options;
    use super::*;

    #[test]
    fn errors_say_where_and_what() {
        let start = ConnectFour::start(2, &Options { rows: Some(3), columns: Some(4), line: 3 }, 0);
        for (text, expected) in [
            ("", "expected the rows of the board at character 1, found the end"),
            ("..../.... 1", "expected 3 rows separated by `/`, not 2, at character 1"),
            ("..../..../... 1", "expected a row of 4 fields, not 3, at character 11"),
            ("..../..../..3. 1", "expected `.` or a player's number up to 2 at character 13"),
            ("..../.1../..1. 1", "expected `.`, as the field below b2 is empty at character 7"),
            ("..../.222/.111 1", "expected a line of one player only at character 9"),
            ("..../..../..1.", "expected the number of the player to move, from 1 to 2 at character 15, found the end"),
            ("..../..../..1. 3", "expected the number of the player to move, from 1 to 2 at character 16"),
            ("..../..../..1. 1 x", "expected the end at character 18"),
        ] {
            let error = start.read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_position_with_a_line_is_over() {
        let start = ConnectFour::start(3, &Options { rows: Some(3), columns: Some(4), line: 3 }, 0);
        let game = start.read("..../..../.222 3").unwrap();
        assert_eq!(game.payoff().unwrap().as_slice(), [0.0, 1.0, 0.0]);
    }
}
