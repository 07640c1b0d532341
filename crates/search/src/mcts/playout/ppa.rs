//! Playout policy adaptation: playouts draw moves by weights, which learn from every playout.
//!
//! Every player and move has a weight θ, at first 0. A playout plays a legal move m with the probability
//!
//! ```text
//! P(m) = exp(θ_m) / Σ_j exp(θ_j)      over the legal moves j
//! ```
//!
//! When it is over, every move m that a player had a choice for is made more likely, by what the game gave that player, g: the gradient of
//! the logarithm of its probability, as in
//!
//! ```text
//! θ_m += α · g,      θ_j −= α · g · P(j)  for every legal move j, m included
//! ```
//!
//! where P is the policy that the playout was played with. The first paper adapts to the moves of the winner, the second to those of
//! all players by their payoffs, as here; both are the same where one player wins alone. Moves in the tree have other rules and teach
//! nothing. α is [`learning`](crate::MctsSettings::learning). There is no ε: every move keeps a chance of being played.
//!
//! Weights are kept by a hash of the player and the move, in a table of fixed size. Each thread has its own, which is allocated when it
//! is first needed. A weight stays within ±[`MOST`], so that sums are finite whatever α is. The [exponential
//! function](crate::chances::exp) is our own, the same on every machine.
//!
//! In this tree only player 2 has a choice after the root's moves. Where it takes its first move, it gets nothing, and nothing is learned. Where it takes
//! the second, whose probability was 1/2, α = 1 makes θ = −0.5 and 0.5, and the second move has the probability 1/(1 + exp(−1)) = 0.731 from
//! then on:
//!
//! ```text
//!               1
//!      ┌────────┴────────┐
//!      2                 2
//!   ┌──┴──▲           ┌──┴──▲
//!  1,0   0,1         1,0   0,1      0.5 each, then 0.269 and 0.731
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Mcts, Player, Tree, settings, tree::LeafScores};
//! let tree: Tree = "(1 (2 1,0 0,1) (2 1,0 0,1))".parse().unwrap();
//! // The share of the games in which player 2 wins the second playout, of those in which it has won the first.
//! let again = |learning| {
//!     let (mut first, mut both) = (0.0, 0.0);
//!     for seed in 0..1000 {
//!         let mut mcts = Mcts::new(LeafScores, AsListed, seed);
//!         settings::read(&mut mcts.settings, &format!("playout=ppa,learning={learning},solver=off")).unwrap();
//!         mcts.choose(&tree, &Budget::playouts(2));
//!         let won: Vec<f64> = mcts.statistics().iter().map(|m| m.shares.unwrap()[Player::new(1)]).collect();
//!         (first, both) = (first + won[0], both + won[0] * won[1]);
//!     }
//!     both / first
//! };
//! assert!((again(0) - 0.5_f64).abs() < 0.05);
//! assert!((again(1) - 0.731_f64).abs() < 0.05);
//! // θ = ±50: what has won once is always played.
//! assert_eq!(again(100), 1.0);
//! ```
//!
//! It does not use the evaluation or what came before a move. A player who never wins learns nothing.
//!
//! References: T. Cazenave, *Playout Policy Adaptation for Games*, Advances in Computer Games, 2015; C.F. Sironi, T. Cazenave and M.H.M. Winands,
//! *Enhancing Playout Policy Adaptation for General Game Playing*, 2021.

use crate::chances::exp;
use crate::{Game, MAX_PLAYERS, Meter, OutOfBudget, Player, Rng, code, mix};

use super::{Policy, Scratch};

/// Entries of the table.
const ENTRIES: usize = 1 << 16;

/// The greatest weight; the least is as far from 0.
const MOST: f64 = 300.0;

/// The weights of moves, and the choices of the playout under way.
#[derive(Default)]
pub(in super::super) struct Weights {
    /// θ and exp(θ). Empty until something is learned.
    entries: Vec<(f64, f64)>,
    /// The choices of the last playout, if nothing has been learned from it.
    choices: Vec<Choice>,
    /// The legal moves of all choices.
    options: Vec<Legal>,
}

/// A choice between several moves.
struct Choice {
    player: Player,
    /// The first of its options, and the one after the last.
    range: (usize, usize),
    chosen: usize,
}

/// A legal move: its entry, and how likely it was.
struct Legal {
    entry: u32,
    part: f64,
}

impl Weights {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.begin();
    }

    /// Begins a playout.
    pub(super) fn begin(&mut self) {
        self.choices.clear();
        self.options.clear();
    }

    #[inline]
    fn entry<M: std::hash::Hash>(player: Player, m: &M) -> u32 {
        (mix(u64::from(code(player, m))) >> 32) as u32 % ENTRIES as u32
    }

    /// Draws one of at least two moves, and remembers the choice.
    #[inline]
    fn draw<M: std::hash::Hash>(&mut self, player: Player, moves: &[M], rng: &mut Rng) -> usize {
        let start = self.options.len();
        let mut sum = 0.0;
        for m in moves {
            let entry = Weights::entry(player, m);
            let part = self.entries.get(entry as usize).map_or(1.0, |&(_, power)| power);
            self.options.push(Legal { entry, part });
            sum += part;
        }
        let mut left = rng.unit() * sum;
        let mut chosen = None;
        for (index, option) in self.options[start..].iter_mut().enumerate() {
            left -= option.part;
            if left < 0.0 && chosen.is_none() {
                chosen = Some(index);
            }
            option.part /= sum;
        }
        // Rounding may leave a rest.
        let chosen = chosen.unwrap_or(moves.len() - 1);
        self.choices.push(Choice { player, range: (start, self.options.len()), chosen });
        chosen
    }

    /// Learns from the last playout, by what it gave each player as a part of a win.
    pub(in super::super) fn learn(&mut self, gains: &[f32; MAX_PLAYERS], rate: f64) {
        let Weights { entries, choices, options } = self;
        let steps = || choices.iter().map(|choice| (choice, rate * f64::from(gains[choice.player.index()])));
        let learning = || steps().filter(|&(_, step)| step != 0.0);
        if entries.is_empty() && learning().next().is_some() {
            *entries = vec![(0.0, 1.0); ENTRIES];
        }
        for (choice, step) in learning() {
            let among = &options[choice.range.0..choice.range.1];
            for option in among {
                let (weight, power) = &mut entries[option.entry as usize];
                (*weight, *power) = (*weight - step * option.part, f64::NAN);
            }
            entries[among[choice.chosen].entry as usize].0 += step;
        }
        for (choice, _) in learning() {
            for option in &options[choice.range.0..choice.range.1] {
                let (weight, power) = &mut entries[option.entry as usize];
                if power.is_nan() {
                    *weight = weight.clamp(-MOST, MOST);
                    *power = exp(*weight);
                }
            }
        }
        self.begin();
    }
}

/// Plays a move drawn by its weight.
pub(super) struct ByWeight;

impl<G: Game> Policy<G> for ByWeight {
    const EVALUATES: bool = false;

    #[inline]
    fn choose(
        &self,
        game: &mut G,
        _: usize,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        _: &mut Meter,
    ) -> Result<G::Move, OutOfBudget> {
        let Scratch { moves, weights, .. } = scratch;
        moves.clear();
        game.moves(moves);
        if let [only] = moves[..] {
            return Ok(only);
        }
        Ok(moves[weights.draw(game.turn(), moves, rng)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::PlainWeights;

    #[test]
    fn probabilities_and_weights_are_those_of_their_definition() {
        let mut rng = Rng::new(1);
        let (mut weights, mut plain, mut most) = (Weights::default(), PlainWeights::default(), 0.0);
        for number in 0..2000 {
            let rate = [0.0, 0.3, 1.0, 2.5][rng.below(4)];
            let mut gains = [0.0; MAX_PLAYERS];
            let winner = rng.below(3);
            (gains[winner], gains[(winner + 1) % 3]) = if rng.below(4) == 0 { (0.5, 0.5) } else { (1.0, 0.0) };
            let mut choices = Vec::new();
            for ply in 0..rng.below(12) {
                let player = Player::new(ply % 3);
                let mut moves: Vec<u8> = (0..9).collect();
                rng.shuffle(&mut moves);
                moves.truncate(2 + rng.below(6));
                let chosen = weights.draw(player, &moves, &mut rng);
                let Choice { range, .. } = weights.choices.last().unwrap();
                let options = &weights.options[range.0..range.1];
                for (expected, option) in plain.probabilities(player, &moves).into_iter().zip(options) {
                    assert!((option.part - expected).abs() < 1e-9, "{number}: {} {expected}", option.part);
                    most = expected.max(most);
                }
                choices.push((player, moves, chosen));
            }
            weights.learn(&gains, rate);
            assert!(weights.choices.is_empty() && weights.options.is_empty());
            plain.learn(&choices, &gains.map(f64::from), rate);
        }
        // Something has been learned: two equal moves would have a half each.
        assert!(most > 0.9, "{most}");
    }

    #[test]
    fn moves_are_drawn_as_often_as_their_probabilities_say() {
        let mut rng = Rng::new(2);
        let mut weights = Weights::default();
        let player = Player::new(1);
        while weights.draw(player, &[7u8, 8], &mut rng) != 0 {
            weights.begin();
        }
        let mut gains = [0.0; MAX_PLAYERS];
        gains[1] = 1.0;
        weights.learn(&gains, 1.0);
        // Weights 0.5 and -0.5, and 0 for a move that is new: 0.5065, 0.1863 and 0.3072 of 60,000, with deviations of about 120.
        let mut drawn = [0u32; 3];
        for _ in 0..60_000 {
            drawn[weights.draw(player, &[7u8, 8, 9], &mut rng)] += 1;
            weights.begin();
        }
        assert!(
            drawn.iter().zip([30_390, 11_180, 18_430]).all(|(found, mean)| found.abs_diff(mean) < 600),
            "{drawn:?}"
        );
        // Another player has weights of its own.
        weights.draw(Player::new(0), &[7u8, 8], &mut rng);
        assert!(weights.options.iter().all(|option| option.part == 0.5));
    }

    #[test]
    fn no_rate_makes_a_weight_infinite() {
        let mut rng = Rng::new(3);
        let mut weights = Weights::default();
        for _ in 0..2000 {
            for _ in 0..rng.below(20) {
                let moves: Vec<u8> = (0..2 + rng.below(5)).map(|_| rng.below(30) as u8).collect();
                weights.draw(Player::new(rng.below(2)), &moves, &mut rng);
            }
            assert!(weights.options.iter().all(|option| (0.0..=1.0).contains(&option.part)));
            weights.learn(&[1.0; MAX_PLAYERS], 100.0);
        }
        assert!(weights.entries.iter().all(|(weight, power)| weight.abs() <= MOST && power.is_finite()));
    }
}
