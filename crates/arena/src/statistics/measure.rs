//! The quantities of papers' tables, each with its interval: [`Measure`].

use std::collections::BTreeMap;

use nply::{Budget, Error};
use serde::Deserialize;

use super::distance::{check_distance, final_distances};
use super::interval::{Estimate, Ratio};
use super::tally::distinct;
use crate::record::{Cost, DecisionRecord, Ending, GameRecord};
use crate::registry::Registry;
use crate::store::MatchSettings;

/// What one game adds to a sum, and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    /// The game's number.
    game: u64,
    value: f64,
    weight: f64,
}

/// The ratio of the sums of these parts; a round has so many games.
fn ratio(parts: &[Part], seatings: u64) -> Ratio {
    let mut ratio = Ratio::default();
    parts.iter().for_each(|part| ratio.add(part.game / seatings.max(1), part.value, part.weight));
    ratio
}

/// A quantity of one agent in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Points per game, in percent.
    #[default]
    Rate,
    /// Mean depth of the last completed iteration.
    Depth,
    /// The same in plies of the game, which differs for Best-Reply Search.
    StandardDepth,
    /// Mean nodes of a decision.
    Nodes,
    /// Mean seconds of a decision.
    Seconds,
    /// Playouts per second, if the budget is a number of playouts.
    PlayoutsPerSecond,
    /// Mean raw points of a seat.
    Points,
    /// Mean raw points of a seat less those of the other agents' seats in the same round, and so with the same cards.
    Difference,
    /// Moves made and, for those who did not win, still needed; in games that know the distance from winning.
    Moves,
    /// Moves still needed when somebody wins; in games that know the distance from winning.
    Distance,
    /// Plies left at the first decision that was searched to the end of the game.
    Complete,
    /// Mean depth of the decisions that were not searched to the end of the game.
    Partial,
}

impl Measure {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Rate => "win rate (%)",
            Measure::Depth => "depth",
            Measure::StandardDepth => "depth in plies of the game",
            Measure::Nodes => "nodes a move",
            Measure::Seconds => "seconds a move",
            Measure::PlayoutsPerSecond => "playouts a second",
            Measure::Points => "points",
            Measure::Difference => "points more than the others",
            Measure::Moves => "moves to win",
            Measure::Distance => "moves from winning",
            Measure::Complete => "plies left at the first complete search",
            Measure::Partial => "depth of incomplete searches",
        }
    }

    /// Checks that it can be measured in a match, before anything is played.
    pub fn check(self, registry: &Registry, settings: &MatchSettings) -> Result<(), Error> {
        match self {
            Measure::Moves | Measure::Distance => check_distance(registry, settings),
            _ => Ok(()),
        }
    }

    /// The value for one agent; `None` if no game shows it.
    pub fn estimate(
        self,
        registry: &Registry,
        agent: usize,
        settings: &MatchSettings,
        games: &[GameRecord],
    ) -> Result<Option<Estimate>, Error> {
        let part = match self.parts(registry, agent, settings, games)? {
            parts if self == Measure::PlayoutsPerSecond => {
                let seconds = ratio(&parts, settings.round_length()).estimate(distinct(games), false);
                return Ok(seconds.and_then(|seconds| playouts_per_second(agent, settings, seconds)));
            }
            parts => parts,
        };
        let is_rate = self == Measure::Rate;
        // The rounds are the games here.
        let seatings = if self == Measure::Difference { 1 } else { settings.round_length() };
        let distinct = if self == Measure::Difference { part.len() as u64 } else { distinct(games) };
        let Some(found) = ratio(&part, seatings).estimate(distinct, is_rate) else { return Ok(None) };
        let Estimate { value, low, high, games } = found;
        if is_rate {
            return Ok(Some(Estimate { value: 100.0 * value, low: 100.0 * low, high: 100.0 * high, games }));
        }
        // Only points can be negative.
        let is_negative = matches!(self, Measure::Points | Measure::Difference);
        let low = if low.is_finite() && !is_negative { low.max(0.0) } else { low };
        Ok(Some(Estimate { low, ..found }))
    }

    /// What each game adds to the sum.
    fn parts(
        self,
        registry: &Registry,
        agent: usize,
        settings: &MatchSettings,
        games: &[GameRecord],
    ) -> Result<Vec<Part>, Error> {
        let all = games;
        let games: Vec<&GameRecord> = games.iter().filter(|record| record.seating.contains(&agent)).collect();
        let seats = |record: &GameRecord| record.seats_of(agent).collect::<Vec<usize>>();
        // What is left to the end means nothing in a forfeited game.
        let is_whole = |record: &&&GameRecord| record.ending == Ending::Normal;
        let of = |record: &GameRecord, (value, weight): (f64, f64)| Part { game: record.number, value, weight };
        let over_costs = |value: fn(&Cost) -> f64| {
            let game = |record: &&GameRecord| {
                let costs = || seats(record).into_iter().map(|seat| &record.costs[seat]);
                of(record, (costs().map(value).sum(), costs().map(|cost| cost.moves as f64).sum()))
            };
            games.iter().map(game).collect::<Vec<Part>>()
        };
        Ok(match self {
            Measure::Rate => {
                let points = |record: &&GameRecord| {
                    seats(record).iter().map(|&seat| f64::from(record.payoff[seat])).sum::<f64>()
                };
                games.iter().map(|record| of(record, (points(record), 1.0))).collect()
            }
            Measure::Depth => over_costs(|cost| cost.depth as f64),
            Measure::StandardDepth => over_costs(|cost| cost.standard as f64),
            Measure::Nodes => over_costs(|cost| cost.nodes as f64),
            Measure::Seconds | Measure::PlayoutsPerSecond => over_costs(|cost| cost.time.as_secs_f64()),
            Measure::Difference => differences(agent, settings.round_length(), all),
            Measure::Points => {
                let game = |record: &&GameRecord| {
                    let points = record.points.as_ref()?;
                    let seats = seats(record);
                    Some(of(record, (seats.iter().map(|&seat| f64::from(points[seat])).sum(), seats.len() as f64)))
                };
                games.iter().filter_map(game).collect()
            }
            Measure::Moves | Measure::Distance => {
                let mut parts = Vec::new();
                for record in games.iter().filter(is_whole) {
                    let (left, seats) = (final_distances(registry, settings, record)?, seats(record));
                    let made = |seat: usize| if self == Measure::Moves { record.costs[seat].moves as f64 } else { 0.0 };
                    let sum = seats.iter().map(|&seat| left[seat] + made(seat)).sum();
                    parts.push(of(record, (sum, seats.len() as f64)));
                }
                parts
            }
            Measure::Complete | Measure::Partial => {
                let limit = nodes_of(agent, settings);
                let whole = games.iter().filter(is_whole);
                whole.filter_map(|record| Some(of(record, searched(self, agent, limit, record)?))).collect()
            }
        })
    }
}

/// For each round, an agent's mean points less those of all others.
fn differences(agent: usize, seatings: u64, games: &[GameRecord]) -> Vec<Part> {
    let mut rounds: BTreeMap<u64, [(f64, f64); 2]> = BTreeMap::new();
    for record in games {
        let Some(points) = &record.points else { continue };
        let sums = rounds.entry(record.number / seatings.max(1)).or_default();
        for (&owner, &points) in record.seating.iter().zip(points) {
            let sum = &mut sums[usize::from(owner != agent)];
            (sum.0, sum.1) = (sum.0 + f64::from(points), sum.1 + 1.0);
        }
    }
    let whole = rounds.into_iter().filter(|(_, [own, others])| own.1 > 0.0 && others.1 > 0.0);
    whole.map(|(game, [own, others])| Part { game, value: own.0 / own.1 - others.0 / others.1, weight: 1.0 }).collect()
}

/// By how much the rate of one agent exceeds that of another in the same games, in percent.
pub fn difference(one: usize, other: usize, settings: &MatchSettings, games: &[GameRecord]) -> Option<Estimate> {
    let share = |record: &GameRecord, agent: usize| {
        record.seats_of(agent).map(|seat| f64::from(record.payoff[seat])).sum::<f64>()
    };
    let part = |record: &GameRecord| Part {
        game: record.number,
        value: 100.0 * (share(record, one) - share(record, other)),
        weight: 1.0,
    };
    // Not everybody is in every game of every schedule.
    let both = games.iter().filter(|record| record.seating.contains(&one) && record.seating.contains(&other));
    ratio(&both.map(part).collect::<Vec<Part>>(), settings.round_length()).estimate(distinct(games), false)
}

/// The rate from the seconds that a fixed number of playouts took.
fn playouts_per_second(agent: usize, settings: &MatchSettings, seconds: Estimate) -> Option<Estimate> {
    let playouts = limits_of(agent, settings)?.playouts? as f64;
    let Estimate { value, low, high, games } = seconds;
    if !high.is_finite() {
        return Some(Estimate { value: playouts / value, low, high, games });
    }
    // The interval of a quotient, by linearization again.
    let margin = playouts * (high - value) / (value * value);
    let value = playouts / value;
    Some(Estimate { value, low: value - margin, high: value + margin, games })
}

/// Plies left at an agent's first complete search of a game, or the depths of its other searches.
fn searched(measure: Measure, agent: usize, limit: Option<u64>, record: &GameRecord) -> Option<(f64, f64)> {
    let plies = record.decisions.len();
    let decisions = record.decisions.iter().enumerate().filter(|(_, decision)| record.seating[decision.seat] == agent);
    // A search that ends with nodes to spare has seen everything.
    let is_complete = |(ply, decision): &(usize, &DecisionRecord)| {
        decision.depth as usize >= plies - ply || limit.is_some_and(|limit| decision.nodes < limit)
    };
    if measure == Measure::Complete {
        let (ply, _) = decisions.clone().find(is_complete)?;
        return Some(((plies - ply) as f64, 1.0));
    }
    let partial: Vec<f64> =
        decisions.filter(|decision| !is_complete(decision)).map(|(_, decision)| decision.depth.into()).collect();
    (!partial.is_empty()).then(|| (partial.iter().sum(), partial.len() as f64))
}

/// The budget of an agent.
pub(super) fn limits_of(agent: usize, settings: &MatchSettings) -> Option<Budget> {
    Some(settings.agent_budget(agent)?.1)
}

fn nodes_of(agent: usize, settings: &MatchSettings) -> Option<u64> {
    limits_of(agent, settings)?.nodes
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn settings(agents: &[&str]) -> MatchSettings {
        MatchSettings {
            game: "hearts".into(),
            players: 2,
            agents: agents.iter().map(|agent| (*agent).into()).collect(),
            budget: "nodes=100".into(),
            seed: 1,
            ..MatchSettings::default()
        }
    }

    fn game(depths: &[(u32, u64)], points: f32) -> GameRecord {
        let decision = |(ply, &(depth, nodes)): (usize, &(u32, u64))| DecisionRecord {
            seat: ply % 2,
            depth,
            nodes,
            playouts: 0,
            time: Duration::from_millis(500),
        };
        let decisions: Vec<DecisionRecord> = depths.iter().enumerate().map(decision).collect();
        let cost = |seat: usize| {
            let mine = || decisions.iter().filter(move |decision| decision.seat == seat);
            Cost {
                moves: mine().count() as u64,
                depth: mine().map(|decision| u64::from(decision.depth)).sum(),
                nodes: mine().map(|decision| decision.nodes).sum(),
                time: mine().map(|decision| decision.time).sum(),
                ..Cost::default()
            }
        };
        GameRecord {
            seating: vec![0, 1],
            payoff: vec![1.0, 0.0],
            points: Some(vec![points, 0.0]),
            // Games with other points are others.
            moves: vec![points.to_string(); depths.len()],
            costs: vec![cost(0), cost(1)],
            decisions,
            ..GameRecord::default()
        }
    }

    fn value(measure: Measure, agent: usize, settings: &MatchSettings, games: &[GameRecord]) -> f64 {
        measure.estimate(&Registry::empty(), agent, settings, games).unwrap().unwrap().value
    }

    #[test]
    fn complete_searches_differ_from_the_others() {
        // Six plies; the first player sees 3, then to the end by depth; the second stops early for want of work.
        let games = [game(&[(3, 100), (2, 100), (4, 100), (2, 40), (2, 9), (1, 1)], 5.0)];
        let settings = settings(&["maxn", "paranoid"]);
        assert_eq!(value(Measure::Complete, 0, &settings, &games), 4.0);
        assert_eq!(value(Measure::Complete, 1, &settings, &games), 3.0);
        assert_eq!(value(Measure::Partial, 0, &settings, &games), 3.0);
        assert_eq!(value(Measure::Partial, 1, &settings, &games), 2.0);
        assert_eq!(value(Measure::Depth, 0, &settings, &games), 3.0);
        assert_eq!(value(Measure::Nodes, 1, &settings, &games), 47.0);
        assert_eq!(value(Measure::Rate, 0, &settings, &games), 100.0);
    }

    #[test]
    fn means_have_the_interval_of_their_spread() {
        let games = [game(&[(1, 1)], 4.0), game(&[(1, 1)], 6.0), game(&[(1, 1)], 8.0)];
        let found =
            Measure::Points.estimate(&Registry::empty(), 0, &settings(&["maxn", "paranoid"]), &games).unwrap().unwrap();
        assert_eq!(found.value, 6.0);
        // The standard deviation is 2.
        assert!((found.high - found.value - 4.303 * 2.0 / 3f64.sqrt()).abs() < 1e-9, "{found:?}");
        let one = Measure::Points
            .estimate(&Registry::empty(), 0, &settings(&["maxn", "paranoid"]), &games[..1])
            .unwrap()
            .unwrap();
        assert!(one.high.is_infinite() && one.low.is_infinite());
        let one = Measure::Depth
            .estimate(&Registry::empty(), 0, &settings(&["maxn", "paranoid"]), &games[..1])
            .unwrap()
            .unwrap();
        assert!(one.high.is_infinite() && one.low.is_infinite());
        assert_eq!(Measure::Points.estimate(&Registry::empty(), 0, &settings(&["maxn"]), &[]).unwrap(), None);
    }

    #[test]
    fn points_are_paired_by_round() {
        // Two seatings a round: the deal is worth 10 more in every second round, and agent 0 has 1, then 3 points more.
        let deal = |number: u64, own: f32, other: f32| {
            let seating = if number.is_multiple_of(2) { vec![0, 1] } else { vec![1, 0] };
            let points = if number.is_multiple_of(2) { vec![own, other] } else { vec![other, own] };
            GameRecord { number, seating, points: Some(points), ..game(&[(1, 1)], own) }
        };
        let games = [deal(0, 3.0, 2.0), deal(1, 2.0, 1.0), deal(2, 15.0, 12.0), deal(3, 14.0, 11.0)];
        let found =
            Measure::Difference.estimate(&Registry::empty(), 0, &settings(&["a", "b"]), &games).unwrap().unwrap();
        assert_eq!((found.value, found.games), (2.0, 2));
        // Two rounds with a standard deviation of the square root of 2.
        assert!((found.high - 2.0 - 12.706).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn playouts_per_second_come_from_the_budget() {
        let games = [game(&[(1, 1), (1, 1)], 0.0), game(&[(1, 1), (1, 1)], 1.0)];
        assert_eq!(value(Measure::PlayoutsPerSecond, 0, &settings(&["mcts:playouts=200", "mcts"]), &games), 400.0);
        let none = Measure::PlayoutsPerSecond.estimate(
            &Registry::empty(),
            1,
            &settings(&["mcts:playouts=200", "mcts"]),
            &games,
        );
        assert_eq!(none.unwrap(), None);
    }

    #[test]
    fn distances_are_refused_before_anything_is_played_where_the_game_knows_none() {
        let error = Measure::Moves
            .check(&Registry::standard(), &MatchSettings { players: 3, ..settings(&["maxn", "paranoid"]) })
            .unwrap_err();
        assert!(error.message.contains("the distance from winning is not known in hearts"), "{error}");
        Measure::Rate.check(&Registry::standard(), &settings(&["maxn", "paranoid"])).unwrap();
    }
}
