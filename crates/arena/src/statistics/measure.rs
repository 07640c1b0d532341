//! The quantities of papers' tables, each with its interval: [`Measure`].

use nply::{Budget, Error};
use serde::Deserialize;

use super::distance::{check_distance, final_distances};
use super::interval::{Estimate, interval, ratio};
use crate::record::{Cost, DecisionRecord, Ending, GameRecord};
use crate::registry::Registry;
use crate::store::MatchSettings;

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
        let games: Vec<&GameRecord> = games.iter().filter(|record| record.seating.contains(&agent)).collect();
        let seats = |record: &GameRecord| record.seats_of(agent).collect::<Vec<usize>>();
        // What is left to the end means nothing in a forfeited game.
        let is_whole = |record: &&&GameRecord| record.ending == Ending::Normal;
        // What each game adds to the sum, and its weight.
        let over_costs = |value: fn(&Cost) -> f64| {
            let game = |record: &&GameRecord| {
                let costs = || seats(record).into_iter().map(|seat| &record.costs[seat]);
                (costs().map(value).sum(), costs().map(|cost| cost.moves as f64).sum())
            };
            games.iter().map(game).collect::<Vec<(f64, f64)>>()
        };
        let parts: Vec<(f64, f64)> = match self {
            Measure::Rate => {
                let points = |record: &&GameRecord| {
                    seats(record).iter().map(|&seat| f64::from(record.payoff[seat])).sum::<f64>()
                };
                let count = games.len() as u64;
                let rate = games.iter().map(points).sum::<f64>() / count.max(1) as f64;
                let (low, high) = interval(rate, count);
                let estimate = Estimate { value: 100.0 * rate, low: 100.0 * low, high: 100.0 * high, games: count };
                return Ok((count > 0).then_some(estimate));
            }
            Measure::Depth => over_costs(|cost| cost.depth as f64),
            Measure::StandardDepth => over_costs(|cost| cost.standard as f64),
            Measure::Nodes => over_costs(|cost| cost.nodes as f64),
            Measure::Seconds => over_costs(|cost| cost.time.as_secs_f64()),
            Measure::PlayoutsPerSecond => {
                return Ok(playouts_per_second(agent, settings, &over_costs(|cost| cost.time.as_secs_f64())));
            }
            Measure::Points => {
                let game = |record: &&GameRecord| {
                    let points = record.points.as_ref()?;
                    let seats = seats(record);
                    Some((seats.iter().map(|&seat| f64::from(points[seat])).sum(), seats.len() as f64))
                };
                games.iter().filter_map(game).collect()
            }
            Measure::Moves | Measure::Distance => {
                let mut parts = Vec::new();
                for record in games.iter().filter(is_whole) {
                    let (left, seats) = (final_distances(registry, settings, record)?, seats(record));
                    let made = |seat: usize| if self == Measure::Moves { record.costs[seat].moves as f64 } else { 0.0 };
                    parts.push((seats.iter().map(|&seat| left[seat] + made(seat)).sum(), seats.len() as f64));
                }
                parts
            }
            Measure::Complete | Measure::Partial => {
                let limit = nodes_of(agent, settings);
                games.iter().filter(is_whole).filter_map(|record| searched(self, agent, limit, record)).collect()
            }
        };
        let estimate = ratio(&parts);
        // Only points can be negative.
        let least = if self == Measure::Points { f64::NEG_INFINITY } else { 0.0 };
        Ok(estimate
            .map(|found| if found.low.is_finite() { Estimate { low: found.low.max(least), ..found } } else { found }))
    }
}

/// The rate from the seconds that a fixed number of playouts took.
fn playouts_per_second(agent: usize, settings: &MatchSettings, seconds: &[(f64, f64)]) -> Option<Estimate> {
    let playouts = limits_of(agent, settings)?.playouts? as f64;
    let Estimate { value, low, high, games } = ratio(seconds)?;
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

fn limits_of(agent: usize, settings: &MatchSettings) -> Option<Budget> {
    Some(settings.agent_budget(agent)?.1)
}

fn nodes_of(agent: usize, settings: &MatchSettings) -> Option<u64> {
    limits_of(agent, settings)?.nodes
}

/// Number of an agent's decisions that exceeded its time budget; `None` if it has none.
pub fn overruns(agent: usize, settings: &MatchSettings, games: &[GameRecord]) -> Option<u64> {
    let limit = limits_of(agent, settings)?.time?;
    let late = |record: &GameRecord| {
        record
            .decisions
            .iter()
            .filter(|decision| record.seating[decision.seat] == agent && decision.time > limit)
            .count() as u64
    };
    Some(games.iter().map(late).sum())
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
            moves: vec![String::new(); depths.len()],
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
    fn playouts_per_second_come_from_the_budget() {
        let games = [game(&[(1, 1), (1, 1)], 0.0), game(&[(1, 1), (1, 1)], 0.0)];
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
