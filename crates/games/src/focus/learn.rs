//! Fitting the weights of `eval=regression` to games that are played for it.
//!
//! A player's score is the sum of the weights of what the player has ([`Eval::Regression`]), and the players' chances are
//! exp(score) / Σ exp(scores). The weights minimize −Σ share · ln chance over the positions of many games, share being the player's share
//! of the win in the end, plus a little of their own squares. That is convex, and Newton's method takes a few steps.
//!
//! A position also has the advantage of the player to move, and of whoever is next: it is fitted with the rest, so that it does not
//! distort the weights, and left out of the evaluation, which does not depend on whose turn it is.

use std::ops::Range;

use nply::chances;
use nply::{Agent, Brs, Budget, ByPlayer, Evaluator, Game, Player, Rng, mix};

use super::weights::{FEATURES, Weights, features};
use super::{Eval, Focus, Options, Order};
use crate::check_players;

/// The weight of the weights' own size, beside thousands of positions.
const RIDGE: f64 = 1.0;

/// The most steps of Newton's method.
const STEPS: usize = 20;

/// The positions of a game that count, at most.
const SAMPLES: usize = 12;

/// The unknowns: the weights, and one for each seat after that of the player to move.
const UNKNOWNS: usize = FEATURES + 3;

/// What everybody has in a position, and everybody's share in the end.
#[derive(Clone, Debug)]
struct Sample {
    turn: Player,
    features: Vec<[f32; FEATURES]>,
    /// The scores of `eval=height`, in thousandths.
    heights: ByPlayer<f64>,
    shares: ByPlayer<f64>,
}

impl Sample {
    /// What the unknowns are multiplied with.
    fn row(&self, player: Player) -> [f64; UNKNOWNS] {
        let seat = (player.index() + self.features.len() - self.turn.index()) % self.features.len();
        let mut row = [0.0; UNKNOWNS];
        row.iter_mut().zip(self.features[player.index()]).for_each(|(value, count)| *value = count.into());
        if seat > 0 {
            row[FEATURES + seat - 1] = 1.0;
        }
        row
    }
}

/// Positions of games to learn from, with their results.
#[derive(Clone, Debug)]
pub struct Lessons {
    players: usize,
    games: u64,
    samples: Vec<Sample>,
}

impl Lessons {
    /// Games of the short rules that are played for this, the same for the same seed: eight plies at random, then best replies
    /// by `eval=height` with 300 nodes a move and one move in ten at random.
    ///
    /// # Panics
    /// If the game cannot have so many players.
    pub fn by_play(players: usize, games: Range<u64>, seed: u64) -> Lessons {
        check_players::<Focus>(players);
        let mut lessons = Lessons { players, games: games.end - games.start, samples: Vec::new() };
        let mut agent = Brs::new(Eval::Height, Order);
        let (mut positions, mut moves) = (Vec::new(), Vec::new());
        for number in games {
            let mut rng = Rng::new(mix(seed ^ mix(number)));
            let mut game = Focus::new(players, &Options::default());
            while game.payoff().is_none() {
                let is_opening = positions.len() < 8;
                positions.push(game.clone());
                let m = if is_opening || rng.below(10) == 0 {
                    game.random_move(&mut moves, &mut rng)
                } else {
                    agent.choose(&game, &Budget::nodes(300)).m
                };
                game.play(m);
            }
            let shares = game.payoff().expect("the game is over").map(f64::from);
            rng.shuffle(&mut positions);
            lessons.samples.extend(positions.drain(..).take(SAMPLES).map(|position| Sample {
                turn: position.turn(),
                features: Player::all(players).map(|player| features(&position, player)).collect(),
                heights: Eval::Height.evaluate(&position).map(|score| f64::from(score) / 1000.0),
                shares,
            }));
        }
        lessons
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The number of positions.
    pub fn positions(&self) -> u64 {
        self.samples.len() as u64
    }

    /// Adds the lessons of other games for as many players.
    pub fn extend(&mut self, other: Lessons) {
        assert_eq!(self.players, other.players);
        self.games += other.games;
        self.samples.extend(other.samples);
    }
}

/// Weights, and how good their chances are in games that they were not fitted to.
#[derive(Clone, Debug)]
pub struct Learned {
    weights: Weights,
    /// The number of players.
    pub players: usize,
    /// The mean of −Σ share · ln chance with the weights.
    pub loss: f64,
    /// The same with `eval=height` at the best temperature.
    pub loss_of_height: f64,
    /// The same with equal chances for all.
    pub loss_of_equal: f64,
}

impl Learned {
    /// The weights that the lessons lead to, tried on other ones for as many players.
    pub fn new(lessons: &Lessons, others: &Lessons) -> Learned {
        let weights = fit(&lessons.samples, Sample::row);
        let height = |sample: &Sample, player: Player| [sample.heights[player]];
        let scale = fit(&lessons.samples, height);
        let rounded = |weight: f64| (1000.0 * weight).round().clamp(-6000.0, 6000.0) as i16;
        Learned {
            weights: Weights::new(lessons.players, std::array::from_fn(|at| rounded(weights[at]))),
            players: lessons.players,
            loss: loss(&others.samples, &Sample::row, &weights),
            loss_of_height: loss(&others.samples, &height, &scale),
            loss_of_equal: (lessons.players as f64).ln(),
        }
    }

    /// The lines of the file of weights.
    pub fn to_text(&self) -> String {
        self.weights.to_text()
    }
}

/// The chances of everybody by a weighted sum.
fn chances_of<const N: usize>(
    sample: &Sample,
    row: &impl Fn(&Sample, Player) -> [f64; N],
    weights: &[f64; N],
) -> (Vec<[f64; N]>, ByPlayer<f64>) {
    let rows: Vec<[f64; N]> = Player::all(sample.shares.len()).map(|player| row(sample, player)).collect();
    let score = |player: Player| rows[player.index()].iter().zip(weights).map(|(value, weight)| value * weight).sum();
    let scores: ByPlayer<f64> = ByPlayer::from_fn(rows.len(), score);
    (rows, chances::of(&scores, |_| true, 1.0))
}

/// The mean of −Σ share · ln chance.
fn loss<const N: usize>(samples: &[Sample], row: &impl Fn(&Sample, Player) -> [f64; N], weights: &[f64; N]) -> f64 {
    let of = |sample: &Sample| {
        let (_, chances) = chances_of(sample, row, weights);
        sample.shares.iter().map(|(player, share)| -share * chances[player].max(1e-12).ln()).sum::<f64>()
    };
    samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64
}

/// The weights that minimize the loss of all samples and half the ridge times their squares.
fn fit<const N: usize>(samples: &[Sample], row: impl Fn(&Sample, Player) -> [f64; N]) -> [f64; N] {
    let mut weights = [0.0; N];
    for _ in 0..STEPS {
        let mut gradient = weights.map(|weight| RIDGE * weight);
        let mut matrix = [[0.0; N]; N];
        (0..N).for_each(|at| matrix[at][at] = RIDGE);
        for sample in samples {
            let (rows, chances) = chances_of(sample, &row, &weights);
            let mut mean = [0.0; N];
            for (player, values) in Player::all(rows.len()).zip(&rows) {
                for at in (0..N).filter(|&at| values[at] != 0.0) {
                    gradient[at] += (chances[player] - sample.shares[player]) * values[at];
                    mean[at] += chances[player] * values[at];
                    for other in 0..=at {
                        matrix[at][other] += chances[player] * values[at] * values[other];
                    }
                }
            }
            for at in (0..N).filter(|&at| mean[at] != 0.0) {
                for other in 0..=at {
                    matrix[at][other] -= mean[at] * mean[other];
                }
            }
        }
        let step = solve(matrix, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
        if step.iter().all(|step| step.abs() < 1e-6) {
            break;
        }
    }
    weights
}

/// Solves equations whose matrix is positive definite; only its lower half is read. (Cholesky.)
fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut vector: [f64; N]) -> [f64; N] {
    for at in 0..N {
        for row in at..N {
            let sum: f64 = (0..at).map(|k| matrix[row][k] * matrix[at][k]).sum();
            let rest = matrix[row][at] - sum;
            matrix[row][at] = if row == at { rest.sqrt() } else { rest / matrix[at][at] };
        }
    }
    for at in 0..N {
        let sum: f64 = (0..at).map(|k| matrix[at][k] * vector[k]).sum();
        vector[at] = (vector[at] - sum) / matrix[at][at];
    }
    for at in (0..N).rev() {
        let sum: f64 = (at + 1..N).map(|k| matrix[k][at] * vector[k]).sum();
        vector[at] = (vector[at] - sum) / matrix[at][at];
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_change_of_a_weight_brings_the_chances_closer_to_the_results() {
        let lessons = Lessons::by_play(3, 0..30, 1);
        let size = lessons.samples.len() as f64;
        let total = |weights: &[f64; UNKNOWNS]| {
            let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
            size * loss(&lessons.samples, &Sample::row, weights) + RIDGE * squares / 2.0
        };
        let weights = fit(&lessons.samples, Sample::row);
        let best = total(&weights);
        assert!(best < 0.9 * total(&[0.0; UNKNOWNS]));
        for at in 0..UNKNOWNS {
            for change in [-0.01, 0.01] {
                let mut other = weights;
                other[at] += change;
                assert!(total(&other) >= best, "unknown {at}");
            }
        }
    }

    #[test]
    fn lessons_in_parts_are_those_of_all_games() {
        let mut parts = Lessons::by_play(2, 0..3, 7);
        parts.extend(Lessons::by_play(2, 3..5, 7));
        let all = Lessons::by_play(2, 0..5, 7);
        assert_eq!((parts.games(), parts.positions()), (5, all.positions()));
        assert_eq!(format!("{parts:?}"), format!("{all:?}"));
    }
}
