//! Experiments as files: matches to be played and, where they come from a paper, the figures that it gives.
//!
//! ```
//! use nply_arena::Plan;
//! let plan = Plan::parse(r#"
//!     game = "rolit"
//!     agents = ["brs", "maxn:ties=cautious"]
//!     nodes = "10k"
//!     games = 12
//!     [[match]]
//!     name = "three"
//!     players = 3
//!     cells = [{ agent = 1, paper = 63.6, margin = 3.0 }]
//! "#).unwrap();
//! assert_eq!(plan.tournament(0).unwrap().total(), 12);
//! ```

use std::time::Duration;

use nply::Budget;
use serde::Deserialize;

use crate::error::Error;
use crate::limits::own_budget;
use crate::measure::{Estimate, Measure};
use crate::registry::NamedGame;
use crate::spec::Spec;
use crate::tournament::Tournament;

/// An experiment: its matches, and what they have in common.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// By what it is called: paper and table.
    #[serde(default)]
    pub id: String,
    /// What it is about.
    #[serde(default)]
    pub title: String,
    /// Where its figures come from.
    #[serde(default)]
    pub source: String,
    /// What must be known to read the figures.
    #[serde(default)]
    pub note: String,
    /// The game of matches that do not say another.
    pub game: Option<String>,
    /// The same for the number of players.
    pub players: Option<usize>,
    /// The same for the agents.
    pub agents: Option<Vec<String>>,
    /// The same for the games.
    pub games: Option<u64>,
    /// The same for the depth.
    pub depth: Option<Amount>,
    /// The same for the nodes.
    pub nodes: Option<Amount>,
    /// The same for the playouts.
    pub playouts: Option<Amount>,
    /// The same for the time.
    pub time: Option<Amount>,
    /// What all chance depends on.
    pub seed: Option<u64>,
    /// The matches.
    #[serde(rename = "match")]
    pub matches: Vec<Match>,
}

/// One match; what it does not say is as in its [`Plan`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// By what it is called, unique in the plan.
    pub name: String,
    game: Option<String>,
    players: Option<usize>,
    agents: Option<Vec<String>>,
    games: Option<u64>,
    depth: Option<Amount>,
    nodes: Option<Amount>,
    playouts: Option<Amount>,
    time: Option<Amount>,
    seed: Option<u64>,
    /// What is measured and what the paper says.
    #[serde(default)]
    pub cells: Vec<Cell>,
}

/// A number, or a text such as `250k`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// A number.
    Number(u64),
    /// A text.
    Text(String),
}

impl Amount {
    fn text(&self) -> String {
        match self {
            Amount::Number(number) => number.to_string(),
            Amount::Text(text) => text.clone(),
        }
    }
}

/// One figure of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Which of the match's agents, from 1.
    pub agent: usize,
    /// What is measured.
    #[serde(default)]
    pub measure: Measure,
    /// What the paper gives.
    pub paper: f64,
    /// Half of the paper's 95 % interval.
    pub margin: Option<f64>,
    /// Cells of one group are compared with each other for their direction; otherwise those of the same match are.
    pub group: Option<String>,
    /// What must be known to read this figure.
    #[serde(default)]
    pub note: String,
}

/// How much of an experiment is run.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The part of the games.
    pub games: f64,
    /// The part of the nodes and playouts.
    pub budget: f64,
}

/// As in the paper.
impl Default for Scale {
    fn default() -> Scale {
        Scale { games: 1.0, budget: 1.0 }
    }
}

impl Plan {
    /// Reads a plan.
    pub fn parse(text: &str) -> Result<Plan, Error> {
        let plan: Plan = toml::from_str(text).map_err(|error| {
            let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
            let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            Error::usage(format!("line {line}: {message}"))
        })?;
        if plan.matches.is_empty() {
            return Err(Error::usage("there is no match").help("a match starts with [[match]]"));
        }
        for (index, game) in plan.matches.iter().enumerate() {
            let named = |error: Error| error.within(format_args!("match {}", game.name));
            if plan.matches[..index].iter().any(|other| other.name == game.name) {
                return Err(Error::usage(format!("two matches are called {}", game.name)));
            }
            let tournament = plan.tournament(index).map_err(named)?;
            for cell in &game.cells {
                let agents = tournament.agents.len();
                if cell.agent == 0 || cell.agent > agents {
                    let message = format!("a cell is about agent {}, and there are {agents}", cell.agent);
                    return Err(named(Error::usage(message).help("agents are counted from 1")));
                }
            }
        }
        Ok(plan)
    }

    /// A match as a tournament, on one thread, with nobody told of progress.
    pub fn tournament(&self, index: usize) -> Result<Tournament, Error> {
        let own = &self.matches[index];
        let missing = |what: &str| Error::usage(format!("it has no {what}")).help(format!("write {what} = …"));
        let game = own.game.as_ref().or(self.game.as_ref()).ok_or_else(|| missing("game"))?;
        let game = NamedGame::new(&Spec::parse(game)?)?;
        let players = game.player_count(own.players.or(self.players))?;
        let agents = own.agents.as_ref().or(self.agents.as_ref()).ok_or_else(|| missing("agents"))?;
        let agents = agents.iter().map(|agent| Spec::parse(agent)).collect::<Result<Vec<Spec>, Error>>()?;
        if agents.is_empty() {
            return Err(missing("agents"));
        }
        let games = own.games.or(self.games).filter(|&games| games > 0).ok_or_else(|| missing("games"))?;
        let (seed, progress) = (own.seed.or(self.seed).unwrap_or(1), (|_, _| ()) as fn(&str, f64));
        Ok(Tournament { game, players, agents, games, budget: self.budget(own)?, seed, threads: 1, progress })
    }

    /// The match's own limits or, if it has none, those of the plan.
    fn budget(&self, own: &Match) -> Result<Budget, Error> {
        let limits = |limits: [(&str, &Option<Amount>); 4]| {
            let given = limits.into_iter().filter_map(|(key, amount)| Some((key.into(), amount.as_ref()?.text())));
            own_budget(&Spec { name: "the match".into(), pairs: given.collect() })
        };
        let mine = [("depth", &own.depth), ("nodes", &own.nodes), ("playouts", &own.playouts), ("time", &own.time)];
        if let Some(budget) = limits(mine)?.1 {
            return Ok(budget);
        }
        let ours = [("depth", &self.depth), ("nodes", &self.nodes), ("playouts", &self.playouts), ("time", &self.time)];
        Ok(limits(ours)?.1.unwrap_or_else(|| Budget::nodes(10_000)))
    }

    /// A match at a scale.
    pub fn scaled(&self, index: usize, scale: Scale) -> Result<Tournament, Error> {
        let mut tournament = self.tournament(index)?;
        let times = |count: u64, part: f64| ((count as f64 * part).round() as u64).max(1);
        tournament.games = times(tournament.games, scale.games);
        if scale.budget != 1.0 {
            let smaller = |budget: &mut Budget| {
                budget.nodes = budget.nodes.map(|nodes| times(nodes, scale.budget));
                budget.playouts = budget.playouts.map(|playouts| times(playouts, scale.budget));
                let longer = |time: Duration| Duration::try_from_secs_f64(time.as_secs_f64() * scale.budget);
                budget.time = budget.time.map(|time| longer(time).unwrap_or(Duration::MAX));
            };
            // The common budget only where somebody has it.
            let mut is_common = false;
            for agent in &mut tournament.agents {
                let (bare, own) = own_budget(agent)?;
                is_common |= own.is_none();
                let mut scaled = own.clone();
                scaled.iter_mut().for_each(smaller);
                if scaled != own
                    && let Some(own) = scaled
                {
                    let limits = Spec::parse(&format!("limits:{}", crate::limits::budget_text(&own)))?.pairs;
                    *agent = Spec { name: bare.name, pairs: [bare.pairs, limits].concat() };
                }
            }
            if is_common {
                smaller(&mut tournament.budget);
            }
        }
        Ok(tournament)
    }
}

/// How a figure of ours compares with the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// No more apart than chance explains, at 95 %; where the paper gives no interval, within ours or a tenth of its figure.
    Agrees,
    /// Further apart, but to the same side: of an even rate, or of the other figures in the group.
    SameDirection,
    /// Further apart, and the side cannot be told: more games are needed, or the other figures of the group.
    Open,
    /// To the other side; or to a side where the paper's rate is even within its interval.
    Differs,
}

impl Comparison {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Agrees => "agrees",
            Comparison::SameDirection => "same direction",
            Comparison::Open => "open",
            Comparison::Differs => "differs",
        }
    }
}

/// A cell with what was found here.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The match's name.
    pub name: &'a str,
    /// The cell.
    pub cell: &'a Cell,
    /// The rate of equals in this match, in per cent.
    pub even: f64,
    /// What was found; nothing if no game says anything.
    pub ours: Option<Estimate>,
}

impl Found<'_> {
    /// The verdict, given all that was found; nothing without a figure of ours.
    pub fn compare(&self, all: &[Found<'_>]) -> Option<Comparison> {
        let (ours, paper) = (self.ours?, self.cell.paper);
        // The side that faces the paper's figure counts.
        let margin = if paper > ours.value { ours.high - ours.value } else { ours.value - ours.low };
        let tolerance = match self.cell.margin {
            Some(theirs) => theirs.hypot(margin),
            None => margin.max(paper.abs() / 10.0),
        };
        // A single game has an interval without ends, which says nothing.
        if margin.is_infinite() {
            return Some(Comparison::Open);
        }
        if (ours.value - paper).abs() <= tolerance {
            return Some(Comparison::Agrees);
        }
        if self.cell.measure == Measure::Rate {
            let theirs = paper - self.even;
            return Some(if (ours.low..=ours.high).contains(&self.even) {
                Comparison::Open
            } else if theirs.abs() > self.cell.margin.unwrap_or(0.0) && theirs * (ours.value - self.even) > 0.0 {
                Comparison::SameDirection
            } else {
                Comparison::Differs
            });
        }
        // Which figures of the group are greater, where both we and the paper tell them apart.
        let mut verdict = Comparison::Open;
        for other in all.iter().filter(|other| other.group() == self.group() && other.cell.paper != paper) {
            let Some(its) = other.ours else { continue };
            let is_below = ours.high < its.low;
            if is_below || its.high < ours.low {
                if is_below != (paper < other.cell.paper) {
                    return Some(Comparison::Differs);
                }
                verdict = Comparison::SameDirection;
            }
        }
        Some(verdict)
    }

    fn group(&self) -> (&str, Measure) {
        (self.cell.group.as_deref().unwrap_or(self.name), self.cell.measure)
    }
}

/// The experiments of the papers: their names and files.
pub const EXPERIMENTS: &[(&str, &str)] = &[
    ("brs-2011-1", include_str!("../experiments/brs-2011-1.toml")),
    ("brs-2011-2", include_str!("../experiments/brs-2011-2.toml")),
    ("brs-2011-3", include_str!("../experiments/brs-2011-3.toml")),
    ("brs-2011-4", include_str!("../experiments/brs-2011-4.toml")),
    ("brs-2011-5", include_str!("../experiments/brs-2011-5.toml")),
    ("brs-2011-6", include_str!("../experiments/brs-2011-6.toml")),
    ("brs-plus-2013-1", include_str!("../experiments/brs-plus-2013-1.toml")),
    ("brs-plus-2013-2", include_str!("../experiments/brs-plus-2013-2.toml")),
    ("brs-plus-2013-3", include_str!("../experiments/brs-plus-2013-3.toml")),
    ("brs-plus-2013-4", include_str!("../experiments/brs-plus-2013-4.toml")),
    ("brs-plus-2013-5", include_str!("../experiments/brs-plus-2013-5.toml")),
    ("brs-plus-2013-6", include_str!("../experiments/brs-plus-2013-6.toml")),
    ("brs-plus-2013-7", include_str!("../experiments/brs-plus-2013-7.toml")),
    ("brs-plus-2013-text", include_str!("../experiments/brs-plus-2013-text.toml")),
    ("playout-2011-2", include_str!("../experiments/playout-2011-2.toml")),
    ("playout-2011-3", include_str!("../experiments/playout-2011-3.toml")),
    ("playout-2011-4", include_str!("../experiments/playout-2011-4.toml")),
    ("playout-2011-5", include_str!("../experiments/playout-2011-5.toml")),
    ("pruning-2003-10", include_str!("../experiments/pruning-2003-10.toml")),
    ("pruning-2003-11", include_str!("../experiments/pruning-2003-11.toml")),
    ("pruning-2003-12", include_str!("../experiments/pruning-2003-12.toml")),
    ("thesis-2020-1", include_str!("../experiments/thesis-2020-1.toml")),
    ("thesis-2020-2", include_str!("../experiments/thesis-2020-2.toml")),
    ("thesis-2020-3", include_str!("../experiments/thesis-2020-3.toml")),
    ("thesis-2020-4", include_str!("../experiments/thesis-2020-4.toml")),
];

/// The plan of a paper's table by its name.
pub fn experiment(id: &str) -> Result<Plan, Error> {
    let Some((_, text)) = EXPERIMENTS.iter().find(|(name, _)| *name == id) else {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|(name, _)| *name).collect();
        return Err(Error::unknown("experiment", id, &names));
    };
    Plan::parse(text).map_err(|error| error.within(format_args!("experiment {id}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::testing;

    const PLAN: &str = r#"
        game = "tree"
        agents = ["maxn", "greedy:nodes=2k"]
        games = 10
        nodes = "4k"
        [[match]]
        name = "a"
        cells = [{ agent = 1, paper = 60, margin = 3 }, { agent = 2, measure = "depth", paper = 2.5 }]
        [[match]]
        name = "b"
        depth = 3
        games = 100
        seed = 9
    "#;

    #[test]
    fn a_match_takes_from_its_plan_what_it_does_not_say() {
        let plan = Plan::parse(PLAN).unwrap();
        let (a, b) = (plan.tournament(0).unwrap(), plan.tournament(1).unwrap());
        assert_eq!((a.games, a.budget, a.seed), (10, Budget::nodes(4000), 1));
        assert_eq!((b.games, b.budget, b.seed), (100, Budget::depth(3), 9));
        let half = plan.scaled(0, Scale { games: 0.5, budget: 0.5 }).unwrap();
        assert_eq!((half.games, half.total(), half.budget), (5, 6, Budget::nodes(2000)));
        assert_eq!(half.agents[1].to_string(), "greedy:nodes=1k");
        assert_eq!(half.agents[0].to_string(), "maxn");
    }

    #[test]
    fn a_wrong_plan_is_told_where_it_is_wrong() {
        for (from, to, expected) in [
            ("games = 10", "gmaes = 10", "line 4: unknown field `gmaes`"),
            ("games = 10", "", "match a: it has no games"),
            ("name = \"b\"", "name = \"a\"", "two matches are called a"),
            ("agent = 1", "agent = 3", "a cell is about agent 3, and there are 2"),
            ("\"tree\"", "\"tre\"", "unknown game"),
            ("\"4k\"", "\"4x\"", "not a count"),
            ("\"depth\"", "\"deep\"", "unknown variant `deep`"),
            ("[\"maxn\"", "[[\"maxn\"", "line 4: missing comma"),
        ] {
            let error = Plan::parse(&PLAN.replacen(from, to, 1)).unwrap_err();
            assert!(error.message.contains(expected), "{to}: {error}");
        }
        assert!(Plan::parse("match = []").unwrap_err().message.contains("there is no match"));
    }

    #[test]
    fn no_text_makes_the_reader_of_plans_fail() {
        // Short, since most of the time goes into reading what is not damaged.
        let samples = [
            "game=\"tree\"\nagents=[\"maxn\",\"brs:nodes=2k\"]\ngames=9\n[[match]]\nname=\"a\"\ncells=[{agent=1,paper=6.5}]",
            "nodes=\"4k\"\n[[match]]\nname=\"b\"\ngame='tree'\nagents=['random']\ngames=1_0\ntime=\"2s\"\nseed=7",
            "match=[{name='a',game=\"tree:sum=9\",players=2,agents=['a'],games=2,depth=3}]",
        ];
        let mut read = 0;
        testing::mangle(&samples, 1_000_000, |text| match Plan::parse(text) {
            Ok(plan) => {
                read += 1;
                for index in 0..plan.matches.len() {
                    for scale in [1e-9, 1.0, 1000.0] {
                        let scale = Scale { games: scale, budget: scale };
                        // A scaled time may get too long to be written.
                        if let Err(error) = plan.scaled(index, scale) {
                            testing::check_error(&error.message, text);
                        }
                    }
                }
            }
            Err(error) => testing::check_error(&error.message, text),
        });
        assert!(read > 10_000, "{read}");
    }

    #[test]
    fn a_plan_may_ask_for_more_than_anybody_has() {
        let plan = |line: &str| Plan::parse(&format!("{line}\n{PLAN}").replace("games = 10\n", "\n")).unwrap();
        assert_eq!(plan("games = 9223372036854775807").tournament(0).unwrap().total() % 6, 0);
        let mut most = plan("games = 1").tournament(0).unwrap();
        most.games = u64::MAX;
        assert_eq!(most.total(), u64::MAX / 6 * 6);
        let long = Plan::parse(&PLAN.replace("depth = 3", "time = \"1000000000000000000s\"")).unwrap();
        assert_eq!(long.scaled(1, Scale { games: 1.0, budget: 1000.0 }).unwrap().budget, Budget::time(Duration::MAX));
    }

    fn found<'a>(cell: &'a Cell, value: f64, margin: f64) -> Found<'a> {
        let ours = Some(Estimate { value, low: value - margin, high: value + margin, games: 100 });
        Found { name: "a", cell, even: 50.0, ours }
    }

    #[test]
    fn a_rate_is_compared_with_the_papers_and_with_an_even_one() {
        let plan = Plan::parse(PLAN).unwrap();
        let cell = &plan.matches[0].cells[0];
        for (value, margin, expected) in [
            (64.9, 4.0, Comparison::Agrees),
            (55.1, 4.0, Comparison::Agrees),
            (90.0, 4.0, Comparison::SameDirection),
            (51.0, 4.0, Comparison::Open),
            (45.0, 4.0, Comparison::Differs),
            (47.0, 4.0, Comparison::Open),
            (99.0, f64::INFINITY, Comparison::Open),
        ] {
            assert_eq!(found(cell, value, margin).compare(&[]), Some(expected), "{value} ± {margin}");
        }
        // A paper's rate that is even within its interval has no side.
        let even = Cell { paper: 52.0, ..cell.clone() };
        assert_eq!(found(&even, 64.0, 4.0).compare(&[]), Some(Comparison::Differs));
        assert_eq!(found(&even, 56.0, 4.0).compare(&[]), Some(Comparison::Agrees));
        // Only the side that faces the paper's figure counts.
        let ours = Estimate { value: 50.0, low: 10.0, high: 52.0, games: 9 };
        assert_eq!(Found { ours: Some(ours), ..found(cell, 0.0, 0.0) }.compare(&[]), Some(Comparison::Open));
        let ours = Estimate { high: 90.0, ..ours };
        assert_eq!(Found { ours: Some(ours), ..found(cell, 0.0, 0.0) }.compare(&[]), Some(Comparison::Agrees));
        assert_eq!(Found { ours: None, ..found(cell, 1.0, 1.0) }.compare(&[]), None);
    }

    #[test]
    fn other_figures_are_compared_within_their_group() {
        let cell =
            |paper| Cell { agent: 1, measure: Measure::Depth, paper, margin: None, group: None, note: String::new() };
        let (low, high) = (cell(3.0), cell(5.0));
        let all = [found(&low, 4.0, 0.1), found(&high, 6.0, 0.1)];
        assert_eq!(all[0].compare(&all), Some(Comparison::SameDirection));
        let all = [found(&low, 6.5, 0.1), found(&high, 6.0, 0.1)];
        assert_eq!(all[0].compare(&all), Some(Comparison::Differs));
        // Two figures with a common value are in no order.
        let all = [found(&low, 6.5, 0.3), found(&high, 6.0, 0.3)];
        assert_eq!(all[0].compare(&all), Some(Comparison::Open));
        let between = cell(4.0);
        let all = [found(&low, 4.0, 0.1), found(&between, 4.1, 0.1), found(&high, 6.0, 0.1)];
        assert_eq!(all[0].compare(&all), Some(Comparison::SameDirection));
        assert_eq!(found(&low, 3.29, 0.1).compare(&all), Some(Comparison::Agrees));
        assert_eq!(found(&low, 4.0, 0.1).compare(&[]), Some(Comparison::Open));
        assert_eq!(found(&low, 4.0, f64::INFINITY).compare(&all), Some(Comparison::Open));
    }

    #[test]
    fn every_experiment_of_the_folder_is_known_and_can_be_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str().unwrap().strip_suffix(".toml").map(String::from))
            .collect();
        files.sort();
        let mut known: Vec<&str> = EXPERIMENTS.iter().map(|(id, _)| *id).collect();
        known.sort_unstable();
        assert_eq!(files, known);
        for id in known {
            let plan = experiment(id).unwrap();
            assert_eq!(plan.id, id);
            assert!(!plan.title.is_empty() && !plan.source.is_empty(), "{id}");
            assert!(plan.matches.iter().any(|game| !game.cells.is_empty()), "{id}");
            for index in 0..plan.matches.len() {
                let tournament = plan.tournament(index).unwrap();
                // The distance table takes long to build.
                let is_quick = |agent: &Spec| {
                    let is_distance = agent.pairs.iter().any(|(_, value)| value == "distance");
                    tournament.game.spec.name != "chinese-checkers" || is_distance
                };
                if tournament.agents.iter().all(is_quick) {
                    tournament.check().unwrap();
                }
            }
        }
    }
}
