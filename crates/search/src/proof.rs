//! Proofs that can be checked without the search that found them.
//!
//! A proof that a player gets at least so much is one move wherever that player is to move, and an answer to every move of everybody
//! else. A proof that the others can prevent it is the same with the roles exchanged: one move wherever anybody else is to move, and
//! an answer to each of the player's. Both end where the game is over, or where the [bounds](crate::Tally::bounds) of the rules decide.
//!
//! So all that must be written down are the moves that are chosen, one for each position in which the choosing side moves. [`walk`] goes
//! through the positions depth-first, in the order in which the game lists its moves ([`Game::distinct`](crate::Game::distinct)), and
//! skips those it has been to: two positions are the same if their texts, which are complete, and the keys of their histories are.
//! Whoever writes a proof and whoever checks it come to the same positions in the same order, so a proof is nothing but a list of
//! numbers, that of the chosen move at each position from 0. As bytes a number has seven bits each, the lowest first, and the top bit is set if
//! more follow (LEB128): one byte for nearly all of them.
//!
//! [`check`] knows the rules, the texts and the tally of a game, and no search.
//!
//! ```
//! use nply::{Declaration, Player, Question, Tree, proof};
//! let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
//! let question = Question { tally: Tree::TALLY.unwrap(), player: Player::new(0), at_least: 5 };
//! // Player 1 takes the second move, and both answers leave at least 5.
//! let counts = proof::check(&tree, &question, true, &[1], &mut |_| ()).unwrap();
//! assert_eq!((counts.positions, counts.choices, counts.ends), (2, 1, 2));
//! // The first one does not prove it.
//! let fault = proof::check(&tree, &question, true, &[0], &mut |_| ()).unwrap_err();
//! assert_eq!(fault.to_string(), "the player has 4, less than 5, at the end; position 4,1,6 sum=18 after 1 2");
//! ```

use std::collections::HashMap;
use std::fmt;

use crate::{Notation, Question, mix};

/// What a proof consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Different positions in which somebody moves.
    pub positions: u64,
    /// Those in which one move is chosen.
    pub choices: u64,
    /// Finished games, each time that one is reached.
    pub ends: u64,
    /// Games that the bounds of the rules decide before their end, each time that one is reached.
    pub bounds: u64,
}

/// Why a proof is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub what: String,
    /// The position.
    pub position: String,
    /// The moves that lead there.
    pub line: Vec<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; position {}", self.what, self.position)?;
        if self.line.is_empty() { Ok(()) } else { write!(f, " after {}", self.line.join(" ")) }
    }
}

impl std::error::Error for Fault {}

/// A position on the way.
struct Step<G: Notation> {
    game: G,
    id: Option<u128>,
    moves: Vec<G::Move>,
    /// How many of the moves have been gone into.
    next: usize,
}

/// Positions between two calls of `watch`.
const REPORT: u64 = 1 << 16;

/// Goes through a proof that the answer to a question is `yes`, or that it is not. `choose` gives the number of the chosen move in a list, for a
/// position at a distance from the first one, or says what is wrong.
pub fn walk<G: Notation>(
    game: &G,
    question: &Question<G>,
    yes: bool,
    mut choose: impl FnMut(&G, usize, &[G::Move]) -> Result<usize, String>,
    watch: &mut dyn FnMut(&Counts),
) -> Result<Counts, Fault> {
    let mut counts = Counts::default();
    // Whether all of a position's children have been gone into.
    let mut seen: HashMap<u128, bool> = HashMap::new();
    let mut path: Vec<Step<G>> = Vec::new();
    let mut next = Some(game.clone());
    loop {
        let Some(game) = next.take() else {
            let Some(step) = path.last_mut() else { return Ok(counts) };
            match step.moves.get(step.next) {
                Some(&m) => {
                    step.next += 1;
                    let mut child = step.game.clone();
                    child.play(m);
                    next = Some(child);
                }
                None => {
                    if let Some(id) = step.id {
                        seen.insert(id, true);
                    }
                    path.pop();
                }
            }
            continue;
        };
        let fault = |what: String, game: &G, path: &[Step<G>]| {
            let line = path.iter().map(|step| step.game.move_to_text(step.moves[step.next - 1])).collect();
            Err(Fault { what, position: game.to_text(), line })
        };
        if let Some(decided) = question.decided(&game) {
            if decided.yes != yes {
                return fault(wrong_leaf(question, &game, decided.at_end), &game, &path);
            }
            counts.ends += u64::from(decided.at_end);
            counts.bounds += u64::from(!decided.at_end);
            continue;
        }
        let id = identity(&game);
        match id.map(|id| seen.insert(id, false)) {
            Some(Some(true)) => {
                seen.extend(id.map(|id| (id, true)));
                continue;
            }
            Some(Some(false)) => return fault("the position leads back to itself".into(), &game, &path),
            Some(None) | None => {}
        }
        let mut moves = Vec::new();
        game.distinct(&mut moves);
        counts.positions += 1;
        if (game.turn() == question.player) == yes {
            counts.choices += 1;
            let chosen = choose(&game, path.len(), &moves);
            let chosen = chosen.and_then(|at| {
                let known = moves.get(at).copied();
                known.ok_or_else(|| format!("the proof has move {} of {}", at.saturating_add(1), moves.len()))
            });
            match chosen {
                Ok(m) => moves = vec![m],
                Err(what) => return fault(what, &game, &path),
            }
        }
        path.push(Step { game, id, moves, next: 0 });
        if counts.positions % REPORT == 0 {
            watch(&counts);
        }
    }
}

fn wrong_leaf<G: Notation>(question: &Question<G>, game: &G, at_end: bool) -> String {
    let (player, wanted) = (question.player, question.at_least);
    if !at_end {
        let bounds = (question.tally.bounds)(game);
        let (least, most) = (bounds.min[player], bounds.max(player));
        return format!("the player is sure of {least} and of no more than {most}, asked for {wanted}");
    }
    let found = (question.tally.of)(game)[player];
    let than = if found < wanted { "less than" } else { "not less than" };
    format!("the player has {found}, {than} {wanted}, at the end")
}

/// What tells positions apart: the text, and the key of the history. `None` if the history has no key: then no two positions are the same.
fn identity<G: Notation>(game: &G) -> Option<u128> {
    let history = game.history_key()?;
    let mut lanes = [mix(history), mix(!history)];
    for chunk in game.to_text().as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        lanes = [mix(lanes[0] ^ word), mix(lanes[1].rotate_left(23) ^ word)];
    }
    Some(u128::from(lanes[0]) << 64 | u128::from(lanes[1]))
}

/// Checks a proof that the answer to a question is `yes`, or that it is not: all its bytes are needed, and every end is as claimed.
pub fn check<G: Notation>(
    game: &G,
    question: &Question<G>,
    yes: bool,
    bytes: &[u8],
    watch: &mut dyn FnMut(&Counts),
) -> Result<Counts, Fault> {
    let mut rest = bytes;
    let choose = |_: &G, _: usize, _: &[G::Move]| read(&mut rest).ok_or_else(|| "the proof ends too early".into());
    let counts = walk(game, question, yes, choose, watch)?;
    if rest.is_empty() {
        return Ok(counts);
    }
    let what = format!("the proof is complete, but {} more bytes follow", rest.len());
    Err(Fault { what, position: game.to_text(), line: Vec::new() })
}

/// Appends a number.
pub(crate) fn write(mut number: usize, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front.
fn read(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in (0..28).step_by(7) {
        let (&byte, more) = rest.split_first()?;
        *rest = more;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        for number in [0, 1, 127, 128, 300, 16_383, 16_384, (1 << 28) - 1] {
            let mut bytes = Vec::new();
            write(number, &mut bytes);
            let mut rest = &bytes[..];
            assert_eq!((read(&mut rest), rest.len()), (Some(number), 0));
            assert_eq!(read(&mut &bytes[..bytes.len() - 1]), None, "{number} is cut off");
        }
    }
}
