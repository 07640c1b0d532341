//! Rolit's and Othello's board as the rules describe it: fields in an array, lines walked one step at a time.

#![allow(dead_code, reason = "no test uses all of it")]

use nply::Notation;

/// The color of the disc on each field, by column and row. A smaller board has discs on its first columns and rows only.
pub(crate) type Board = [[Option<usize>; 8]; 8];

const DIRECTIONS: [(i32, i32); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

fn at(board: &Board, column: i32, row: i32) -> Option<usize> {
    if (0..8).contains(&column) && (0..8).contains(&row) { board[column as usize][row as usize] } else { None }
}

/// The fields that a disc of `mover` on an empty field flips.
pub(crate) fn flipped(board: &Board, mover: usize, column: usize, row: usize) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for (right, down) in DIRECTIONS {
        let (mut x, mut y) = (column as i32 + right, row as i32 + down);
        let mut line = Vec::new();
        while at(board, x, y).is_some_and(|disc| disc != mover) {
            line.push((x as usize, y as usize));
            x += right;
            y += down;
        }
        if at(board, x, y) == Some(mover) {
            all.extend(line);
        }
    }
    all
}

/// Every field of a board with so many columns and rows, in the byte order of the notation.
pub(crate) fn fields(side: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..side * side).map(move |index| (index / side, index % side))
}

/// Whether every field has a disc.
pub(crate) fn is_full(board: &Board, side: usize) -> bool {
    fields(side).all(|(x, y)| board[x][y].is_some())
}

/// The empty fields where `mover` flips something.
pub(crate) fn flipping(board: &Board, side: usize, mover: usize) -> Vec<(usize, usize)> {
    fields(side).filter(|&(x, y)| board[x][y].is_none() && !flipped(board, mover, x, y).is_empty()).collect()
}

/// The empty fields next to any disc.
pub(crate) fn adjacent(board: &Board, side: usize) -> Vec<(usize, usize)> {
    let touches = |x: usize, y: usize| DIRECTIONS.iter().any(|d| at(board, x as i32 + d.0, y as i32 + d.1).is_some());
    fields(side).filter(|&(x, y)| board[x][y].is_none() && touches(x, y)).collect()
}

/// Puts a disc on a field and flips.
pub(crate) fn place(board: &mut Board, mover: usize, (x, y): (usize, usize)) {
    for (x, y) in flipped(board, mover, x, y) {
        board[x][y] = Some(mover);
    }
    board[x][y] = Some(mover);
}

/// The number of discs of a color.
pub(crate) fn count(board: &Board, color: usize) -> usize {
    board.iter().flatten().filter(|&&disc| disc == Some(color)).count()
}

/// `d3`.
pub(crate) fn name((x, y): (usize, usize)) -> String {
    format!("{}{}", b"abcdefgh"[x] as char, y + 1)
}

/// The field of a name.
pub(crate) fn field(name: &str) -> (usize, usize) {
    let bytes = name.as_bytes();
    ((bytes[0] - b'a') as usize, (bytes[1] - b'1') as usize)
}

/// The board as a character for each field, row by row.
pub(crate) fn text(board: &Board, side: usize, letters: &str) -> String {
    let letter = |index: usize| board[index % side][index / side].map_or('.', |disc| letters.as_bytes()[disc] as char);
    (0..side * side).map(letter).collect()
}

/// Shares of the win: the most points win, ties share.
pub(crate) fn payoff(points: &[usize]) -> Vec<f32> {
    let most = points.iter().max().unwrap();
    let winners = points.iter().filter(|&points| points == most).count();
    points.iter().map(|points| if points == most { 1.0 / winners as f32 } else { 0.0 }).collect()
}

/// The legal moves of a position as text, in its own order.
pub(crate) fn moves<G: Notation>(game: &G) -> Vec<String> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves.iter().map(|&m| game.move_to_text(m)).collect()
}

/// The position after some moves.
pub(crate) fn after<G: Notation>(start: &G, line: &str) -> G {
    let mut game = start.clone();
    for word in line.split_whitespace() {
        let m = game.move_from_text(word).unwrap_or_else(|error| panic!("{error}"));
        game.play(m);
    }
    game
}

/// The eight symmetries of the board, each as a function of a field.
pub(crate) fn turned(symmetry: usize, (x, y): (usize, usize)) -> (usize, usize) {
    let (x, y) = if symmetry & 1 == 1 { (7 - x, y) } else { (x, y) };
    let (x, y) = if symmetry & 2 == 2 { (x, 7 - y) } else { (x, y) };
    if symmetry & 4 == 4 { (y, x) } else { (x, y) }
}

/// A position text with its board turned.
pub(crate) fn turned_text(symmetry: usize, position: &str) -> String {
    let (board, rest) = position.split_at(64);
    let mut out = vec![b'.'; 64];
    for (x, y) in fields(8) {
        let (to_x, to_y) = turned(symmetry, (x, y));
        out[8 * to_y + to_x] = board.as_bytes()[8 * y + x];
    }
    String::from_utf8(out).unwrap() + rest
}
