//! Ratings of several agents from games of any number of players: Weng and Lin's, after Bradley and Terry.
//!
//! A greater share of the win beats a smaller one; equal shares are a draw; two players with no share are not compared. An
//! agent on several seats plays for each of them, and its changes are averaged.
//!
//! Reference: R. C. Weng, C.-J. Lin, *A Bayesian Approximation Method for Online Ranking*, 2011, algorithm 1.

use crate::record::GameRecord;

/// The rating that every agent starts with.
const START: Rating = Rating { mean: 25.0, deviation: 25.0 / 3.0 };
/// The amount of chance in a game.
const BETA: f64 = 25.0 / 6.0;
/// The least part of a variance that remains after one game.
const KAPPA: f64 = 1e-4;

/// The estimated strength of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

/// The ratings of the agents after these games, in their order.
pub fn ratings(agents: usize, games: &[GameRecord]) -> Vec<Rating> {
    let mut ratings = vec![START; agents];
    for record in games {
        let before = ratings.clone();
        for (agent, rating) in ratings.iter_mut().enumerate() {
            let seats: Vec<usize> = record.seats_of(agent).collect();
            let (mut shift, mut shrink) = (0.0, 0.0);
            for &seat in &seats {
                let (more, less) = against(seat, record, &before);
                shift += more / seats.len() as f64;
                shrink += less / seats.len() as f64;
            }
            rating.mean += shift;
            rating.deviation *= (1.0 - shrink).max(KAPPA).sqrt();
        }
    }
    ratings
}

/// The change of mean and variance by a seat's results against all seats of other agents.
fn against(seat: usize, record: &GameRecord, ratings: &[Rating]) -> (f64, f64) {
    let (agent, share) = (record.seating[seat], record.payoff[seat]);
    let own = ratings[agent];
    let (mut shift, mut shrink) = (0.0, 0.0);
    for (&other, &theirs) in record.seating.iter().zip(&record.payoff) {
        if other == agent || (share == 0.0 && theirs == 0.0) {
            continue;
        }
        let score = if share > theirs {
            1.0
        } else if share < theirs {
            0.0
        } else {
            0.5
        };
        let variance = own.deviation * own.deviation;
        let c = (variance + ratings[other].deviation.powi(2) + 2.0 * BETA * BETA).sqrt();
        let expected = 1.0 / (1.0 + ((ratings[other].mean - own.mean) / c).exp());
        shift += variance / c * (score - expected);
        shrink += own.deviation / c * variance / (c * c) * expected * (1.0 - expected);
    }
    (shift, shrink)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::Rng;

    fn game(number: u64, seating: Vec<usize>, payoff: Vec<f32>) -> GameRecord {
        GameRecord { number, seating, payoff, ..GameRecord::default() }
    }

    #[test]
    fn one_game_moves_both_ratings_as_published() {
        // The first step of the method from equal ratings: c² = 2 σ² + 2 β², and a win is worth σ²/c · ½.
        let after = ratings(2, &[game(0, vec![0, 1], vec![1.0, 0.0])]);
        let variance: f64 = (25.0f64 / 3.0).powi(2);
        let c = (2.0 * variance + 2.0 * BETA * BETA).sqrt();
        assert!((after[0].mean - 25.0 - variance / c / 2.0).abs() < 1e-9, "{after:?}");
        assert!((after[0].mean + after[1].mean - 50.0).abs() < 1e-9);
        assert!((after[0].deviation - 8.0655).abs() < 1e-3, "{after:?}");
    }

    #[test]
    fn ratings_find_the_order_of_strength() {
        let strength = [4.0, 2.0, 1.0];
        let mut rng = Rng::new(5);
        let seatings = crate::seatings(3, 4);
        let games: Vec<GameRecord> = (0..1440)
            .map(|number| {
                let seating = seatings[number % seatings.len()].clone();
                let mut at = rng.unit() * seating.iter().map(|&agent| strength[agent]).sum::<f64>();
                let winner = seating.iter().position(|&agent| {
                    at -= strength[agent];
                    at < 0.0
                });
                let payoff = (0..4).map(|seat| if Some(seat) == winner { 1.0 } else { 0.0 }).collect();
                game(number as u64, seating, payoff)
            })
            .collect();
        let after = ratings(3, &games);
        assert!(after[0].mean > after[1].mean + 1.0 && after[1].mean > after[2].mean + 1.0, "{after:?}");
        assert!(after.iter().all(|rating| rating.deviation < 2.0), "{after:?}");
    }

    #[test]
    fn losers_are_not_compared() {
        let after = ratings(3, &[game(0, vec![0, 1, 2], vec![0.0, 1.0, 0.0])]);
        assert_eq!(after[0], after[2]);
        let alone = ratings(2, &[game(0, vec![0, 1], vec![0.0, 1.0])]);
        assert_eq!(after[0], alone[0]);
    }
}
