//! Series of numbers that plots show, added up game by game.

use std::collections::BTreeMap;

use super::interval::{Estimate, Ratio};
use super::tally::Tally;
use crate::record::GameRecord;

/// The largest number of points in a line; in a longer series each point is the mean of several.
const POINTS: usize = 60;

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it is.
    pub x: f64,
    /// Its value.
    pub y: f64,
    /// The value's 95 % interval, if the spread is known.
    pub interval: Option<(f64, f64)>,
}

impl Point {
    fn new(x: f64, found: Estimate) -> Point {
        let interval = found.high.is_finite().then_some((found.low, found.high));
        Point { x, y: found.value, interval }
    }
}

/// A line for each agent, by name.
pub type Series = Vec<(String, Vec<Point>)>;

/// How many of so many games are distinct.
type DistinctOf<'a> = &'a dyn Fn(u64) -> u64;

/// Depth against time of agents that have played with several budgets.
#[derive(Clone, Debug, Default)]
pub struct DepthByTime {
    /// For each game and number of players, for each agent without its limits: mean milliseconds and depth.
    games: BTreeMap<(String, usize), BTreeMap<String, Vec<Point>>>,
}

impl DepthByTime {
    /// Adds a match.
    pub fn add(&mut self, tally: &Tally) {
        let settings = tally.settings();
        let lines = self.games.entry((settings.game.clone(), settings.players)).or_default();
        for (agent, row) in tally.rows().into_iter().enumerate() {
            let bare = settings.agent_budget(agent).map(|(bare, _)| bare.to_string());
            let name = bare.unwrap_or_else(|| settings.label(agent).into());
            if let Some(depth) = row.depth.filter(|depth| depth.value > 0.0 && !row.time.is_zero()) {
                lines.entry(name).or_default().push(Point::new(row.time.as_secs_f64() * 1e3, depth));
            }
        }
    }

    /// For each game and number of players, the agents that have several points.
    pub fn series(self) -> impl Iterator<Item = ((String, usize), Series)> {
        let series = |(game, lines): ((String, usize), BTreeMap<String, Vec<Point>>)| {
            let mut lines: Series = lines.into_iter().filter(|(_, points)| points.len() > 1).collect();
            lines.iter_mut().for_each(|(_, points)| points.sort_by(|a, b| a.x.total_cmp(&b.x)));
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

/// The moves that an agent needed in a game that one player won, a forfeit excluded. Where distances are known, `left` has those of
/// all seats, if this game has any; elsewhere only the winner's moves count.
pub(super) fn needed(agent: usize, record: &GameRecord, are_known: bool, left: Option<&[f64]>) -> Option<MovesNeeded> {
    let winner = record.winner()?;
    let is_winner = record.seating[winner] == agent;
    let seats: Vec<usize> = match are_known {
        true => record.seats_of(agent).collect(),
        false => is_winner.then_some(winner).into_iter().collect(),
    };
    let left = if are_known { left? } else { &[] };
    let mean = |value: &dyn Fn(usize) -> f64| seats.iter().map(|&seat| value(seat)).sum::<f64>() / seats.len() as f64;
    let made = mean(&|seat| record.costs[seat].moves as f64);
    let left = mean(&|seat| left.get(seat).copied().unwrap_or(0.0));
    (!seats.is_empty()).then_some(MovesNeeded { game: record.number, made, left, is_winner })
}

/// Means of moves needed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needed {
    made: Ratio,
    left: Ratio,
    both: Ratio,
}

impl Needed {
    pub(super) fn add(&mut self, round: u64, needed: MovesNeeded) {
        self.made.add(round, needed.made, 1.0);
        self.left.add(round, needed.left, 1.0);
        self.both.add(round, needed.made + needed.left, 1.0);
    }

    /// The means of the moves made and still needed, and the 95 % interval of their sum.
    pub(super) fn means(&self, distinct: DistinctOf<'_>) -> (f64, f64, Option<(f64, f64)>) {
        let games = self.both.games();
        let of = |ratio: &Ratio| ratio.estimate(distinct(games), false);
        let value = |ratio: &Ratio| of(ratio).map_or(0.0, |found| found.value);
        let ends = of(&self.both).filter(|found| found.high.is_finite()).map(|found| (found.low, found.high));
        (value(&self.made), value(&self.left), ends)
    }
}

/// Means of a value over an agent's first moves, second moves, and so on.
#[derive(Clone, Debug, Default)]
pub(super) struct ByMove {
    moves: Vec<Ratio>,
}

impl ByMove {
    /// Adds a game of so many seats: the agent's decisions in order, each with its seat.
    pub(super) fn add(&mut self, round: u64, seats: usize, values: impl Iterator<Item = (usize, f64)>) {
        let mut made = vec![0; seats];
        // For each move the sum over the agent's seats, and their number.
        let mut sums: Vec<(f64, f64)> = Vec::new();
        for (seat, value) in values {
            let at: usize = made[seat];
            made[seat] += 1;
            sums.resize(sums.len().max(at + 1), (0.0, 0.0));
            sums[at] = (sums[at].0 + value, sums[at].1 + 1.0);
        }
        self.moves.resize(self.moves.len().max(sums.len()), Ratio::default());
        for (ratio, (sum, count)) in self.moves.iter_mut().zip(sums) {
            ratio.add(round, sum, count);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The means while a quarter of the games last.
    pub(super) fn line(&self, distinct: DistinctOf<'_>) -> Vec<Point> {
        let enough = self.moves.first().map_or(0, |first| first.games().div_ceil(4));
        let lasting = self.moves.iter().take_while(|ratio| ratio.games() >= enough).enumerate();
        let points = lasting.filter_map(|(at, ratio)| {
            let found = ratio.estimate(distinct(ratio.games()), false)?;
            Some((Point::new(at as f64 + 1.0, found), ratio.games() as f64))
        });
        thinned(&points.collect::<Vec<(Point, f64)>>())
    }
}

/// Means of a distance after none, one, two, … of an agent's own moves, in which a game that has ended stays as it ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    moves: Vec<Ratio>,
    /// What all games ended with: the mean after more moves than any of them has.
    ended: Ratio,
    /// Number of seats with a course of each length.
    lengths: BTreeMap<usize, u64>,
}

impl Progress {
    /// Adds a game: the course of each of the agent's seats, with at least the start.
    pub(super) fn add(&mut self, round: u64, courses: &[&[f64]]) {
        let longest = courses.iter().map(|course| course.len()).max().unwrap_or(0);
        self.moves.resize(self.moves.len().max(longest), self.ended);
        let sum = |at: usize| courses.iter().map(|course| course[at.min(course.len() - 1)]).sum::<f64>();
        for (at, ratio) in self.moves.iter_mut().enumerate() {
            ratio.add(round, sum(at), courses.len() as f64);
        }
        self.ended.add(round, sum(usize::MAX), courses.len() as f64);
        for course in courses {
            *self.lengths.entry(course.len()).or_default() += 1;
        }
    }

    /// The means while a quarter of the games last.
    pub(super) fn line(&self, distinct: DistinctOf<'_>) -> Vec<Point> {
        let (mut before, quarter) = (0, self.lengths.values().sum::<u64>() * 3 / 4);
        let last = self.lengths.iter().find(|(_, count)| {
            before += **count;
            before > quarter
        });
        let means = self.moves.iter().take(last.map_or(0, |(&length, _)| length)).enumerate();
        let points = means.filter_map(|(at, ratio)| {
            let found = ratio.estimate(distinct(ratio.games()), false)?;
            Some((Point::new(at as f64, found), 1.0))
        });
        thinned(&points.collect::<Vec<(Point, f64)>>())
    }
}

/// A line of at most [`POINTS`] points, each the mean of as many neighbors as it takes, by their weights. Neighbors depend on
/// each other, so a mean of several is taken to be no surer than they are.
fn thinned(points: &[(Point, f64)]) -> Vec<Point> {
    let mean = |chunk: &[(Point, f64)]| {
        let weight: f64 = chunk.iter().map(|(_, weight)| weight).sum();
        let over = |value: &dyn Fn(&Point) -> f64| {
            chunk.iter().map(|(point, weight)| value(point) * weight).sum::<f64>() / weight
        };
        let is_known = chunk.iter().all(|(point, _)| point.interval.is_some());
        let end = |end: fn((f64, f64)) -> f64| over(&|point: &Point| point.interval.map_or(point.y, end));
        let interval = is_known.then(|| (end(|ends| ends.0), end(|ends| ends.1)));
        Point { x: over(&|point| point.x), y: over(&|point| point.y), interval }
    };
    points.chunks(points.len().div_ceil(POINTS).max(1)).map(mean).collect()
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

    fn found(agent: usize, left: Option<&[Option<[f64; 3]>]>) -> Vec<(u64, f64, f64, bool)> {
        let games = games().into_iter().enumerate();
        let needed = games.filter_map(|(at, record)| {
            let left = left.and_then(|left| left[at].as_ref().map(|left| &left[..]));
            needed(agent, &record, left.is_some(), left)
        });
        needed.map(|needed| (needed.game, needed.made, needed.left, needed.is_winner)).collect()
    }

    #[test]
    fn moves_needed_are_those_of_games_that_one_player_won() {
        assert_eq!(found(0, None), [(3, 29.0, 0.0, true)]);
        assert_eq!(found(1, None), [(0, 21.0, 0.0, true)]);
        // With distances, losers have the moves they made and still needed.
        let left = [[4.0, 0.0, 6.0], [1.0; 3], [1.0; 3], [2.0, 3.0, 0.0]].map(Some);
        assert_eq!(found(0, Some(&left)), [(0, 21.0, 5.0, false), (3, 30.0, 1.5, true)]);
        assert_eq!(found(1, Some(&left)), [(0, 21.0, 0.0, true), (3, 30.0, 2.0, false)]);
        // A game without them, where they are known in others.
        assert_eq!(needed(1, &games()[0], true, None), None);
    }

    fn heights(points: &[Point]) -> Vec<(f64, f64)> {
        points.iter().map(|point| (point.x, point.y)).collect()
    }

    #[test]
    fn progress_is_a_mean_in_which_ended_games_stay() {
        let (mut one, mut other) = (Progress::default(), Progress::default());
        one.add(0, &[&[9.0, 5.0, 0.0]]);
        other.add(0, &[&[9.0, 7.0]]);
        one.add(1, &[&[9.0, 8.0, 6.0, 4.0]]);
        other.add(1, &[&[9.0; 4]]);
        assert_eq!(heights(&one.line(&|games| games)), [(0.0, 9.0), (1.0, 6.5), (2.0, 3.0), (3.0, 2.0)]);
        assert_eq!(heights(&other.line(&|games| games)), [(0.0, 9.0), (1.0, 8.0), (2.0, 8.0), (3.0, 8.0)]);
        // Two games with values that differ by 3 and 2.
        let ends = one.line(&|games| games)[1].interval.unwrap();
        assert!((ends.1 - 6.5 - 12.706 * 1.5).abs() < 1e-9, "{ends:?}");
    }

    #[test]
    fn means_by_move_have_the_interval_of_their_spread() {
        let mut depths = ByMove::default();
        // Two seats of one agent: the first moves of the games are 2 and 4, then 6.
        depths.add(0, 3, [(0, 2.0), (2, 4.0), (0, 1.0)].into_iter());
        depths.add(1, 3, [(1, 6.0)].into_iter());
        let line = depths.line(&|games| games);
        assert_eq!(heights(&line), [(1.0, 4.0), (2.0, 1.0)]);
        assert_eq!(line[1].interval, None);
        // Residuals of −2 and 2 over three seats.
        let expected = 12.706 * (8.0f64 * 2.0).sqrt() / 3.0;
        assert!((line[0].interval.unwrap().1 - 4.0 - expected).abs() < 1e-9, "{line:?}");
    }

    #[test]
    fn long_lines_are_thinned_by_weighted_means() {
        let point = |x: f64, y: f64, weight: f64| (Point { x, y, interval: Some((y - 1.0, y + 1.0)) }, weight);
        let points: Vec<(Point, f64)> = (0..240).map(|at| point(f64::from(at), f64::from(at % 4), 1.0)).collect();
        let thin = thinned(&points);
        assert_eq!((thin.len(), thin[0].interval), (60, Some((0.5, 2.5))));
        assert_eq!((heights(&thin)[0], heights(&thin)[59]), ((1.5, 1.5), (237.5, 1.5)));
        assert_eq!(heights(&thinned(&[point(1.0, 2.0, 5.0)])), [(1.0, 2.0)]);
        let heavy: Vec<(Point, f64)> = (0..61)
            .map(|at| point(f64::from(at), if at == 0 { 8.0 } else { 0.0 }, if at == 0 { 3.0 } else { 1.0 }))
            .collect();
        assert_eq!(heights(&thinned(&heavy))[0], (0.25, 6.0));
        assert!(thinned(&[]).is_empty());
    }
}
