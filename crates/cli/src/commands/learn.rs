//! `nply learn`.

use std::io::Write;

use nply::Error;
use nply_games::rolit::Method;
use nply_games::rolit::learn::{Report, learn};
use nply_games::rolit::wthor::{self, Record};
use serde_json::json;

use super::App;
use super::tournament::{save, try_writing};
use crate::args::{self, Learn};
use crate::output::{Failure, Out, table};

/// The provenance that is written into the file.
const SOURCE: &str = "WTHOR, the games kept by the French Othello Federation";

pub(super) fn run(asked: &Learn, app: &App, out: &mut Out) -> Result<(), Failure> {
    let Learn::Rolit { wthor: folder, out: file, until, method } = asked;
    try_writing(file)?;
    let records = wthor::read_folder(folder).map_err(|error| Error::file(error.to_string()))?;
    let is_early = |game: &Record| until.is_none_or(|year| game.year <= year);
    let (early, late): (Vec<Record>, Vec<Record>) = records.into_iter().partition(is_early);
    if early.is_empty() {
        return Err(Error::failed(format!("there are no games to learn from in {}", folder.display())).into());
    }
    let method = match method {
        args::Method::Averages => Method::Averages,
        args::Method::Regression => Method::Regression,
    };
    let patterns = learn(method, SOURCE, &early);
    let tested = if late.is_empty() { &early } else { &late };
    let report = Report::new(&patterns, tested);
    let bytes = patterns.to_bytes();
    save(file, &bytes)?;
    if app.common.json {
        let stages: Vec<_> = report
            .stages
            .iter()
            .map(
                |stage| json!({ "positions": stage.positions, "correlation": stage.correlation, "error": stage.error }),
            )
            .collect();
        let learned = json!({
            "games": early.len(), "positions": patterns.provenance().positions, "bytes": bytes.len(),
            "tested_games": report.games, "tested_positions": report.positions, "stages": stages,
        });
        writeln!(out, "{learned}")?;
        return Ok(());
    }
    let which = if late.is_empty() { "the same" } else { "later" };
    writeln!(out, "learned from {} games, {} positions", early.len(), patterns.provenance().positions)?;
    writeln!(out, "compared with {} {which} games, {} positions\n", report.games, report.positions)?;
    let mut rows = vec![["plies", "positions", "correlation", "mean error in discs"].map(String::from).to_vec()];
    for (index, stage) in report.stages.iter().enumerate() {
        let plies = format!("{}-{}", 5 * index, 5 * index + 4);
        let (correlation, error) = (format!("{:.3}", stage.correlation), format!("{:.2}", stage.error));
        rows.push(vec![plies, stage.positions.to_string(), correlation, error]);
    }
    table(out, &rows)?;
    writeln!(out, "\n{} bytes written to {}", bytes.len(), file.display())?;
    Ok(())
}
