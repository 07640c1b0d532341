//! What the papers' tables cost at their full size, by the times of the games that are kept.
//!
//! An agent's time for a decision is taken to grow with its nodes, playouts or time, and to be the same in every match of a game. Where
//! an agent was never measured with as many players, the nearest one that was stands in.

use std::collections::BTreeMap;
use std::time::Duration;

use nply::{Budget, Error, Spec};

use super::Results;
use crate::experiment::{EXPERIMENTS, experiment};
use crate::report::{Format, Table};
use crate::store::MatchSettings;

/// The cluster of the example.
const NODES: u32 = 100;
const CORES: u32 = 16;

/// How the time of a match is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Basis {
    /// The match itself is kept.
    Measured,
    /// All of its agents were measured in the same game, with other budgets or opponents.
    Scaled,
    /// An agent of the same kind stands in for one of them.
    Near,
    /// Nothing like it was measured.
    Unknown,
}

/// An agent in a game: what its time for a unit of its budget depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    game: String,
    /// `nodes`, `playouts`, `time`, or a depth.
    unit: String,
    players: usize,
    agent: String,
}

/// What was measured of an agent: seconds, and units of its budget.
#[derive(Clone, Copy, Default)]
struct Speed {
    seconds: f64,
    units: f64,
}

/// The unit of a budget, and how much of it a decision has.
fn unit(budget: &Budget) -> (String, f64) {
    match *budget {
        Budget { nodes: Some(nodes), .. } => ("nodes".into(), nodes as f64),
        Budget { playouts: Some(playouts), .. } => ("playouts".into(), playouts as f64),
        Budget { time: Some(time), .. } => ("time".into(), time.as_secs_f64()),
        Budget { depth: Some(depth), .. } => (format!("depth {depth}"), 1.0),
        _ => ("none".into(), 1.0),
    }
}

/// An agent of a match, with how much of its unit a decision has.
fn key(settings: &MatchSettings, agent: usize) -> Option<(Key, f64)> {
    let (spec, budget) = settings.agent_budget(agent)?;
    let (unit, amount) = unit(&budget);
    let MatchSettings { game, players, .. } = settings;
    Some((Key { game: game.clone(), unit, players: *players, agent: spec.to_string() }, amount))
}

/// What an agent is apart from the settings that hardly change its speed: its name and its playouts.
fn kind(agent: &str) -> Option<(String, Option<String>)> {
    let spec = Spec::parse(agent).ok()?;
    let playout = spec.pairs.into_iter().find(|(key, _)| key == "playout").map(|(_, value)| value);
    Some((spec.name, playout))
}

/// The cost of a table at its full size.
#[derive(Clone, Debug, Default)]
struct Cost {
    matches: [usize; 4],
    games: u64,
    seconds: f64,
    /// The longest game, on the average of its match.
    longest: f64,
}

impl Results<'_> {
    /// The cost of every table of the papers.
    pub(super) fn costs_block(&self) -> Result<String, Error> {
        let (mut speeds, mut decisions) = (BTreeMap::<Key, Speed>::new(), BTreeMap::<(String, usize), [f64; 2]>::new());
        let mut measured = Vec::new();
        for played in self.tables.iter().flat_map(|table| &table.played) {
            let settings = &self.canonical(&played.settings);
            let count = decisions.entry((settings.game.clone(), settings.players)).or_default();
            for record in &played.games {
                count[0] += record.decisions.len() as f64;
                count[1] += 1.0;
                for (cost, &agent) in record.costs.iter().zip(&record.seating) {
                    let Some((key, amount)) = key(settings, agent) else { continue };
                    let speed = speeds.entry(key).or_default();
                    speed.seconds += cost.time.as_secs_f64();
                    speed.units += amount * cost.moves as f64;
                }
            }
            let time: Duration = played.games.iter().flat_map(|game| &game.costs).map(|cost| cost.time).sum();
            measured.push((settings.clone(), time.as_secs_f64() / played.games.len().max(1) as f64));
        }
        let known = Known { speeds, decisions, measured };
        let mut rows = Vec::new();
        let mut all = Cost::default();
        for (id, _) in EXPERIMENTS {
            let file = experiment(self.registry, id)?;
            let mut cost = Cost::default();
            for index in 0..file.matches.len() {
                let game = file.get(self.registry, index)?;
                let (basis, seconds) = known.game(&game.settings());
                cost.matches[basis as usize] += 1;
                cost.games += game.total();
                cost.seconds += seconds * game.total() as f64;
                cost.longest = cost.longest.max(seconds);
            }
            rows.push(cost.row(id));
            all.add(&cost);
        }
        rows.push(all.row("all"));
        let header = ["table", "matches", "measured", "scaled", "near", "games", "core-hours", "longest game"];
        let table = Table { caption: String::new(), header: header.map(String::from).to_vec(), rows };
        let text = table.write(Format::Markdown);
        let hours = all.seconds / 3600.0;
        Ok(format!(
            "{}\nWith all of {} cores at work all the time, {} nodes with {} cores each,\nthe {hours:.0} core-hours of all tables take {:.1} hours.\n",
            text.trim_start_matches('*').trim_start(),
            NODES * CORES,
            NODES,
            CORES,
            hours / (NODES * CORES) as f64
        ))
    }

    /// Settings with names as they are written now.
    fn canonical(&self, kept: &MatchSettings) -> MatchSettings {
        let Ok(game) = self.registry.find(&kept.game) else { return kept.clone() };
        let agent =
            |text: &String| game.agent(text, kept.players).map_or_else(|_| text.clone(), |agent| agent.to_string());
        MatchSettings {
            game: game.to_string(),
            agents: kept.agents.iter().map(agent).collect(),
            names: Vec::new(),
            ..kept.clone()
        }
    }
}

impl Cost {
    fn add(&mut self, other: &Cost) {
        self.matches.iter_mut().zip(other.matches).for_each(|(sum, count)| *sum += count);
        self.games += other.games;
        self.seconds += other.seconds;
        self.longest = self.longest.max(other.longest);
    }

    fn row(&self, name: &str) -> Vec<String> {
        let [measured, scaled, near, unknown] = self.matches;
        let hours = self.seconds / 3600.0;
        let hours = if hours < 10.0 { format!("{hours:.1}") } else { format!("{hours:.0}") };
        let least = if unknown > 0 { "at least " } else { "" };
        vec![
            name.into(),
            (measured + scaled + near + unknown).to_string(),
            measured.to_string(),
            scaled.to_string(),
            near.to_string(),
            self.games.to_string(),
            format!("{least}{hours}"),
            if self.longest < 100.0 {
                format!("{:.1} s", self.longest)
            } else {
                format!("{:.0} min", self.longest / 60.0)
            },
        ]
    }
}

/// What the kept games say about time.
struct Known {
    speeds: BTreeMap<Key, Speed>,
    /// Decisions and games, by game and players.
    decisions: BTreeMap<(String, usize), [f64; 2]>,
    /// The matches, with the mean time of their games.
    measured: Vec<(MatchSettings, f64)>,
}

impl Known {
    /// The time of a game of a match, all players together.
    fn game(&self, settings: &MatchSettings) -> (Basis, f64) {
        let own = |agent| key(settings, agent);
        let agents: Vec<Option<(Key, f64)>> = (0..settings.agents.len()).map(own).collect();
        let is_same = |kept: &MatchSettings| {
            kept.agents.len() == agents.len() && (0..agents.len()).all(|agent| key(kept, agent) == agents[agent])
        };
        if let Some((_, seconds)) = self.measured.iter().find(|(kept, _)| is_same(kept)) {
            return (Basis::Measured, *seconds);
        }
        let count = self.decisions.get(&(settings.game.clone(), settings.players));
        let Some([decisions, games]) = count.filter(|_| !agents.is_empty()) else { return (Basis::Unknown, 0.0) };
        let (mut basis, mut seconds) = (Basis::Scaled, 0.0);
        for agent in &agents {
            let found = agent.as_ref().and_then(|(key, amount)| {
                let (basis, speed) = self.speed(key)?;
                Some((basis, speed * amount))
            });
            let Some((its, time)) = found else { return (Basis::Unknown, 0.0) };
            basis = basis.max(its);
            seconds += time;
        }
        // Every agent has the same number of seats, on the average.
        (basis, seconds / agents.len() as f64 * decisions / games)
    }

    /// An agent's seconds for a unit of its budget, or those of agents of its kind.
    fn speed(&self, wanted: &Key) -> Option<(Basis, f64)> {
        if let Some(speed) = self.speeds.get(wanted) {
            return Some((Basis::Scaled, speed.seconds / speed.units));
        }
        let alike = |other: &&Key| {
            other.game == wanted.game && other.unit == wanted.unit && kind(&other.agent) == kind(&wanted.agent)
        };
        let here = |players: Option<usize>| {
            let keys = self.speeds.keys().filter(alike).filter(|key| players.is_none_or(|count| key.players == count));
            let sum = keys.map(|key| self.speeds[key]).fold(Speed::default(), |sum, speed| Speed {
                seconds: sum.seconds + speed.seconds,
                units: sum.units + speed.units,
            });
            (sum.units > 0.0).then(|| (Basis::Near, sum.seconds / sum.units))
        };
        here(Some(wanted.players)).or_else(|| here(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(players: usize, agents: &[&str], budget: &str) -> MatchSettings {
        let agents = agents.iter().map(|&agent| agent.into()).collect();
        MatchSettings { game: "focus".into(), players, agents, budget: budget.into(), ..MatchSettings::default() }
    }

    #[test]
    fn times_are_those_measured_or_grow_with_the_budget_or_are_those_of_the_nearest_agent() {
        let kept = settings(3, &["brs", "maxn"], "nodes=1k");
        let speed = |agent: &str, seconds| {
            (
                Key { game: "focus".into(), unit: "nodes".into(), players: 3, agent: agent.into() },
                Speed { seconds, units: 1e6 },
            )
        };
        let known = Known {
            speeds: [speed("brs", 1.0), speed("maxn", 3.0)].into_iter().collect(),
            decisions: [(("focus".to_string(), 3), [500.0, 10.0]), (("focus".to_string(), 4), [800.0, 10.0])]
                .into_iter()
                .collect(),
            measured: vec![(kept.clone(), 0.25)],
        };
        assert_eq!(known.game(&kept), (Basis::Measured, 0.25));
        // Fifty decisions of 10,000 nodes, by agents of one and of three microseconds for each.
        let (basis, seconds) = known.game(&settings(3, &["brs", "maxn"], "nodes=10k"));
        assert!(basis == Basis::Scaled && (seconds - 50.0 * 10_000.0 * 2e-6).abs() < 1e-9, "{seconds}");
        let (basis, seconds) = known.game(&settings(4, &["brs:score=own"], "nodes=10k"));
        assert!(basis == Basis::Near && (seconds - 80.0 * 10_000.0 * 1e-6).abs() < 1e-9, "{seconds}");
        for unknown in
            [settings(3, &["mcts"], "nodes=1k"), settings(5, &["brs"], "nodes=1k"), settings(3, &["brs"], "depth=2")]
        {
            assert_eq!(known.game(&unknown), (Basis::Unknown, 0.0));
        }
    }
}
