//! Damaged text for readers.

use std::fmt::Display;

use super::random_game;
use crate::{Notation, Rng, mix};

/// Feeds `count` damaged and random texts to the reader of positions and as many to that of moves. Each must be refused with
/// a message of one line, or be a position or move that reads back and can be played.
///
/// # Panics
/// If a reader panics, or accepts what does not read back.
pub fn check_text<G: Notation>(start: &G, count: u64) {
    let (mut games, mut texts, mut words) = (Vec::new(), Vec::new(), vec!["-".to_string()]);
    let mut moves = Vec::new();
    random_game(start, 1, |game, _| {
        games.push(game.clone());
        texts.push(game.to_text());
        moves.clear();
        game.moves(&mut moves);
        words.extend(moves.iter().map(|&m| game.move_to_text(m)));
    });
    words.sort();
    words.dedup();
    let mut rng = Rng::new(count);
    let mut scratch = [Vec::new(), Vec::new()];
    mangle(&texts, count, |text| match start.read(text) {
        Ok(game) => check_meaning(start, game, text, &mut scratch, &mut rng),
        Err(error) => check_error(&error, text),
    });
    // A few positions take turns; most words are no moves of most of them.
    let few: Vec<&G> = (0..8).map(|part| &games[part * (games.len() - 1) / 7]).collect();
    let mut turns = few.iter().cycle();
    mangle(&words, count, |word| {
        let game = turns.next().expect("there is at least one position");
        match game.move_from_text(word) {
            Ok(m) => {
                assert_eq!(game.move_to_text(m), word, "a move reads back");
                let mut child = (*game).clone();
                child.play(m);
                child.payoff();
            }
            Err(error) => check_error(&error, word),
        }
    });
}

/// Checks that what was read from a damaged text reads back as the same and can be played.
fn check_meaning<G: Notation>(start: &G, mut game: G, text: &str, moves: &mut [Vec<G::Move>; 2], rng: &mut Rng) {
    let written = game.to_text();
    assert!(!written.contains('\n'), "what {text:?} means is one line");
    let again = start.read(&written);
    let again = again.unwrap_or_else(|error| panic!("what {text:?} means does not read back: {error}"));
    assert_eq!(again.to_text(), written, "what {text:?} means reads back");
    let seen = |game: &G| (game.key(), game.turn(), game.payoff(), game.points());
    assert_eq!(seen(&again), seen(&game), "what {text:?} means reads back");
    for (game, moves) in [&game, &again].into_iter().zip(&mut *moves) {
        moves.clear();
        game.moves(moves);
    }
    let [own, others] = moves;
    assert_eq!(own, others, "what {text:?} means allows the same moves");
    assert_eq!(own.is_empty(), game.payoff().is_some(), "moves exist in {text:?} unless the game is over");
    if !own.is_empty() {
        game.play(rng.pick(own));
        game.payoff();
        game.moves(own);
    }
}

/// Checks that an error has a message of one line; `text` is the input it is about.
///
/// # Panics
/// If it does not.
pub fn check_error(error: &impl Display, text: &str) {
    let message = error.to_string();
    assert!(!message.is_empty() && !message.contains(['\n', '\r']), "{text:?} is refused with {message:?}");
}

/// Calls `see` with `count` random texts, always the same ones: most are one of `samples` with a few random changes, some are
/// a few random characters.
///
/// ```
/// nply::testing::mangle(&["brs:depth=3"], 1000, |text| {
///     let _ = text.parse::<nply::Tree>();
/// });
/// ```
pub fn mangle(samples: &[impl AsRef<str>], count: u64, mut see: impl FnMut(&str)) {
    let samples: Vec<Vec<char>> = samples.iter().map(|sample| sample.as_ref().chars().collect()).collect();
    let mut rng = Rng::new(samples.iter().flatten().fold(count, |seed, &c| mix(seed ^ u64::from(c))));
    let (mut text, mut shown) = (Vec::new(), String::new());
    for _ in 0..count {
        text.clear();
        if rng.below(10) > 0 {
            text.extend_from_slice(&samples[rng.below(samples.len())]);
        }
        for _ in 0..1 + rng.below(4) {
            change(&mut text, &samples[rng.below(samples.len())], &mut rng);
        }
        shown.clear();
        shown.extend(&text);
        see(&shown);
    }
}

/// Characters with a meaning to some reader, and some without.
const CHARACTERS: &[char] = &[
    ' ', ' ', ' ', '-', ':', ',', '.', '/', '(', ')', '@', '=', '*', '_', '"', '[', ']', '0', '1', '2', '5', '8', '9',
    'a', 'b', 'h', 'k', 'n', 'w', 'x', 'A', 'B', 'G', 'K', 'Q', 'R', 'Y', 'é', '∞', '\u{a0}', '\0', '\r', '\n',
];

/// Words that trip readers of numbers.
const WORDS: &[&str] = &[
    "-1",
    "+1",
    "00",
    "255",
    "256",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e9",
    "1e999",
    "inf",
    "nan",
    "0.1",
    ".5",
];

/// Makes one random change, which may insert a part of another text.
fn change(text: &mut Vec<char>, other: &[char], rng: &mut Rng) {
    let at = rng.below(text.len() + 1);
    let character = match other {
        [] => rng.pick(CHARACTERS),
        _ if rng.below(2) == 0 => rng.pick(CHARACTERS),
        own => rng.pick(own),
    };
    match rng.below(9) {
        0 => text.insert(at, character),
        1 | 2 if at < text.len() => text[at] = character,
        3 if at < text.len() => drop(text.remove(at)),
        4 if at < text.len() => {
            let with = rng.below(text.len());
            text.swap(at, with);
        }
        5 => text.truncate(at),
        6 => {
            let from = rng.below(other.len() + 1);
            let end = (from + 1 + rng.below(12)).min(other.len());
            text.splice(at..at, other[from..end].iter().copied());
        }
        7 => {
            let end = (at + rng.below(4)).min(text.len());
            text.splice(at..end, rng.pick(WORDS).chars());
        }
        _ => text.extend(std::iter::repeat_n(character, 1 + rng.below(12))),
    }
}
