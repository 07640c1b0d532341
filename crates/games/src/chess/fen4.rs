//! FEN4 and the moves of PGN4: how other programs write Four-Player Chess.
//!
//! Their board is turned as ours is, and the order of the players is the same: Red sits at the bottom and is our White, then come
//! Blue, Yellow and Green, our Red, Black and Blue. Their rules differ. What only one of the two can say is refused.
//!
//! A FEN4 has parts separated by `-`: the player to move, who is out, castling on the king's side and on the queen's side, points,
//! plies without a capture or a pawn move, in braces what else there is, and the rows from 14 to 1.

use std::fmt::Write;

use nply::{Game, PositionError};

use super::board::Board;
use super::pawn::direction_after;
use super::piece::{EMPTY, KING, PAWN, ROOK, direction, kind, owner, piece};
use super::rules::{CASTLING, Castling, PATIENCE, State};
use super::square::{FORWARD, NOWHERE, on_board, row, square, turned};
use super::text::{KINDS, check_pieces, is_passed, is_pawn_square, name, square_named};
use super::{FourPlayerChess, Move};

/// The players as FEN4 and PGN4 name them, in turn order.
pub const COLORS: [&str; 4] = ["Red", "Blue", "Yellow", "Green"];
const LETTERS: [char; 4] = ['R', 'B', 'Y', 'G'];
const CASTLES: [&str; 2] = ["O-O", "O-O-O"];

/// Whether a text is meant as FEN4.
pub(super) fn is_fen4(text: &str) -> bool {
    let mut letters = text.trim_start().chars();
    letters.next().is_some_and(|letter| LETTERS.contains(&letter)) && letters.next() == Some('-')
}

/// A text that is read from left to right.
struct Parts<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Parts<'a> {
    fn error<T>(&self, part: &str, expected: impl Into<String>) -> Result<T, PositionError> {
        Err(PositionError::at(self.text, part, expected))
    }

    /// The text up to the next `-`, which is skipped with white space after it.
    fn part(&mut self, expected: &str) -> Result<&'a str, PositionError> {
        match self.rest.split_once('-') {
            Some((part, rest)) => {
                self.rest = rest.trim_start();
                Ok(part)
            }
            None => self.error(self.rest, expected),
        }
    }

    /// Four numbers, one for each player, none above `most`.
    fn four(&mut self, most: u32, expected: &str) -> Result<[u32; 4], PositionError> {
        let part = self.part(expected)?;
        let numbers: Option<Vec<u32>> = part.split(',').map(|word| plain_number(word, most)).collect();
        match numbers.and_then(|numbers| numbers.try_into().ok()) {
            Some(four) => Ok(four),
            None => self.error(part, expected),
        }
    }
}

fn plain_number(word: &str, most: u32) -> Option<u32> {
    let is_plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    word.parse().ok().filter(|&number| is_plain && number <= most)
}

/// Reads a position. Plies played and earlier positions are not in it: as many count as played as were without progress.
pub(super) fn read(text: &str) -> Result<FourPlayerChess, PositionError> {
    const TURN: &str = "the player to move, who is not out: R, B, Y or G";
    let mut parts = Parts { text, rest: text.trim() };
    let letter = parts.part(TURN)?;
    let out = parts.four(1, "who is out, 0 or 1 for Red, Blue, Yellow and Green: 0,0,0,0")?;
    let turn = LETTERS.iter().position(|&known| letter.chars().eq([known])).filter(|&turn| out[turn] == 0);
    let Some(turn) = turn else { return parts.error(letter, TURN) };
    let castling = parts.rest;
    let kings_side = parts.four(1, "castling on the king's side, 0 or 1 each: 1,1,1,1")?;
    let queens_side = parts.four(1, "castling on the queen's side, 0 or 1 each: 1,1,1,1")?;
    parts.four(0, "0,0,0,0: points are not counted in these rules")?;
    let living = (0..4).filter(|&player| out[player] == 0).fold(0u8, |living, player| living | 1 << player);
    let most = PATIENCE * living.count_ones();
    let expected = format!("plies without a capture or a pawn move, at most {most}");
    let word = parts.part(&expected)?;
    let Some(clock) = plain_number(word, most) else { return parts.error(word, expected) };
    let extra = if parts.rest.starts_with('{') { Some(parts.part("- after the braces")?) } else { None };
    let rows = parts.rest;
    let board = read_rows(&parts, rows)?;
    if let Some((_, expected)) = check_pieces(&board, living, &COLORS) {
        return parts.error(rows, expected);
    }
    let mut rights = 0u8;
    for player in (0..4).filter(|&player| out[player] == 0) {
        for (side, _) in [kings_side, queens_side].iter().enumerate().filter(|(_, has)| has[player] == 1) {
            let way = &CASTLING[2 * player + side];
            if board.at(way.king) != piece(KING, 0, player) || board.at(way.rook) != piece(ROOK, 0, player) {
                let places =
                    format!("the king on {} and a rook on {}, where they start", name(way.king), name(way.rook));
                return parts.error(castling, format!("a castling right of {} only with {places},", COLORS[player]));
            }
            rights |= 1 << (2 * player + side);
        }
    }
    let passed = extra.map_or(Ok([NOWHERE; 4]), |extra| read_extra(&parts, extra, &board))?;
    let state = State {
        key: 0,
        plies: clock,
        clock,
        since: 0,
        turn: turn as u8,
        living,
        rights,
        passed,
        danger: [0; 4],
        repeated: false,
        drawn: false,
    };
    Ok(FourPlayerChess::arriving(board, state, Vec::new()))
}

fn read_rows(parts: &Parts<'_>, rows: &str) -> Result<Board, PositionError> {
    let mut board = Board::empty();
    let mut lines = rows.split('/');
    for y in (0..14).rev() {
        let Some(line) = lines.next() else { return parts.error(&rows[rows.len()..], format!("row {}", y + 1)) };
        let mut x = 0;
        for word in line.trim().split(',') {
            let left = 14 - x;
            if word == "x" && left > 0 && !on_board(square(x, y)) {
                x += 1;
                continue;
            }
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                match plain_number(word, left as u32) {
                    Some(empty) if !word.starts_with('0') => x += empty as usize,
                    _ => return parts.error(word, format!("at most {left} empty squares in row {}", y + 1)),
                }
                continue;
            }
            let Some(piece) = piece_of(word) else {
                let dead =
                    if word.starts_with('d') { ": those of players who are out leave the board here" } else { "" };
                let expected = format!("a piece, such as rK, or a number of empty squares, in row {}{dead}", y + 1);
                return parts.error(word, expected);
            };
            if left == 0 || !on_board(square(x, y)) {
                return parts.error(word, format!("no piece beyond the board, in row {}", y + 1));
            }
            if kind(piece) == PAWN && !is_pawn_square(piece, square(x, y)) {
                return parts.error(word, format!("no such pawn on {}, which it cannot be on", name(square(x, y))));
            }
            board.put(square(x, y), piece);
            x += 1;
        }
        if x != 14 {
            return parts.error(line, format!("14 squares in row {}, those of the corners included", y + 1));
        }
    }
    match lines.next() {
        None => Ok(board),
        Some(more) => parts.error(more, "nothing after row 1"),
    }
}

/// The piece that a word such as `rK` stands for.
fn piece_of(word: &str) -> Option<u8> {
    let mut letters = word.chars();
    let (own, letter) = (letters.next()?, letters.next()?);
    let own = LETTERS.iter().position(|known| known.to_ascii_lowercase() == own)?;
    let kind = KINDS.iter().skip(1).position(|&known| known == letter)? as u8 + 1;
    letters.next().is_none().then(|| piece(kind, if kind == PAWN { own } else { 0 }, own))
}

/// Reads `{'enPassant':('e3:e4','','','')}`: of each player, the square passed and that of the pawn.
fn read_extra(parts: &Parts<'_>, extra: &str, board: &Board) -> Result<[u8; 4], PositionError> {
    const FORM: &str = "{'enPassant':('e3:e4','','','')}, the only rule in braces that is known here";
    let inner = extra.strip_prefix("{'enPassant':(").and_then(|rest| rest.trim_end().strip_suffix(")}"));
    let words: Vec<&str> = inner.map(|inner| inner.split(',').collect()).unwrap_or_default();
    if words.len() != 4 {
        return parts.error(extra, FORM);
    }
    let mut passed = [NOWHERE; 4];
    for (player, word) in words.into_iter().enumerate() {
        let Some(pair) = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\'')) else {
            return parts.error(word, FORM);
        };
        let squares = pair.split_once(':').and_then(|(s, pawn)| Some((square_named(s)?, square_named(pawn)?)));
        match squares {
            None if pair.is_empty() => {}
            Some((s, pawn)) if is_passed(board, s, player) && pawn == s.wrapping_add(FORWARD[player]) => {
                passed[player] = s;
            }
            _ => {
                let expected = format!("a square that a pawn of {} has passed, and that pawn's", COLORS[player]);
                return parts.error(word, expected);
            }
        }
    }
    Ok(passed)
}

impl FourPlayerChess {
    /// The position as FEN4; an error says why it cannot be written so. Plies played and earlier positions are not in it.
    ///
    /// ```
    /// use nply::{Declaration, Notation};
    /// use nply_games::chess::FourPlayerChess;
    /// let start = FourPlayerChess::start(4, &(), 0);
    /// let fen4 = start.to_fen4().unwrap();
    /// assert!(fen4.starts_with("R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-3,yR,yN,yB,yK,yQ,yB,yN,yR,3/"));
    /// assert_eq!(start.read(&fen4).unwrap().to_text(), start.to_text());
    /// ```
    pub fn to_fen4(&self) -> Result<String, String> {
        if self.payoff().is_some() {
            return Err("the game is over, which FEN4 does not say".into());
        }
        let state = &self.state;
        let four = |flag: &dyn Fn(usize) -> bool| {
            (0..4).map(|player| u8::from(flag(player)).to_string()).collect::<Vec<String>>().join(",")
        };
        let mut out = format!("{}-{}-", LETTERS[state.turn as usize], four(&|player| !self.lives(player)));
        for side in 0..2 {
            write!(out, "{}-", four(&|player| state.rights >> (2 * player + side) & 1 != 0)).unwrap();
        }
        write!(out, "0,0,0,0-{}-", state.clock).unwrap();
        if state.passed.iter().any(|&s| s != NOWHERE) {
            let pair = |player: usize| match state.passed[player] {
                NOWHERE => "''".to_string(),
                s => format!("'{}:{}'", name(s), name(s.wrapping_add(FORWARD[player]))),
            };
            write!(out, "{{'enPassant':({})}}-", (0..4).map(pair).collect::<Vec<String>>().join(",")).unwrap();
        }
        for y in (0..14).rev() {
            out.push_str(&self.fen4_row(y)?);
            if y > 0 {
                out.push('/');
            }
        }
        Ok(out)
    }

    fn fen4_row(&self, y: usize) -> Result<String, String> {
        let (mut words, mut empty) = (Vec::new(), 0);
        for s in (0..14).map(|x| square(x, y)) {
            let piece = if on_board(s) { self.board.at(s) } else { EMPTY };
            if piece == EMPTY {
                empty += 1;
                continue;
            }
            if kind(piece) == PAWN && direction(piece) != owner(piece) {
                return Err(format!("the pawn on {} has bent off, and FEN4 has no such pawn", name(s)));
            }
            if empty > 0 {
                words.push(empty.to_string());
                empty = 0;
            }
            words.push(format!("{}{}", LETTERS[owner(piece)].to_ascii_lowercase(), KINDS[kind(piece) as usize]));
        }
        if empty > 0 {
            words.push(empty.to_string());
        }
        Ok(words.join(","))
    }

    /// A legal move as PGN4 has it; an error says what happens that their rules do not have.
    ///
    /// ```
    /// use nply::{Declaration, Notation};
    /// use nply_games::chess::FourPlayerChess;
    /// let start = FourPlayerChess::start(4, &(), 0);
    /// let m = start.move_from_text("e1-f3").unwrap();
    /// assert_eq!(start.move_to_pgn4(m).unwrap(), "Ne1-f3");
    /// assert!(start.move_from_pgn4("Ne1-f3") == Ok(m));
    /// ```
    pub fn move_to_pgn4(&self, m: Move) -> Result<String, String> {
        if m == Move::PASS {
            return Err("a player passes".into());
        }
        let (moved, player) = (self.board.at(m.from), self.state.turn as usize);
        let mut after = self.clone();
        after.play(m);
        if let Some(loser) = (0..4).find(|&other| self.lives(other) && !after.lives(other)) {
            return Err(format!("{} is out, whose pieces leave the board here and stay on it there", COLORS[loser]));
        }
        if kind(moved) == KING
            && let Some(way) = Castling::of(m.from, m.to)
        {
            return Ok(CASTLES[usize::from(way.to == CASTLING[2 * player + 1].to)].into());
        }
        let mut captured = kind(self.board.at(m.to));
        if kind(moved) == PAWN {
            if direction_after(moved, m.from, m.to) != player {
                return Err(format!("the pawn on {} bends off", name(m.from)));
            }
            if m.promotion != 0 && row(turned(m.to, (4 - player) % 4)) != 13 {
                return Err(format!("a pawn promotes on {}, where the board ends before row 14", name(m.to)));
            }
            if self.passed_here(player, m.from, m.to).is_some() {
                if captured != 0 {
                    return Err(format!("a capture on {} takes two pieces", name(m.to)));
                }
                captured = PAWN;
            }
        }
        let letter = |kind: u8| if kind == PAWN { String::new() } else { KINDS[kind as usize].to_string() };
        let between = if captured == 0 { "-".into() } else { format!("x{}", letter(captured)) };
        let promotion = if m.promotion == 0 { String::new() } else { format!("={}", KINDS[m.promotion as usize]) };
        let checks = (0..4).filter(|&other| after.state.danger[other] >> player & 1 != 0).count();
        let squares = format!("{}{}{between}{}", letter(kind(moved)), name(m.from), name(m.to));
        Ok(format!("{squares}{promotion}{}", "+".repeat(checks)))
    }

    /// The legal move that a text of PGN4 means; an error says what is wrong with it, or what these rules do not have.
    pub fn move_from_pgn4(&self, text: &str) -> Result<Move, String> {
        let (plain, color) = (text.trim_end_matches(['+', '#']), COLORS[self.state.turn as usize]);
        let leaves = match plain {
            "" => Some("is mated, whose pieces stay on the board there and leave it here"),
            "R" => Some("resigns, which nobody does here"),
            "T" => Some("runs out of time, which nobody does here"),
            "S" => Some("is stalemated, which is not the end of a player here"),
            "D" => Some("agrees to a draw, which nobody does here"),
            _ => None,
        };
        if let Some(leaves) = leaves {
            return Err(format!("{color} {leaves}"));
        }
        let m = match CASTLES.iter().position(|&castles| castles == plain) {
            Some(side) => {
                let way = &CASTLING[2 * self.state.turn as usize + side];
                Move { from: way.king, to: way.to, promotion: 0 }
            }
            None => {
                read_move(plain).ok_or_else(|| format!("{text:?} is not a move, such as e2-e4, Qg1xBd4+ or O-O"))?
            }
        };
        let mut moves = Vec::new();
        self.moves(&mut moves);
        if !moves.contains(&m) {
            let promotes = m.promotion != 0 && moves.contains(&Move { promotion: 0, ..m });
            let why = if promotes { ": a pawn promotes where its way ends" } else { "" };
            return Err(format!("{text:?} is not a legal move of {color} by these rules{why}"));
        }
        let written = self.move_to_pgn4(m)?;
        let moved = |text: &str| text.chars().next().filter(|letter| "KQRBN".contains(*letter));
        if moved(plain) != moved(&written) && moved(plain).is_some() {
            return Err(format!("{text:?} is {written} here: another piece stands on {}", name(m.from)));
        }
        Ok(m)
    }
}

/// The squares and the promotion of a move: `Qg1xBd4`, `e13-e14=Q`.
fn read_move(text: &str) -> Option<Move> {
    let is_piece = |letter: char| "KQRBNP".contains(letter);
    let text = text.strip_prefix(is_piece).unwrap_or(text);
    let (text, promotion) = match text.split_once('=') {
        Some((text, letter)) => (text, KINDS.iter().skip(1).position(|&known| letter.chars().eq([known]))? as u8 + 1),
        None => (text, 0),
    };
    let (from, to) = match text.split_once('x') {
        Some((from, to)) => (from, to.strip_prefix(is_piece).unwrap_or(to)),
        None => text.split_once('-')?,
    };
    Some(Move { from: square_named(from)?, to: square_named(to)?, promotion })
}
