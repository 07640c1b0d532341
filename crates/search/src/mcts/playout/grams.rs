//! Playouts by what moves have brought in earlier simulations: MAST, and N-grams of up to three moves (NST).
//!
//! Every sequence of up to three moves that was played in a simulated game, in the tree or in the playout, has a mean: what the player of its last
//! move got in those games. A playout takes the move with the greatest mean, and with probability ε any move. *MAST* knows single moves. *NST* takes
//! the average of the means for the move alone, after the last move, and after the last two; longer sequences count once they have been
//! played [`TRUSTED`] times. A move that was never played counts as a win, so that every one is tried; equal ones are equally likely.
//!
//! Sequences are numbered by a hash, in tables of fixed size. Each thread has its own, which are allocated when they are first needed.

use crate::{Game, MAX_PLAYERS, Meter, OutOfBudget, Player, Rng, code, mix};

use super::Scratch;
use super::epsilon_greedy::BestMove;

/// Entries for sequences of one length.
const ENTRIES: usize = 1 << 16;

/// The longest sequences.
const LONGEST: usize = 3;

/// Plays after which sequences of two and three moves count.
const TRUSTED: f32 = 7.0;

/// Means of sequences of moves.
#[derive(Default)]
pub(in super::super) struct Grams {
    /// For each length, how often sequences were played, and what they brought. Empty until something is learned.
    records: Vec<(f32, f32)>,
}

/// A move of a simulated game, as sequences know it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Coded {
    player: Player,
    code: u32,
}

impl Coded {
    #[inline]
    pub(in super::super) fn new<M: std::hash::Hash>(player: Player, m: &M) -> Coded {
        Coded { player, code: code(player, m) }
    }
}

impl Grams {
    /// The place of the sequence that ends with a move after a line, if there is one of this length.
    #[inline]
    fn place(line: &[Coded], last: Coded, length: usize) -> Option<usize> {
        let before = &line[line.len().checked_sub(length - 1)?..];
        let id = before.iter().fold(u64::from(last.code), |id, coded| mix(id ^ u64::from(coded.code) << 32));
        Some((length - 1) * ENTRIES + (mix(id) >> 32) as usize % ENTRIES)
    }

    /// What a move after a line has brought its player, by sequences of up to so many moves.
    #[inline]
    fn value(&self, line: &[Coded], last: Coded, most: usize) -> f32 {
        let record = |length| Grams::place(line, last, length).and_then(|place| self.records.get(place)).copied();
        let (mut sum, mut count) = match record(1) {
            Some((plays, gain)) if plays > 0.0 => (gain / plays, 1.0),
            _ => return 1.0,
        };
        for (plays, gain) in (2..=most).filter_map(record) {
            if plays >= TRUSTED {
                (sum, count) = (sum + gain / plays, count + 1.0);
            }
        }
        sum / count
    }

    /// Learns from the moves of a simulated game, and what it gave each player, as a part of a win.
    pub(in super::super) fn learn(&mut self, line: &[Coded], gains: &[f32; MAX_PLAYERS]) {
        if self.records.is_empty() {
            self.records = vec![(0.0, 0.0); LONGEST * ENTRIES];
        }
        for (index, &last) in line.iter().enumerate() {
            for length in 1..=LONGEST {
                let Some(place) = Grams::place(&line[..index], last, length) else { break };
                let (plays, gain) = &mut self.records[place];
                (*plays, *gain) = (*plays + 1.0, *gain + gains[last.player.index()]);
            }
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.records.clear();
    }
}

/// A move that has brought its player most, by sequences of up to so many moves.
pub(super) struct ByGrams {
    pub(super) most: usize,
}

impl<G: Game> BestMove<G> for ByGrams {
    const EVALUATES: bool = false;

    fn best_move(
        &self,
        game: &mut G,
        _: usize,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        _: &mut Meter,
    ) -> Result<G::Move, OutOfBudget> {
        let turn = game.turn();
        let (mut best, mut most, mut equals) = (scratch.moves[0], f32::NEG_INFINITY, 0);
        for m in &scratch.moves {
            let value = scratch.grams.value(&scratch.line, Coded::new(turn, m), self.most);
            if value > most {
                (best, most, equals) = (*m, value, 1);
            } else if value == most {
                equals += 1;
                if rng.below(equals) == 0 {
                    best = *m;
                }
            }
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::PlainGrams;

    #[test]
    fn values_are_the_means_of_their_definition() {
        let mut rng = Rng::new(1);
        let (mut grams, mut plain) = (Grams::default(), PlainGrams::default());
        let coded = |(player, m): &(Player, u8)| Coded::new(*player, m);
        let line = |rng: &mut Rng| -> Vec<(Player, u8)> {
            (0..rng.below(9)).map(|ply| (Player::new(ply % 3), rng.below(3) as u8)).collect()
        };
        for number in 0..3000 {
            let (played, after) = (line(&mut rng), line(&mut rng));
            let next = (Player::new(rng.below(3)), rng.below(4) as u8);
            let codes: Vec<Coded> = after.iter().map(coded).collect();
            for most in 1..=3 {
                let (found, expected) = (grams.value(&codes, coded(&next), most), plain.value(&after, next, most));
                assert!((f64::from(found) - expected).abs() < 1e-5, "{number}: {found} {expected}");
            }
            let mut gains = [0.0; MAX_PLAYERS];
            gains[rng.below(3)] = 1.0;
            grams.learn(&played.iter().map(coded).collect::<Vec<_>>(), &gains);
            plain.learn(&played, &gains.map(f64::from));
        }
    }
}
