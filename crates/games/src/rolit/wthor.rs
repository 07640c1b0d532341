//! Games of the WTHOR database: records of tournament Othello, kept by the French Othello Federation.
//!
//! A file `.wtb` is a header of 16 bytes — century, year, month and day of its creation; the number of games (32 bits); a
//! number that is 0 here (16 bits); the year of the games (16 bits); the size of the board, 0 or 8 for eight; the kind
//! and depth of the solver; 0 — and 68 bytes a game: three numbers of 16 bits for the tournament and the players,
//! Black's final discs, Black's discs with best play, and 60 moves as 10 × row + column, 0 after the end. Numbers are
//! little-endian. Passes are not recorded; reading inserts them.

use std::fs;
use std::path::{Path, PathBuf};

use nply::{Game, Player};
use thiserror::Error;

use super::{Discs, Move, Othello, Size};

const HEADER: usize = 16;
const GAME: usize = 68;

/// A recorded game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The year in which it was played.
    pub year: u16,
    /// The moves from the start up to the last disc, passes included, without those that end the game.
    pub moves: Vec<Move>,
    /// Black's discs less White's at the end. Unfinished games have the result that the record states.
    pub difference: i8,
}

/// Why games cannot be read.
#[derive(Debug, Error)]
pub enum WthorError {
    /// A file or folder that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A folder without games.
    #[error("no .wtb file in {}", path.display())]
    Empty {
        /// Its path.
        path: PathBuf,
    },
    /// A header that cannot be right.
    #[error("{file}: not a WTHOR file: the header has {found} instead of {expected}")]
    Header {
        /// The file.
        file: String,
        /// What the header has.
        found: String,
        /// What it should have.
        expected: String,
    },
    /// A file that ends too early or too late.
    #[error("{file}: damaged: {games} games take {expected} bytes, the file has {found}")]
    Length {
        /// The file.
        file: String,
        /// The number of games in the header.
        games: u32,
        /// The bytes that these games take.
        expected: u64,
        /// The length of the file.
        found: u64,
    },
    /// A move that cannot be played.
    #[error("{file}: game {game}, disc {disc}: {found} is not a legal move")]
    Illegal {
        /// The file.
        file: String,
        /// The game, from 1.
        game: usize,
        /// The disc, from 1.
        disc: usize,
        /// The field, or the number that is not a field.
        found: String,
    },
    /// A final score that no board has.
    #[error("{file}: game {game}: Black ends with {found} discs of 64")]
    Score {
        /// The file.
        file: String,
        /// The game, from 1.
        game: usize,
        /// The number of discs in the record.
        found: u8,
    },
}

/// Reads every `.wtb` file of a folder, in the order of their names.
pub fn read_folder(folder: &Path) -> Result<Vec<Record>, WthorError> {
    let unreadable = |path: &Path, source| WthorError::Unreadable { path: path.into(), source };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, error))? {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wtb")) {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(WthorError::Empty { path: folder.into() });
    }
    let mut records = Vec::new();
    for path in paths {
        let bytes = fs::read(&path).map_err(|error| unreadable(&path, error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        records.extend(read(&name, &bytes)?);
    }
    Ok(records)
}

/// Reads the games of one file, whose name is used in errors.
pub fn read(file: &str, bytes: &[u8]) -> Result<Vec<Record>, WthorError> {
    let bad =
        |found: String, expected: &str| WthorError::Header { file: file.into(), found, expected: expected.into() };
    let Some((header, body)) = bytes.split_at_checked(HEADER) else {
        return Err(bad(format!("{} bytes", bytes.len()), "16"));
    };
    let games = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
    let year = u16::from_le_bytes([header[10], header[11]]);
    let size = header[12];
    if !matches!(size, 0 | 8) {
        return Err(bad(format!("board size {size}"), "8, or 0 for 8"));
    }
    if !(1900..2200).contains(&year) {
        return Err(bad(format!("year {year}"), "one from 1900 to 2199"));
    }
    let expected = (HEADER + games as usize * GAME) as u64;
    if bytes.len() as u64 != expected {
        return Err(WthorError::Length { file: file.into(), games, expected, found: bytes.len() as u64 });
    }
    body.chunks_exact(GAME).enumerate().map(|(index, game)| record(file, index + 1, year, game)).collect()
}

/// Reads one game by playing it.
fn record(file: &str, number: usize, year: u16, bytes: &[u8]) -> Result<Record, WthorError> {
    let discs = bytes[6];
    if discs > 64 {
        return Err(WthorError::Score { file: file.into(), game: number, found: discs });
    }
    let (mut game, mut moves, mut legal) = (Othello::new(2, Size::Eight), Vec::with_capacity(60), Vec::new());
    let mut ended = false;
    for (index, &byte) in bytes[8..].iter().enumerate() {
        ended |= byte == 0;
        if byte == 0 {
            continue;
        }
        legal_moves(&game, &mut legal);
        if legal == [Move::PASS] {
            game.play(Move::PASS);
            moves.push(Move::PASS);
            legal_moves(&game, &mut legal);
        }
        match field(byte) {
            Some(m) if !ended && legal.contains(&m) => {
                game.play(m);
                moves.push(m);
            }
            field => {
                let found = field.map_or(byte.to_string(), |m| m.to_string());
                return Err(WthorError::Illegal { file: file.into(), game: number, disc: index + 1, found });
            }
        }
    }
    let difference = final_difference(&game).unwrap_or((2 * i16::from(discs) - 64) as i8);
    Ok(Record { year, moves, difference })
}

/// The field that a byte stands for.
fn field(byte: u8) -> Option<Move> {
    let (row, column) = (usize::from(byte / 10), usize::from(byte % 10));
    ((1..=8).contains(&row) && (1..=8).contains(&column)).then(|| Move::new(column - 1, row - 1))
}

fn legal_moves(game: &Othello, out: &mut Vec<Move>) {
    out.clear();
    game.moves(out);
}

/// Black's discs less White's, if nobody can place another.
fn final_difference(game: &Othello) -> Option<i8> {
    let mut game = game.clone();
    let mut legal = Vec::new();
    while game.payoff().is_none() {
        legal_moves(&game, &mut legal);
        if legal != [Move::PASS] {
            return None;
        }
        game.play(Move::PASS);
    }
    let [black, white] = [0, 1].map(|player| game.discs(Player::new(player)).count_ones() as i8);
    Some(black - white)
}
