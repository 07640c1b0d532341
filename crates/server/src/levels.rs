//! Levels for people who do not know the agents: one table of agents and budgets.

use nply_arena::{GameInfo, NamedGame};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::ApiError;

/// A level of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Level {
    /// Its name: easy, medium, hard or strongest.
    pub(crate) name: &'static str,
    /// What to expect of it.
    pub(crate) about: &'static str,
    /// The agent that plays it.
    pub(crate) agent: &'static str,
    /// What the agent may spend on a move.
    pub(crate) budget: &'static str,
}

/// Names and descriptions, in the order of the columns below.
const NAMES: [(&str, &str); 4] = [
    ("easy", "looks one move ahead"),
    ("medium", "looks a little further ahead"),
    ("hard", "thinks for a moment"),
    ("strongest", "thinks for two seconds"),
];

/// Agents and budgets of games; the first row that fits counts.
struct Row {
    fits: fn(&GameInfo, usize) -> bool,
    agents: [(&'static str, &'static str); 4],
}

const ROWS: &[Row] = &[
    // Only the ends of its games have scores.
    Row {
        fits: |game, _| game.name == "tree",
        agents: [("random", ""), ("maxn", "nodes=50"), ("maxn", "nodes=1k"), ("maxn", "nodes=100k,time=2s")],
    },
    Row {
        fits: |game, _| ["hearts", "spades"].contains(&game.name),
        agents: [
            ("greedy", ""),
            ("worlds:n=4,agent=(paranoid)", "nodes=4k"),
            ("worlds:n=10,agent=(paranoid)", "time=300ms"),
            ("worlds:n=20,agent=(paranoid)", "time=2s"),
        ],
    },
    Row {
        fits: |_, players| players == 2,
        agents: [("greedy", ""), ("alphabeta", "nodes=1k"), ("alphabeta", "time=200ms"), ("alphabeta", "time=2s")],
    },
    Row {
        fits: |game, _| game.is_out_of_turn,
        agents: [("greedy", ""), ("brs", "nodes=1k"), ("brs", "time=200ms"), ("brs", "time=2s")],
    },
    Row {
        fits: |_, _| true,
        agents: [("greedy", ""), ("paranoid", "nodes=1k"), ("paranoid", "time=200ms"), ("paranoid", "time=2s")],
    },
];

/// The levels of a game for so many players.
pub(crate) fn levels(game: &NamedGame, players: usize) -> Vec<Level> {
    let row = ROWS.iter().find(|row| (row.fits)(game.info(), players)).expect("the last row fits every game");
    let level = |((name, about), (agent, budget))| Level { name, about, agent, budget };
    NAMES.into_iter().zip(row.agents).map(level).collect()
}

/// The level of a name.
pub(crate) fn level(game: &NamedGame, players: usize, name: &str) -> Result<Level, ApiError> {
    let found = levels(game, players).into_iter().find(|level| level.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        nply::Error::unknown(nply::Code::UnknownName, "level", name, &names).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply_arena::Registry;

    #[test]
    fn every_game_has_its_levels() {
        let registry = Registry::standard();
        for info in registry.games() {
            let game = registry.find(info.name).unwrap();
            for &players in info.players {
                let levels = levels(&game, players);
                assert_eq!(levels.len(), 4);
                for Level { name, agent, budget, .. } in levels {
                    let agent = game.agent(agent, players).unwrap();
                    agent.check_budget(&budget.parse().unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
            }
        }
    }
}
