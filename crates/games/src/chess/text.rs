//! Positions and moves as text; the module's page describes the format.

use std::fmt::{self, Write};

use nply::scene::{Clicks, Scene};
use nply::{Notation, Player, PositionError};

use super::board::Board;
use super::pawn::at_the_edge;
use super::piece::{BISHOP, EMPTY, KING, KNIGHT, PAWN, Piece, QUEEN, ROOK, direction, kind, owner, piece};
use super::rules::{CASTLING, PATIENCE, State};
use super::scene::{clicks, scene};
use super::square::{FORWARD, NOWHERE, column, on_board, row, square, turned};
use super::{FourPlayerChess, Move, fen4};
use crate::text::Words;

pub(super) const NAMES: [&str; 4] = ["White", "Red", "Black", "Blue"];
pub(super) const LETTERS: [char; 4] = ['w', 'r', 'b', 'u'];
pub(super) const KINDS: [char; 7] = ['.', 'P', 'N', 'B', 'R', 'Q', 'K'];
const ARROWS: [char; 4] = ['^', '>', 'v', '<'];

/// The name of a square.
pub(super) fn name(s: u8) -> String {
    let mut out = String::new();
    write_name(&mut out, s).unwrap();
    out
}

fn write_name(out: &mut impl Write, s: u8) -> fmt::Result {
    out.write_char((b'a' + column(s) as u8) as char)?;
    let number = row(s) as u8 + 1;
    if number >= 10 {
        out.write_char('1')?;
    }
    out.write_char((b'0' + number % 10) as char)
}

pub(super) fn square_named(name: &str) -> Option<u8> {
    let (letter, number) = name.split_at_checked(1)?;
    let x = letter.bytes().next()?.checked_sub(b'a')?;
    let y: u8 = number.parse().ok().filter(|y| (1..=14).contains(y))?;
    let plain = x < 14 && !number.starts_with(['+', '0']);
    plain.then(|| square(x as usize, y as usize - 1)).filter(|&s| on_board(s))
}

/// The letter of a piece without its owner.
pub(super) fn letter(piece: Piece) -> char {
    let bent = kind(piece) == PAWN && direction(piece) != owner(piece);
    if bent { ARROWS[direction(piece)] } else { KINDS[kind(piece) as usize] }
}

/// The piece that an owner and a letter stand for.
fn piece_of(own: usize, letter: char) -> Option<Piece> {
    if letter == 'P' {
        return Some(piece(PAWN, own, own));
    }
    if let Some(way) = ARROWS.iter().position(|&arrow| arrow == letter) {
        // Bent off by a quarter turn.
        return ((way + own) % 2 == 1).then(|| piece(PAWN, way, own));
    }
    let kind = KINDS[2..].iter().position(|&known| known == letter)? + 2;
    Some(piece(kind as u8, 0, own))
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Move::PASS {
            return f.write_str("-");
        }
        write_name(f, self.from)?;
        f.write_char('-')?;
        write_name(f, self.to)?;
        if self.promotion != 0 {
            write!(f, "={}", KINDS[self.promotion as usize])?;
        }
        Ok(())
    }
}

impl Notation for FourPlayerChess {
    const MOVE_FORM: &'static str =
        "two squares, `e2-e4`, with what a pawn becomes, `e13-e14=Q`; castling is the king's move; a pass is `-`";

    fn to_text(&self) -> String {
        let state = &self.state;
        let mut out = String::new();
        self.write_rows(&mut out);
        write!(out, " {} ", LETTERS[state.turn as usize]).unwrap();
        out.extend((0..4).filter(|&p| self.lives(p)).map(|p| LETTERS[p]));
        out.push(' ');
        for (player, letter) in LETTERS.into_iter().enumerate() {
            match state.rights >> (2 * player) & 3 {
                0 => (),
                1 => out.extend([letter, 'K']),
                2 => out.extend([letter, 'Q']),
                _ => out.extend([letter, 'K', 'Q']),
            }
        }
        if state.rights == 0 {
            out.push('-');
        }
        let passed: Vec<String> = state.passed.into_iter().filter(|&s| s != NOWHERE).map(name).collect();
        let passed = if passed.is_empty() { "-".into() } else { passed.join(",") };
        write!(out, " {passed} {} {} ", state.clock, state.plies).unwrap();
        self.write_history(&mut out);
        out
    }

    fn read(&self, text: &str) -> Result<FourPlayerChess, PositionError> {
        if fen4::is_fen4(text) {
            return fen4::read(text);
        }
        let mut words = Words::new(text);
        let (rows, board) = read_rows(&mut words)?;
        let turn = words.word("the player to move: w, r, b or u")?;
        let living = words.word("the living players, such as wrb")?;
        let living = read_living(&words, living, rows, &board)?;
        let who = LETTERS.iter().position(|&letter| turn.chars().eq([letter]));
        let Some(who) = who.filter(|&who| living >> who & 1 != 0) else {
            return words.error(turn, "the player to move, who must be living: w, r, b or u");
        };
        let rights = words.word("castling rights, such as wKQrQ, or -")?;
        let rights = read_rights(&words, rights, &board)?;
        let passed = words.word("squares to capture a pawn on en passant, such as e3,c6, or -")?;
        let passed = read_passed(&words, passed, &board)?;
        let most = PATIENCE * living.count_ones();
        let clock = words.number("plies without a capture, a pawn move or an elimination", 0..=most)?;
        let plies = words.number("plies played", clock..=u32::MAX / 2)?;
        let history = words.word("keys of the earlier positions, or -")?;
        let seen = read_history(&words, history, clock)?;
        words.end()?;
        let turn = who as u8;
        let repeated = seen.windows(2).any(|pair| pair[0] == pair[1]);
        let state = State {
            key: 0,
            plies,
            clock,
            since: 0,
            turn,
            living,
            rights,
            passed,
            danger: [0; 4],
            repeated,
            drawn: false,
        };
        Ok(FourPlayerChess::arriving(board, state, seen))
    }

    fn scene(&self, _viewers: &[Player]) -> Option<Scene> {
        Some(scene(self))
    }

    fn clicks(&self, m: Move) -> Clicks {
        clicks(m)
    }

    fn move_to_text(&self, m: Move) -> String {
        m.to_string()
    }
}

impl FourPlayerChess {
    fn write_rows(&self, out: &mut String) {
        for y in (0..14).rev() {
            let mut empty = 0;
            for s in (0..14).map(|x| square(x, y)).filter(|&s| on_board(s)) {
                let piece = self.board.at(s);
                if piece == EMPTY {
                    empty += 1;
                    continue;
                }
                write_number(out, &mut empty);
                out.extend([LETTERS[owner(piece)], letter(piece)]);
            }
            write_number(out, &mut empty);
            if y > 0 {
                out.push('/');
            }
        }
    }

    /// The keys of the earlier positions that can recur.
    fn write_history(&self, out: &mut String) {
        let mut keys = self.seen[self.state.since as usize..].to_vec();
        if keys.last() == Some(&self.state.key) {
            keys.pop();
        }
        keys.sort_unstable();
        for (at, same) in keys.chunk_by(|a, b| a == b).enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let twice = if same.len() > 1 { "*2" } else { "" };
            write!(out, "{comma}{:016x}{twice}", same[0]).unwrap();
        }
        if keys.is_empty() {
            out.push('-');
        }
    }
}

fn write_number(out: &mut String, empty: &mut u32) {
    if *empty > 0 {
        write!(out, "{empty}").unwrap();
        *empty = 0;
    }
}

fn read_rows<'a>(words: &mut Words<'a>) -> Result<(&'a str, Board), PositionError> {
    let word = words.word("the rows from 14 to 1, separated by /")?;
    let mut board = Board::empty();
    let mut rest = word;
    for y in (0..14).rev() {
        let squares: Vec<u8> = (0..14).map(|x| square(x, y)).filter(|&s| on_board(s)).collect();
        let mut x = 0;
        while x < squares.len() {
            let left = squares.len() - x;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                match rest[..digits].parse::<usize>() {
                    Ok(empty) if (1..=left).contains(&empty) && !rest.starts_with('0') => x += empty,
                    _ => return words.error(rest, format!("at most {left} empty squares in row {}", y + 1)),
                }
                rest = &rest[digits..];
                continue;
            }
            let mut letters = rest.chars();
            let own = letters.next().and_then(|letter| LETTERS.iter().position(|&known| known == letter));
            let found = own.and_then(|own| piece_of(own, letters.next()?));
            let Some(piece) = found else {
                let expected = format!("a piece, such as wK, or a number of empty squares, in row {}", y + 1);
                return words.error(rest, expected);
            };
            if kind(piece) == PAWN && !is_pawn_square(piece, squares[x]) {
                return words.error(rest, format!("no such pawn on {}, which it cannot be on", name(squares[x])));
            }
            board.put(squares[x], piece);
            rest = letters.as_str();
            x += 1;
        }
        if y > 0 {
            let Some(next) = rest.strip_prefix('/') else {
                return words.error(rest, format!("/ after row {}", y + 1));
            };
            rest = next;
        }
    }
    if rest.is_empty() { Ok((word, board)) } else { words.error(rest, "a space after row 1") }
}

/// Whether a pawn may stand on a square: not where it would have promoted, nor, in its first direction, behind its start.
pub(super) fn is_pawn_square(pawn: Piece, s: u8) -> bool {
    let behind = direction(pawn) == owner(pawn) && row(turned(s, (4 - owner(pawn)) % 4)) == 0;
    !behind && !at_the_edge(s, direction(pawn))
}

/// The living players, each with one king and no more pieces than eight pawns can have become.
fn read_living(words: &Words<'_>, word: &str, rows: &str, board: &Board) -> Result<u8, PositionError> {
    let mut living = 0;
    for (at, letter) in word.char_indices() {
        let player = LETTERS.iter().position(|&known| known == letter);
        match player {
            Some(player) if living >> player == 0 => living |= 1 << player,
            _ => return words.error(&word[at..], "living players, each once, in the order wrbu"),
        }
    }
    match check_pieces(board, living, &NAMES) {
        None => Ok(living),
        Some((Misfit::Living, expected)) => words.error(word, expected),
        Some((Misfit::Pieces, expected)) => words.error(rows, expected),
    }
}

/// What does not fit the other.
pub(super) enum Misfit {
    Living,
    Pieces,
}

/// What would be right about the pieces of the living, and whether it is about them or about the pieces; `None` if all is. `names` are
/// those of the players.
pub(super) fn check_pieces(board: &Board, living: u8, names: &[&str; 4]) -> Option<(Misfit, String)> {
    for (player, who) in names.iter().enumerate() {
        let count = |kind: u8| (board.kinds[kind as usize] & board.sets[player]).count() as i32;
        let lives = living >> player & 1 != 0;
        if !lives && !board.sets[player].is_empty() {
            return Some((Misfit::Living, format!("{who} among the living, with pieces on the board")));
        }
        if lives && count(KING) != 1 {
            return Some((Misfit::Pieces, format!("exactly one king of {who}, who is living,")));
        }
        let new: i32 =
            [(QUEEN, 1), (ROOK, 2), (BISHOP, 2), (KNIGHT, 2)].iter().map(|&(k, n)| (count(k) - n).max(0)).sum();
        if count(PAWN) + new > 8 {
            return Some((Misfit::Pieces, format!("at most eight pawns of {who}, promoted ones included,")));
        }
    }
    None
}

fn read_rights(words: &Words<'_>, word: &str, board: &Board) -> Result<u8, PositionError> {
    let mut rights = 0u8;
    if word == "-" {
        return Ok(rights);
    }
    let mut player = None;
    for (at, letter) in word.char_indices() {
        let rest = &word[at..];
        if let Some(next) = LETTERS.iter().position(|&known| known == letter) {
            if player.is_some_and(|player| next <= player || rights >> (2 * player) == 0) {
                return words.error(rest, "players in the order wrbu, each with K, Q or KQ");
            }
            player = Some(next);
            continue;
        }
        let side = ['K', 'Q'].iter().position(|&known| known == letter);
        let (Some(player), Some(side)) = (player, side) else {
            return words.error(rest, "a player and the sides, such as wKQ");
        };
        let right = 2 * player + side;
        let way = &CASTLING[right];
        if rights >> right != 0 {
            return words.error(rest, "K before Q, each once");
        }
        if board.at(way.king) != piece(KING, 0, player) || board.at(way.rook) != piece(ROOK, 0, player) {
            let places = format!("the king on {} and a rook on {}", name(way.king), name(way.rook));
            return words.error(rest, format!("a castling right of {} only with {places},", NAMES[player]));
        }
        rights |= 1 << right;
    }
    match player {
        Some(player) if rights >> (2 * player) != 0 => Ok(rights),
        _ => words.error(&word[word.len()..], "K, Q or KQ after a player"),
    }
}

fn read_passed(words: &Words<'_>, word: &str, board: &Board) -> Result<[u8; 4], PositionError> {
    let mut passed = [NOWHERE; 4];
    if word == "-" {
        return Ok(passed);
    }
    for part in word.split(',') {
        let Some(s) = square_named(part) else {
            return words.error(part, "a square that a pawn has passed, such as e3");
        };
        let player = (0..4).find(|&player| is_passed(board, s, player));
        let Some(player) = player else {
            return words.error(part, "a square that a pawn, which stands before it, has passed by a double step");
        };
        if passed[player..].iter().any(|&known| known != NOWHERE) {
            return words.error(part, "at most one square for each player, in the order of the players");
        }
        passed[player] = s;
    }
    Ok(passed)
}

/// Whether a pawn of `player` may just have passed a square by a double step: it stands before it, in its first direction.
pub(super) fn is_passed(board: &Board, s: u8, player: usize) -> bool {
    let is_there = board.at(s.wrapping_add(FORWARD[player])) == piece(PAWN, player, player);
    row(turned(s, (4 - player) % 4)) == 2 && is_there
}

fn read_history(words: &Words<'_>, word: &str, clock: u32) -> Result<Vec<u64>, PositionError> {
    let mut seen = Vec::new();
    if word == "-" {
        return Ok(seen);
    }
    for part in word.split(',') {
        let digits = part.strip_suffix("*2").unwrap_or(part);
        let plain = digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        let key = u64::from_str_radix(digits, 16).ok().filter(|_| plain);
        let Some(key) = key else {
            return words.error(part, "a key of 16 hexadecimal digits, with *2 if the position occurred twice");
        };
        if seen.last().is_some_and(|&last| last >= key) {
            return words.error(part, "keys in ascending order");
        }
        seen.push(key);
        if digits.len() < part.len() {
            seen.push(key);
        }
    }
    if seen.len() > clock as usize {
        return words.error(word, format!("at most {clock} earlier positions, one for each ply without progress,"));
    }
    Ok(seen)
}
