//! `nply reproduce`.

use std::io::Write;

use nply::Error;
use nply_arena::{Compared, EXPERIMENTS, Match, MatchFile, Scale, changed, experiment, experiment_or_file};
use serde_json::json;

use super::App;
use super::plan;
use super::plots::Plots;
use super::report::format;
use super::shards::Place;
use super::stop::is_stopped;
use super::tournament::{check, play, stopped};
use crate::args::{Form, Reproduce, Seats};
use crate::output::{self, Failure, Out, table};

pub(super) fn run(asked: &Reproduce, app: &App, out: &mut Out) -> Result<(), Failure> {
    let App { registry, common } = app;
    asked.waiting.set(is_stopped);
    if matches!(asked.format, Form::Parquet | Form::Npgn | Form::Pgn4) {
        let error = Error::usage("a comparison is not written as games are");
        return Err(error.help("write --format json, or keep the games with --db and use `nply report`").into());
    }
    if let Some(page) = &asked.page {
        return plan::write_page(asked, app, page);
    }
    if let Some(path) = &asked.plan {
        return plan::run(asked, app, path);
    }
    let Some(id) = &asked.id else {
        if asked.name.is_some()
            || asked.db.is_some()
            || asked.shard.is_some()
            || asked.games.is_some()
            || asked.plots.svg.is_some()
        {
            return Err(Error::usage("which experiment?").help("`nply reproduce` lists them").into());
        }
        return list(app, out);
    };
    if asked.games == Some(0) {
        return Err(Error::usage("0 games show nothing").help("write --games 120").into());
    }
    let file = experiment_or_file(registry, id)?;
    let selected = file.select(asked.name.as_deref())?;
    let matches = selected.iter().map(|&index| prepared(asked, app, &file, index));
    let matches = matches.collect::<Result<Vec<(String, Match)>, Error>>()?;
    let mut plots = asked.plots.svg.as_deref().map(|path| Plots::new(path, matches.len())).transpose()?;
    let place = Place::new(asked.db.as_deref(), asked.shard)?;
    check(&matches, place)?;
    place.begin(&matches)?;
    let mut compared = Compared::new(&file, Scale { games: asked.scale, budget: asked.budget_scale });
    let mut interrupted = None;
    for (at, (name, game)) in matches.iter().enumerate() {
        let entry = &file.matches[selected[at]];
        if !common.quiet {
            let (total, budget) = (place.total(game), &game.budget);
            eprintln!("{} of {}: {}, {total} games, {budget}", at + 1, matches.len(), entry.name);
        }
        let mut games = Vec::new();
        let outcome = play(game, name, place, None, app, |record| {
            games.push(record.clone());
            Ok(())
        })?;
        compared.add(registry, selected[at], &game.settings(), &games)?;
        if let Some(plots) = &mut plots {
            plots.draw(name, &outcome.tally)?;
        }
        if !outcome.is_done {
            interrupted = Some(stopped(&outcome, game, place));
            break;
        }
    }
    let form = if common.json { Form::Json } else { asked.format };
    write(out, &compared, form)?;
    out.flush()?;
    plots.map_or(Ok(()), Plots::finish)?;
    interrupted.map_or(Ok(()), |error| Err(error.into()))
}

/// A match at the scale asked for, with its name in a file of games.
fn prepared(asked: &Reproduce, app: &App, file: &MatchFile, index: usize) -> Result<(String, Match), Error> {
    let App { registry, common } = app;
    let entry = &file.matches[index];
    let mut game = file.scaled(registry, index, Scale { games: asked.scale, budget: asked.budget_scale })?;
    if asked.budget_scale != 1.0 && file.get(registry, index)?.settings() == game.settings() {
        let message = format!("--budget-scale changes nothing in match {}, which is limited by depth", entry.name);
        return Err(Error::usage(message).help("leave it out, or select other matches with --match"));
    }
    let within = |error: Error| error.within(format_args!("match {}", entry.name));
    game = changed(game, asked.with.as_deref(), asked.seating.map(Seats::seating)).map_err(within)?;
    game.games = asked.games.unwrap_or(game.games);
    (game.threads, game.progress) = (common.threads(), output::progress);
    let settings = game.settings();
    let measured = entry.cells.iter().try_for_each(|cell| cell.measure.check(registry, &settings));
    measured.map_err(within)?;
    Ok((file.kept_name(index), game))
}

fn list(app: &App, out: &mut Out) -> Result<(), Failure> {
    let App { registry, common } = app;
    let mut rows = vec![["experiment", "matches", "games", "about"].map(String::from).to_vec()];
    for (id, _) in EXPERIMENTS {
        let file = experiment(registry, id)?;
        let totals = (0..file.matches.len()).map(|index| Ok(file.get(registry, index)?.total()));
        let games: u64 = totals.sum::<Result<u64, Error>>()?;
        if common.json {
            let matches: Vec<&str> = file.matches.iter().map(|entry| entry.name.as_str()).collect();
            let line = json!({ "id": id, "title": file.title, "source": file.source, "note": file.note, "games": games, "matches": matches });
            writeln!(out, "{line}")?;
        }
        rows.push(vec![id.to_string(), file.matches.len().to_string(), games.to_string(), file.title]);
    }
    if !common.json {
        table(out, &rows)?;
    }
    Ok(())
}

fn write(out: &mut Out, compared: &Compared<'_>, form: Form) -> Result<(), Failure> {
    let Some(format) = format(form) else { return Ok(writeln!(out, "{}", compared.json())?) };
    write!(out, "{}", compared.table().write(format))?;
    if !matches!(form, Form::Csv | Form::Latex) {
        write!(out, "\n{}", compared.summary())?;
    }
    Ok(())
}
