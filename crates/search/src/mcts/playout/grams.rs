//! Playouts by what moves have brought in earlier simulations: MAST, and N-grams of up to three moves (NST).
//!
//! Every sequence of up to three moves that was played in a simulated game, in the tree or in the playout, has a mean: what the player of its last
//! move got in those games. A playout takes the move with the greatest mean, and with probability ε any move. *MAST* (move-average sampling
//! technique) knows single moves. *NST* (N-gram selection technique) takes the average of the means for the move alone, after the last move, and
//! after the last two; longer sequences count once they have been played [`TRUSTED`] times. A move that was never played counts as a win, so
//! that every one is tried; equal ones are equally likely. Means are kept for each player.
//!
//! In this tree player 2 loses by its first move and draws by its second, wherever it is asked:
//!
//! ```text
//!                            1
//!      ┌────────────┬────────┴───┬────────────┐
//!      2            2            2            2
//!   ┌──┴──▲      ┌──┴──▲      ┌──┴──▲      ┌──┴──▲
//!  1,0   1,1    1,0   1,1    1,0   1,1    1,0   1,1
//! ```
//!
//! Each of the first four simulations tries another move of player 1 and leaves the rest to a playout. Both moves of player 2 count as wins until they
//! have been played, so the first two playouts play one of them each, in any order. Then their means are 0 and 1/2, and every further
//! playout takes the second:
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Mcts, Player, Tree, settings, tree::LeafScores};
//! // What a player gets in the first playout after each move of the root.
//! let shares = |tree: &Tree, player, seed, text: &str| -> Vec<f64> {
//!     let mut mcts = Mcts::new(LeafScores, AsListed, seed);
//!     settings::read(&mut mcts.settings, &format!("{text},solver=off")).unwrap();
//!     let mut moves = Vec::new();
//!     nply::Game::moves(tree, &mut moves);
//!     mcts.choose(tree, &Budget::playouts(moves.len() as u64));
//!     mcts.statistics().iter().map(|m| m.shares.unwrap()[Player::new(player)]).collect()
//! };
//! let tree: Tree = "(1 (2 1,0 1,1) (2 1,0 1,1) (2 1,0 1,1) (2 1,0 1,1))".parse().unwrap();
//! for seed in 0..20 {
//!     let mast = shares(&tree, 0, seed, "playout=mast,epsilon=0");
//!     assert!(mast == [1.0, 0.5, 0.5, 0.5] || mast == [0.5, 1.0, 0.5, 0.5], "{mast:?}");
//! }
//! // Random playouts learn nothing.
//! assert!((0..20).any(|seed| shares(&tree, 0, seed, "playout=random")[2..] != [0.5, 0.5]));
//!
//! // Two hundred times a node of player 2, who always loses, and below it player 3. After player 2's first move the second
//! // wins, after its second the first. Alone, either move is as good as the other, and MAST is right in half of all cases.
//! // NST is right except for half of the random moves, once it has seen enough.
//! let tree: Tree = format!("(1{})", " (2 (3 1,0,0 0,0,1) (3 0,0,1 1,0,0))".repeat(200)).parse().unwrap();
//! let late = |text| shares(&tree, 2, 1, text)[100..].iter().sum::<f64>();
//! assert!((35.0..65.0).contains(&late("playout=mast,epsilon=0.1")));
//! assert!((90.0..=100.0).contains(&late("playout=nst,epsilon=0.1")));
//! ```
//!
//! It does not use the evaluation, and it does not know the position: a move that is good here is taken to be good everywhere, after the same moves
//! at least. Means do not fade from one decision to the next as long as the tree is kept. Sequences are numbered by a hash, in tables of fixed
//! size, so that two may share a mean. Each thread has its own, which are allocated when they are first needed.
//!
//! References: H. Finnsson and Y. Björnsson, *Simulation-Based Approach to General Game Playing*, AAAI, 2008: MAST. M.J.W. Tak, M.H.M. Winands and
//! Y. Björnsson, *N-Grams and the Last-Good-Reply Policy Applied in General Game Playing*, IEEE Transactions on Computational Intelligence and AI in
//! Games, 2012: NST, with ε = 0.1.

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
