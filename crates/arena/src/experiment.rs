//! Files of matches: the matches of a tournament or, with the figures of a paper's table, an experiment.
//!
//! ```
//! use nply_arena::{MatchFile, Registry};
//! let registry = Registry::standard();
//! let file = MatchFile::parse(&registry, r#"
//!     game = "rolit"
//!     agents = ["brs", { name = "maxn", ties = "cautious" }]
//!     nodes = "10k"
//!     games = 12
//!     [[match]]
//!     name = "three"
//!     players = 3
//!     cells = [{ agent = 1, paper = 63.6, margin = 3.0 }]
//! "#).unwrap();
//! assert_eq!(file.get(&registry, 0).unwrap().total(), 12);
//! ```

use std::path::{Path, PathBuf};
use std::time::Duration;

use nply::{Budget, Clock, Code, Error, settings};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::matches::{Match, select_matches};
use crate::openings::Openings;
use crate::record::GameRecord;
use crate::registry::{NamedAgent, Registry};
use crate::report::{Table, estimate_text};
use crate::schedule::{Schedule, Seating};
use crate::statistics::{Estimate, Measure, holm, two_sided};
use crate::store::MatchSettings;
use crate::terms::{Adjudication, Terms};

/// A file of matches, and the settings they have in common.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchFile {
    /// The experiment's name: paper and table.
    #[serde(default)]
    pub id: String,
    /// What the experiment compares.
    #[serde(default)]
    pub title: String,
    /// The source of its figures.
    #[serde(default)]
    pub source: String,
    /// A note on how to read the figures.
    #[serde(default)]
    pub note: String,
    /// The difference from the paper that counts as none: percentage points of a rate, percent of any other figure.
    #[serde(default = "margin")]
    pub equivalence: f64,
    /// The game of matches that name none.
    pub game: Option<String>,
    /// The same for the number of players.
    pub players: Option<usize>,
    /// The same for the agents.
    pub agents: Option<Vec<Value>>,
    /// The same for the number of games.
    pub games: Option<u64>,
    /// The same for the depth.
    pub depth: Option<Amount>,
    /// The same for the nodes.
    pub nodes: Option<Amount>,
    /// The same for the playouts.
    pub playouts: Option<Amount>,
    /// The same for the time.
    pub time: Option<Amount>,
    /// The same for the clock, such as `60s+0.5s`.
    pub clock: Option<String>,
    /// The same for adjudication, such as `repetition=3,plies=200`.
    pub adjudicate: Option<String>,
    /// The same for where the games start: `random:4`, or a file of openings, relative to this one.
    pub openings: Option<String>,
    /// The same for the seatings; all if none is given.
    pub seating: Option<Seating>,
    /// The same for who meets in a game; everybody if none is given.
    pub schedule: Option<Schedule>,
    /// Random seed; 1 if none is given.
    pub seed: Option<u64>,
    /// The folder that files of openings are in.
    #[serde(skip)]
    folder: PathBuf,
    /// The matches.
    #[serde(rename = "match")]
    pub matches: Vec<MatchEntry>,
}

fn margin() -> f64 {
    10.0
}

/// One match of a [`MatchFile`], which has the settings that are missing here.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchEntry {
    /// Its name, unique in the file.
    pub name: String,
    game: Option<String>,
    players: Option<usize>,
    agents: Option<Vec<Value>>,
    games: Option<u64>,
    depth: Option<Amount>,
    nodes: Option<Amount>,
    playouts: Option<Amount>,
    time: Option<Amount>,
    clock: Option<String>,
    adjudicate: Option<String>,
    openings: Option<String>,
    seating: Option<Seating>,
    schedule: Option<Schedule>,
    seed: Option<u64>,
    /// The paper's figures, and what is measured for each.
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
    /// The paper's figure.
    pub paper: f64,
    /// Half of the paper's 95 % interval.
    pub margin: Option<f64>,
    /// The difference that counts as none, if not the table's.
    pub within: Option<f64>,
    /// Cells of one group are compared with each other for their direction; without a group, those of the same match.
    pub group: Option<String>,
    /// A note on how to read this figure.
    #[serde(default)]
    pub note: String,
}

/// The part of an experiment that is played.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The part of the games.
    pub games: f64,
    /// The part of the nodes, playouts and time.
    pub budget: f64,
}

/// As in the paper.
impl Default for Scale {
    fn default() -> Scale {
        Scale { games: 1.0, budget: 1.0 }
    }
}

/// A match with settings that its file does not give: more settings of every agent, such as `equals=random`, and which
/// seatings are played.
pub fn changed(game: Match, with: Option<&str>, seating: Option<Seating>) -> Result<Match, Error> {
    let mut changed = Match { seating: seating.unwrap_or(game.seating), ..game };
    changed.check_schedule()?;
    if let Some(with) = with {
        let add = |agent: &NamedAgent| {
            let text = agent.to_string();
            let mark = if text.contains(':') { ',' } else { ':' };
            let mut added = changed.game.agent(&format!("{text}{mark}{with}"), changed.players)?;
            added.label.clone_from(&agent.label);
            Ok(added)
        };
        changed.agents = changed.agents.iter().map(add).collect::<Result<Vec<NamedAgent>, Error>>()?;
    }
    Ok(changed)
}

impl MatchFile {
    /// Reads a file of matches. Files that it names are in the folder where the program runs.
    pub fn parse(registry: &Registry, text: &str) -> Result<MatchFile, Error> {
        MatchFile::parse_in(registry, text, Path::new(""))
    }

    /// Reads a file of matches that is in this folder, as are the files that it names.
    pub fn parse_in(registry: &Registry, text: &str, folder: &Path) -> Result<MatchFile, Error> {
        let mut file: MatchFile = toml::from_str(text).map_err(|error| {
            let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
            let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            Error::usage(format!("line {line}: {message}"))
        })?;
        file.folder = folder.into();
        if file.matches.is_empty() {
            return Err(Error::usage("there is no match").help("a match starts with [[match]]"));
        }
        for (index, entry) in file.matches.iter().enumerate() {
            let named = |error: Error| error.within(format_args!("match {}", entry.name));
            if file.matches[..index].iter().any(|other| other.name == entry.name) {
                return Err(Error::usage(format!("two matches are named {}", entry.name)));
            }
            let own = file.get(registry, index).map_err(named)?;
            for cell in &entry.cells {
                let agents = own.agents.len();
                if cell.agent == 0 || cell.agent > agents {
                    let message = format!("a cell has agent {}, and there are {agents}", cell.agent);
                    return Err(named(Error::usage(message).help("agents are counted from 1")));
                }
            }
        }
        Ok(file)
    }

    /// Reads a file of matches.
    pub fn read(registry: &Registry, path: &Path) -> Result<MatchFile, Error> {
        let shown = path.display();
        let text =
            std::fs::read_to_string(path).map_err(|error| Error::file(format!("cannot read {shown}: {error}")))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        MatchFile::parse_in(registry, &text, folder).map_err(|error| error.within(&shown))
    }

    /// The matches that a text selects, all without one: see [`select_matches`].
    pub fn select(&self, texts: Option<&str>) -> Result<Vec<usize>, Error> {
        let names: Vec<&str> = self.matches.iter().map(|entry| entry.name.as_str()).collect();
        texts.map_or_else(|| Ok((0..names.len()).collect()), |texts| select_matches(&names, texts))
    }

    /// The match of this index, on one thread, without progress reports.
    pub fn get(&self, registry: &Registry, index: usize) -> Result<Match, Error> {
        let own = &self.matches[index];
        let missing = |what: &str| Error::usage(format!("{what} is missing")).help(format!("write {what} = …"));
        let game = own.game.as_ref().or(self.game.as_ref()).ok_or_else(|| missing("game"))?;
        let game = registry.find(game)?;
        let players = game.player_count(own.players.or(self.players))?;
        let agents = own.agents.as_ref().or(self.agents.as_ref()).ok_or_else(|| missing("agents"))?;
        let terms = self.terms(own)?;
        let budget = self.budget(own, &terms)?;
        let agent = |agent: &Value| game.agent_json_within(agent, players, &budget);
        let agents = agents.iter().map(agent).collect::<Result<Vec<NamedAgent>, Error>>()?;
        if agents.is_empty() {
            return Err(missing("agents"));
        }
        let games = own.games.or(self.games).filter(|&games| games > 0).ok_or_else(|| missing("games"))?;
        let (seed, progress) = (own.seed.or(self.seed).unwrap_or(1), (|_, _| ()) as fn(&str, f64));
        let seating = own.seating.or(self.seating).unwrap_or_default();
        let schedule = own.schedule.or(self.schedule).unwrap_or_default();
        let openings = own.openings.as_ref().or(self.openings.as_ref());
        let read = |text: &String| Openings::read(text, &self.folder, registry, &game, players);
        let openings = openings.map(read).transpose()?;
        let (sampled, threads) = (None, 1);
        let found = Match {
            game,
            players,
            agents,
            games,
            budget,
            terms,
            openings,
            seating,
            schedule,
            sampled,
            seed,
            threads,
            progress,
        };
        found.check_schedule()?;
        Ok(found)
    }

    /// The match's own clock and adjudication or, if it has none, those of the file.
    fn terms(&self, own: &MatchEntry) -> Result<Terms, Error> {
        let clock = own.clock.as_ref().or(self.clock.as_ref()).map(|text| text.parse::<Clock>()).transpose()?;
        let adjudicate = own.adjudicate.as_ref().or(self.adjudicate.as_ref());
        let adjudication = adjudicate.map(|text| text.parse::<Adjudication>()).transpose();
        let adjudication = adjudication.map_err(|error| error.within("adjudicate"))?.unwrap_or_default();
        Ok(Terms { clock, adjudication })
    }

    /// The match's own limits or, if it has none, those of the file; without any, there is a usual one beside no clock.
    fn budget(&self, own: &MatchEntry, terms: &Terms) -> Result<Budget, Error> {
        let limits = |limits: [(&str, &Option<Amount>); 4]| {
            let mut budget = Budget::default();
            for (key, amount) in limits.into_iter().filter_map(|(key, amount)| Some((key, amount.as_ref()?))) {
                settings::set(&mut budget, key, Some(&amount.text()))?;
            }
            Ok::<Option<Budget>, Error>((budget != Budget::default()).then_some(budget))
        };
        let mine = [("depth", &own.depth), ("nodes", &own.nodes), ("playouts", &own.playouts), ("time", &own.time)];
        if let Some(budget) = limits(mine)? {
            return Ok(budget);
        }
        let ours = [("depth", &self.depth), ("nodes", &self.nodes), ("playouts", &self.playouts), ("time", &self.time)];
        Ok(limits(ours)?.unwrap_or_else(|| terms.usual_budget()))
    }

    /// The name in files of games of the match of this index: with that of the experiment, if it has one.
    pub fn kept_name(&self, index: usize) -> String {
        let name = &self.matches[index].name;
        if self.id.is_empty() { name.clone() } else { format!("{}/{name}", self.id) }
    }

    /// The match of this index at a scale; one with figures of a paper has all seatings, as in the papers.
    pub fn scaled(&self, registry: &Registry, index: usize, scale: Scale) -> Result<Match, Error> {
        let sampled = (!self.matches[index].cells.is_empty()).then_some(false);
        let mut scaled_match = Match { sampled, ..self.get(registry, index)? };
        let times = |count: u64, part: f64| ((count as f64 * part).round() as u64).max(1);
        scaled_match.games = times(scaled_match.games, scale.games);
        if scale.budget != 1.0 {
            let longer = |time: Duration| Duration::try_from_secs_f64(time.as_secs_f64() * scale.budget);
            if let Some(clock) = &mut scaled_match.terms.clock {
                let part = |time: Duration| longer(time).unwrap_or(Duration::MAX);
                *clock =
                    Clock { time: part(clock.time).max(Duration::from_nanos(1)), increment: part(clock.increment) };
            }
            let smaller = |budget: &mut Budget| {
                budget.nodes = budget.nodes.map(|nodes| times(nodes, scale.budget));
                budget.playouts = budget.playouts.map(|playouts| times(playouts, scale.budget));
                budget.time = budget.time.map(|time| longer(time).unwrap_or(Duration::MAX));
            };
            // The common budget only if an agent uses it.
            let mut is_common = false;
            for agent in &mut scaled_match.agents {
                is_common |= agent.budget.is_none();
                agent.budget.iter_mut().for_each(smaller);
            }
            if is_common {
                smaller(&mut scaled_match.budget);
            }
        }
        Ok(scaled_match)
    }
}

/// How a figure measured here compares with the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comparison {
    /// Equal within the margin that counts as no difference, interval and all.
    Agrees,
    /// Not told apart, but a difference beyond that margin is not excluded.
    Compatible,
    /// Different, but on the same side of an even rate and in the same order as the other figures.
    SameDirection,
    /// Different, and the side is unknown: more games are needed, or other figures.
    Open,
    /// On the other side or in another order; or on a side where the paper's rate is even within its interval.
    Differs,
}

impl Comparison {
    /// All of them, the best first.
    pub const ALL: [Comparison; 5] =
        [Comparison::Agrees, Comparison::Compatible, Comparison::SameDirection, Comparison::Open, Comparison::Differs];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Agrees => "agrees",
            Comparison::Compatible => "compatible",
            Comparison::SameDirection => "same direction",
            Comparison::Open => "open",
            Comparison::Differs => "differs",
        }
    }
}

/// A probability below this is no chance.
pub(crate) const LEVEL: f64 = 0.05;
/// The normal quantile of the 95 % intervals.
pub(crate) const Z: f64 = 1.96;

/// The figures of a table beside those measured here.
pub struct Compared<'a> {
    file: &'a MatchFile,
    scale: Scale,
    found: Vec<Found<'a>>,
    /// How the agent of each is called.
    agents: Vec<String>,
}

impl<'a> Compared<'a> {
    /// A comparison without matches; they are played at this scale.
    pub fn new(file: &'a MatchFile, scale: Scale) -> Compared<'a> {
        Compared { file, scale, found: Vec::new(), agents: Vec::new() }
    }

    /// Adds the games of the match of this index.
    pub fn add(
        &mut self,
        registry: &Registry,
        index: usize,
        settings: &MatchSettings,
        games: &[GameRecord],
    ) -> Result<(), Error> {
        let entry = &self.file.matches[index];
        for cell in &entry.cells {
            let ours = cell.measure.estimate(registry, cell.agent - 1, settings, games)?;
            self.found.push(Found { name: &entry.name, cell, even: 100.0 * settings.even_rate(), ours });
            self.agents.push(settings.label(cell.agent - 1).into());
        }
        Ok(())
    }

    fn verdicts(&self) -> Vec<Option<Comparison>> {
        compare(&self.found, self.file.equivalence)
    }

    /// A row for each figure.
    pub fn table(&self) -> Table {
        let header = ["match", "agent", "measure", "paper", "here (95 % interval)", "games", "verdict", "note"];
        let row = |((found, agent), verdict): ((&Found<'_>, &String), Option<Comparison>)| {
            let paper = match found.cell.margin {
                Some(margin) => format!("{} ± {margin}", found.cell.paper),
                None => found.cell.paper.to_string(),
            };
            vec![
                found.name.into(),
                agent.clone(),
                found.cell.measure.name().into(),
                paper,
                estimate_text(found.ours),
                found.ours.map_or(0, |ours| ours.games).to_string(),
                verdict.map_or("no figure", Comparison::name).into(),
                found.cell.note.clone(),
            ]
        };
        Table {
            caption: format!("{}: {}", self.file.id, self.file.title),
            header: header.map(String::from).to_vec(),
            rows: self.found.iter().zip(&self.agents).zip(self.verdicts()).map(row).collect(),
        }
    }

    /// The verdicts in one line, and what to know about the table, in paragraphs.
    pub fn summary(&self) -> String {
        let verdicts = self.verdicts();
        let count = |wanted| verdicts.iter().filter(|&&verdict| verdict == Some(wanted)).count();
        let counts = Comparison::ALL.map(|verdict| format!("{} {}", count(verdict), verdict.name()));
        let mut text = format!("of {} figures: {}\n", self.found.len(), counts.join(", "));
        text += &format!("\nsource: {}\n", self.file.source);
        if !self.file.note.is_empty() {
            text += &format!("note: {}\n", self.file.note);
        }
        if self.scale.budget != 1.0 {
            text += &format!("budgets are {} times the paper's\n", self.scale.budget);
        }
        text
    }

    /// All of it as JSON.
    pub fn json(&self) -> Value {
        let cell = |((found, agent), verdict): ((&Found<'_>, &String), Option<Comparison>)| {
            let ours = found.ours.map(|ours| {
                let interval = if ours.high.is_finite() { json!([ours.low, ours.high]) } else { Value::Null };
                json!({ "value": ours.value, "interval": interval, "games": ours.games })
            });
            json!({
                "match": found.name, "agent": agent, "measure": found.cell.measure.name(),
                "paper": { "value": found.cell.paper, "margin": found.cell.margin }, "here": ours,
                "verdict": verdict.map(Comparison::name), "note": found.cell.note,
            })
        };
        let cells: Vec<Value> = self.found.iter().zip(&self.agents).zip(self.verdicts()).map(cell).collect();
        let MatchFile { id, title, source, note, .. } = self.file;
        json!({
            "id": id, "title": title, "source": source, "note": note, "scale": self.scale.games,
            "budget_scale": self.scale.budget, "cells": cells,
        })
    }
}

/// A cell with the figure measured here.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The match's name.
    pub name: &'a str,
    /// The cell.
    pub cell: &'a Cell,
    /// The rate of agents of equal strength in this match, in percent.
    pub even: f64,
    /// The figure; `None` if no game shows it.
    pub ours: Option<Estimate>,
}

/// The verdicts on the cells of one table, `None` without a figure. Differences are told from chance at 95 % for the whole table,
/// by Holm's procedure. `margin` counts as no difference: percentage points of a rate, percent of any other figure.
pub fn compare(all: &[Found<'_>], margin: f64) -> Vec<Option<Comparison>> {
    let apart = holm(&all.iter().map(Found::chance).collect::<Vec<f64>>());
    let sided = holm(&all.iter().map(Found::chance_of_side).collect::<Vec<f64>>());
    let verdict = |(index, cell): (usize, &Found<'_>)| {
        let ours = cell.ours?;
        // The interval of a single game is infinite and shows nothing.
        if !ours.high.is_finite() {
            return Some(Comparison::Open);
        }
        if apart[index] >= LEVEL {
            let (apart, tolerance) = cell.distance(ours);
            let is_near = apart + tolerance <= cell.equal_within(margin);
            return Some(if is_near { Comparison::Agrees } else { Comparison::Compatible });
        }
        Some(if cell.cell.measure == Measure::Rate {
            cell.side(ours, sided[index] < LEVEL).max(cell.rank(ours, all))
        } else {
            cell.order(ours, all)
        })
    };
    all.iter().enumerate().map(verdict).collect()
}

impl Found<'_> {
    /// The distance from the paper's figure, and what chance explains of it.
    fn distance(&self, ours: Estimate) -> (f64, f64) {
        let paper = self.cell.paper;
        // Only the side that faces the paper's figure counts.
        let margin = if paper > ours.value { ours.high - ours.value } else { ours.value - ours.low };
        ((ours.value - paper).abs(), self.cell.margin.unwrap_or(0.0).hypot(margin))
    }

    /// The difference that counts as none.
    fn equal_within(&self, margin: f64) -> f64 {
        let usual = if self.cell.measure == Measure::Rate { margin } else { self.cell.paper.abs() * margin / 100.0 };
        self.cell.within.unwrap_or(usual)
    }

    /// The probability of such a distance from the paper's figure by chance; 1 for less than a tenth of a figure without interval,
    /// which was rounded or measured once.
    fn chance(&self) -> f64 {
        let Some(ours) = self.ours.filter(|ours| ours.high.is_finite()) else { return 1.0 };
        let (apart, tolerance) = self.distance(ours);
        let is_rough = self.cell.margin.is_none() && self.cell.within.is_none();
        if is_rough && apart <= self.cell.paper.abs() / 10.0 { 1.0 } else { two_sided(Z * apart / tolerance) }
    }

    /// The probability of such a distance from an even rate by chance.
    fn chance_of_side(&self) -> f64 {
        let ours = self.ours.filter(|ours| ours.high.is_finite() && self.cell.measure == Measure::Rate);
        let Some(ours) = ours else { return 1.0 };
        let margin = if self.even > ours.value { ours.high - ours.value } else { ours.value - ours.low };
        two_sided(Z * (ours.value - self.even) / margin)
    }

    /// The verdict on a rate by its side of an even one.
    fn side(&self, ours: Estimate, is_sided: bool) -> Comparison {
        let theirs = self.cell.paper - self.even;
        if !is_sided {
            Comparison::Open
        } else if theirs.abs() > self.cell.margin.unwrap_or(0.0) && theirs * (ours.value - self.even) > 0.0 {
            Comparison::SameDirection
        } else {
            Comparison::Differs
        }
    }

    /// The verdict on a rate by its rank among three or more of the match, which must not be reversed.
    fn rank(&self, ours: Estimate, all: &[Found<'_>]) -> Comparison {
        let mates = all.iter().filter(|mate| mate.name == self.name && mate.cell.measure == Measure::Rate);
        let mut verdict = Comparison::SameDirection;
        for mate in mates.filter(|mate| mate.cell.agent != self.cell.agent) {
            let margins = self.cell.margin.unwrap_or(0.0).hypot(mate.cell.margin.unwrap_or(0.0));
            let theirs = self.cell.paper - mate.cell.paper;
            let Some(its) = mate.ours.filter(|_| theirs.abs() > margins) else { continue };
            if theirs * (ours.value - its.value) < 0.0 {
                let is_clear = ours.high < its.low || its.high < ours.low;
                verdict = verdict.max(if is_clear { Comparison::Differs } else { Comparison::Open });
            }
        }
        verdict
    }

    /// The verdict on another figure by its order in its group, where both the paper and our intervals distinguish them.
    fn order(&self, ours: Estimate, all: &[Found<'_>]) -> Comparison {
        let paper = self.cell.paper;
        let mut verdict = Comparison::Open;
        for other in all.iter().filter(|other| other.group() == self.group() && other.cell.paper != paper) {
            let Some(its) = other.ours else { continue };
            let is_below = ours.high < its.low;
            if is_below || its.high < ours.low {
                if is_below != (paper < other.cell.paper) {
                    return Comparison::Differs;
                }
                verdict = Comparison::SameDirection;
            }
        }
        verdict
    }

    fn group(&self) -> (&str, Measure) {
        (self.cell.group.as_deref().unwrap_or(self.name), self.cell.measure)
    }
}

/// The experiments of the papers: names and files.
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

/// The experiment of this name, or a file of matches `*.toml`.
pub fn experiment_or_file(registry: &Registry, text: &str) -> Result<MatchFile, Error> {
    if text.ends_with(".toml") { MatchFile::read(registry, Path::new(text)) } else { experiment(registry, text) }
}

/// The experiment of this name.
pub fn experiment(registry: &Registry, id: &str) -> Result<MatchFile, Error> {
    let Some((_, text)) = EXPERIMENTS.iter().find(|(name, _)| *name == id) else {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|(name, _)| *name).collect();
        return Err(Error::unknown(Code::UnknownName, "experiment", id, &names));
    };
    MatchFile::parse(registry, text).map_err(|error| error.within(format_args!("experiment {id}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::testing;
    use std::sync::LazyLock;

    static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::standard);

    const FILE: &str = r#"
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
        clock = "60s+0.5s"
        adjudicate = "plies=90"
        games = 100
        seed = 9
    "#;

    #[test]
    fn a_match_takes_missing_settings_from_its_file() {
        let file = MatchFile::parse(&REGISTRY, FILE).unwrap();
        let (a, b) = (file.get(&REGISTRY, 0).unwrap(), file.get(&REGISTRY, 1).unwrap());
        assert_eq!((a.games, a.budget, a.seed), (10, Budget::nodes(4000), 1));
        assert_eq!((b.games, b.budget, b.seed), (100, Budget::depth(3), 9));
        assert_eq!(a.terms, Terms::default());
        assert_eq!(b.terms.clock, Some("1m+500ms".parse().unwrap()));
        assert_eq!(b.terms.adjudication, Adjudication { plies: Some(90), repetition: None });
        let tenth = file.scaled(&REGISTRY, 1, Scale { games: 1.0, budget: 0.1 }).unwrap();
        assert_eq!(tenth.terms.clock.unwrap().to_string(), "6s+50ms");
        // A clock is limit enough where there is no other, and is that of all matches that have none.
        let clocked = FILE.replace("nodes = \"4k\"", "clock = \"9s\"").replace("greedy:nodes=2k", "greedy");
        let file = MatchFile::parse(&REGISTRY, &clocked).unwrap();
        let (a, b) = (file.get(&REGISTRY, 0).unwrap(), file.get(&REGISTRY, 1).unwrap());
        assert_eq!((a.budget, a.terms.clock.unwrap().to_string()), (Budget::default(), "9s".into()));
        assert_eq!(b.terms.clock.unwrap().to_string(), "60s+500ms");
        let file = MatchFile::parse(&REGISTRY, FILE).unwrap();
        let half = file.scaled(&REGISTRY, 0, Scale { games: 0.5, budget: 0.5 }).unwrap();
        assert_eq!((half.games, half.total(), half.budget), (5, 6, Budget::nodes(2000)));
        assert_eq!(half.agents[1].to_string(), "greedy:nodes=1k");
        assert_eq!(half.agents[0].to_string(), "maxn");
    }

    #[test]
    fn settings_are_added_to_every_agent_and_a_seating_can_be_fixed() {
        let file = MatchFile::parse(&REGISTRY, &FILE.replace("\"greedy:nodes=2k\"", "\"paranoid:nodes=2k\"")).unwrap();
        let game = || file.get(&REGISTRY, 0).unwrap();
        let names = |game: Match| game.agents.iter().map(NamedAgent::to_string).collect::<Vec<String>>();
        assert_eq!(
            names(changed(game(), Some("table=off"), None).unwrap()),
            ["maxn:table=off", "paranoid:table=off,nodes=2k"]
        );
        assert!(changed(game(), Some("tabel=off"), None).is_err());
        assert_eq!(game().seatings().count(), 6);
        let two = Match { players: 2, ..game() };
        let fixed = changed(two, None, Some(Seating::Fixed)).unwrap().seatings();
        assert_eq!((fixed.count(), fixed.get(0)), (1, vec![0, 1]));
        assert!(changed(game(), None, Some(Seating::Fixed)).is_err());
    }

    #[test]
    fn errors_name_the_place_in_the_file() {
        for (from, to, expected) in [
            ("games = 10", "gmaes = 10", "line 4: unknown field `gmaes`"),
            ("games = 10", "", "match a: games is missing"),
            ("name = \"b\"", "name = \"a\"", "two matches are named a"),
            ("agent = 1", "agent = 3", "a cell has agent 3, and there are 2"),
            ("\"tree\"", "\"tre\"", "unknown game"),
            ("seed = 9", "seating = \"fixed\"\nplayers = 3", "a fixed seating has an agent for each of 3 seats, not 2"),
            ("\"4k\"", "\"4x\"", "nodes does not take \"4x\""),
            ("60s+0.5s", "60", "match b: \"60\" is not a clock"),
            ("plies=90", "ply=90", "match b: adjudicate: unknown setting \"ply\""),
            ("\"depth\"", "\"deep\"", "unknown variant `deep`"),
            ("[\"maxn\"", "[[\"maxn\"", "line 4: missing comma"),
        ] {
            let error = MatchFile::parse(&REGISTRY, &FILE.replacen(from, to, 1)).unwrap_err();
            assert!(error.message.contains(expected), "{to}: {error}");
        }
        assert!(MatchFile::parse(&REGISTRY, "match = []").unwrap_err().message.contains("there is no match"));
    }

    #[test]
    fn no_text_makes_the_reader_of_match_files_fail() {
        // Short, since most of the time goes into reading what is not damaged.
        let samples = [
            "game=\"tree\"\nagents=[\"maxn\",\"brs:nodes=2k\"]\ngames=9\n[[match]]\nname=\"a\"\ncells=[{agent=1,paper=6.5}]",
            "nodes=\"4k\"\n[[match]]\nname=\"b\"\ngame='tree'\nagents=['random']\ngames=1_0\ntime=\"2s\"\nseed=7",
            "match=[{name='a',game=\"tree:sum=9\",players=2,agents=['random'],games=2,depth=3}]",
        ];
        let mut read = 0;
        testing::mangle(&samples, 1_000_000, |text| match MatchFile::parse(&REGISTRY, text) {
            Ok(file) => {
                read += 1;
                for index in 0..file.matches.len() {
                    for scale in [1e-9, 1.0, 1000.0] {
                        let scale = Scale { games: scale, budget: scale };
                        // A scaled time may get too long to be written.
                        if let Err(error) = file.scaled(&REGISTRY, index, scale) {
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
    fn huge_numbers_of_games_and_times_do_not_overflow() {
        let file =
            |line: &str| MatchFile::parse(&REGISTRY, &format!("{line}\n{FILE}").replace("games = 10\n", "\n")).unwrap();
        assert_eq!(file("games = 9223372036854775807").get(&REGISTRY, 0).unwrap().total() % 6, 0);
        let mut most = file("games = 1").get(&REGISTRY, 0).unwrap();
        most.games = u64::MAX;
        assert_eq!(most.total(), u64::MAX / 6 * 6);
        let long = MatchFile::parse(&REGISTRY, &FILE.replace("depth = 3", "time = \"1000000000000000000s\"")).unwrap();
        assert_eq!(
            long.scaled(&REGISTRY, 1, Scale { games: 1.0, budget: 1000.0 }).unwrap().budget,
            Budget::time(Duration::MAX)
        );
    }

    fn found<'a>(cell: &'a Cell, value: f64, margin: f64) -> Found<'a> {
        let ours = Some(Estimate { value, low: value - margin, high: value + margin, games: 100 });
        Found { name: "a", cell, even: 50.0, ours }
    }

    fn one(found: &Found<'_>) -> Comparison {
        compare(std::slice::from_ref(found), 10.0)[0].unwrap()
    }

    #[test]
    fn a_rate_is_compared_with_the_papers_and_with_an_even_one() {
        let file = MatchFile::parse(&REGISTRY, FILE).unwrap();
        let cell = &file.matches[0].cells[0];
        for (value, margin, expected) in [
            (64.9, 4.0, Comparison::Agrees),
            (55.1, 4.0, Comparison::Agrees),
            (64.9, 6.0, Comparison::Compatible),
            (90.0, 4.0, Comparison::SameDirection),
            (51.0, 4.0, Comparison::Open),
            (45.0, 4.0, Comparison::Differs),
            (47.0, 4.0, Comparison::Open),
            (99.0, f64::INFINITY, Comparison::Open),
        ] {
            assert_eq!(one(&found(cell, value, margin)), expected, "{value} ± {margin}");
        }
        // A paper's rate that is even within its interval has no side.
        let even = Cell { paper: 52.0, ..cell.clone() };
        assert_eq!(one(&found(&even, 64.0, 4.0)), Comparison::Differs);
        assert_eq!(one(&found(&even, 56.0, 4.0)), Comparison::Agrees);
        // Only the side that faces the paper's figure counts.
        let ours = Estimate { value: 50.0, low: 10.0, high: 52.0, games: 9 };
        assert_eq!(one(&Found { ours: Some(ours), ..found(cell, 0.0, 0.0) }), Comparison::Open);
        let ours = Estimate { high: 90.0, ..ours };
        assert_eq!(one(&Found { ours: Some(ours), ..found(cell, 0.0, 0.0) }), Comparison::Compatible);
        assert_eq!(compare(&[Found { ours: None, ..found(cell, 1.0, 1.0) }], 10.0), [None]);
    }

    #[test]
    fn a_difference_among_many_cells_must_be_clearer() {
        let file = MatchFile::parse(&REGISTRY, FILE).unwrap();
        let cell = &file.matches[0].cells[0];
        let (apart, same) = (found(cell, 66.0, 4.0), found(cell, 60.0, 4.0));
        assert_eq!(one(&apart), Comparison::SameDirection);
        let many: Vec<Found<'_>> = std::iter::once(apart).chain(std::iter::repeat_n(same, 20)).collect();
        assert_eq!(compare(&many, 10.0)[0], Some(Comparison::Compatible));
    }

    #[test]
    fn a_rate_whose_rank_is_reversed_has_not_the_same_direction() {
        let cell = |agent, paper| Cell { agent, paper, ..any() };
        // Both above an even third, but in the other order.
        let (first, second) = (cell(1, 42.0), cell(2, 55.0));
        let rate = |cell, value, margin| Found { even: 33.3, ..found(cell, value, margin) };
        let all = [rate(&first, 60.0, 4.0), rate(&second, 38.0, 4.0)];
        assert_eq!(compare(&all, 10.0), [Some(Comparison::Differs); 2]);
        let all = [rate(&first, 52.0, 4.0), rate(&second, 47.0, 4.0)];
        assert_eq!(compare(&all, 10.0)[0], Some(Comparison::Open));
        let all = [rate(&first, 60.0, 4.0), rate(&second, 70.0, 4.0)];
        assert_eq!(compare(&all, 10.0)[0], Some(Comparison::SameDirection));
    }

    fn any() -> Cell {
        let (measure, margin, note) = (Measure::Rate, Some(3.0), String::new());
        Cell { agent: 1, measure, paper: 50.0, margin, within: None, group: None, note }
    }

    #[test]
    fn other_figures_are_compared_within_their_group() {
        let cell = |paper| Cell { measure: Measure::Depth, paper, margin: None, ..any() };
        let first = |all: &[Found<'_>]| compare(all, 10.0)[0].unwrap();
        let (low, high) = (cell(3.0), cell(5.0));
        assert_eq!(first(&[found(&low, 4.0, 0.1), found(&high, 6.0, 0.1)]), Comparison::SameDirection);
        assert_eq!(first(&[found(&low, 6.5, 0.1), found(&high, 6.0, 0.1)]), Comparison::Differs);
        // Two figures with a common value are in no order.
        assert_eq!(first(&[found(&low, 6.5, 0.3), found(&high, 6.0, 0.3)]), Comparison::Open);
        let between = cell(4.0);
        let all = [found(&low, 4.0, 0.1), found(&between, 4.1, 0.1), found(&high, 6.0, 0.1)];
        assert_eq!(first(&all), Comparison::SameDirection);
        assert_eq!(one(&found(&low, 3.1, 0.1)), Comparison::Agrees);
        assert_eq!(one(&found(&low, 3.29, 0.1)), Comparison::Compatible);
        assert_eq!(one(&found(&low, 4.0, 0.1)), Comparison::Open);
        assert_eq!(first(&[found(&low, 4.0, f64::INFINITY), found(&high, 6.0, 0.1)]), Comparison::Open);
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
            let file = experiment(&REGISTRY, id).unwrap();
            assert_eq!(file.id, id);
            assert!(!file.title.is_empty() && !file.source.is_empty(), "{id}");
            assert!(file.matches.iter().any(|game| !game.cells.is_empty()), "{id}");
            for index in 0..file.matches.len() {
                // Agents are not seated: that may need a table that is slow to build.
                file.get(&REGISTRY, index).unwrap().check_limits().unwrap();
            }
        }
    }
}
