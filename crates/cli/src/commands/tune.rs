//! `nply tune`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use nply::{Budget, Error};
use nply_arena::tune::{Asked, Pass, Played, Tuning, usual_budget};
use nply_arena::{BestEntry, Match, with_entry};

use super::App;
use super::shards::Place;
use super::stop::{is_stopped, listen, signal, stop_after};
use super::tournament::{check, play, save, stopped, try_writing};
use crate::args::Tune;
use crate::output::{self, Failure, Out};

/// Where the table is in the project.
const TABLE: &str = "crates/arena/best.toml";

pub(super) fn run(asked: &Tune, app: &App, out: &mut Out) -> Result<(), Failure> {
    asked.waiting.set(is_stopped);
    let game = app.registry.find(&asked.game)?;
    let players = game.player_count(asked.players)?;
    let tuning = |budget| {
        let tuning = Tuning::new(&app.registry, game.clone(), players, budget, wanted(asked))?;
        Ok(Tuning { threads: app.common.threads(), progress: output::progress, ..tuning })
    };
    let tunings = budgets(asked).into_iter().map(tuning).collect::<Result<Vec<Tuning>, Error>>()?;
    let table = if asked.write { Some(find_table()?) } else { None };
    // Everything is checked before the first game: candidates, and whether the games can be kept.
    let note = |text: &str| app.note(text);
    let fields = tunings.iter().map(|tuning| tuning.field(note)).collect::<Result<Vec<_>, Error>>()?;
    let place = Place { db: Some(&asked.db), shard: None };
    let firsts: Vec<(String, Match)> =
        tunings.iter().zip(&fields).map(|(tuning, field)| tuning.rung(Pass::Families, 1, field)).collect();
    check(&firsts, place)?;
    let _ = listen();
    if let Some(limit) = asked.limit {
        stop_after(limit);
    }
    for (index, (tuning, field)) in tunings.iter().zip(fields).enumerate() {
        let one = |name: &str, game: &Match, sprt: Option<f64>| one(name, game, sprt, asked, app);
        let found = match tuning.run(field, one, note) {
            Ok(found) => found,
            Err(End::TimeIsOver) => {
                app.note("the time is over; the same command goes on");
                return Ok(());
            }
            Err(End::Failed(failure)) => return Err(failure),
        };
        if app.common.json {
            writeln!(out, "{}", found.json())?;
        } else {
            let before = if index > 0 { "\n" } else { "" };
            write!(out, "{before}{found}")?;
        }
        out.flush()?;
        if let Some(table) = &table {
            add(table, &found.entry)?;
            app.note(&format!("{} has the entry; it holds for programs built from now on", table.display()));
        }
    }
    Ok(())
}

fn wanted(asked: &Tune) -> Asked {
    let (candidates, openings) = (asked.candidates.clone(), asked.openings.clone());
    Asked { candidates, games: asked.games, last: asked.last, sprt: asked.sprt, openings, seed: asked.seed }
}

/// The budgets, one tuning for each.
fn budgets(asked: &Tune) -> Vec<Budget> {
    let nodes = asked.nodes.iter().map(|&nodes| Budget::nodes(nodes));
    let budgets: Vec<Budget> = nodes.chain(asked.time.iter().map(|&time| Budget::time(time))).collect();
    if budgets.is_empty() { vec![usual_budget()] } else { budgets }
}

/// Why a tuning ended early.
enum End {
    Failed(Failure),
    /// The time that was given is over.
    TimeIsOver,
}

impl From<Error> for End {
    fn from(error: Error) -> End {
        End::Failed(error.into())
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Failed(failure)
    }
}

/// Plays one match.
fn one(name: &str, game: &Match, sprt: Option<f64>, asked: &Tune, app: &App) -> Result<Played, End> {
    let place = Place { db: Some(&asked.db), shard: None };
    let game = game.resumed(&asked.db, name)?;
    check(&[(name.into(), game.clone())], place)?;
    let (agents, total) = (game.agents.len(), game.total());
    let most = if sprt.is_some() { "at most " } else { "" };
    app.note(&format!("{name}: {agents} agents, {most}{total} games"));
    let outcome = play(&game, name, place, sprt, app, |_| Ok(()))?;
    match outcome.is_done {
        true => {
            let verdict = outcome.referee.and_then(|referee| referee.verdict());
            Ok(Played { tally: outcome.tally, verdict })
        }
        false if asked.limit.is_some() && signal().is_none() => Err(End::TimeIsOver),
        false => Err(End::from(stopped(&outcome, &game, place))),
    }
}

/// The table of the project in whose folder, or in a folder of which, this is run.
fn find_table() -> Result<PathBuf, Error> {
    let here = std::env::current_dir().map_err(|error| Error::file(format!("cannot tell the folder: {error}")))?;
    let found = here.ancestors().map(|folder| folder.join(TABLE)).find(|path| path.is_file());
    let path = found.ok_or_else(|| {
        let error = Error::usage(format!("there is no {TABLE} here to write to"));
        error.help("run it in the project's folder, or leave out --write: the entry is printed")
    })?;
    try_writing(&path)?;
    Ok(path)
}

/// Adds an entry to the table, or replaces one.
fn add(path: &Path, entry: &BestEntry) -> Result<(), Error> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| Error::file(format!("cannot read {shown}: {error}")))?;
    save(path, with_entry(&text, entry).map_err(|error| error.within(&shown))?)
}
