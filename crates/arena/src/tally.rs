//! What a tournament shows: points, rates with their intervals, by seat, and what thinking cost.

use std::time::Duration;

use crate::tournament::Played;

/// The normal distribution's quantile for 95 % intervals.
const Z: f64 = 1.96;

/// How one kind of agent did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Games in which it took part.
    pub games: u64,
    /// Its shares of wins added up over its seats.
    pub points: f64,
    /// For each seat: how often it sat there, and the points made there.
    pub seats: Vec<(u64, f64)>,
    /// Decisions it made.
    pub moves: u64,
    /// Mean depth of the last completed iteration.
    pub depth: f64,
    /// Mean nodes of a decision.
    pub nodes: f64,
    /// Mean time of a decision.
    pub time: Duration,
}

impl Row {
    /// Points a game.
    pub fn rate(&self) -> f64 {
        if self.games == 0 { 0.0 } else { self.points / self.games as f64 }
    }

    /// The 95 % interval of the rate.
    pub fn interval(&self) -> (f64, f64) {
        interval(self.rate(), self.games)
    }
}

/// Half the width of a 95 % interval of a rate over so many games, by the normal approximation.
///
/// Table 1 of the Playout Search paper, for 1,500 games:
///
/// ```
/// use nply_arena::margin;
/// for (rate, expected) in [(0.5, "2.5"), (0.4, "2.5"), (0.3, "2.3"), (0.2, "2.0")] {
///     assert_eq!(format!("{:.1}", 100.0 * margin(rate, 1500)), expected);
/// }
/// ```
pub fn margin(rate: f64, games: u64) -> f64 {
    let rate = rate.clamp(0.0, 1.0);
    if games == 0 { 1.0 } else { Z * (rate * (1.0 - rate) / games as f64).sqrt() }
}

/// A 95 % interval of a rate over so many games: the papers' normal approximation, and Wilson's interval where that fails, with fewer
/// than five points or five points lost.
///
/// ```
/// use nply_arena::interval;
/// let (low, high) = interval(0.5, 1500);
/// assert_eq!(format!("{low:.3} {high:.3}"), "0.475 0.525");
/// let (low, high) = interval(1.0, 30);
/// assert_eq!(format!("{low:.3} {high:.3}"), "0.886 1.000");
/// ```
pub fn interval(rate: f64, games: u64) -> (f64, f64) {
    let n = games as f64;
    if games == 0 {
        return (0.0, 1.0);
    }
    if n * rate.min(1.0 - rate) >= 5.0 {
        let margin = margin(rate, games);
        return ((rate - margin).max(0.0), (rate + margin).min(1.0));
    }
    let middle = (rate + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).max(0.0).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// One row for each of `kinds` kinds of agents.
pub fn tally(kinds: usize, games: &[Played]) -> Vec<Row> {
    let row = |kind: usize| {
        let mut row = Row::default();
        let (mut depth, mut nodes, mut time) = (0, 0, Duration::ZERO);
        for played in games.iter().filter(|played| played.seating.contains(&kind)) {
            row.games += 1;
            row.seats.resize(played.seating.len(), (0, 0.0));
            for (seat, _) in played.seating.iter().enumerate().filter(|&(_, &other)| other == kind) {
                let (points, cost) = (f64::from(played.payoff[seat]), &played.costs[seat]);
                row.points += points;
                row.seats[seat].0 += 1;
                row.seats[seat].1 += points;
                row.moves += cost.moves;
                depth += cost.depth;
                nodes += cost.nodes;
                time += cost.time;
            }
        }
        let moves = row.moves.max(1) as f64;
        Row { depth: depth as f64 / moves, nodes: nodes as f64 / moves, time: time.div_f64(moves), ..row }
    };
    (0..kinds).map(row).collect()
}
