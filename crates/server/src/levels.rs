//! Levels for people who do not know the agents: one table of agents by game, with their budgets. The strongest is the agent `best`.

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
    /// The agent that plays it; a seat gets what `best` stands for.
    pub(crate) agent: &'static str,
    /// What the agent may spend on a move.
    pub(crate) budget: &'static str,
}

/// Names and descriptions, in the order of the columns below.
const NAMES: [(&str, &str); 4] = [
    ("easy", "looks one move ahead"),
    ("medium", "looks a little further ahead"),
    ("hard", "looks well ahead"),
    ("strongest", "thinks for two seconds"),
];

/// Agents and budgets, in the order of the names.
type Ladder = [(&'static str, &'static str); 4];

/// A search to a depth. All but the strongest are limited by nodes, so that they play alike on every machine, busy or not.
const fn deepening(agent: &'static str) -> Ladder {
    [("greedy", ""), (agent, "nodes=1k"), (agent, "nodes=20k"), ("best", "time=2s")]
}

const PLAYING_OUT: Ladder = [("greedy", ""), ("mcts", "playouts=100"), ("mcts", "playouts=1k"), ("best", "time=2s")];

/// For cards, which may be hidden: searches of several guesses of what the others hold.
const GUESSING_MAXN: Ladder = [
    ("greedy", ""),
    ("worlds:n=4,agent=(maxn)", "nodes=4k"),
    ("worlds:n=10,agent=(maxn)", "nodes=20k"),
    ("best", "time=2s"),
];
const GUESSING_MCTS: Ladder = [
    ("greedy", ""),
    ("worlds:n=4,agent=(mcts)", "nodes=4k"),
    ("worlds:n=10,agent=(mcts)", "nodes=20k"),
    ("best", "time=2s"),
];

/// The family of agents that is strongest in a game, as far as that is known; `docs/serve.md` has the games that decided it. The
/// first row that fits counts.
struct Row {
    fits: fn(&GameInfo, usize) -> bool,
    ladder: Ladder,
}

const ROWS: &[Row] = &[
    // Only the ends of its games have scores.
    Row {
        fits: |game, _| game.name == "tree",
        ladder: [("random", ""), ("maxn", "nodes=50"), ("maxn", "nodes=1k"), ("best", "nodes=100k,time=2s")],
    },
    Row { fits: |game, _| game.name == "hearts", ladder: GUESSING_MAXN },
    Row { fits: |game, _| game.name == "spades", ladder: GUESSING_MCTS },
    Row { fits: |_, players| players == 2, ladder: deepening("alphabeta") },
    Row { fits: |game, _| game.name == "rolit", ladder: PLAYING_OUT },
    Row { fits: |game, _| game.name == "four-player-chess", ladder: deepening("brs+") },
    Row { fits: |game, _| game.name == "connect-four", ladder: deepening("maxn") },
    Row { fits: |game, _| game.is_out_of_turn, ladder: deepening("brs") },
    Row { fits: |_, _| true, ladder: deepening("paranoid") },
];

/// The levels of a game for so many players.
pub(crate) fn levels(game: &NamedGame, players: usize) -> Vec<Level> {
    let row = ROWS.iter().find(|row| (row.fits)(game.info(), players)).expect("the last row fits every game");
    let level = |((name, about), (agent, budget))| Level { name, about, agent, budget };
    NAMES.into_iter().zip(row.ladder).map(level).collect()
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
    fn only_the_strongest_level_depends_on_the_speed_of_the_machine() {
        let registry = Registry::standard();
        for info in registry.games() {
            let game = registry.find(info.name).unwrap();
            for &players in info.players {
                let budget = |level: &Level| level.budget.parse::<nply::Budget>().unwrap();
                let times: Vec<bool> =
                    levels(&game, players).iter().map(|level| budget(level).time.is_some()).collect();
                assert_eq!(times, [false, false, false, true], "{} {players}", info.name);
            }
        }
    }

    #[test]
    fn every_game_has_its_levels() {
        let registry = Registry::standard();
        for info in registry.games() {
            let game = registry.find(info.name).unwrap();
            for &players in info.players {
                let levels = levels(&game, players);
                assert_eq!(levels.len(), 4);
                for Level { name, agent, budget, .. } in levels {
                    let budget = budget.parse().unwrap();
                    let agent = game.agent_within(agent, players, &budget).unwrap();
                    agent.check_budget(&budget).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
            }
        }
    }
}
