//! Boards as pictures and as text.

use std::fmt;

use nply::{Player, PositionError};

use super::discs::Move;
use crate::draw::{Colour, paint};
use crate::text::Words;

/// What a disc looks like.
pub(super) struct Disc {
    pub(super) letter: char,
    pub(super) name: &'static str,
    pub(super) colour: Colour,
}

/// The disc on a field, as its number.
fn disc(discs: &[u64], column: usize, row: usize) -> Option<usize> {
    discs.iter().position(|&set| set & Move::new(column, row).bit() != 0)
}

/// Draws a board with what each of the first `players` colours has; `turn` is to move, or nobody if the game is over.
pub(super) fn draw(
    f: &mut fmt::Formatter<'_>,
    discs: &[u64],
    looks: &[Disc],
    players: usize,
    turn: Option<Player>,
) -> fmt::Result {
    paint(f, Colour::Dim, "  a b c d e f g h")?;
    for row in 0..8 {
        f.write_str("\n")?;
        paint(f, Colour::Dim, row + 1)?;
        for column in 0..8 {
            f.write_str(" ")?;
            match disc(discs, column, row) {
                Some(number) => paint(f, looks[number].colour, looks[number].letter)?,
                None => paint(f, Colour::Dim, '.')?,
            }
        }
    }
    f.write_str("\n")?;
    for (look, discs) in looks[..players].iter().zip(discs) {
        paint(f, look.colour, look.name)?;
        write!(f, " {}, ", discs.count_ones())?;
    }
    match turn {
        Some(turn) => writeln!(f, "{} to move", looks[turn.index()].name),
        None => writeln!(f, "game over"),
    }
}

/// The fields in 64 characters, row by row.
pub(super) fn write_fields(discs: &[u64], looks: &[Disc]) -> String {
    let letter = |index: usize| disc(discs, index % 8, index / 8).map_or('.', |number| looks[number].letter);
    (0..64).map(letter).collect()
}

/// Reads what [`write_fields`] writes; `fields` is a word of the text.
pub(super) fn read_fields<const N: usize>(
    words: &Words<'_>,
    fields: &str,
    looks: &[Disc; N],
) -> Result<[u64; N], PositionError> {
    let mut discs = [0; N];
    let mut index = 0;
    for (at, letter) in fields.char_indices() {
        if index == 64 {
            return words.error(&fields[at..], "no more than 64 fields");
        }
        let number = looks.iter().position(|look| look.letter == letter);
        if let Some(number) = number {
            discs[number] |= Move::new(index % 8, index / 8).bit();
        } else if letter != '.' {
            return words.error(&fields[at..], format!("{} or .", letters(looks)));
        }
        index += 1;
    }
    if index < 64 {
        return words.error(&fields[fields.len()..], format!("64 fields, not {index},"));
    }
    Ok(discs)
}

/// Reads the colour to move.
pub(super) fn read_turn(words: &mut Words<'_>, looks: &[Disc]) -> Result<Player, PositionError> {
    let expected = format!("the colour to move, one of {}", letters(looks));
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
