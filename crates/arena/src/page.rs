//! The page of results: the papers' claims, tables and plots, written from the games that are kept.
//!
//! A page is prose with blocks in it. A block starts with a line such as `<!-- table brs-2011-4 -->`, ends with `<!-- end -->`, and
//! is replaced as a whole; everything else is left alone. `table NAME`, `claims`, `plot PAPER` and `totals` compare with papers,
//! `rates NAME`, `leaders NAME`, `heat NAME` and `budgets NAME` agents with each other, and `costs` says what the papers' tables cost.
//! A page has all tables, unless it is one of costs.

mod atlas;
mod cost;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use nply::Error;
use serde::Deserialize;

use crate::experiment::{Cell, Comparison, Found, LEVEL, MatchFile, Z, compare};
use crate::matches::select_matches;
use crate::plan::Plan;
use crate::plot::{Panel, PanelRow, panels_svg};
use crate::record::GameRecord;
use crate::registry::Registry;
use crate::report::{Format, Table, estimate_text, figure};
use crate::statistics::{
    Estimate, Measure, cut_off, difference, distinct, holm, is_cycle, is_draw, ply_limit, two_sided,
};
use crate::store::{KeptMatch, MatchSettings, Store};

/// The claims of the papers.
const CLAIMS: &str = include_str!("../claims.toml");

/// A sentence of a paper, and the figures that decide it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// The paper's name: what its experiments start with.
    pub paper: String,
    /// The claim in a few words.
    pub text: String,
    /// Where the paper makes it.
    #[serde(rename = "where")]
    pub place: String,
    /// The table that decides it.
    pub table: String,
    /// The matches, as `--match` selects them; it must hold in each.
    #[serde(rename = "match")]
    pub name: String,
    /// Which of the match's agents, from 1.
    #[serde(default = "first")]
    pub agent: usize,
    /// What is measured.
    #[serde(default)]
    pub measure: Measure,
    /// What the figure is, compared with the other.
    pub is: Relation,
    /// The other figure is that of this agent of the same match.
    pub than_agent: Option<usize>,
    /// The other figure is that of this match, of the agent `than-agent` or the same.
    pub than_match: Option<String>,
    /// The other figure; without any of the three, the rate of equal agents.
    pub than: Option<f64>,
    /// The difference that counts as none, for `equal`.
    pub within: Option<f64>,
}

fn first() -> usize {
    1
}

/// What a claim says of two figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The first is greater.
    Above,
    /// The first is smaller.
    Below,
    /// They are equal within the margin.
    Equal,
}

#[derive(Deserialize)]
struct Claims {
    claim: Vec<Claim>,
}

/// The claims of the papers, in their order on the page.
pub fn claims() -> Result<Vec<Claim>, Error> {
    let read: Claims = toml::from_str(CLAIMS).map_err(|error| Error::failed(format!("claims.toml: {error}")))?;
    Ok(read.claim)
}

/// A match as it is kept.
struct Played {
    /// Its index among the matches of its experiment.
    entry: usize,
    settings: MatchSettings,
    games: Vec<GameRecord>,
    /// What is to be said of it.
    remark: Option<String>,
}

/// A table with the figures measured here.
struct Measured {
    name: String,
    file: MatchFile,
    commands: Vec<String>,
    played: Vec<Played>,
    missing: Vec<String>,
    /// For each cell: index of the match, index of the cell, the figure and the verdict.
    cells: Vec<(usize, usize, Option<Estimate>, Option<Comparison>)>,
}

impl Measured {
    fn cell(&self, played: usize, cell: usize) -> &Cell {
        &self.file.matches[self.played[played].entry].cells[cell]
    }

    fn match_name(&self, played: usize) -> &str {
        &self.file.matches[self.played[played].entry].name
    }

    /// What is to be said of its matches, and which are missing.
    fn remarks(&self) -> String {
        let remarks = self.played.iter().filter_map(|played| played.remark.as_ref());
        let mut text: String = remarks.map(|remark| format!("- {remark}.\n")).collect();
        if !self.missing.is_empty() {
            text.push_str(&format!("- Not played yet: {}.\n", self.missing.join(", ")));
        }
        text
    }
}

/// The results of a plan, measured and compared with the papers.
pub struct Results<'a> {
    registry: &'a Registry,
    tables: Vec<Measured>,
}

impl<'a> Results<'a> {
    /// Reads the files of a plan in this folder.
    pub fn read(registry: &'a Registry, plan: &Plan, folder: &Path) -> Result<Results<'a>, Error> {
        let mut tables: Vec<Measured> = Vec::new();
        for run in &plan.runs {
            let (name, file) = (run.table(), run.file(registry, folder)?);
            let index = tables.iter().position(|table| table.name == name).unwrap_or_else(|| {
                let (commands, played, missing, cells) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
                tables.push(Measured { name, file: file.clone(), commands, played, missing, cells });
                tables.len() - 1
            });
            let table = &mut tables[index];
            table.commands.push(run.command(plan.games(run)));
            let path = folder.join(run.file_name());
            let store = path.exists().then(|| Store::open(&path)).transpose()?;
            let kept: Vec<KeptMatch> = store.as_ref().map_or_else(|| Ok(Vec::new()), Store::matches)?;
            for planned in run.matches(registry, &file, plan.games(run))? {
                let entry_name = file.matches[planned.index].name.clone();
                let found = kept.iter().find(|kept| kept.name == planned.name && kept.games > 0);
                let (Some(found), Some(store)) = (found, &store) else {
                    table.missing.push(entry_name);
                    continue;
                };
                let mut games = store.games(found)?;
                games.retain(|record| record.number < planned.game.total());
                let (count, total) = (games.len() as u64, planned.game.total());
                let remark = if !planned.game.is_same(&found.settings) {
                    Some(format!("{entry_name} is of an earlier run with other settings and will be replaced"))
                } else {
                    (count < total).then(|| format!("of {entry_name}, {count} of {total} games are played"))
                };
                table.played.push(Played { entry: planned.index, settings: found.settings.clone(), games, remark });
            }
        }
        for table in &mut tables {
            measure(registry, table)?;
        }
        Ok(Results { registry, tables })
    }

    /// The page with its blocks written anew, and the plots: a path in the page's folder and its content.
    pub fn write(&self, page: &str) -> Result<(String, Vec<(String, String)>), Error> {
        let (mut text, mut plots, mut is_inside) = (String::new(), Vec::new(), false);
        let (mut shown, mut is_of_costs) = (Vec::new(), false);
        for line in page.lines() {
            let block = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
            match block {
                Some("end") => is_inside = false,
                _ if is_inside => continue,
                _ => {}
            }
            text.push_str(line);
            text.push('\n');
            let Some(block) = block.filter(|&block| block != "end") else { continue };
            let words: Vec<&str> = block.split_whitespace().collect();
            let mut drawn = |name: String, what: &str, svg: String| {
                let path = format!("results/{name}.svg");
                let text = format!("![{name}: {what}]({path})\n");
                plots.push((path, svg));
                text
            };
            let content = match words[..] {
                ["table", name] => {
                    shown.push(name);
                    self.table_block(name)?
                }
                ["rates", name] => {
                    shown.push(name);
                    self.rates_block(name)?
                }
                ["leaders", name] => self.leaders_block(name)?,
                ["heat", name] => drawn(format!("{name}-heat"), "rates as colors", self.heat(name)?),
                ["budgets", name] => drawn(format!("{name}-budgets"), "rates by budget", self.budgets(name)?),
                ["claims"] => self.claims_block()?,
                ["totals"] => self.totals_block(),
                ["costs"] => {
                    is_of_costs = true;
                    self.costs_block()?
                }
                ["plot", paper] => drawn(paper.into(), "the paper's figures and ours", self.plot(paper)),
                _ => {
                    let error = Error::failed(format!("the page has an unknown block {block:?}"));
                    let known = "there are table, rates, leaders, heat and budgets with NAME, plot PAPER, claims, totals and costs";
                    return Err(error.help(known));
                }
            };
            text.push_str(&format!("\n{content}\n"));
            is_inside = true;
        }
        if is_inside {
            return Err(Error::failed("the last block of the page has no end").help("write <!-- end --> after it"));
        }
        let mut left = self.tables.iter().filter(|table| !shown.contains(&table.name.as_str()));
        if let Some(left) = left.next().filter(|_| !is_of_costs) {
            let error = Error::failed(format!("the page has no block for the table {}", left.name));
            return Err(error.help(format!("write <!-- table {} --> and <!-- end -->", left.name)));
        }
        Ok((text, plots))
    }

    fn table(&self, name: &str) -> Result<&Measured, Error> {
        let found = self.tables.iter().find(|table| table.name == name);
        found.ok_or_else(|| Error::failed(format!("the plan has no table {name:?}")))
    }

    fn table_block(&self, name: &str) -> Result<String, Error> {
        let table = self.table(name)?;
        let mut text = format!("{}.\n\n", table.file.title);
        text.push_str("```text\n");
        table.commands.iter().for_each(|command| text.push_str(&format!("{command}\n")));
        text.push_str("```\n\n");
        if table.cells.is_empty() {
            text.push_str("Not played yet.\n");
            return Ok(text);
        }
        let words = ["match", "agent", "measure", "paper", "here (95 % interval)", "verdict"];
        let more = ["budget", "games", "distinct", "draws", "cut off"];
        let mut rows = Vec::new();
        let mut last = usize::MAX;
        for &(played, cell, ours, verdict) in &table.cells {
            let (declared, its) = (table.cell(played, cell), &table.played[played]);
            let paper = match declared.margin {
                Some(margin) => format!("{} ± {margin}", declared.paper),
                None => declared.paper.to_string(),
            };
            let agent = its.settings.label(declared.agent - 1);
            let mut row = vec![
                table.match_name(played).into(),
                format!("`{agent}`"),
                declared.measure.name().into(),
                paper,
                estimate_text(ours),
                verdict.map_or("no figure", Comparison::name).into(),
            ];
            // What is true of the whole match stands beside its first figure.
            row.extend(if played == last { vec![String::new(); more.len()] } else { self.facts(its) });
            last = played;
            rows.push(row);
        }
        let header = words.iter().chain(&more).map(|&word| word.into()).collect();
        let shown = Table { caption: String::new(), header, rows }.write(Format::Markdown);
        text.push_str(shown.trim_start_matches('*').trim_start());
        text.push_str(&format!("\n{}\n", summary(table)));
        text.push_str(&table.remarks());
        Ok(text)
    }

    /// Budget, games, distinct games, draws, and games cut off at the limit, with those of them that are cycles.
    fn facts(&self, played: &Played) -> Vec<String> {
        let (games, limit) = (&played.games, ply_limit(self.registry, &played.settings));
        let cut: Vec<&GameRecord> =
            games.iter().filter(|game| limit.is_some_and(|limit| cut_off(game, limit))).collect();
        let cycles = cut.iter().filter(|game| is_cycle(game)).count();
        let cycles = if cycles > 0 { format!(" ({cycles} in cycles)") } else { String::new() };
        vec![
            budget(&played.settings),
            games.len().to_string(),
            distinct(games).to_string(),
            games.iter().filter(|game| is_draw(game)).count().to_string(),
            format!("{}{cycles}", cut.len()),
        ]
    }

    fn claims_block(&self) -> Result<String, Error> {
        let all = claims()?;
        let header = ["claim", "where", "verdict", "here (95 % interval)"].map(String::from).to_vec();
        let mut text = String::new();
        for paper in papers(&all) {
            let own: Vec<&Claim> = all.iter().filter(|claim| claim.paper == paper).collect();
            let decided = self.decide(&own)?;
            let row = |(claim, (verdict, figures)): (&&Claim, (&str, String))| {
                vec![claim.text.clone(), format!("[{}](#{})", claim.place, claim.table), verdict.into(), figures]
            };
            let rows: Vec<Vec<String>> = own.iter().zip(decided).map(row).collect();
            let table = Table { caption: String::new(), header: header.clone(), rows }.write(Format::Markdown);
            text.push_str(&format!("**{paper}**\n\n{}\n", table.trim_start_matches('*').trim_start()));
        }
        Ok(text.trim_end().to_string() + "\n")
    }

    /// The verdicts on the claims of one paper and the figures they rest on; chance is corrected for over all of them.
    fn decide(&self, claims: &[&Claim]) -> Result<Vec<(&'static str, String)>, Error> {
        let mut evidence = Vec::new();
        for claim in claims {
            evidence.push(self.evidence(claim)?);
        }
        let chances: Vec<f64> = evidence.iter().flatten().flatten().map(|found| found.chance).collect();
        let mut corrected = holm(&chances).into_iter();
        let decide = |parts: Vec<Option<Evidence>>| {
            let mut worst = Decision::Holds;
            let mut figures = Vec::new();
            for part in &parts {
                let Some(part) = part else {
                    worst = worst.max(Decision::Open);
                    continue;
                };
                let is_clear = corrected.next().is_some_and(|chance| chance < LEVEL);
                let decision = match (is_clear, part.is_so, part.is_other_size) {
                    (false, ..) => Decision::Open,
                    (true, true, false) => Decision::Holds,
                    (true, true, true) => Decision::OtherSize,
                    (true, false, _) => Decision::DoesNotHold,
                };
                worst = worst.max(decision);
                figures.push(part.figures.clone());
            }
            let figures = if figures.is_empty() { "not played yet".into() } else { figures.join("; ") };
            (worst.name(), figures)
        };
        Ok(evidence.into_iter().map(decide).collect())
    }

    /// What the figures say of a claim, for each of its matches; `None` where one is missing.
    fn evidence(&self, claim: &Claim) -> Result<Vec<Option<Evidence>>, Error> {
        let table = self.table(&claim.table)?;
        let names: Vec<&str> = table.file.matches.iter().map(|entry| entry.name.as_str()).collect();
        let find = |entry: usize| table.played.iter().position(|played| played.entry == entry);
        let estimate = |played: usize, agent: usize| {
            let Played { settings, games, .. } = &table.played[played];
            claim.measure.estimate(self.registry, agent - 1, settings, games)
        };
        let other = claim.than_match.as_ref().map(|name| select_matches(&names, name)).transpose()?;
        let mut found = Vec::new();
        for entry in select_matches(&names, &claim.name)? {
            let Some(played) = find(entry) else {
                found.push(None);
                continue;
            };
            let Some(ours) = estimate(played, claim.agent)? else {
                found.push(None);
                continue;
            };
            let Played { settings, games, .. } = &table.played[played];
            let (gap, than) = match (&other, claim.than_agent, claim.than) {
                (Some(others), agent, _) => {
                    let its = match others.first().and_then(|&entry| find(entry)) {
                        Some(played) => estimate(played, agent.unwrap_or(claim.agent))?,
                        None => None,
                    };
                    let Some(its) = its else {
                        found.push(None);
                        continue;
                    };
                    (apart(ours, its), Some(its))
                }
                (None, Some(agent), _) => {
                    let Some(its) = estimate(played, agent)? else {
                        found.push(None);
                        continue;
                    };
                    let paired = (claim.measure == Measure::Rate)
                        .then(|| difference(claim.agent - 1, agent - 1, settings, games))
                        .flatten();
                    (paired.unwrap_or_else(|| apart(ours, its)), Some(its))
                }
                (None, None, Some(value)) => (minus(ours, value), None),
                (None, None, None) => (minus(ours, 100.0 * settings.even_rate()), None),
            };
            let is_other_size = table.cells.iter().any(|&(at, cell, _, verdict)| {
                let cell = table.cell(at, cell);
                at == played
                    && cell.agent == claim.agent
                    && cell.measure == claim.measure
                    && matches!(verdict, Some(Comparison::SameDirection | Comparison::Differs | Comparison::Open))
            });
            let figures = match than {
                Some(its) => format!("{} against {}", estimate_text(Some(ours)), estimate_text(Some(its))),
                None => estimate_text(Some(ours)),
            };
            let (is_so, chance) = claim.judge(gap);
            found.push(Some(Evidence { is_so, chance, is_other_size, figures }));
        }
        Ok(found)
    }

    fn totals_block(&self) -> String {
        let mut papers: BTreeMap<&str, (usize, [u64; 5], f64)> = BTreeMap::new();
        for table in &self.tables {
            for played in &table.played {
                let (sums, limit) =
                    (papers.entry(paper_of(&table.name)).or_default(), ply_limit(self.registry, &played.settings));
                let cut = || played.games.iter().filter(|game| limit.is_some_and(|limit| cut_off(game, limit)));
                let counts = [
                    played.games.len() as u64,
                    distinct(&played.games),
                    played.games.iter().filter(|game| is_draw(game)).count() as u64,
                    cut().count() as u64,
                    cut().filter(|game| is_cycle(game)).count() as u64,
                ];
                sums.0 += 1;
                sums.1.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                let time = played.games.iter().flat_map(|game| &game.costs).map(|cost| cost.time.as_secs_f64());
                sums.2 += time.sum::<f64>() / 3600.0;
            }
        }
        let header = ["paper", "matches", "games", "distinct", "draws", "cut off", "of these in cycles", "core hours"];
        let row = |(paper, (matches, counts, hours)): (&str, (usize, [u64; 5], f64))| {
            let counts = counts.iter().map(u64::to_string);
            let start = [paper.to_string(), matches.to_string()];
            start.into_iter().chain(counts).chain([format!("{hours:.1}")]).collect()
        };
        let rows = papers.into_iter().map(row).collect();
        let table = Table { caption: String::new(), header: header.map(String::from).to_vec(), rows };
        table.write(Format::Markdown).trim_start_matches('*').trim_start().into()
    }

    /// The paper's and our figures side by side.
    fn plot(&self, paper: &str) -> String {
        let mut panels = Vec::new();
        for table in self.tables.iter().filter(|table| paper_of(&table.name) == paper) {
            // A panel for each quantity that can share an axis.
            let mut kinds: Vec<Measure> = Vec::new();
            for &(played, cell, ..) in &table.cells {
                let measure = table.cell(played, cell).measure;
                if is_drawn(measure) && !kinds.contains(&measure) {
                    kinds.push(measure);
                }
            }
            for kind in kinds {
                let rows = table.cells.iter().filter_map(|&(played, cell, ours, _)| {
                    let (cell, ours) = (table.cell(played, cell), ours?);
                    let agents = table.played[played].settings.agents.len();
                    let agent = if agents > 1 { format!(", agent {}", cell.agent) } else { String::new() };
                    let name = format!("{}{agent}", table.match_name(played));
                    (cell.measure == kind).then(|| PanelRow {
                        name,
                        hollow: (cell.paper, cell.margin.map(|margin| (cell.paper - margin, cell.paper + margin))),
                        filled: (ours.value, ours.high.is_finite().then_some((ours.low, ours.high))),
                    })
                });
                let title = format!("{}: {}", table.name, kind.name());
                panels.push(Panel { title, is_rate: kind == Measure::Rate, rows: rows.collect() });
            }
        }
        let legend = ["the paper's", "ours, with 95 % intervals"];
        panels_svg(&format!("{paper}: the paper's figures and ours"), legend, &panels)
    }
}

/// What figures say of a claim.
struct Evidence {
    is_so: bool,
    /// The probability of this by chance.
    chance: f64,
    /// Whether the figure differs from the paper's.
    is_other_size: bool,
    figures: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Decision {
    Holds,
    OtherSize,
    Open,
    DoesNotHold,
}

impl Decision {
    fn name(self) -> &'static str {
        match self {
            Decision::Holds => "holds",
            Decision::OtherSize => "holds with another size",
            Decision::Open => "open",
            Decision::DoesNotHold => "does not hold here",
        }
    }
}

impl Claim {
    /// Whether the difference of the two figures is as claimed, and the probability of that, or of the contrary, by chance.
    fn judge(&self, gap: Estimate) -> (bool, f64) {
        if !gap.high.is_finite() {
            return (false, 1.0);
        }
        let error = |side: f64| (if side > 0.0 { gap.value - gap.low } else { gap.high - gap.value }) / Z;
        match self.is {
            Relation::Above => (gap.value > 0.0, two_sided(gap.value / error(gap.value))),
            Relation::Below => (gap.value < 0.0, two_sided(gap.value / error(gap.value))),
            Relation::Equal => {
                let room = self.within.unwrap_or(10.0) - gap.value.abs();
                // Towards the nearer end of the margin, or back to it.
                let side = if room > 0.0 { -gap.value } else { gap.value };
                (room > 0.0, two_sided(room / error(side)))
            }
        }
    }
}

/// Reads and compares the cells of a table.
fn measure(registry: &Registry, table: &mut Measured) -> Result<(), Error> {
    let mut estimates = Vec::new();
    for (at, played) in table.played.iter().enumerate() {
        for (index, cell) in table.file.matches[played.entry].cells.iter().enumerate() {
            let ours = cell.measure.estimate(registry, cell.agent - 1, &played.settings, &played.games)?;
            estimates.push((at, index, ours));
        }
    }
    let found: Vec<Found<'_>> = estimates
        .iter()
        .map(|&(at, index, ours)| {
            let (cell, settings) = (table.cell(at, index), &table.played[at].settings);
            Found { name: table.match_name(at), cell, even: 100.0 * settings.even_rate(), ours }
        })
        .collect();
    let verdicts = compare(&found, table.file.equivalence);
    table.cells =
        estimates.into_iter().zip(verdicts).map(|((at, index, ours), verdict)| (at, index, ours, verdict)).collect();
    Ok(())
}

/// How many figures have which verdict.
fn summary(table: &Measured) -> String {
    let mut counts: HashMap<Option<Comparison>, usize> = HashMap::new();
    table.cells.iter().for_each(|cell| *counts.entry(cell.3).or_default() += 1);
    let counted = Comparison::ALL.iter().filter_map(|verdict| {
        let count = counts.get(&Some(*verdict))?;
        Some(format!("{count} {}", verdict.name()))
    });
    let counted = counted.collect::<Vec<String>>().join(", ");
    let margin = figure(table.file.equivalence);
    let margin = margin.trim_end_matches(".0");
    let note = if table.file.note.is_empty() { String::new() } else { format!(" {}", table.file.note) };
    let is_rate = table.cells.iter().any(|&(at, index, ..)| table.cell(at, index).measure == Measure::Rate);
    let unit = if is_rate { "points of a rate" } else { "percent" };
    let sides = sides(table);
    format!(
        "{} figures: {counted}.{sides} Less than {margin} {unit} counts as no difference.{note}\n",
        table.cells.len()
    )
}

/// How many of the rates that the paper shows to be uneven are shown to be on the same side here.
fn sides(table: &Measured) -> String {
    let (mut uneven, mut same, mut other) = (0, 0, 0);
    for &(at, index, ours, _) in &table.cells {
        let (cell, even) = (table.cell(at, index), 100.0 * table.played[at].settings.even_rate());
        let theirs = cell.paper - even;
        let Some(ours) = ours.filter(|_| cell.measure == Measure::Rate && theirs.abs() > cell.margin.unwrap_or(0.0))
        else {
            continue;
        };
        uneven += 1;
        if !(ours.low..=ours.high).contains(&even) {
            if theirs * (ours.value - even) > 0.0 { same += 1 } else { other += 1 }
        }
    }
    if uneven == 0 {
        return String::new();
    }
    format!(
        " Of {uneven} rates that are uneven in the paper, {same} are shown to be so here, and {other} the other way."
    )
}

/// The budget of a match: the common one, or those of the agents, which their names show.
fn budget(settings: &MatchSettings) -> String {
    let mut agents = 0..settings.agents.len();
    let common = settings.budget.parse().unwrap_or_default();
    let has_own = |agent: usize| settings.agent_budget(agent).is_some_and(|(_, budget)| budget != common);
    if agents.all(has_own) { "by agent".into() } else { settings.budget.clone() }
}

/// The figures of the plots; times and speeds depend on the machine.
fn is_drawn(measure: Measure) -> bool {
    match measure {
        Measure::Rate
        | Measure::Depth
        | Measure::StandardDepth
        | Measure::Points
        | Measure::Difference
        | Measure::Complete
        | Measure::Partial => true,
        Measure::Nodes | Measure::Seconds | Measure::PlayoutsPerSecond | Measure::Moves | Measure::Distance => false,
    }
}

/// The papers of claims, in their order.
fn papers(claims: &[Claim]) -> Vec<&str> {
    let mut papers: Vec<&str> = claims.iter().map(|claim| claim.paper.as_str()).collect();
    papers.dedup();
    papers
}

/// The paper of a table: its name up to the year.
fn paper_of(table: &str) -> &str {
    if table.starts_with("playouts") {
        return "playout-2011";
    }
    let year = table.match_indices('-').map(|(at, _)| at).find(|&at| {
        let before = &table[..at];
        before.len() >= 4 && before[before.len() - 4..].bytes().all(|byte| byte.is_ascii_digit())
    });
    year.map_or(table, |at| &table[..at])
}

fn minus(ours: Estimate, value: f64) -> Estimate {
    Estimate { value: ours.value - value, low: ours.low - value, high: ours.high - value, ..ours }
}

/// The difference of two figures of different games.
fn apart(ours: Estimate, its: Estimate) -> Estimate {
    let value = ours.value - its.value;
    let low = value - (ours.value - ours.low).hypot(its.high - its.value);
    let high = value + (ours.high - ours.value).hypot(its.value - its.low);
    Estimate { value, low, high, games: ours.games }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> (Plan, std::path::PathBuf) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
        (Plan::parse(&std::fs::read_to_string(folder.join("plan.toml")).unwrap()).unwrap(), folder)
    }

    #[test]
    fn every_claim_names_a_table_of_the_plan_and_matches_and_agents_that_are_there() {
        let (registry, (plan, folder), all) = (Registry::standard(), plan(), claims().unwrap());
        assert!(all.len() >= 25, "{}", all.len());
        let since = ["opps-2020", "models-2006", "mix-2009", "ubfm-2021", "implicit-2014", "oma-2020"];
        let five = ["brs-2011", "pruning-2003", "brs-plus-2013", "playout-2011", "thesis-2020"];
        assert_eq!(papers(&all), [&five[..], &since].concat());
        for claim in &all {
            let run = plan.runs.iter().find(|run| run.table() == claim.table).expect(&claim.table);
            let file = run.file(&registry, &folder).unwrap();
            let names: Vec<&str> = file.matches.iter().map(|entry| entry.name.as_str()).collect();
            let others = claim.than_match.as_deref().unwrap_or(names[0]);
            assert_eq!(select_matches(&names, others).unwrap().len(), 1, "{}", claim.text);
            for entry in select_matches(&names, &claim.name).unwrap() {
                let agents = file.get(&registry, entry).unwrap().agents.len();
                let used = claim.agent.max(claim.than_agent.unwrap_or(1));
                assert!((1..=agents).contains(&used) && claim.agent > 0, "{}", claim.text);
            }
        }
    }

    fn claim(is: Relation) -> Claim {
        let mut claim = claims().unwrap().remove(0);
        (claim.is, claim.within) = (is, Some(10.0));
        claim
    }

    #[test]
    fn a_claim_is_judged_by_the_side_of_the_difference_and_its_chance() {
        let gap = |value: f64, margin: f64| Estimate { value, low: value - margin, high: value + margin, games: 100 };
        for (is, value, margin, is_so, is_clear) in [
            (Relation::Above, 5.0, 4.0, true, true),
            (Relation::Above, 5.0, 6.0, true, false),
            (Relation::Above, -5.0, 4.0, false, true),
            (Relation::Below, -5.0, 4.0, true, true),
            (Relation::Equal, 3.0, 5.0, true, true),
            (Relation::Equal, -3.0, 9.0, true, false),
            (Relation::Equal, 18.0, 5.0, false, true),
            (Relation::Equal, 12.0, 5.0, false, false),
            (Relation::Above, 5.0, f64::INFINITY, false, false),
        ] {
            let (so, chance) = claim(is).judge(gap(value, margin));
            assert_eq!((so, chance < LEVEL), (is_so, is_clear), "{is:?} {value} ± {margin}");
        }
    }

    #[test]
    fn the_paper_of_a_table_is_its_name_up_to_the_year() {
        for (table, paper) in [
            ("brs-2011-4-10k", "brs-2011"),
            ("brs-plus-2013-1-maxn", "brs-plus-2013"),
            ("playouts-focus", "playout-2011"),
            ("thesis-2020-3", "thesis-2020"),
        ] {
            assert_eq!(paper_of(table), paper);
        }
    }

    #[test]
    fn blocks_are_replaced_and_unknown_or_missing_ones_reported() {
        let registry = Registry::standard();
        let empty = Plan { games: 6, runs: Vec::new() };
        let results = Results::read(&registry, &empty, Path::new(".")).unwrap();
        let (page, plots) = results.write("a\n<!-- plot x -->\nold\n<!-- end -->\nb\n").unwrap();
        assert!(page.starts_with("a\n<!-- plot x -->\n\n![x:") && page.ends_with("\n<!-- end -->\nb\n"), "{page}");
        assert!(!page.contains("old") && plots[0].0 == "results/x.svg");
        assert_eq!(results.write(&page).unwrap().0, page);
        for (page, expected) in [
            ("<!-- polt x -->\n<!-- end -->", "unknown block"),
            ("<!-- plot x -->\n", "has no end"),
            ("<!-- table x -->\n<!-- end -->", "no table"),
        ] {
            assert!(results.write(page).unwrap_err().message.contains(expected), "{page}");
        }
        let (plan, folder) = plan();
        let one = Plan { runs: plan.runs[..1].to_vec(), ..plan };
        let error = Results::read(&registry, &one, &folder).unwrap().write("no block\n").unwrap_err();
        assert!(error.message.contains("has no block for the table"), "{error}");
        let (costs, _) =
            Results::read(&registry, &one, &folder).unwrap().write("<!-- costs -->\n<!-- end -->\n").unwrap();
        let cells = |id: &str| {
            let row = costs.lines().find(|line| line.starts_with(&format!("| {id} "))).unwrap();
            row.split('|').map(str::trim).filter(|cell| !cell.is_empty()).map(String::from).collect::<Vec<String>>()
        };
        // Every match of the first table is kept, and nothing is known of Four-Player Chess.
        let first = cells("brs-2011-1");
        assert_eq!(first[1..6], ["3", "3", "0", "0", "2600"]);
        assert!(first[6].parse::<f64>().unwrap() > 0.0, "{costs}");
        assert_eq!(cells("brs-plus-2013-1")[1..7], ["1", "0", "0", "0", "1440", "at least 0.0"]);
        assert_eq!(cells("all")[1], experiment_matches(&registry).to_string());
    }

    fn experiment_matches(registry: &Registry) -> usize {
        let matches = |id: &str| crate::experiment::experiment(registry, id).unwrap().matches.len();
        crate::experiment::EXPERIMENTS.iter().map(|(id, _)| matches(id)).sum()
    }
}
