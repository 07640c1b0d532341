//! `nply report`.

use std::io::{IsTerminal, Write};

use nply_arena::{Error, Experiment, Parquet, Played, Settings, Store, report};
use serde_json::json;

use super::plots::{self, DepthByTime};
use crate::args::{Common, Form, Report};
use crate::output::{Failure, Out};

pub(super) fn run(asked: &Report, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let store = Store::open(&asked.db)?;
    let experiments = match &asked.experiment {
        Some(name) => vec![store.experiment(Some(name))?],
        None => store.experiments()?,
    };
    if experiments.is_empty() {
        return Err(Error::failed(format!("{} holds no experiment", asked.db.display())).into());
    }
    let form = if common.json { Form::Json } else { asked.format };
    if form == Form::Parquet {
        return write_parquet(asked, &store, &experiments, out);
    }
    if asked.games && matches!(form, Form::Markdown | Form::Latex) {
        let error = Error::usage("games are written as comma-separated values, JSON or Parquet");
        return Err(error.help("write --format csv, --format json or --format parquet").into());
    }
    if let Some(folder) = &asked.svg {
        std::fs::create_dir_all(folder)
            .map_err(|error| Error::failed(format!("cannot make {}: {error}", folder.display())))?;
    }
    let mut by_time = DepthByTime::default();
    for (index, experiment) in experiments.iter().enumerate() {
        let games = store.games(experiment)?;
        match format(form) {
            _ if asked.games => write_games(out, experiment, &games, form, index == 0)?,
            Some(format) => {
                if index > 0 {
                    writeln!(out)?;
                }
                write_tables(out, experiment, &games, format)?;
            }
            None => {
                let mut value = report::json(&experiment.settings, &games);
                value["name"] = json!(experiment.name);
                writeln!(out, "{value}")?;
            }
        }
        if let Some(folder) = &asked.svg {
            plots::draw(folder, experiment, &games)?;
            by_time.add(&experiment.settings, &games);
        }
    }
    if let Some(folder) = &asked.svg {
        by_time.draw(folder)?;
    }
    Ok(())
}

/// Writes the games of all experiments as one Parquet file.
fn write_parquet(asked: &Report, store: &Store, experiments: &[Experiment], out: &mut Out) -> Result<(), Failure> {
    if !asked.games || asked.svg.is_some() {
        return Err(Error::usage("Parquet is for games alone").help("write --games --format parquet > FILE").into());
    }
    if std::io::stdout().is_terminal() {
        return Err(Error::usage("Parquet is nothing to read on a terminal").help("write > FILE after it").into());
    }
    let mut file = Parquet::default();
    for experiment in experiments {
        file.add(&experiment.name, &experiment.settings, &store.games(experiment)?);
    }
    Ok(out.write_all(&file.finish())?)
}

/// How tables are written in this form; JSON and Parquet have none.
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
    experiment: &Experiment,
    games: &[Played],
    format: report::Format,
) -> Result<(), Failure> {
    let Settings { seed, version, .. } = &experiment.settings;
    let about = format!("{}, seed {seed}, nply {version}", experiment.name);
    match format {
        report::Format::Text => writeln!(out, "{about}\n")?,
        report::Format::Markdown => writeln!(out, "## {about}\n")?,
        report::Format::Latex => writeln!(out, "% {about}")?,
        report::Format::Csv => {}
    }
    for (index, table) in report::tables(&experiment.settings, games).iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write!(out, "{}", table.write(format))?;
    }
    Ok(())
}

fn write_games(
    out: &mut Out,
    experiment: &Experiment,
    games: &[Played],
    form: Form,
    is_first: bool,
) -> Result<(), Failure> {
    if form == Form::Json {
        for played in games {
            let mut value = report::game_json(&experiment.settings, played);
            value["experiment"] = json!(experiment.name);
            writeln!(out, "{value}")?;
        }
        return Ok(());
    }
    let text = report::games_csv(&experiment.settings, games);
    for (line, text) in text.lines().enumerate() {
        match line {
            0 if is_first => writeln!(out, "experiment,{text}")?,
            0 => {}
            _ => writeln!(out, "{},{text}", report::csv_field(&experiment.name))?,
        }
    }
    Ok(())
}
