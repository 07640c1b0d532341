//! `nply tune`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use nply::{Budget, Error, quantity};
use nply_arena::statistics::Verdict;
use nply_arena::tune::{Pass, Refused, Tuning, usual_openings};
use nply_arena::{BestEntry, Match, NamedAgent, NamedGame, Openings, with_entry};
use serde_json::{Value, json};

use super::App;
use super::shards::Place;
use super::stop::{is_stopped, listen, signal, stop_after};
use super::tournament::{Outcome, check, described, play, quoted, save, stopped, try_writing};
use crate::args::Tune;
use crate::output::{self, Failure, Out};

/// Where the table is in the project.
const TABLE: &str = "crates/arena/best.toml";

/// The standing of a match names so many agents.
const SHOWN: usize = 8;

pub(super) fn run(asked: &Tune, app: &App, out: &mut Out) -> Result<(), Failure> {
    asked.waiting.set(is_stopped);
    let game = app.registry.find(&asked.game)?;
    let players = game.player_count(asked.players)?;
    let read = |text: &String| Openings::read(text, Path::new(""), &app.registry, &game, players);
    let openings = match &asked.openings {
        Some(text) => Some(read(text)?),
        None => usual_openings(&game, players)?,
    };
    let table = if asked.write { Some(find_table()?) } else { None };
    let tunings = budgets(asked).into_iter().map(|budget| Tuning {
        game: game.clone(),
        players,
        budget,
        games: asked.games,
        last_games: asked.last,
        openings: openings.clone(),
        seed: asked.seed,
        threads: app.common.threads(),
        progress: output::progress,
    });
    let tunings: Vec<Tuning> = tunings.collect();
    // Everything is checked before the first game: candidates, and whether the games can be kept.
    let fields = tunings.iter().map(|tuning| first_field(asked, tuning, app)).collect::<Result<Vec<_>, Error>>()?;
    let place = Place { db: Some(&asked.db), shard: None };
    let firsts: Vec<(String, Match)> =
        tunings.iter().zip(&fields).map(|(tuning, field)| tuning.rung(Pass::Families, 1, field)).collect();
    check(&firsts, place)?;
    let _ = listen();
    if let Some(limit) = asked.limit {
        stop_after(limit);
    }
    for (index, (tuning, field)) in tunings.iter().zip(fields).enumerate() {
        let run = Run { tuning, asked, app, place };
        let Some(found) = run.tune(field)? else {
            // The time that was given is over.
            app.note("the time is over; the same command goes on");
            return Ok(());
        };
        if index > 0 && !app.common.json {
            writeln!(out)?;
        }
        found.write(&game, tuning, app, out)?;
        out.flush()?;
        if let Some(table) = &table {
            add(table, &found.entry)?;
            app.note(&format!("{} has the entry; it holds for programs built from now on", table.display()));
        }
    }
    Ok(())
}

/// The budgets, one tuning for each.
fn budgets(asked: &Tune) -> Vec<Budget> {
    let nodes = asked.nodes.iter().map(|&nodes| Budget::nodes(nodes));
    let budgets: Vec<Budget> = nodes.chain(asked.time.iter().map(|&time| Budget::time(time))).collect();
    if budgets.is_empty() { vec![Budget::nodes(10_000)] } else { budgets }
}

/// The candidates of the first match.
fn first_field(asked: &Tune, tuning: &Tuning, app: &App) -> Result<Vec<NamedAgent>, Error> {
    let field = match &asked.candidates {
        Some(texts) => named(texts, tuning)?,
        None => noted(tuning.families()?, app),
    };
    if field.len() < 2 {
        let message = format!("there are {} different candidates to choose from", field.len());
        return Err(Error::usage(message).help("write two or more, such as --candidates \"brs brs+ mcts\""));
    }
    Ok(field)
}

/// The candidates of these texts, each once.
fn named(texts: &str, tuning: &Tuning) -> Result<Vec<NamedAgent>, Error> {
    let mut field: Vec<NamedAgent> = Vec::new();
    for agent in tuning.game.agent_list_within(texts, tuning.players, &tuning.budget)? {
        let agent = tuning.candidate(&agent.to_string()).map_err(|error| error.within(&agent))?;
        if !field.contains(&agent) {
            field.push(agent);
        }
    }
    Ok(field)
}

/// The candidates that can play; of the others there is a note.
fn noted((field, refused): (Vec<NamedAgent>, Vec<Refused>), app: &App) -> Vec<NamedAgent> {
    refused.iter().for_each(|(text, error)| app.note(&format!("note: {text} is left out: {}", error.message)));
    field
}

/// One tuning under way.
struct Run<'a> {
    tuning: &'a Tuning,
    asked: &'a Tune,
    app: &'a App,
    place: Place<'a>,
}

/// What was found.
struct Found {
    /// A row for each match: its name, number of candidates, games, and who was first.
    rungs: Vec<Value>,
    winner: String,
    entry: BestEntry,
    verdict: String,
}

impl Run<'_> {
    /// Plays everything; `None` if the time is over.
    fn tune(&self, field: Vec<NamedAgent>) -> Result<Option<Found>, Failure> {
        let Run { tuning, asked, app, .. } = self;
        let mut rungs = Vec::new();
        let Some(mut ranked) = self.halve(Pass::Families, field, &mut rungs)? else { return Ok(None) };
        if asked.candidates.is_none() {
            let variants = noted(tuning.variants(&ranked)?, app);
            let Some(settings) = self.halve(Pass::Settings, variants, &mut rungs)? else { return Ok(None) };
            ranked = settings;
        }
        let opponent = tuning.opponent(&ranked[0], &ranked[1])?;
        let (name, last) = tuning.last(&ranked[0], &opponent);
        let Some(outcome) = self.play(&name, &last, Some(asked.sprt))? else { return Ok(None) };
        let verdict = outcome.referee.as_ref().and_then(|referee| referee.verdict());
        rungs.push(row(&name, &last, &outcome, first_of(verdict, &last)));
        let entry = tuning.entry(&outcome.tally, &last.agents, verdict, &self.source());
        let verdict = described(verdict, &last.settings());
        Ok(Some(Found { rungs, winner: ranked[0].to_string(), entry, verdict }))
    }

    /// Halves a field until one is left, which comes first, and the one that it met last after it.
    fn halve(
        &self,
        pass: Pass,
        mut field: Vec<NamedAgent>,
        rungs: &mut Vec<Value>,
    ) -> Result<Option<Vec<NamedAgent>>, Failure> {
        for number in 1.. {
            let (name, rung) = self.tuning.rung(pass, number, &field);
            let Some(outcome) = self.play(&name, &rung, None)? else { return Ok(None) };
            let ranked = self.tuning.ranked(&field, &outcome.tally);
            for (place, (agent, mean)) in ranked.iter().enumerate().take(SHOWN) {
                self.app.note(&format!("  {:>2}. {:.3} points a seat  {agent}", place + 1, mean));
            }
            rungs.push(row(&name, &rung, &outcome, Some(ranked[0].0.to_string())));
            if field.len() <= 2 {
                return Ok(Some(ranked.into_iter().map(|(agent, _)| agent.clone()).collect()));
            }
            field = self.tuning.better_half(&field, &outcome.tally);
        }
        unreachable!("a field that is halved comes to two")
    }

    /// Plays a match; `None` if the time is over.
    fn play(&self, name: &str, game: &Match, sprt: Option<f64>) -> Result<Option<Outcome>, Failure> {
        let game = game.resumed(&self.asked.db, name)?;
        check(&[(name.into(), game.clone())], self.place)?;
        let (agents, total) = (game.agents.len(), game.total());
        let most = if sprt.is_some() { "at most " } else { "" };
        self.app.note(&format!("{name}: {agents} agents, {most}{total} games"));
        let outcome = play(&game, name, self.place, sprt, self.app, |_| Ok(()))?;
        match outcome.is_done {
            true => Ok(Some(outcome)),
            false if self.asked.limit.is_some() && signal().is_none() => Ok(None),
            false => Err(stopped(&outcome, &game, self.place).into()),
        }
    }

    /// The command that finds the same again.
    fn source(&self) -> String {
        let Run { tuning, asked, .. } = self;
        let mut words = vec!["nply tune".to_string(), quoted(&tuning.game.to_string())];
        words.push(format!("--players {}", tuning.players));
        let Budget { nodes, time, .. } = &tuning.budget;
        words.extend(nodes.map(|nodes| format!("--nodes {}", quantity::count_text(nodes))));
        words.extend(time.map(|time| format!("--time {}", quantity::time_text(time))));
        words.extend(asked.candidates.as_ref().map(|texts| format!("--candidates {}", quoted(texts))));
        words.push(format!("--games {} --last {} --sprt {}", asked.games, asked.last, asked.sprt));
        words.extend(asked.openings.as_ref().map(|text| format!("--openings {}", quoted(text))));
        words.push(format!("--seed {}", asked.seed));
        words.join(" ")
    }
}

/// Whom a test found to be stronger.
fn first_of(verdict: Option<Verdict>, last: &Match) -> Option<String> {
    match verdict {
        Some(Verdict::First) => Some(last.agents[0].to_string()),
        Some(Verdict::Second) => Some(last.agents[1].to_string()),
        Some(Verdict::Equal) | None => None,
    }
}

fn row(name: &str, game: &Match, outcome: &Outcome, first: Option<String>) -> Value {
    json!({ "match": name, "agents": game.agents.len(), "games": outcome.tally.games(), "first": first })
}

impl Found {
    fn write(&self, game: &NamedGame, tuning: &Tuning, app: &App, out: &mut Out) -> Result<(), Failure> {
        let Found { rungs, winner, entry, verdict } = self;
        let (players, budget) = (tuning.players, tuning.budget.to_string());
        if app.common.json {
            let all = json!({
                "game": game.to_string(), "players": players, "budget": budget, "winner": winner, "verdict": verdict,
                "entry": entry, "matches": rungs,
            });
            writeln!(out, "{all}")?;
            return Ok(());
        }
        writeln!(out, "{game}, {players} players, {budget}")?;
        writeln!(out, "winner   {winner}")?;
        writeln!(out, "verdict  {verdict}")?;
        writeln!(out, "best     {}: {}\n", entry.agent, entry.describe())?;
        write!(out, "{}", entry.to_toml())?;
        Ok(())
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
