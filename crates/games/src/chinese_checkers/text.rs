//! Positions and moves as text; the module's page describes the format.

use nply::scene::{Clicks, Scene};
use nply::{Game, MAX_PLAYERS, Notation, Player, PositionError};

use super::scene::{clicks, scene};
use super::{ChineseCheckers, Move};
use crate::text::Words;

impl ChineseCheckers {
    /// The player who has a piece on a field.
    pub(super) fn owner(&self, field: u8) -> Option<Player> {
        self.pieces.iter().position(|own| own >> field & 1 != 0).map(Player::new)
    }
}

impl Notation for ChineseCheckers {
    const MOVE_FORM: &'static str = "two fields, \"c1-d5\"; a pass is \"-\"";

    fn to_text(&self) -> String {
        let field = |&field: &u8| self.owner(field).map_or('.', |player| (b'0' + player.number() as u8) as char);
        let rows: Vec<String> = self.star.rows.iter().map(|row| row.iter().map(field).collect()).collect();
        format!("{} {} {}", rows.join("/"), self.turn, self.plies)
    }

    fn read(&self, text: &str) -> Result<Self, PositionError> {
        let mut words = Words::new(text);
        let word = words.word("the rows of the board")?;
        let pieces = self.read_rows(&words, word)?;
        let turn = words.number("the number of the player to move", 1..=self.players.into())?;
        let plies = words.number("the number of plies played", 0..=self.limit)?;
        words.end()?;
        Ok(ChineseCheckers::set(
            self.player_count(),
            self.board,
            self.limit,
            pieces,
            Player::new(turn as usize - 1),
            plies,
        ))
    }

    fn scene(&self, _viewers: &[Player]) -> Option<Scene> {
        Some(scene(self))
    }

    fn clicks(&self, m: Move) -> Clicks {
        clicks(self, m)
    }

    fn move_to_text(&self, m: Move) -> String {
        let name = |field: u8| &self.star.names[field as usize];
        if m == Move::PASS { "-".into() } else { format!("{}-{}", name(m.from), name(m.to)) }
    }
}

impl ChineseCheckers {
    fn read_rows(&self, words: &Words, word: &str) -> Result<[u128; MAX_PLAYERS], PositionError> {
        let mut pieces = [0u128; MAX_PLAYERS];
        let mut rest = word;
        for (index, row) in self.star.rows.iter().enumerate() {
            if index > 0 {
                rest = match rest.strip_prefix('/') {
                    Some(rest) => rest,
                    None => return words.error(rest, format!("\"/\" before row {}", letter(index))),
                };
            }
            for (number, &field) in row.iter().enumerate() {
                let first = rest.chars().next();
                match first.and_then(|c| c.to_digit(10)) {
                    Some(player) if (1..=self.players.into()).contains(&player) => {
                        pieces[player as usize - 1] |= 1 << field;
                    }
                    _ if first == Some('.') => (),
                    _ => {
                        let expected = format!(
                            "{}{}, \".\" or a player's number up to {}",
                            letter(index),
                            number + 1,
                            self.players
                        );
                        return words.error(rest, expected);
                    }
                }
                rest = &rest[1..];
            }
        }
        if !rest.is_empty() {
            return words.error(rest, "no more rows");
        }
        for player in Player::all(self.player_count()) {
            let (count, right) = (pieces[player.index()].count_ones(), self.star.pieces());
            if count != right {
                return words.error(word, format!("{right} pieces of player {player}, not {count},"));
            }
        }
        Ok(pieces)
    }
}

pub(super) fn letter(row: usize) -> char {
    (b'a' + row as u8) as char
}
