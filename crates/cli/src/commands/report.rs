//! `nply report`.

use std::io::Write;
use std::path::Path;

use nply_arena::{Error, Experiment, Played, Settings, Store, lengths_svg, lines_svg, report};
use serde_json::json;

use super::tournament::{rates, save};
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
    if asked.games && matches!(form, Form::Markdown | Form::Latex) {
        let error = Error::usage("games are written as comma-separated values or JSON");
        return Err(error.help("write --format csv or --format json").into());
    }
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
            draw(folder, experiment, &games)?;
        }
    }
    Ok(())
}

/// How tables are written in this form; JSON has none.
pub(super) fn format(form: Form) -> Option<report::Format> {
    match form {
        Form::Text => Some(report::Format::Text),
        Form::Markdown => Some(report::Format::Markdown),
        Form::Csv => Some(report::Format::Csv),
        Form::Latex => Some(report::Format::Latex),
        Form::Json => None,
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

/// Draws all plots of an experiment; their files are named after it.
fn draw(folder: &Path, experiment: &Experiment, games: &[Played]) -> Result<(), Error> {
    let settings = &experiment.settings;
    std::fs::create_dir_all(folder)
        .map_err(|error| Error::failed(format!("cannot make {}: {error}", folder.display())))?;
    let name: String = experiment.name.chars().map(|c| if c.is_alphanumeric() || c == '.' { c } else { '-' }).collect();
    let title = format!("{}, {} players, {} games", settings.game, settings.players, games.len());
    let lengths: Vec<usize> = games.iter().map(|played| played.moves.len()).collect();
    for (what, svg) in [
        ("rates", rates(settings, games)),
        ("lengths", lengths_svg(&title, &lengths)),
        ("depths", lines_svg(&title, "own move", "mean depth", &by_move(settings, games, |step| step.depth.into()))),
        (
            "times",
            lines_svg(
                &title,
                "own move",
                "mean time in ms",
                &by_move(settings, games, |step| step.time.as_secs_f64() * 1e3),
            ),
        ),
    ] {
        save(&folder.join(format!("{name}-{what}.svg")), &svg)?;
    }
    Ok(())
}

/// For each kind the mean of a value over its first moves, its second moves, and so on, while a tenth of its games last.
fn by_move(
    settings: &Settings,
    games: &[Played],
    value: fn(&nply_arena::Step) -> f64,
) -> Vec<(String, Vec<(f64, f64)>)> {
    let mut sums: Vec<Vec<(u64, f64)>> = vec![Vec::new(); settings.agents.len()];
    for played in games {
        let mut made = vec![0; played.seating.len()];
        for step in &played.steps {
            let (kind, at) = (played.seating[step.seat], made[step.seat]);
            made[step.seat] += 1;
            let sums = &mut sums[kind];
            sums.resize(sums.len().max(at + 1), (0, 0.0));
            sums[at].0 += 1;
            sums[at].1 += value(step);
        }
    }
    let line = |(name, sums): (&String, &Vec<(u64, f64)>)| {
        let enough = sums.first().map_or(0, |first| first.0.div_ceil(10));
        let lasting = sums.iter().take_while(|(count, _)| *count >= enough).enumerate();
        let points = lasting.map(|(at, (count, sum))| (at as f64 + 1.0, sum / *count as f64));
        (name.clone(), points.collect())
    };
    settings.agents.iter().zip(&sums).map(line).collect()
}
