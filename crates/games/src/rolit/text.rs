//! Positions and moves as text; the module's page describes the format.

use nply::scene::{Clicks, Scene};
use nply::{Game, Notation, Player, PositionError};

use super::discs::{self, Move};
use super::scene::{Disc, OTHELLO, ROLIT, clicks, disc};
use super::{Othello, Rolit};
use crate::text::Words;

impl Notation for Rolit {
    const MOVE_FORM: &'static str = "a field, `d3`";

    fn to_text(&self) -> String {
        format!("{} {}", write_fields(discs::side(self.board), &self.discs, &ROLIT), ROLIT[self.turn.index()].letter)
    }

    fn read(&self, text: &str) -> Result<Rolit, PositionError> {
        let mut words = Words::new(text);
        let (fields, discs) = read_fields(&mut words, discs::side(self.board), &ROLIT)?;
        if discs == [0; 4] {
            return words.error(fields, "at least one disc");
        }
        let colors = &ROLIT[..self.player_count()];
        let turn = read_turn(&mut words, colors)?;
        words.end()?;
        Ok(Rolit::with(discs, self.board, turn, self.players))
    }

    fn scene(&self, _viewers: &[Player]) -> Option<Scene> {
        Some(self.look())
    }

    fn clicks(&self, m: Move) -> Clicks {
        clicks(m)
    }

    fn move_to_text(&self, m: Move) -> String {
        m.to_string()
    }
}

impl Notation for Othello {
    const MOVE_FORM: &'static str = "a field, `d3`; a pass is `-`";

    fn to_text(&self) -> String {
        let passed = ["-", "B", "W", "BW"][self.passed as usize];
        format!(
            "{} {} {passed}",
            write_fields(discs::side(self.board), &self.both(), &OTHELLO),
            OTHELLO[self.turn.index()].letter
        )
    }

    fn read(&self, text: &str) -> Result<Othello, PositionError> {
        let mut words = Words::new(text);
        let (_, discs) = read_fields(&mut words, discs::side(self.board), &OTHELLO)?;
        let turn = read_turn(&mut words, &OTHELLO)?;
        let who = "who has passed since the last disc: -, B, W or BW";
        let word = words.word(who)?;
        let passed = match word {
            "-" => 0,
            "B" => 1,
            "W" => 2,
            "BW" => 3,
            _ => return words.error(word, who),
        };
        for (mover, color) in OTHELLO.iter().enumerate() {
            let targets = discs::flipping(discs[mover], discs[1 - mover]) & self.board;
            if passed >> mover & 1 == 1 && targets != 0 {
                return words.error(word, format!("no pass of {}, who has a move,", color.name));
            }
        }
        words.end()?;
        let mover = turn.index();
        Ok(Othello { own: discs[mover], other: discs[1 - mover], board: self.board, turn, passed })
    }

    fn scene(&self, _viewers: &[Player]) -> Option<Scene> {
        Some(self.look())
    }

    fn clicks(&self, m: Move) -> Clicks {
        clicks(m)
    }

    fn move_to_text(&self, m: Move) -> String {
        m.to_string()
    }
}

/// The fields, a character each, row by row.
fn write_fields(side: usize, discs: &[u64], looks: &[Disc]) -> String {
    let letter = |index: usize| disc(discs, index % side, index / side).map_or('.', |number| looks[number].letter);
    (0..side * side).map(letter).collect()
}

/// Reads what [`write_fields`] writes, the next word of a text; returns that word as well.
fn read_fields<'a, const N: usize>(
    words: &mut Words<'a>,
    side: usize,
    looks: &[Disc; N],
) -> Result<(&'a str, [u64; N]), PositionError> {
    let count = side * side;
    let fields = words.word(&format!("{count} fields"))?;
    let mut discs = [0; N];
    let mut index = 0;
    for (at, letter) in fields.char_indices() {
        if index == count {
            return words.error(&fields[at..], format!("no more than {count} fields"));
        }
        let number = looks.iter().position(|look| look.letter == letter);
        if let Some(number) = number {
            discs[number] |= Move::new(index % side, index / side).bit();
        } else if letter != '.' {
            return words.error(&fields[at..], format!("{} or .", letters(looks)));
        }
        index += 1;
    }
    if index < count {
        return words.error(&fields[fields.len()..], format!("{count} fields, not {index},"));
    }
    Ok((fields, discs))
}

/// Reads the color to move.
fn read_turn(words: &mut Words<'_>, looks: &[Disc]) -> Result<Player, PositionError> {
    let expected = format!("the color to move, one of {}", letters(looks));
    let word = words.word(&expected)?;
    match looks.iter().position(|look| word.chars().eq([look.letter])) {
        Some(number) => Ok(Player::new(number)),
        None => words.error(word, expected),
    }
}

fn letters(looks: &[Disc]) -> String {
    let letters: Vec<String> = looks.iter().map(|look| look.letter.to_string()).collect();
    letters.join(", ")
}
