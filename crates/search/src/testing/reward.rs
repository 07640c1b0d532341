//! Plain rewards, for comparison with those of Monte-Carlo tree search.

use crate::{Bounds, ByPlayer, Reward, Score};

/// What final scores are worth to each player, by pairs of players and exact fractions.
///
/// ```
/// use nply::{Bounds, ByPlayer, Reward, testing::plain_reward};
/// let bounds = Bounds { min: ByPlayer::splat(3, 0), max_sum: 10 };
/// let parts = |reward| plain_reward(reward, &ByPlayer::from_slice(&[5, 4, 1]), &bounds);
/// assert_eq!(parts(Reward::Win), [1.0, 0.0, 0.0]);
/// // Of three pairs.
/// assert_eq!(parts(Reward::Rank), [2.0 / 3.0, 1.0 / 3.0, 0.0]);
/// assert_eq!(parts(Reward::Points), [0.5, 0.4, 0.1]);
/// // Leads of 1, −1 and −4, on average −4/3.
/// let ninetieths: Vec<f64> = parts(Reward::Lead).iter().map(|part| (part * 90.0).round()).collect();
/// assert_eq!(ninetieths, [37.0, 31.0, 22.0]);
/// ```
pub fn plain_reward(reward: Reward, scores: &ByPlayer<Score>, bounds: &Bounds) -> Vec<f64> {
    let (scores, least) = (scores.as_slice(), bounds.min.as_slice());
    let players = scores.len();
    let points: Vec<f64> = scores.iter().zip(least).map(|(score, least)| f64::from(score - least)).collect();
    let others = |player: usize| (0..players).filter(move |&other| other != player);
    let all: f64 = points.iter().sum();
    let open = f64::from(bounds.max_sum) - least.iter().map(|&score| f64::from(score)).sum::<f64>();
    let lead = |player: usize| points[player] - others(player).map(|other| points[other]).fold(0.0, f64::max);
    let part = |player: usize| match reward {
        Reward::Win => {
            let most = scores.iter().max().expect("a player");
            let winners = scores.iter().filter(|&score| score == most).count() as f64;
            if scores[player] == *most { 1.0 / winners } else { 0.0 }
        }
        Reward::Rank => {
            let against = |other: usize| match scores[player] - scores[other] {
                1.. => 1.0,
                0 => 0.5,
                _ => 0.0,
            };
            others(player).map(against).sum::<f64>() / (players * (players - 1) / 2) as f64
        }
        Reward::Points if all > 0.0 => points[player] / all,
        Reward::Lead if open > 0.0 => {
            let mean = (0..players).map(lead).sum::<f64>() / players as f64;
            ((1.0 + (lead(player) - mean) / open) / players as f64).max(0.0)
        }
        Reward::Points | Reward::Lead => 1.0 / players as f64,
    };
    (0..players).map(part).collect()
}
