//! Positions and moves as text; the module's page describes the format.

use std::fmt::Write;

use nply::scene::{Clicks, Scene};
use nply::{Notation, Player, PositionError};

use super::board::{FIELDS, LETTERS, SIZE, pieces};
use super::rules::{COLORS, State};
use super::scene::{clicks, scene};
use super::stack::Stack;
use super::{Focus, Move};
use crate::text::Words;

pub(super) const NAMES: [&str; COLORS] = ["Red", "Green", "Blue", "Yellow"];

impl Notation for Focus {
    const MOVE_FORM: &'static str =
        "two fields, `c3-e3`, as far apart as pieces are moved; a placement `@c3`; a pass `-`";

    fn to_text(&self) -> String {
        let mut text = String::with_capacity(160);
        for row in (0..8).rev() {
            for column in 0..8 {
                self.write_field(&mut text, 8 * column + row);
            }
            text.push(if row > 0 { '/' } else { ' ' });
        }
        text.push(LETTERS[self.turn.index()]);
        let players = Player::all(self.players as usize);
        for player in players.clone() {
            text.push(if player.index() == 0 { ' ' } else { ',' });
            text.push_str(&self.reserve(player).to_string());
        }
        for player in players.clone() {
            text.push(if player.index() == 0 { ' ' } else { '/' });
            let captured: Vec<String> = players.clone().map(|from| self.captured(player, from).to_string()).collect();
            text.push_str(&captured.join(","));
        }
        write!(text, " {}", self.ply).expect("a string takes any text");
        text
    }

    fn read(&self, text: &str) -> Result<Focus, PositionError> {
        let mut words = Words::new(text);
        let mut game = Focus { state: State::Open, ..self.clone() };
        let mut left = [pieces(self.players as usize); COLORS];
        let board = words.word("the board")?;
        game.stacks =
            BoardReader { words: &words, rest: board, left: &mut left, players: self.players as usize }.read()?;
        let turn = words.word("the color to move")?;
        game.turn = self.read_turn(&words, turn)?;
        let reserves = words.word("the reserves")?;
        game.read_reserves(&words, reserves, &mut left)?;
        let captures = words.word("the captures")?;
        game.read_captures(&words, captures, &mut left)?;
        game.ply = words.number("the number of plies played", 0..=self.limit)?;
        game.rebuild();
        game.read_result(&words, turn)?;
        words.end()?;
        Ok(game)
    }

    fn scene(&self, _viewers: &[Player]) -> Option<Scene> {
        Some(scene(self))
    }

    fn clicks(&self, m: Move) -> Clicks {
        clicks(self, m)
    }

    fn move_to_text(&self, m: Move) -> String {
        m.to_string()
    }
}

impl Focus {
    fn write_field(&self, out: &mut String, field: usize) {
        let stack = self.stacks[field];
        let letters = stack.pieces().map(|color| LETTERS[color]);
        match stack.height() {
            0 => out.push(if FIELDS >> field & 1 == 1 { '_' } else { '.' }),
            1 => out.extend(letters),
            _ => {
                out.push('(');
                out.extend(letters);
                out.push(')');
            }
        }
    }

    fn read_turn(&self, words: &Words<'_>, word: &str) -> Result<Player, PositionError> {
        let known = &LETTERS[..self.players as usize];
        let found = known.iter().position(|letter| word.strip_prefix(*letter) == Some(""));
        match found {
            Some(index) => Ok(Player::new(index)),
            None => words.error(word, format!("the color to move, one of {}", String::from_iter(known))),
        }
    }

    fn read_reserves(&mut self, words: &Words<'_>, word: &str, left: &mut [u32]) -> Result<(), PositionError> {
        let counts = self.read_counts(words, word)?;
        for (color, &(part, count)) in counts.iter().enumerate() {
            self.taken[color] = take(words, part, color, count, left)? << (8 * color);
        }
        Ok(())
    }

    fn read_captures(&mut self, words: &Words<'_>, word: &str, left: &mut [u32]) -> Result<(), PositionError> {
        let players = self.players as usize;
        let lists: Vec<&str> = word.split('/').collect();
        if lists.len() != players {
            return words.error(word, format!("{players} lists of captures, separated by `/`"));
        }
        for (player, list) in lists.into_iter().enumerate() {
            for (color, &(part, count)) in self.read_counts(words, list)?.iter().enumerate() {
                if player == color && count > 0 {
                    return words.error(part, format!("0, as {}'s own go to the reserve", NAMES[player]));
                }
                self.taken[player] += take(words, part, color, count, left)? << (8 * color);
            }
        }
        Ok(())
    }

    /// One number for each player, separated by commas, each with its text.
    fn read_counts<'a>(&self, words: &Words<'_>, list: &'a str) -> Result<Vec<(&'a str, u32)>, PositionError> {
        let players = self.players as usize;
        let parts: Vec<&str> = list.split(',').collect();
        if parts.len() != players {
            return words.error(list, format!("{players} numbers, separated by commas"));
        }
        let number = |part: &'a str| match part.parse() {
            Ok(count) if part.bytes().all(|byte| byte.is_ascii_digit()) => Ok((part, count)),
            _ => words.error(part, "a number of pieces"),
        };
        parts.into_iter().map(number).collect()
    }

    /// Determines whether the game is over, and refuses positions that no game reaches.
    fn read_result(&mut self, words: &Words<'_>, turn: &str) -> Result<(), PositionError> {
        let players = self.players as usize;
        let last = Player::new((self.turn.index() + players - 1) % players);
        if !Player::all(players).any(|player| self.is_able(player)) {
            return words.error(turn, "a board or reserves with a piece to move");
        }
        if let Some(winner) = self.others(last).find(|&player| self.has_won(player)) {
            let (name, next) = (NAMES[winner.index()], LETTERS[winner.next(players).index()]);
            return words.error(turn, format!("{next}, as {name} has won and so must have moved last"));
        }
        self.state = match () {
            () if self.has_won(last) => State::Won(last),
            () if self.ply >= self.limit => State::Drawn,
            () => State::Open,
        };
        Ok(())
    }
}

/// Takes `count` pieces from those that a color has left.
fn take(words: &Words<'_>, part: &str, color: usize, count: u32, left: &mut [u32]) -> Result<u32, PositionError> {
    if count > left[color] {
        return words.error(part, format!("at most {}, as {} has no more pieces", left[color], NAMES[color]));
    }
    left[color] -= count;
    Ok(count)
}

/// Reads a board field by field.
struct BoardReader<'a, 'b> {
    words: &'b Words<'a>,
    rest: &'a str,
    /// The pieces that each color may still have.
    left: &'b mut [u32],
    players: usize,
}

impl BoardReader<'_, '_> {
    fn read(mut self) -> Result<[Stack; SIZE], PositionError> {
        let mut stacks = [Stack::EMPTY; SIZE];
        for row in (0..8).rev() {
            for column in 0..8 {
                let field = 8 * column + row;
                if FIELDS >> field & 1 == 0 {
                    self.expect('.', "`.`, a corner")?;
                } else {
                    stacks[field] = self.stack()?;
                }
            }
            if row > 0 {
                self.expect('/', "`/`, the next row")?;
            }
        }
        if self.rest.is_empty() { Ok(stacks) } else { self.words.error(self.rest, "the end of the board") }
    }

    fn stack(&mut self) -> Result<Stack, PositionError> {
        if self.accept('_') {
            return Ok(Stack::EMPTY);
        }
        if !self.accept('(') {
            let one = self.piece("`_`, `(` or ")?;
            return Ok(Stack::EMPTY.join(one, 1).0);
        }
        let mut stack = Stack::EMPTY;
        while stack.height() < 2 || !self.accept(')') {
            if stack.height() == Stack::MOST {
                return self.words.error(self.rest, "`)`, as a stack has at most five pieces");
            }
            let one = self.piece(if stack.height() < 2 { "" } else { "`)` or " })?;
            stack = stack.join(one, 1).0;
        }
        Ok(stack)
    }

    /// A piece's color; `or` is what else would be valid, for the error.
    fn piece(&mut self, or: &str) -> Result<u32, PositionError> {
        let known = &LETTERS[..self.players];
        let Some(color) = known.iter().position(|&letter| self.rest.starts_with(letter)) else {
            return self.words.error(self.rest, format!("{or}a piece, one of {}", String::from_iter(known)));
        };
        if self.left[color] == 0 {
            let most = pieces(self.players);
            return self.words.error(self.rest, format!("no more than {most} pieces of {}", NAMES[color]));
        }
        self.left[color] -= 1;
        self.rest = &self.rest[1..];
        Ok(color as u32)
    }

    fn accept(&mut self, character: char) -> bool {
        let rest = self.rest.strip_prefix(character);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, character: char, expected: &str) -> Result<(), PositionError> {
        if self.accept(character) { Ok(()) } else { self.words.error(self.rest, expected) }
    }
}
