//! The tables of papers, and other files of matches.

use std::sync::Arc;

use nply::Error;
use nply_arena::report::Table;
use nply_arena::{EXPERIMENTS, MatchFile, Scale, experiment_or_file};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::raised;
use crate::registry::standard;
use crate::tournament::{Outcome, Prepared, format_of};

/// A file of matches with the figures of a paper, or without.
#[pyclass(frozen, module = "nply")]
pub(crate) struct Experiment {
    file: Arc<MatchFile>,
    scale: Scale,
    selected: Vec<usize>,
    matches: Vec<nply_arena::Match>,
}

/// A table of a paper beside what was measured here.
#[pyclass(frozen, module = "nply")]
pub(crate) struct Compared {
    table: Table,
    summary: String,
    json: String,
}

/// The names of the experiments, each with what it compares.
#[pyfunction]
pub(crate) fn experiments(py: Python<'_>) -> PyResult<Vec<(String, String)>> {
    let title = |(id, _): &(&str, &str)| Ok((id.to_string(), nply_arena::experiment(standard(), id)?.title));
    raised(py, EXPERIMENTS.iter().map(title).collect())
}

/// The matches of an experiment, or of a file `*.toml`, at a scale.
#[pyfunction]
pub(crate) fn experiment(
    py: Python<'_>,
    id: &str,
    select: Option<&str>,
    games: Option<u64>,
    scale: f64,
    budget_scale: f64,
) -> PyResult<Experiment> {
    let read = || {
        let is_part = |part: f64| part.is_finite() && part > 0.0;
        if games == Some(0) || !is_part(scale) || !is_part(budget_scale) {
            let error = Error::usage("an experiment needs games and a budget");
            return Err(error.help("write games=120, or scale=0.1 and budget_scale=0.1"));
        }
        let file = experiment_or_file(standard(), id)?;
        let scale = Scale { games: scale, budget: budget_scale };
        let selected = file.select(select)?;
        let prepare = |&index: &usize| {
            let mut game = file.scaled(standard(), index, scale)?;
            game.games = games.unwrap_or(game.games);
            let (entry, settings) = (&file.matches[index], game.settings());
            let check = |cell: &nply_arena::Cell| cell.measure.check(standard(), &settings);
            let within = |error: Error| error.within(format_args!("match {}", entry.name));
            entry.cells.iter().try_for_each(check).and_then(|()| game.check_limits()).map_err(within)?;
            Ok(game)
        };
        let matches = selected.iter().map(prepare).collect::<Result<Vec<nply_arena::Match>, Error>>()?;
        Ok(Experiment { file: Arc::new(file), scale, selected, matches })
    };
    raised(py, read())
}

#[pymethods]
impl Experiment {
    /// Name, title, source and note, as JSON.
    fn json(&self) -> String {
        let MatchFile { id, title, source, note, .. } = &*self.file;
        json!({ "id": id, "title": title, "source": source, "note": note }).to_string()
    }

    /// The matches, with the names that they have in files of games.
    fn matches(&self) -> Vec<Prepared> {
        let prepared = |(&index, game): (&usize, &nply_arena::Match)| Prepared {
            name: self.file.kept_name(index),
            played: game.clone(),
            sprt: None,
            root: None,
        };
        self.selected.iter().zip(&self.matches).map(prepared).collect()
    }

    /// The figures of the paper beside those of the matches' games.
    fn compare(&self, py: Python<'_>, outcomes: Vec<Bound<'_, Outcome>>) -> PyResult<Compared> {
        let compare = || {
            let mut compared = nply_arena::Compared::new(&self.file, self.scale);
            for (&index, outcome) in self.selected.iter().zip(&outcomes) {
                let outcome = outcome.get();
                compared.add(standard(), index, outcome.tally.settings(), &outcome.games)?;
            }
            let (table, summary, json) = (compared.table(), compared.summary(), compared.json().to_string());
            Ok(Compared { table, summary, json })
        };
        raised(py, compare())
    }
}

#[pymethods]
impl Compared {
    /// The table as `text`, `markdown`, `csv` or `latex`.
    fn text(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        Ok(self.table.write(raised(py, format_of(format))?))
    }

    /// The table: caption, names of the columns, rows.
    fn table(&self) -> (String, Vec<String>, Vec<Vec<String>>) {
        (self.table.caption.clone(), self.table.header.clone(), self.table.rows.clone())
    }

    /// The verdicts in one line, and what to know about the table.
    #[getter]
    fn summary(&self) -> &str {
        &self.summary
    }

    /// All of it as JSON.
    fn json(&self) -> &str {
        &self.json
    }
}
