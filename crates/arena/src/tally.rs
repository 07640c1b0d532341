//! What a tournament shows: points, rates with their intervals, by seat, and what thinking cost.

use std::collections::HashSet;
use std::time::Duration;

use crate::tournament::Played;

/// The normal distribution's quantile for 95 % intervals.
pub(crate) const Z: f64 = 1.96;

/// How one kind of agent did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Games in which it took part.
    pub games: u64,
    /// Those that ended by its fault.
    pub forfeits: u64,
    /// Its shares of wins added up over its seats.
    pub points: f64,
    /// For each seat: how often it sat there, and the points made there.
    pub seats: Vec<(u64, f64)>,
    /// Decisions it made.
    pub moves: u64,
    /// Mean depth of the last completed iteration.
    pub depth: f64,
    /// The same in plies of the game, which differs for Best-Reply Search.
    pub standard: f64,
    /// Mean nodes of a decision.
    pub nodes: f64,
    /// Mean time of a decision.
    pub time: Duration,
    /// The most by which a decision took longer than its budget.
    pub over: Duration,
    /// The mean number of moves it needed where it won alone, and not by a forfeit.
    pub moves_to_win: Option<f64>,
    /// Its mean raw points, where the game counts them.
    pub raw: Option<f64>,
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

/// Student's quantile for the 95 % interval of a mean of `n` values, by which few values are told from many; without end for one.
///
/// ```
/// use nply_arena::student;
/// for (n, expected) in [(2, "12.706"), (4, "3.182"), (6, "2.571"), (10, "2.262"), (11, "2.228"), (31, "2.042"), (1001, "1.962")] {
///     assert_eq!(format!("{:.3}", student(n)), expected);
/// }
/// ```
pub fn student(n: usize) -> f64 {
    const FEW: [f64; 10] = [f64::INFINITY, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];
    let degrees = n.saturating_sub(1);
    // The expansion of Cornish and Fisher, about the normal distribution's.
    let part = 1.0 / degrees.max(1) as f64;
    FEW.get(degrees).copied().unwrap_or(Z + part * (2.372 + part * (2.823 + part * 2.556)))
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
    if n * rate.min(1.0 - rate) >= 5.0 { normal(rate, games) } else { wilson(rate, games) }
}

/// The 95 % interval of a rate by the normal approximation, as in the papers.
pub fn normal(rate: f64, games: u64) -> (f64, f64) {
    let margin = margin(rate, games);
    ((rate - margin).max(0.0), (rate + margin).min(1.0))
}

/// Wilson's 95 % interval of a rate, which holds for few games and rates near 0 and 1, too.
///
/// ```
/// let (low, high) = nply_arena::wilson(0.5, 10);
/// assert_eq!(format!("{low:.3} {high:.3}"), "0.237 0.763");
/// ```
pub fn wilson(rate: f64, games: u64) -> (f64, f64) {
    let (rate, n) = (rate.clamp(0.0, 1.0), games as f64);
    if games == 0 {
        return (0.0, 1.0);
    }
    let middle = (rate + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).max(0.0).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// One row for each of `kinds` kinds of agents.
pub fn tally(kinds: usize, games: &[Played]) -> Vec<Row> {
    (0..kinds).map(|kind| row(kind, games)).collect()
}

fn row(kind: usize, games: &[Played]) -> Row {
    let mut row = Row::default();
    let (mut depth, mut standard, mut nodes, mut time) = (0, 0, 0u64, Duration::ZERO);
    let (mut won, mut won_moves, mut raw, mut raw_count) = (0u64, 0u64, 0.0, 0u64);
    for played in games.iter().filter(|played| played.seating.contains(&kind)) {
        row.games += 1;
        row.forfeits += u64::from(played.forfeit.as_ref().is_some_and(|forfeit| played.seating[forfeit.seat] == kind));
        row.seats.resize(played.seating.len(), (0, 0.0));
        for (seat, _) in played.seating.iter().enumerate().filter(|&(_, &other)| other == kind) {
            let (points, cost) = (f64::from(played.payoff[seat]), &played.costs[seat]);
            row.points += points;
            row.seats[seat].0 += 1;
            row.seats[seat].1 += points;
            row.moves += cost.moves;
            row.over = row.over.max(cost.over);
            depth += cost.depth;
            standard += cost.standard;
            nodes = nodes.saturating_add(cost.nodes);
            time += cost.time;
            if points > 0.999 && played.forfeit.is_none() {
                won += 1;
                won_moves += cost.moves;
            }
            if let Some(points) = &played.points {
                raw += f64::from(points[seat]);
                raw_count += 1;
            }
        }
    }
    let mean = |sum: f64, count: u64| (count > 0).then(|| sum / count as f64);
    let moves = row.moves.max(1) as f64;
    Row {
        depth: depth as f64 / moves,
        standard: standard as f64 / moves,
        nodes: nodes as f64 / moves,
        time: time.div_f64(moves),
        moves_to_win: mean(won_moves as f64, won),
        raw: mean(raw, raw_count),
        ..row
    }
}

/// What the games had in common, whoever played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// How many games.
    pub games: u64,
    /// The mean of their plies, and the least and the most.
    pub plies: (f64, usize, usize),
    /// Games that were played to the end and shared.
    pub draws: u64,
    /// Games that are, move by move, another one with the same seating again; they show nothing new.
    pub repeats: u64,
    /// The points made on each seat: what it is worth to be first.
    pub seats: Vec<f64>,
}

/// What the games had in common.
pub fn course(games: &[Played]) -> Course {
    let lengths = || games.iter().map(|played| played.moves.len());
    let mut seats = vec![0.0; games.first().map_or(0, |played| played.payoff.len())];
    for played in games {
        seats.iter_mut().zip(&played.payoff).for_each(|(sum, &share)| *sum += f64::from(share));
    }
    let is_draw = |played: &&Played| played.forfeit.is_none() && played.payoff.iter().all(|&share| share < 0.999);
    let different: HashSet<_> = games.iter().map(|played| (&played.seating, &played.moves)).collect();
    let mean = lengths().sum::<usize>() as f64 / games.len().max(1) as f64;
    Course {
        games: games.len() as u64,
        plies: (mean, lengths().min().unwrap_or(0), lengths().max().unwrap_or(0)),
        draws: games.iter().filter(is_draw).count() as u64,
        repeats: (games.len() - different.len()) as u64,
        seats,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{Cost, Forfeit};
    use nply::Rng;

    fn game(seating: &[usize], payoff: &[f32], plies: usize) -> Played {
        let cost = |seat: usize| Cost { moves: 2 + seat as u64, depth: 6, standard: 8, nodes: 20, ..Cost::default() };
        Played {
            number: 0,
            seating: seating.to_vec(),
            seed: 0,
            payoff: payoff.to_vec(),
            points: Some(payoff.iter().map(|share| 10.0 * share).collect()),
            moves: vec![String::new(); plies],
            steps: Vec::new(),
            costs: (0..seating.len()).map(cost).collect(),
            forfeit: None,
        }
    }

    #[test]
    fn what_was_played_is_added_up_by_kind_and_by_seat() {
        let games = [game(&[0, 1, 1], &[1.0, 0.0, 0.0], 9), game(&[1, 0, 1], &[0.5, 0.0, 0.5], 11)];
        let rows = tally(2, &games);
        assert_eq!((rows[0].points, rows[1].points), (1.0, 1.0));
        assert_eq!(rows[0].seats, [(1, 1.0), (1, 0.0), (0, 0.0)]);
        assert_eq!((rows[0].moves, rows[0].depth, rows[0].standard), (5, 12.0 / 5.0, 16.0 / 5.0));
        assert_eq!((rows[0].moves_to_win, rows[1].moves_to_win), (Some(2.0), None));
        assert_eq!((rows[0].raw, rows[1].raw), (Some(5.0), Some(2.5)));
        let all = course(&games);
        assert_eq!((all.plies, all.draws, all.repeats), ((10.0, 9, 11), 1, 0));
        assert_eq!(all.seats, [1.5, 0.0, 0.5]);
        assert_eq!(course(&[&games[..], &games[1..]].concat()).repeats, 1);
    }

    #[test]
    fn nodes_that_nobody_can_have_visited_are_added_up() {
        let mut games = [game(&[0, 0], &[1.0, 0.0], 9)];
        games[0].costs.iter_mut().for_each(|cost| cost.nodes = u64::MAX);
        assert_eq!(tally(1, &games)[0].nodes, u64::MAX as f64 / 5.0);
    }

    #[test]
    fn a_forfeit_is_neither_a_draw_nor_a_win_in_so_many_moves() {
        let forfeit = Some(Forfeit { seat: 1, why: String::new() });
        let alone = Played { forfeit: forfeit.clone(), ..game(&[0, 1], &[1.0, 0.0], 9) };
        let shared = Played { forfeit, ..game(&[0, 1, 0], &[0.5, 0.0, 0.5], 9) };
        let games = [alone, shared];
        let rows = tally(2, &games);
        assert_eq!((rows[0].forfeits, rows[1].forfeits), (0, 2));
        assert_eq!((rows[0].points, rows[0].moves_to_win), (2.0, None));
        assert_eq!(course(&games).draws, 0);
    }

    #[test]
    fn intervals_cover_as_often_as_they_promise() {
        let mut rng = Rng::new(3);
        for (rate, games) in [(0.5, 120), (0.25, 360), (0.8, 360), (0.97, 120), (0.02, 240)] {
            let covered = (0..4000).filter(|_| {
                let won = (0..games).filter(|_| rng.unit() < rate).count();
                let (low, high) = interval(won as f64 / games as f64, games);
                (low..=high).contains(&rate)
            });
            let part = covered.count() as f64 / 4000.0;
            // Few points lost make for few possible intervals, which then cover more than they promise.
            let most = if games as f64 * f64::min(rate, 1.0 - rate) < 10.0 { 1.0 } else { 0.97 };
            assert!((0.93..=most).contains(&part), "{rate} over {games} games: {part}");
        }
    }
}
