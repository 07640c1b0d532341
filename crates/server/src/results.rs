//! Results that were kept before: the files of games in the folder that the server was started with, beside the papers' figures.

use std::path::Path;
use std::sync::Mutex;

use axum::http::StatusCode;
use nply::Error;
use nply_arena::statistics::Tally;
use nply_arena::{
    Comparison, EXPERIMENTS, Found, GameRecord, KeptMatch, MatchSettings, Store, compare, experiment, report,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::App;
use crate::error::ApiError;
use crate::tournaments::{Plot, Replay, Row, plots, replay, row};

/// A file of games.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ResultsFile {
    /// Its name, to ask for it.
    pub(crate) file: String,
    /// The paper's table that it is named after.
    pub(crate) experiment: Option<String>,
    /// What that table compares.
    pub(crate) title: Option<String>,
}

/// The matches of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Results {
    file: String,
    matches: Vec<MatchResults>,
}

/// A match with its results.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MatchResults {
    name: String,
    /// Rates with 95 % intervals and more, as `nply report --json` writes them.
    report: Value,
    /// The paper's figures beside those of these games.
    cells: Vec<Value>,
    plots: Vec<Plot>,
    games: Vec<Row>,
}

/// The ends of names of files of games.
const ENDS: [&str; 2] = [".db", ".db.gz"];

fn folder(app: &App) -> Result<&Path, ApiError> {
    let folder = app.options.results.as_deref();
    folder.ok_or_else(|| ApiError::not_found("folder of results").help("start the server with --results DIR"))
}

/// Names in the folder, so that no path of a request is ever used.
fn names(app: &App) -> Result<Vec<String>, ApiError> {
    let unreadable = |error| ApiError::internal(format!("the folder of results cannot be read: {error}"));
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder(app)?).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().into_string().unwrap_or_default();
        if ENDS.iter().any(|end| name.ends_with(end)) && entry.path().is_file() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

pub(crate) fn list(app: &App) -> Result<Vec<ResultsFile>, ApiError> {
    let entry = |file: String| {
        // The longest name counts: brs-plus-2013-1 is not brs-plus-2013-10.
        let fits = EXPERIMENTS.iter().map(|(id, _)| *id).filter(|id| file.starts_with(id));
        let id = fits.max_by_key(|id| id.len());
        let title = id.and_then(|id| experiment(&app.registry, id).ok()).map(|file| file.title);
        ResultsFile { experiment: id.map(String::from), title, file }
    };
    Ok(names(app)?.into_iter().map(entry).collect())
}

/// Opens a file of the folder. Only one is open at a time: they are large.
fn with_store<T>(app: &App, file: &str, call: impl FnOnce(&Store) -> Result<T, ApiError>) -> Result<T, ApiError> {
    static OPEN: Mutex<()> = Mutex::new(());
    if !names(app)?.iter().any(|name| name == file) {
        return Err(ApiError::not_found(format_args!("file {file:?} in the folder of results")));
    }
    let _one = OPEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let store = Store::open(&folder(app)?.join(file));
    let unreadable = |error: Error| ApiError::refused("file", format!("{file} cannot be read: {}", error.message));
    // A damaged file is no fault of the server.
    store.map_err(unreadable).and_then(|store| call(&store)).map_err(|error| match error.detail.code {
        "file" => ApiError { status: StatusCode::UNPROCESSABLE_ENTITY, ..error },
        _ => error,
    })
}

pub(crate) fn whole(app: &App, file: &str) -> Result<Results, ApiError> {
    with_store(app, file, |store| {
        let matches = store.matches()?;
        let games = matches.iter().map(|kept| Ok(store.games(kept)?)).collect::<Result<Vec<_>, ApiError>>()?;
        let cells = compared(app, &matches, &games)?;
        let result = |((kept, games), cells): ((&KeptMatch, &Vec<GameRecord>), Vec<Value>)| {
            let KeptMatch { name, settings, .. } = kept;
            let tally = Tally::of(&app.registry, settings, games);
            MatchResults {
                name: name.clone(),
                report: report::json(name, &tally),
                cells,
                plots: plots(&tally),
                games: games.iter().map(|record| row(settings, record)).collect(),
            }
        };
        Ok(Results { file: file.into(), matches: matches.iter().zip(&games).zip(cells).map(result).collect() })
    })
}

/// The figures of each match that a paper has too.
fn compared(app: &App, matches: &[KeptMatch], games: &[Vec<GameRecord>]) -> Result<Vec<Vec<Value>>, ApiError> {
    let files: Vec<_> = matches
        .iter()
        .map(|kept| {
            let (id, name) = kept.name.split_once('/')?;
            let file = experiment(&app.registry, id).ok()?;
            let index = file.matches.iter().position(|entry| entry.name == name)?;
            Some((file, index))
        })
        .collect();
    let mut found = Vec::new();
    for (at, (kept, games)) in matches.iter().zip(games).enumerate() {
        let Some((file, index)) = &files[at] else { continue };
        let (entry, settings): (_, &MatchSettings) = (&file.matches[*index], &kept.settings);
        for cell in &entry.cells {
            let ours = cell.measure.estimate(&app.registry, cell.agent - 1, settings, games)?;
            found.push((at, Found { name: &entry.name, cell, even: 100.0 * settings.even_rate(), ours }));
        }
    }
    let all: Vec<Found<'_>> = found.iter().map(|(_, found)| found.clone()).collect();
    let margin = files.iter().flatten().map(|(file, _)| file.equivalence).next();
    let verdicts = margin.map_or_else(Vec::new, |margin| compare(&all, margin));
    let mut cells = vec![Vec::new(); matches.len()];
    for ((at, cell), verdict) in found.iter().zip(verdicts) {
        let ours = cell.ours.map(|ours| {
            let interval = if ours.high.is_finite() { json!([ours.low, ours.high]) } else { Value::Null };
            json!({ "value": ours.value, "interval": interval, "games": ours.games })
        });
        cells[*at].push(json!({
            "agent": cell.cell.agent - 1, "measure": cell.cell.measure.name(),
            "paper": { "value": cell.cell.paper, "margin": cell.cell.margin }, "here": ours,
            "verdict": verdict.map(Comparison::name), "note": cell.cell.note,
        }));
    }
    Ok(cells)
}

pub(crate) fn game(app: &App, file: &str, name: &str, number: u64) -> Result<Replay, ApiError> {
    with_store(app, file, |store| {
        let kept = store.matches()?.into_iter().find(|kept| kept.name == name);
        let kept = kept.ok_or_else(|| ApiError::not_found(format_args!("match {name:?}")))?;
        let record = store.game(&kept, number)?;
        replay(app, &kept.settings, &record.ok_or_else(|| ApiError::not_found(format_args!("game {number}")))?)
    })
}
