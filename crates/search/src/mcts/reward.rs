//! Objectives: what the result of a simulated game is worth to each player.
//!
//! Searches maximize the share of the win unless told otherwise. Where nobody is close to winning, every move then looks alike, and where somebody is sure
//! to win, a narrow win is as good as a high one. A [`Reward`] other than that is read off the final scores, and makes such games differ:
//! the rank among the players, the part of all points, or the lead over the best of the others. Each is scaled so that all players have 1
//! together, as they have with shares of the win, and everything else in the search stays as it is. Where a playout is cut off, the scores
//! of its last position count in the same way.
//!
//! Two trees of finished games. In the first player 1 wins by any move, with at most 10 points for both together; in the second it cannot win, with at
//! most 8 for all:
//!
//! ```text
//!                   1                              1
//!       ┌───────────┼───────────┐            ┌─────┴─────┐
//!      5,4         7,3         3,0         1,4,3       2,3,1
//!
//! win     1           1           1           0           0
//! rank    1           1           1           0          1/3
//! points 5/9        7/10          1          1/8         1/3
//! lead   0.55       0.70        0.65        0.25        0.32
//! ```
//!
//! With 7,3 the leads are 4 and −4 of 10 points, on average 0: (1 + 0.4) / 2 = 0.7 for player 1. With 2,3,1 they are −1, 1 and −2 of 8, on average −2/3, so
//! player 1 has (1 + (−1 + 2/3) / 8) / 3 = 0.32.
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Mcts, Tree, settings, tree::LeafScores};
//! let choose = |tree: &str, reward: &str| {
//!     let tree: Tree = tree.parse().unwrap();
//!     let mut mcts = Mcts::new(LeafScores, AsListed, 1);
//!     settings::read(&mut mcts.settings, &format!("reward={reward}")).unwrap();
//!     let found = mcts.choose(&tree, &Budget::playouts(60));
//!     (found.m, format!("{:.2}", found.value.unwrap()))
//! };
//! let all = |tree: &str| ["win", "rank", "points", "lead"].map(|reward| choose(tree, reward));
//! let shown = |all: [(u32, &str); 4]| all.map(|(m, value)| (m, value.to_string()));
//! // Of moves that are worth the same, the one that is tried first.
//! assert_eq!(all("(1 5,4 7,3 3,0)"), shown([(1, "1.00"), (1, "1.00"), (3, "1.00"), (2, "0.70")]));
//! assert_eq!(all("(1 1,4,3 2,3,1)"), shown([(1, "0.00"), (2, "0.33"), (2, "0.33"), (2, "0.32")]));
//! ```
//!
//! Only shares of the win are proven, so with any other reward no solver is at work, and the values of a decision are no chances. Rewards do not change what
//! one-ply and two-ply playouts maximize, which is the evaluation.
//!
//! Reference: J. Goodman and others, work on what a playout should maximize in games of several players, Foundations of Digital Games, 2023.

use crate::settings::Choice;
use crate::{Bounds, ByPlayer, Player, Score, shares};

/// What the result of a simulated game is worth: each player's part of 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reward {
    /// The share of the win.
    #[default]
    Win,
    /// A player gets as much for each player whose final score it exceeds, and half of that for each equal one.
    Rank,
    /// The part of all points: of what the final scores exceed the least scores by that are possible at the root.
    Points,
    /// The lead in such points over the best of the others: who leads by more than the average gets more than an equal part.
    Lead,
}

impl Choice for Reward {
    const WORDS: &'static [(Reward, &'static str)] =
        &[(Reward::Win, "win"), (Reward::Rank, "rank"), (Reward::Points, "points"), (Reward::Lead, "lead")];
}

impl Reward {
    /// Each player's part, by scores within the bounds of the root. By scores, the highest wins.
    pub(super) fn of_scores(self, scores: &ByPlayer<Score>, bounds: &Bounds) -> ByPlayer<f32> {
        let players = scores.len();
        let equal = ByPlayer::splat(players, 1.0 / players as f32);
        let points = ByPlayer::from_fn(players, |player| (scores[player] - bounds.min[player]).max(0));
        let others = |player: Player| scores.iter().filter(move |&(other, _)| other != player);
        match self {
            Reward::Win => shares(scores),
            Reward::Rank => {
                let halves = |player: Player| {
                    others(player).map(|(_, other)| 1 + (scores[player].cmp(&other) as i32)).sum::<i32>()
                };
                ByPlayer::from_fn(players, |player| halves(player) as f32 / (players * (players - 1)) as f32)
            }
            Reward::Points => {
                let points = points.map(|points| points as f32);
                let sum = points.sum();
                if sum > 0.0 { points.map(|points| points / sum) } else { equal }
            }
            Reward::Lead => {
                let open = (bounds.max_sum - bounds.min.sum()) as f32;
                if open <= 0.0 {
                    return equal;
                }
                let best = |player| others(player).map(|(other, _)| points[other]).max().unwrap_or(0);
                let leads = ByPlayer::from_fn(players, |player| (points[player] - best(player)) as f32 / open);
                let mean = leads.sum() / players as f32;
                leads.map(|lead| ((1.0 + lead - mean) / players as f32).max(0.0))
            }
        }
    }
}
