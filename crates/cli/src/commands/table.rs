//! `nply table`.

use std::io::Write;
use std::time::Instant;

use nply::Error;
use nply_games::chinese_checkers::{DistanceTable, TableError};
use serde_json::json;

use super::App;
use crate::args::{Table, Tabled};
use crate::output::{Failure, Out, progress};

pub(super) fn run(asked: &Table, app: &App, out: &mut Out) -> Result<(), Failure> {
    let common = &app.common;
    let (Table::Build { game } | Table::Verify { game } | Table::Path { game }) = asked;
    let Tabled::ChineseCheckers = game;
    let failed =
        |error: TableError| Error::failed(error.to_string()).help("nply table build chinese-checkers builds it anew");
    let path = DistanceTable::path().map_err(failed)?;
    let histogram = match asked {
        Table::Path { .. } if common.json => return Ok(writeln!(out, "{}", json!({ "path": path }))?),
        Table::Path { .. } => return Ok(writeln!(out, "{}", path.display())?),
        Table::Verify { .. } => DistanceTable::verify(&path).map_err(failed)?,
        Table::Build { .. } => {
            let started = Instant::now();
            let report = |done: f64| {
                if !common.quiet {
                    progress("building the distance table", done);
                }
            };
            let table = DistanceTable::load_or_build(&report).map_err(Error::from)?;
            if !common.quiet {
                eprintln!("{} after {:.1} s", path.display(), started.elapsed().as_secs_f64());
            }
            table.histogram()
        }
    };
    if common.json {
        return Ok(writeln!(out, "{}", json!({ "path": path, "histogram": histogram }))?);
    }
    for (value, count) in histogram.iter().enumerate() {
        writeln!(out, "{value} {count}")?;
    }
    Ok(())
}
