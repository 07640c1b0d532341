//! Plans: which matches of which experiments are played, how many games of each, in which order, and in which files they are kept.
//!
//! ```
//! use nply_arena::Plan;
//! let plan = Plan::parse(r#"
//!     games = 126
//!     [[run]]
//!     id = "brs-2011-4"
//!     match = "3-250"
//!     [[run]]
//!     id = "brs-2011-4"
//!     match = "rolit-3-250"
//!     budget-scale = 0.04
//!     variant = "10k"
//! "#).unwrap();
//! assert_eq!(plan.runs[0].file_name(), "brs-2011-4.db.gz");
//! assert_eq!(plan.runs[1].table(), "brs-2011-4-10k");
//! assert_eq!(plan.runs[1].command(126), "nply reproduce brs-2011-4 --games 126 --match rolit-3-250 --budget-scale 0.04");
//! ```

use std::path::Path;

use nply::Error;
use serde::Deserialize;

use crate::experiment::{MatchFile, Scale, changed, experiment};
use crate::matches::Match;
use crate::registry::Registry;
use crate::schedule::Seating;

/// Runs of experiments, in the order in which they are played.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The number of games of runs that give none.
    pub games: u64,
    /// The runs.
    #[serde(rename = "run")]
    pub runs: Vec<Run>,
}

/// Matches of one experiment, kept in one file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Run {
    /// The experiment, or a file of matches beside the plan, `*.toml`.
    pub id: String,
    /// The matches, as `--match` selects them; all without a text.
    #[serde(rename = "match")]
    pub name: Option<String>,
    /// Number of games of each match, rounded up to a multiple of the seatings.
    pub games: Option<u64>,
    /// The part of the paper's nodes, playouts and time.
    #[serde(default = "whole")]
    pub budget_scale: f64,
    /// Settings added to every agent, such as `partial=no`.
    pub with: Option<String>,
    /// Which seatings are played, if not all.
    pub seating: Option<Seating>,
    /// Sets a second table of the same experiment apart, such as one with another budget.
    pub variant: Option<String>,
    /// The part of the table that the file holds, if that is not all of it.
    pub part: Option<String>,
}

fn whole() -> f64 {
    1.0
}

/// A match of a run.
#[derive(Clone)]
pub struct Planned {
    /// Its name in the file of games.
    pub name: String,
    /// Its index in the file of matches.
    pub index: usize,
    /// The match.
    pub game: Match,
}

impl Plan {
    /// Reads a plan.
    pub fn parse(text: &str) -> Result<Plan, Error> {
        let plan: Plan = toml::from_str(text).map_err(|error| {
            let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
            let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            Error::usage(format!("line {line}: {message}"))
        })?;
        let is_positive = |scale: f64| scale > 0.0 && scale.is_finite();
        for run in &plan.runs {
            if plan.games(run) == 0 || !is_positive(run.budget_scale) {
                let message = format!("run {} has no games or no budget", run.id);
                return Err(Error::usage(message).help("write games = 126, and a budget-scale above 0 or none"));
            }
        }
        Ok(plan)
    }

    /// Number of games of each match of a run.
    pub fn games(&self, run: &Run) -> u64 {
        run.games.unwrap_or(self.games)
    }
}

impl Run {
    /// The table that its matches are rows of: the experiment, with the variant.
    pub fn table(&self) -> String {
        let name = Path::new(&self.id).file_stem().and_then(|name| name.to_str()).unwrap_or(&self.id);
        let variant = self.variant.as_ref().map(|variant| format!("-{variant}")).unwrap_or_default();
        format!("{name}{variant}")
    }

    /// The packed file that keeps its games.
    pub fn file_name(&self) -> String {
        let part = self.part.as_ref().map(|part| format!("-{part}")).unwrap_or_default();
        format!("{}{part}.db.gz", self.table())
    }

    /// The command that plays it with so many games.
    pub fn command(&self, games: u64) -> String {
        let folder = if self.id.ends_with(".toml") { "results/" } else { "" };
        let name = self.name.as_ref().map(|name| format!(" --match {name}")).unwrap_or_default();
        let scale =
            if self.budget_scale == 1.0 { String::new() } else { format!(" --budget-scale {}", self.budget_scale) };
        let with = self.with.as_ref().map(|with| format!(" --with {with}")).unwrap_or_default();
        let seating = if self.seating == Some(Seating::Fixed) { " --seating fixed" } else { "" };
        format!("nply reproduce {folder}{} --games {games}{name}{scale}{with}{seating}", self.id)
    }

    /// The experiment; `folder` is that of the plan.
    pub fn file(&self, registry: &Registry, folder: &Path) -> Result<MatchFile, Error> {
        if !self.id.ends_with(".toml") {
            return experiment(registry, &self.id);
        }
        let path = folder.join(&self.id);
        let shown = path.display();
        let text =
            std::fs::read_to_string(&path).map_err(|error| Error::file(format!("cannot read {shown}: {error}")))?;
        MatchFile::parse(registry, &text).map_err(|error| error.within(&shown))
    }

    /// Its matches, with so many games each, on one thread.
    pub fn matches(&self, registry: &Registry, file: &MatchFile, games: u64) -> Result<Vec<Planned>, Error> {
        let selected = file.select(self.name.as_deref())?;
        let planned = |index: usize| {
            let scaled = file.scaled(registry, index, Scale { games: 1.0, budget: self.budget_scale })?;
            let game = changed(scaled, self.with.as_deref(), self.seating)?;
            Ok(Planned { name: file.kept_name(index), index, game: Match { games, ..game } })
        };
        selected.into_iter().map(planned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_line_or_the_run() {
        for (text, expected) in [
            ("games = 6\n[[run]]\nid = \"x\"\ngmaes = 7", "line 4: unknown field `gmaes`"),
            ("games = 0\n[[run]]\nid = \"x\"", "run x has no games or no budget"),
            ("games = 6\n[[run]]\nid = \"x\"\nbudget-scale = -1.0", "run x has no games or no budget"),
            ("games = 6\n[[run]]\nid = \"x\"\nbudget-scale = nan", "run x has no games or no budget"),
        ] {
            let error = Plan::parse(text).unwrap_err();
            assert!(error.message.contains(expected), "{error}");
        }
    }

    #[test]
    fn the_plan_of_the_results_names_matches_that_exist_and_no_match_twice_in_a_file() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
        let plan = Plan::parse(&std::fs::read_to_string(folder.join("plan.toml")).unwrap()).unwrap();
        let (registry, mut seen) = (Registry::standard(), std::collections::HashSet::new());
        for run in &plan.runs {
            let file = run.file(&registry, &folder).unwrap();
            for planned in run.matches(&registry, &file, plan.games(run)).unwrap() {
                planned.game.check_limits().unwrap();
                assert!(seen.insert((run.table(), planned.name.clone())), "{} twice in {}", planned.name, run.table());
            }
        }
    }
}
