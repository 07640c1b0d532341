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
//! where P is the policy that the playout was played with. The paper adapts to the moves of the winner. Here every player learns, by its
//! share of the win, which is the same where one player wins alone. Moves in the tree have other rules and teach nothing. α is
//! [`learning`](crate::MctsSettings::learning). There is no ε: every move keeps a chance of being played.
//!
//! Weights are kept by a hash of the player and the move, in a table of fixed size. Each thread has its own, which is allocated when it is first
//! needed. A weight stays within ±[`MOST`], so that sums are finite whatever α is. The [exponential function](crate::chances::exp) is our own,
//! the same on every machine.
//!
//! Two moves with weights 0: the first wins, and α = 1. Then θ = 0.5 and −0.5, and the first move has the probability 1/(1 + exp(−1)) = 0.73:
//!
//! ```
//! use nply::chances::exp;
//! let (alpha, gain, p) = (1.0, 1.0, [0.5, 0.5]);
//! let theta = [alpha * gain * (1.0 - p[0]), -alpha * gain * p[1]];
//! assert_eq!(theta, [0.5, -0.5]);
//! assert!((exp(theta[0]) / (exp(theta[0]) + exp(theta[1])) - 0.731).abs() < 0.001);
//! ```
//!
//! Reference: T. Cazenave, *Playout Policy Adaptation for Games*, Advances in Computer Games, 2015, with α = 1.

use crate::chances::exp;
use crate::{Game, MAX_PLAYERS, Meter, OutOfBudget, Player, Rng, code, mix};

use super::{Policy, Scratch};

/// Entries of the table.
const ENTRIES: usize = 1 << 16;

/// The greatest weight, and less 0 the least.
const MOST: f64 = 300.0;

/// The weights of moves, and the choices of the playout under way.
#[derive(Default)]
pub(in super::super) struct Weights {
    /// θ and exp(θ). Empty until something is learned.
    entries: Vec<(f64, f64)>,
    /// The choices of the last playout, if nothing has been learned from it.
    choices: Vec<Choice>,
    /// The legal moves of all choices.
    options: Vec<Option_>,
}

/// A choice between several moves.
struct Choice {
    player: Player,
    /// The first of its options, and the one after the last.
    range: (usize, usize),
    chosen: usize,
}

/// A legal move: its entry, and how likely it was.
struct Option_ {
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
            self.options.push(Option_ { entry, part });
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
                entries[option.entry as usize].0 -= step * option.part;
            }
            entries[among[choice.chosen].entry as usize].0 += step;
        }
        for (choice, _) in learning() {
            for option in &options[choice.range.0..choice.range.1] {
                // A weight that is settled has its power, and may have been seen before.
                let (weight, power) = &mut entries[option.entry as usize];
                *weight = weight.clamp(-MOST, MOST);
                *power = exp(*weight);
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
