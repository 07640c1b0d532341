//! Series of numbers that plots show.

use std::collections::BTreeMap;

use super::distance::Distances;
use super::interval::mean_interval;
use super::tally::tally;
use crate::record::{DecisionRecord, GameRecord};
use crate::store::MatchSettings;

/// The largest number of points in a line; in a longer series each point is the mean of several.
const POINTS: usize = 60;

/// The points of a line.
pub type Points = Vec<(f64, f64)>;
/// A line for each agent, by name.
pub type Series = Vec<(String, Points)>;

/// Depth against time of agents that have played with several budgets.
#[derive(Clone, Debug, Default)]
pub struct DepthByTime {
    /// For each game and number of players, for each agent without its limits: mean milliseconds and depth.
    games: BTreeMap<(String, usize), BTreeMap<String, Points>>,
}

impl DepthByTime {
    /// Adds the games of a match.
    pub fn add(&mut self, settings: &MatchSettings, games: &[GameRecord]) {
        let lines = self.games.entry((settings.game.clone(), settings.players)).or_default();
        for (agent, row) in tally(settings.agents.len(), games).into_iter().enumerate() {
            let bare = settings.agent_budget(agent).map(|(bare, _)| bare.to_string());
            let name = bare.unwrap_or_else(|| settings.label(agent).into());
            if row.depth > 0.0 && !row.time.is_zero() {
                lines.entry(name).or_default().push((row.time.as_secs_f64() * 1e3, row.depth));
            }
        }
    }

    /// For each game and number of players, the agents that have several points.
    pub fn series(self) -> impl Iterator<Item = ((String, usize), Series)> {
        let series = |(game, lines): ((String, usize), BTreeMap<String, Points>)| {
            let mut lines: Series = lines.into_iter().filter(|(_, points)| points.len() > 1).collect();
            lines.iter_mut().for_each(|(_, points)| points.sort_by(|a, b| a.0.total_cmp(&b.0)));
            (!lines.is_empty()).then_some((game, lines))
        };
        self.games.into_iter().filter_map(series)
    }
}

/// The moves that an agent needed in a game that one player won.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovesNeeded {
    /// The game's number.
    pub game: u64,
    /// Moves made, the mean over the agent's seats.
    pub made: f64,
    /// Moves still needed at the end, the mean over its seats.
    pub left: f64,
    /// Whether the agent won.
    pub is_winner: bool,
}

/// The moves that an agent needed in each game that one player won, forfeits excluded; without distances, only in the games
/// that the agent won.
pub fn moves_needed(agent: usize, games: &[GameRecord], distances: Option<&Distances>) -> Vec<MovesNeeded> {
    let of = |(at, record): (usize, &GameRecord)| {
        let winner = record.winner()?;
        let is_winner = record.seating[winner] == agent;
        let seats: Vec<usize> = match distances {
            Some(_) => record.seats_of(agent).collect(),
            None => is_winner.then_some(winner).into_iter().collect(),
        };
        let left = distances.map_or(Some(&[][..]), |distances| distances.left[at].as_deref())?;
        let mean =
            |value: &dyn Fn(usize) -> f64| seats.iter().map(|&seat| value(seat)).sum::<f64>() / seats.len() as f64;
        let made = mean(&|seat| record.costs[seat].moves as f64);
        let left = mean(&|seat| left.get(seat).copied().unwrap_or(0.0));
        (!seats.is_empty()).then_some(MovesNeeded { game: record.number, made, left, is_winner })
    };
    games.iter().enumerate().filter_map(of).collect()
}

/// The means of the moves made and still needed, and the 95 % interval of their sum.
pub fn mean_moves(needed: &[MovesNeeded]) -> (f64, f64, Option<(f64, f64)>) {
    let mean = |value: fn(&MovesNeeded) -> f64| needed.iter().map(value).sum::<f64>() / needed.len().max(1) as f64;
    let sums: Vec<f64> = needed.iter().map(|needed| needed.made + needed.left).collect();
    (mean(|needed| needed.made), mean(|needed| needed.left), mean_interval(&sums))
}

/// A line of at most [`POINTS`] points, each the mean of as many neighbors as it takes, by their weights.
fn thinned(points: &[(f64, f64, f64)]) -> Vec<(f64, f64)> {
    let mean = |chunk: &[(f64, f64, f64)]| {
        let weight: f64 = chunk.iter().map(|point| point.2).sum();
        let over =
            |value: fn(&(f64, f64, f64)) -> f64| chunk.iter().map(|point| value(point) * point.2).sum::<f64>() / weight;
        (over(|point| point.0), over(|point| point.1))
    };
    points.chunks(points.len().div_ceil(POINTS).max(1)).map(mean).collect()
}

/// Each agent's mean distance from winning after so many of its own moves. A game that has ended stays as it ended.
pub fn progress(settings: &MatchSettings, games: &[GameRecord], distances: &Distances) -> Series {
    let line = |(agent, name): (usize, String)| {
        let all = games.iter().zip(&distances.course);
        let seats = all.flat_map(|(record, course)| course.iter().flatten().zip(&record.seating));
        let courses: Vec<&Vec<f64>> = seats.filter(|(_, other)| **other == agent).map(|(course, _)| course).collect();
        let mut lengths: Vec<usize> = courses.iter().map(|course| course.len()).collect();
        lengths.sort_unstable();
        // While a quarter of the games last.
        let last = lengths.get(lengths.len() * 3 / 4).copied().unwrap_or(0);
        let at = |index: usize, course: &[f64]| course[index.min(course.len() - 1)];
        let mean = |index: usize| courses.iter().map(|course| at(index, course)).sum::<f64>() / courses.len() as f64;
        (name, thinned(&(0..last).map(|index| (index as f64, mean(index), 1.0)).collect::<Vec<_>>()))
    };
    settings.labels().into_iter().enumerate().map(line).collect()
}

/// The mean of a value over each agent's first moves, second moves, and so on, while a quarter of its games last.
pub fn by_move(settings: &MatchSettings, games: &[GameRecord], value: fn(&DecisionRecord) -> f64) -> Series {
    let mut sums: Vec<Vec<(u64, f64)>> = vec![Vec::new(); settings.agents.len()];
    for record in games {
        let mut made = vec![0; record.seating.len()];
        for decision in &record.decisions {
            let (agent, at) = (record.seating[decision.seat], made[decision.seat]);
            made[decision.seat] += 1;
            let sums = &mut sums[agent];
            sums.resize(sums.len().max(at + 1), (0, 0.0));
            sums[at].0 += 1;
            sums[at].1 += value(decision);
        }
    }
    let line = |(name, sums): (String, &Vec<(u64, f64)>)| {
        let enough = sums.first().map_or(0, |first| first.0.div_ceil(4));
        let lasting = sums.iter().take_while(|(count, _)| *count >= enough).enumerate();
        let points = lasting.map(|(at, &(count, sum))| (at as f64 + 1.0, sum / count as f64, count as f64));
        (name, thinned(&points.collect::<Vec<_>>()))
    };
    settings.labels().into_iter().zip(&sums).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cost, Ending, Forfeit};

    fn record(number: u64, seating: &[usize], payoff: &[f32], moves: &[u64]) -> GameRecord {
        GameRecord {
            number,
            seating: seating.into(),
            payoff: payoff.into(),
            costs: moves.iter().map(|&moves| Cost { moves, ..Cost::default() }).collect(),
            ..GameRecord::default()
        }
    }

    /// Agent 1 wins, a draw, a forfeit, agent 0 wins.
    fn games() -> Vec<GameRecord> {
        let ending = Ending::Forfeit(Forfeit { seat: 1, ..Forfeit::default() });
        vec![
            record(0, &[0, 1, 0], &[0.0, 1.0, 0.0], &[20, 21, 22]),
            record(1, &[0, 1, 0], &[0.5, 0.5, 0.0], &[50, 50, 50]),
            GameRecord { ending, ..record(2, &[0, 1, 1], &[1.0, 0.0, 0.0], &[3, 2, 2]) },
            record(3, &[1, 0, 0], &[0.0, 0.0, 1.0], &[30, 31, 29]),
        ]
    }

    fn found(agent: usize, distances: Option<&Distances>) -> Vec<(u64, f64, f64, bool)> {
        let needed = moves_needed(agent, &games(), distances);
        needed.iter().map(|needed| (needed.game, needed.made, needed.left, needed.is_winner)).collect()
    }

    #[test]
    fn moves_needed_are_those_of_games_that_one_player_won() {
        assert_eq!(found(0, None), [(3, 29.0, 0.0, true)]);
        assert_eq!(found(1, None), [(0, 21.0, 0.0, true)]);
        // With distances, losers have the moves they made and still needed.
        let left = [[4.0, 0.0, 6.0], [1.0; 3], [1.0; 3], [2.0, 3.0, 0.0]].map(|left| Some(left.to_vec()));
        let mut distances = Distances { left: left.into(), course: Vec::new() };
        assert_eq!(found(0, Some(&distances)), [(0, 21.0, 5.0, false), (3, 30.0, 1.5, true)]);
        assert_eq!(found(1, Some(&distances)), [(0, 21.0, 0.0, true), (3, 30.0, 2.0, false)]);
        distances.left[0] = None;
        assert_eq!(found(1, Some(&distances)), [(3, 30.0, 2.0, false)]);
    }

    #[test]
    fn progress_is_a_mean_in_which_ended_games_stay() {
        let settings = MatchSettings { agents: vec!["a".into(), "b".into()], players: 2, ..MatchSettings::default() };
        let games = [record(0, &[0, 1], &[1.0, 0.0], &[2, 1]), record(1, &[1, 0], &[1.0, 0.0], &[3, 3])];
        let course =
            vec![Some(vec![vec![9.0, 5.0, 0.0], vec![9.0, 7.0]]), Some(vec![vec![9.0; 4], vec![9.0, 8.0, 6.0, 4.0]])];
        let lines = progress(&settings, &games, &Distances { left: Vec::new(), course });
        assert_eq!(lines[0], ("a".into(), vec![(0.0, 9.0), (1.0, 6.5), (2.0, 3.0), (3.0, 2.0)]));
        assert_eq!(lines[1], ("b".into(), vec![(0.0, 9.0), (1.0, 8.0), (2.0, 8.0), (3.0, 8.0)]));
    }

    #[test]
    fn long_lines_are_thinned_by_weighted_means() {
        let points: Vec<(f64, f64, f64)> = (0..240).map(|at| (f64::from(at), f64::from(at % 4), 1.0)).collect();
        let thin = thinned(&points);
        assert_eq!((thin.len(), thin[0], thin[59]), (60, (1.5, 1.5), (237.5, 1.5)));
        assert_eq!(thinned(&[(1.0, 2.0, 5.0)]), [(1.0, 2.0)]);
        let heavy: Vec<(f64, f64, f64)> = (0..61)
            .map(|at| (f64::from(at), if at == 0 { 8.0 } else { 0.0 }, if at == 0 { 3.0 } else { 1.0 }))
            .collect();
        assert_eq!(thinned(&heavy)[0], (0.25, 6.0));
        assert!(thinned(&[]).is_empty());
    }
}
