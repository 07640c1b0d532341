//! `nply report`.

use std::io::{IsTerminal, Write};

use nply::Error;
use nply_arena::{
    GameRecord, KeptMatch, MatchSettings, Parquet, Registry, Store, csv_header, game_json, games_csv, report,
};

use super::App;
use super::plots::Plots;
use crate::args::{Form, Report};
use crate::output::{Failure, Out};

pub(super) fn run(asked: &Report, app: &App, out: &mut Out) -> Result<(), Failure> {
    let App { registry, common } = app;
    asked.waiting.set(|| false);
    let form = if common.json { Form::Json } else { asked.format };
    if asked.list_games && matches!(form, Form::Markdown | Form::Latex) {
        let error = Error::usage("games are written as CSV, JSON or Parquet");
        return Err(error.help("write --format csv, --format json or --format parquet").into());
    }
    let store = Store::open(&asked.db)?;
    let matches = store.select(asked.name.as_deref())?;
    if form == Form::Parquet {
        return write_parquet(asked, &store, &matches, out);
    }
    let mut plots = asked.plots.svg.as_deref().map(|path| Plots::new(path, registry, matches.len())).transpose()?;
    for (index, kept) in matches.iter().enumerate() {
        let games = store.games(kept)?;
        match format(form) {
            _ if asked.list_games => write_games(out, kept, &games, form, index == 0)?,
            Some(format) => {
                if index > 0 {
                    writeln!(out)?;
                }
                write_tables(out, registry, kept, &games, format)?;
            }
            None => writeln!(out, "{}", report::json(registry, &kept.name, &kept.settings, &games))?,
        }
        if let Some(plots) = &mut plots {
            plots.draw(&kept.name, &kept.settings, &games)?;
        }
    }
    Ok(plots.map_or(Ok(()), Plots::finish)?)
}

/// Writes the games of all matches as one Parquet file.
fn write_parquet(asked: &Report, store: &Store, matches: &[KeptMatch], out: &mut Out) -> Result<(), Failure> {
    let mut file = Parquet::new()?;
    if !asked.list_games || asked.plots.svg.is_some() {
        let error = Error::usage("only games are written as Parquet");
        return Err(error.help("write --list-games --format parquet > FILE").into());
    }
    if std::io::stdout().is_terminal() {
        return Err(Error::usage("a terminal cannot show Parquet").help("write > FILE at the end").into());
    }
    for kept in matches {
        file.add(&kept.name, &kept.settings, &store.games(kept)?)?;
    }
    Ok(out.write_all(&file.finish()?)?)
}

/// The format of tables; JSON and Parquet have none.
pub(super) fn format(form: Form) -> Option<report::Format> {
    match form {
        Form::Text => Some(report::Format::Text),
        Form::Markdown => Some(report::Format::Markdown),
        Form::Csv => Some(report::Format::Csv),
        Form::Latex => Some(report::Format::Latex),
        Form::Json | Form::Parquet => None,
    }
}

fn write_tables(
    out: &mut Out,
    registry: &Registry,
    kept: &KeptMatch,
    games: &[GameRecord],
    format: report::Format,
) -> Result<(), Failure> {
    let MatchSettings { seed, version, .. } = &kept.settings;
    let about = format!("{}, seed {seed}, nply {version}", kept.name);
    match format {
        report::Format::Text => writeln!(out, "{about}\n")?,
        report::Format::Markdown => writeln!(out, "## {about}\n")?,
        report::Format::Latex => writeln!(out, "% {about}")?,
        report::Format::Csv => {}
    }
    for (index, table) in report::tables(registry, &kept.settings, games).iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write!(out, "{}", table.write(format))?;
    }
    Ok(())
}

fn write_games(
    out: &mut Out,
    kept: &KeptMatch,
    games: &[GameRecord],
    form: Form,
    is_first: bool,
) -> Result<(), Failure> {
    if form == Form::Json {
        for record in games {
            writeln!(out, "{}", game_json(&kept.name, &kept.settings, record))?;
        }
        return Ok(());
    }
    if is_first {
        write!(out, "{}", csv_header())?;
    }
    Ok(write!(out, "{}", games_csv(&kept.name, &kept.settings, games))?)
}
