//! `nply report`.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use nply::Error;
use nply_arena::npgn::{self, Reader, Transcript};
use nply_arena::pgn4;
use nply_arena::statistics::Tally;
use nply_arena::{
    GameRecord, KeptMatch, MatchSettings, Parquet, Store, csv_header, game_json, games_csv, report, select_matches,
};

use super::App;
use super::plots::Plots;
use crate::args::{Form, Report};
use crate::output::{Failure, Out, note};

pub(super) fn run(asked: &Report, app: &App, out: &mut Out) -> Result<(), Failure> {
    let App { registry, common } = app;
    asked.waiting.set(|| false);
    let form = if common.json { Form::Json } else { asked.format };
    if asked.list_games && matches!(form, Form::Markdown | Form::Latex) {
        let error = Error::usage("games are written as CSV, JSON, text or Parquet");
        return Err(error.help("write --format csv, --format json, --format npgn or --format parquet").into());
    }
    if let Form::Npgn | Form::Pgn4 = form {
        return write_text(asked, app, out);
    }
    let store = open(asked, app)?;
    let matches = store.select(asked.name.as_deref())?;
    if form == Form::Parquet {
        return write_parquet(asked, &store, &matches);
    }
    let mut plots = asked.plots.svg.as_deref().map(|path| Plots::new(path, matches.len())).transpose()?;
    for (index, kept) in matches.iter().enumerate() {
        let mut tally = (!asked.list_games || plots.is_some()).then(|| Tally::new(registry, &kept.settings));
        if asked.list_games && form != Form::Json && index == 0 {
            write!(out, "{}", csv_header())?;
        }
        // Reading goes on after a failure to write, which is reported afterwards.
        let mut written = Ok(());
        store.each(kept, 0..u64::MAX, u64::MAX, |record| {
            tally.iter_mut().for_each(|tally| tally.add(&record));
            if asked.list_games && written.is_ok() {
                written = write_game(out, kept, &record, form);
            }
        })?;
        written?;
        let Some(tally) = tally else { continue };
        match format(form) {
            _ if asked.list_games => {}
            Some(format) => {
                if index > 0 {
                    writeln!(out)?;
                }
                write_tables(out, kept, &tally, format)?;
            }
            None => writeln!(out, "{}", report::json(&kept.name, &tally))?,
        }
        if let Some(plots) = &mut plots {
            plots.draw(&kept.name, &tally)?;
        }
    }
    Ok(plots.map_or(Ok(()), Plots::finish)?)
}

/// Opens a file of games, or reads games as text, of which those that are unfinished do not count.
fn open(asked: &Report, app: &App) -> Result<Store, Error> {
    if !npgn::is_text(&asked.db) {
        return Store::open(&asked.db);
    }
    let (store, unfinished) = Store::read_text(&asked.db, &app.registry)?;
    if unfinished > 0 {
        note(&format!("{unfinished} unfinished games are left out"));
    }
    Ok(store)
}

/// Writes the games of all matches as text, one after another. Those that the format cannot hold are left out; it is an error if
/// that are all.
fn write_text(asked: &Report, app: &App, out: &mut Out) -> Result<(), Failure> {
    if !asked.list_games || asked.plots.svg.is_some() {
        let error = Error::usage("only games are written as npgn or pgn4");
        return Err(error.help("write --list-games --format npgn").into());
    }
    let (mut written, mut left_out, mut why) = (0, 0, None);
    let mut write = |game: &Transcript| -> Result<(), Failure> {
        if asked.format == Form::Npgn {
            return Ok(npgn::write(out, game)?);
        }
        match pgn4::text(game) {
            Ok(text) => {
                written += 1;
                out.write_all(text.as_bytes())?;
            }
            Err(error) => {
                left_out += 1;
                why.get_or_insert(error);
            }
        }
        Ok(())
    };
    if npgn::is_text(&asked.db) {
        let selected = asked.name.as_deref().map(|texts| selected(&asked.db, texts)).transpose()?;
        for game in Reader::open(&asked.db)? {
            let game = game?;
            let name = game.name().unwrap_or(npgn::NAMELESS);
            if selected.as_ref().is_none_or(|names| names.contains(name)) {
                write(&game.check(&app.registry)?)?;
            }
        }
    } else {
        let store = Store::open(&asked.db)?;
        for kept in store.select(asked.name.as_deref())? {
            let mut done = Ok(());
            store.each(&kept, 0..u64::MAX, u64::MAX, |record| {
                if done.is_ok() {
                    done = write(&Transcript::from_record(&kept.name, &kept.settings, &record));
                }
            })?;
            done?;
        }
    }
    match why {
        Some(error) if written == 0 => Err(error.into()),
        Some(error) => {
            note(&format!("{left_out} games are left out: the first is {}", error.message));
            Ok(())
        }
        None => Ok(()),
    }
}

/// The matches of a text that are selected as those of a file are.
fn selected(path: &Path, texts: &str) -> Result<BTreeSet<String>, Error> {
    let mut names = BTreeSet::new();
    for game in Reader::open(path)? {
        names.insert(game?.name().unwrap_or(npgn::NAMELESS).to_string());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(select_matches(&names, texts)?.into_iter().map(|index| names[index].into()).collect())
}

/// Writes the games of all matches as one Parquet file.
fn write_parquet(asked: &Report, store: &Store, matches: &[KeptMatch]) -> Result<(), Failure> {
    Parquet::check()?;
    if !asked.list_games || asked.plots.svg.is_some() {
        let error = Error::usage("only games are written as Parquet");
        return Err(error.help("write --list-games --format parquet > FILE").into());
    }
    if std::io::stdout().is_terminal() {
        return Err(Error::usage("a terminal cannot show Parquet").help("write > FILE at the end").into());
    }
    let mut file = Parquet::new(Box::new(BufWriter::new(std::io::stdout())))?;
    for kept in matches {
        file.begin(&kept.name, &kept.settings)?;
        let mut written = Ok(());
        store.each(kept, 0..u64::MAX, u64::MAX, |record| {
            if written.is_ok() {
                written = file.add(&record);
            }
        })?;
        written?;
    }
    Ok(file.finish()?)
}

/// The format of tables; JSON has none, nor have formats of games.
pub(super) fn format(form: Form) -> Option<report::Format> {
    match form {
        Form::Text => Some(report::Format::Text),
        Form::Markdown => Some(report::Format::Markdown),
        Form::Csv => Some(report::Format::Csv),
        Form::Latex => Some(report::Format::Latex),
        Form::Json | Form::Parquet | Form::Npgn | Form::Pgn4 => None,
    }
}

fn write_tables(out: &mut Out, kept: &KeptMatch, tally: &Tally, format: report::Format) -> Result<(), Failure> {
    let MatchSettings { seed, version, .. } = &kept.settings;
    let about = format!("{}, seed {seed}, nply {version}", kept.name);
    match format {
        report::Format::Text => writeln!(out, "{about}\n")?,
        report::Format::Markdown => writeln!(out, "## {about}\n")?,
        report::Format::Latex => writeln!(out, "% {about}")?,
        report::Format::Csv => {}
    }
    for (index, table) in report::tables(tally).iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write!(out, "{}", table.write(format))?;
    }
    Ok(())
}

fn write_game(out: &mut Out, kept: &KeptMatch, record: &GameRecord, form: Form) -> io::Result<()> {
    if form == Form::Json {
        return writeln!(out, "{}", game_json(&kept.name, &kept.settings, record));
    }
    write!(out, "{}", games_csv(&kept.name, &kept.settings, std::slice::from_ref(record)))
}
