//! `nply tournament`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nply::{Budget, Error};
use nply_arena::statistics::{Estimate, Referee, Tally, verdict_text};
use nply_arena::tune::quoted;
use nply_arena::{
    Demand, GameRecord, Match, MatchFile, MatchSettings, Memory, NamedAgent, Openings, Parquet, Registry, Schedule,
    Seating, Terms, csv_header, games_csv, report,
};
use serde_json::json;

use super::plots::Plots;
use super::shards::Place;
use super::stop::{is_stopped, listen};
use super::{App, idle_limits, mention_best};
use crate::args::{self, Common, Meetings};
use crate::output::{self, Failure, Out};

/// The result of playing a match.
pub(super) struct Outcome {
    /// The games that count.
    pub(super) tally: Tally,
    /// Whether all were played, or enough for a verdict.
    pub(super) is_done: bool,
    /// The sequential test, if there is one.
    pub(super) referee: Option<Referee>,
}

pub(super) fn run(asked: &args::Tournament, app: &App, out: &mut Out) -> Result<(), Failure> {
    let common = &app.common;
    asked.waiting.set(is_stopped);
    let mut matches = matches(asked, app)?;
    let place = Place::new(asked.db.as_deref(), asked.shard)?;
    if asked.shard.is_some() && asked.sprt.is_some() {
        let message = "--sprt decides by all games so far, and a shard knows only its own";
        return Err(Error::usage(message)
            .help("leave out --sprt here, and add it without --shard on the merged file")
            .into());
    }
    let mut files = Files::new(asked, matches.len())?;
    check(&matches, place)?;
    if let Some(db) = asked.db.as_deref() {
        for (name, game) in &mut matches {
            *game = game.resumed(db, name)?;
        }
    }
    let stop = listen();
    matches.iter_mut().for_each(|(_, game)| game.label_programs(&stop));
    place.begin(&matches)?;
    let notes = matches.iter().filter_map(|(_, game)| idle_limits(&game.agents, &game.budget));
    notes.collect::<BTreeSet<String>>().iter().for_each(|note| app.note(note));
    mention_best(matches.iter().flat_map(|(_, game)| &game.agents), app);
    for (index, (name, game)) in matches.iter().enumerate() {
        app.note(&announced(game, place, (matches.len() > 1).then_some(name.as_str())));
        let settings = game.settings();
        files.begin(name, &settings)?;
        let outcome = play(game, name, place, asked.sprt, app, |record| files.add(name, &settings, record))?;
        if common.json {
            let mut result = report::json(name, &outcome.tally);
            result["done"] = json!(outcome.is_done);
            if let Some(shard) = asked.shard {
                result["shard"] = json!({ "index": shard.index(), "count": shard.count() });
            }
            result["sprt"] = json!(outcome.referee.as_ref().map(|referee| verdict_text(referee.verdict(), &settings)));
            writeln!(out, "{result}")?;
        } else {
            if index > 0 {
                writeln!(out)?;
            }
            if matches.len() > 1 {
                writeln!(out, "{name}")?;
            }
            write(out, game, place, &outcome)?;
        }
        files.draw(name, &outcome.tally)?;
        out.flush()?;
        if !outcome.is_done {
            files.finish()?;
            return Err(stopped(&outcome, game, place).into());
        }
    }
    files.finish()?;
    if let Some(path) = asked.plots.svg.as_ref().filter(|_| !common.json) {
        writeln!(out, "\nplot: {}", path.display())?;
        out.flush()?;
    }
    if !common.quiet {
        eprintln!("\n{}", next(asked, &matches[0].0));
    }
    Ok(())
}

/// Checks all matches before the first is played, what can be slow last.
pub(super) fn check(matches: &[(String, Match)], place: Place<'_>) -> Result<(), Error> {
    let db = place.db;
    if let Some(db) = db.filter(|db| !db.exists()) {
        try_writing(db)?;
    }
    let quick = |name: &str, game: &Match| {
        game.check_limits()?;
        check_memory(&game.demand())?;
        db.filter(|db| db.exists()).map_or(Ok(()), |db| game.check_kept(db, name, place.shard))
    };
    let within = |name: &str, error: Error| {
        if matches.len() > 1 { error.within(format_args!("match {name}")) } else { error }
    };
    matches.iter().try_for_each(|(name, game)| quick(name, game).map_err(|error| within(name, error)))?;
    matches.iter().try_for_each(|(name, game)| game.check().map_err(|error| within(name, error)))
}

/// The files that a tournament writes besides its database, as games end. Nothing is opened before the first match.
struct Files<'a> {
    asked: &'a args::Tournament,
    csv: Option<BufWriter<File>>,
    parquet: Option<Parquet>,
    plots: Option<Plots<'a>>,
}

impl<'a> Files<'a> {
    /// Checks that they can be written.
    fn new(asked: &'a args::Tournament, matches: usize) -> Result<Files<'a>, Error> {
        [&asked.csv, &asked.parquet].into_iter().flatten().try_for_each(|path| try_writing(path))?;
        asked.parquet.as_ref().map_or(Ok(()), |_| Parquet::check())?;
        let plots = asked.plots.svg.as_deref().map(|path| Plots::new(path, matches)).transpose()?;
        Ok(Files { asked, csv: None, parquet: None, plots })
    }

    /// Begins a match.
    fn begin(&mut self, name: &str, settings: &MatchSettings) -> Result<(), Error> {
        if let (Some(path), None) = (&self.asked.csv, &self.csv) {
            let mut file = create(path)?;
            file.write_all(csv_header().as_bytes()).map_err(|error| unwritten(path, &error))?;
            self.csv = Some(file);
        }
        if let (Some(path), None) = (&self.asked.parquet, &self.parquet) {
            self.parquet = Some(Parquet::new(Box::new(create(path)?))?);
        }
        self.parquet.as_mut().map_or(Ok(()), |parquet| parquet.begin(name, settings))
    }

    /// Adds a game of a match.
    fn add(&mut self, name: &str, settings: &MatchSettings, record: &GameRecord) -> Result<(), Error> {
        if let (Some(path), Some(file)) = (&self.asked.csv, &mut self.csv) {
            let line = games_csv(name, settings, std::slice::from_ref(record));
            file.write_all(line.as_bytes()).map_err(|error| unwritten(path, &error))?;
        }
        self.parquet.as_mut().map_or(Ok(()), |parquet| parquet.add(record))
    }

    /// Draws the plots of a match.
    fn draw(&mut self, name: &str, tally: &Tally) -> Result<(), Error> {
        self.plots.as_mut().map_or(Ok(()), |plots| plots.draw(name, tally))
    }

    fn finish(self) -> Result<(), Error> {
        if let (Some(path), Some(mut file)) = (&self.asked.csv, self.csv) {
            file.flush().map_err(|error| unwritten(path, &error))?;
        }
        self.parquet.map_or(Ok(()), Parquet::finish)?;
        self.plots.map_or(Ok(()), Plots::finish)
    }
}

/// What to try next: commands that can be typed as they are.
fn next(asked: &args::Tournament, first: &str) -> String {
    let mut words: Vec<String> = std::env::args_os().map(|word| quoted(&word.to_string_lossy())).collect();
    let nply = words.first().cloned().unwrap_or_else(|| "nply".into());
    if let Some(db) = &asked.db {
        let (db, game) = (quoted(&db.to_string_lossy()), quoted(&format!("{first}/0")));
        if asked.shard.is_some() {
            return format!(
                "the games are kept in {db}; next, when all shards are played:\n  {nply} merge {db} … --db all.db"
            );
        }
        return format!(
            "the games are kept in {db}; next:\n  {nply} report {db} --svg plots\n  {nply} replay {db} {game}"
        );
    }
    // Ten times the games, so that the intervals are a third as wide.
    if let Some(games) = asked.games {
        let is_option = |word: &String| word == "--games" || word.starts_with("--games=");
        if let Some(at) = words.iter().position(is_option) {
            // Its value is the next word, or after the equals sign.
            let is_apart = words[at] == "--games";
            words.splice(at..=at + usize::from(is_apart), ["--games".into(), games.saturating_mul(10).to_string()]);
        }
    }
    let db = "games.db";
    format!(
        "next, keep the games and draw everything:\n  {} --db {db}\n  {nply} report {db} --svg plots",
        words.join(" ")
    )
}

/// The matches to play, with their names.
fn matches(asked: &args::Tournament, app: &App) -> Result<Vec<(String, Match)>, Error> {
    if asked.games == Some(0) {
        return Err(Error::usage("a match of 0 games shows nothing").help("write --games 100"));
    }
    let registry = &app.registry;
    let is_file = asked.game.ends_with(".toml");
    let mut matches = if is_file { from_file(asked, registry)? } else { vec![from_options(asked, registry)?] };
    for (_, game) in &mut matches {
        (game.threads, game.progress) = (app.common.threads(), output::progress);
        if asked.sprt.is_some() && game.agents.len() != 2 {
            let message = format!("--sprt compares two agents, and here are {}", game.agents.len());
            return Err(Error::usage(message).help("name two agents, or leave out --sprt"));
        }
    }
    Ok(matches)
}

fn from_file(asked: &args::Tournament, registry: &Registry) -> Result<Vec<(String, Match)>, Error> {
    let has_limits = asked.limits.budget_or(Budget::default()) != Budget::default();
    let has_terms = asked.clock.is_some() || asked.adjudicate.is_some() || asked.openings.is_some();
    if asked.agents.is_some() || asked.players.is_some() || has_limits || has_terms {
        return Err(Error::usage("the file has the agents, players and limits of its matches")
            .help("leave out --agents, --players, --openings and limits, clock and adjudication among them, or name a game instead of the file"));
    }
    let file = MatchFile::read(registry, Path::new(&asked.game))?;
    let get = |index: usize| {
        let mut game = file.get(registry, index)?;
        game.games = asked.games.unwrap_or(game.games);
        game.seed = asked.seed.unwrap_or(game.seed);
        game.schedule = asked.schedule.map_or(game.schedule, Meetings::schedule);
        game.check_schedule()?;
        Ok((file.matches[index].name.clone(), game))
    };
    file.select(asked.name.as_deref())?.into_iter().map(get).collect()
}

fn from_options(asked: &args::Tournament, registry: &Registry) -> Result<(String, Match), Error> {
    let game = registry.find(&asked.game)?;
    let players = game.player_count(asked.players)?;
    let terms = Terms { clock: asked.clock, adjudication: asked.adjudicate.unwrap_or_default() };
    let budget = asked.limits.budget_or(terms.usual_budget());
    let agents = game.agent_list_within(asked.agents.as_deref().unwrap_or_default(), players, &budget)?;
    if agents.is_empty() {
        return Err(Error::usage("a tournament needs agents").help("write --agents \"greedy random\""));
    }
    let Some(games) = asked.games else {
        return Err(Error::usage("a tournament needs a number of games").help("write --games 100"));
    };
    let (seed, progress) = (asked.seed.unwrap_or(1), output::progress);
    let name = asked.name.clone().unwrap_or_else(|| "tournament".into());
    let read = |text: &String| Openings::read(text, Path::new(""), registry, &game, players);
    let openings = asked.openings.as_ref().map(read).transpose()?;
    let (seating, sampled, threads) = (Seating::All, None, 1);
    let schedule = asked.schedule.map_or(Schedule::All, Meetings::schedule);
    let own = Match {
        game,
        players,
        agents,
        games,
        budget,
        terms,
        openings,
        seating,
        schedule,
        sampled,
        seed,
        threads,
        progress,
    };
    own.check_schedule()?;
    Ok((name, own))
}

/// Plays a match with live progress until it is done, decided, or stopped by a signal; `name` is what it is called in a file. `each`
/// gets every game that counts, in the order of their numbers.
pub(super) fn play(
    game: &Match,
    name: &str,
    place: Place<'_>,
    sprt: Option<f64>,
    app: &App,
    mut each: impl FnMut(&GameRecord) -> Result<(), Error> + Send,
) -> Result<Outcome, Failure> {
    let common = &app.common;
    // Each match has a flag of its own: one may end early and the next still be played.
    let stop = listen();
    warn_of_crowding(game, common);
    mention_memory(&game.demand())?;
    let settings = game.settings();
    let names = settings.labels();
    let total = place.total(game);
    let bar = output::bar(total, common.quiet);
    output::set_bar(Some(bar.clone()));
    let mut tally = Tally::new(&app.registry, &settings);
    let mut referee = sprt.map(|delta| Referee::new(delta, game.round_length()));
    let mut forecast = Forecast::new(total, game, sprt.is_some());
    let mut passed = Ok(());
    let watch = |record: &GameRecord| {
        // Games beyond the verdict are kept, but do not count.
        if passed.is_err() || referee.as_ref().is_some_and(|referee| referee.verdict().is_some()) {
            return;
        }
        tally.add(record);
        passed = each(record);
        bar.inc(1);
        bar.set_message(live(&names, &tally));
        if let Some(text) = forecast.see(record) {
            app.note(&text);
        }
        if referee.as_mut().is_some_and(|referee| referee.see(record).is_some()) || passed.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let shown = place.play(game, name, &stop, watch);
    output::set_bar(None);
    bar.finish_and_clear();
    shown?;
    passed?;
    let is_decided = referee.as_ref().is_some_and(|referee| referee.verdict().is_some());
    let is_done = is_decided || tally.games() == total;
    report_forfeits(&names, &tally);
    Ok(Outcome { tally, is_done, referee })
}

/// The rates so far, with their intervals, in a line.
fn live(names: &[String], tally: &Tally) -> String {
    let rate = |(agent, name): (usize, &String)| {
        let Estimate { value, low, high, .. } = tally.rate(agent);
        format!("{name} {:.1} % ({:.1} to {:.1})", 100.0 * value, 100.0 * low, 100.0 * high)
    };
    names.iter().enumerate().map(rate).collect::<Vec<String>>().join(", ")
}

/// What is going to be played, in one line.
fn announced(game: &Match, place: Place<'_>, name: Option<&str>) -> String {
    let (total, seatings) = (game.total(), game.seatings().count());
    let plural = |count: u128| if count == 1 { "" } else { "s" };
    let games = format!("{total} game{}", plural(total.into()));
    let what = if game.is_sampled() {
        format!("{games}, a balanced sample of {seatings} seatings")
    } else {
        let times = u128::from(total) / seatings;
        let often = if times == 1 { "once".into() } else { format!("{times} times") };
        format!("{games}: {seatings} seating{}, each {often}", plural(seatings))
    };
    let start = game.openings.as_ref().map_or_else(String::new, |openings| format!("; openings {openings}"));
    let own = place.shard.map(|shard| format!("; {} of them are shard {shard}", place.total(game)));
    let what = what + &start + &own.unwrap_or_default();
    name.map_or_else(|| what.clone(), |name| format!("{name}: {what}"))
}

/// How long a match will take, judging by the time that its first games took to think.
struct Forecast {
    total: u64,
    threads: u32,
    /// Whether the match may end earlier.
    is_most: bool,
    games: u32,
    time: Duration,
}

impl Forecast {
    /// Shorter ones are not worth a line.
    const LEAST: Duration = Duration::from_secs(5);

    fn new(total: u64, game: &Match, is_most: bool) -> Forecast {
        let threads = game.threads.max(1) as u32;
        Forecast { total, threads, is_most, games: 0, time: Duration::ZERO }
    }

    /// Adds a game; the estimate, once there are enough.
    fn see(&mut self, record: &GameRecord) -> Option<String> {
        self.games = self.games.saturating_add(1);
        if self.games > self.threads.max(4) {
            return None;
        }
        self.time += record.costs.iter().map(|cost| cost.time).sum::<Duration>();
        let left = self.total.saturating_sub(u64::from(self.games));
        let time = self.time.as_secs_f64() / f64::from(self.games) * left as f64 / f64::from(self.threads);
        let is_enough = self.games == self.threads.max(4) && time >= Forecast::LEAST.as_secs_f64();
        let most = if self.is_most { "at most " } else { "" };
        let games = self.games;
        is_enough
            .then(|| format!("{most}about {} for the other {left} games, judging by the first {games}", span(time)))
    }
}

/// A time in seconds, roughly.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

/// Reports on standard error which agents forfeited games, with the reason for the first.
fn report_forfeits(names: &[String], tally: &Tally) {
    for (agent, (name, row)) in names.iter().zip(tally.rows()).enumerate() {
        if let Some((number, reason)) = tally.first_forfeit(agent) {
            eprintln!("{name} forfeited {} games, the first of them game {number}: {reason}", row.forfeits);
        }
    }
}

/// Refuses agents that may take more memory than there is; of much, a warning is returned.
pub(super) fn check_memory(demand: &Demand) -> Result<Option<String>, Error> {
    Memory::here().map_or(Ok(None), |memory| demand.check(memory))
}

/// Refuses agents that may take more memory than there is, and notes if they may take much.
pub(super) fn mention_memory(demand: &Demand) -> Result<(), Error> {
    static MENTIONED: Mutex<Option<String>> = Mutex::new(None);
    let warning = check_memory(demand)?;
    // Matches that follow each other often have the same agents.
    let mut mentioned = MENTIONED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = warning.filter(|text| mentioned.as_ref() != Some(text)) {
        output::note(&text);
        *mentioned = Some(text);
    }
    Ok(())
}

/// Time budgets mean less if threads wait for each other.
fn warn_of_crowding(game: &Match, common: &Common) {
    let timed = |agent: &NamedAgent| game.terms.clock.is_some() || agent.budget_or(&game.budget).time.is_some();
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    if game.threads > cores && !common.quiet && game.agents.iter().any(timed) {
        let threads = game.threads;
        eprintln!("note: {threads} threads on {cores} cores share the agents' time; use --threads {cores}");
    }
}

/// The error of a match that was interrupted, with how to resume it.
pub(super) fn stopped(outcome: &Outcome, game: &Match, place: Place<'_>) -> Error {
    let error = Error::failed(format!("stopped after {} of {} games", outcome.tally.games(), place.total(game)));
    match place.db {
        Some(db) => error.help(format!("they are kept in {}; the same command resumes the match", db.display())),
        None => error.help("with --db FILE they are kept, and the same command resumes the match"),
    }
}

fn write(out: &mut Out, game: &Match, place: Place<'_>, outcome: &Outcome) -> Result<(), Failure> {
    let settings = game.settings();
    let mut tables = report::tables(&outcome.tally);
    let sample = if game.is_sampled() { "a sample of " } else { "" };
    let seatings = game.seatings().count();
    let shard = place.shard.map(|shard| format!(", shard {shard} of {} games", game.total())).unwrap_or_default();
    tables[0].caption.push_str(&format!(", {sample}{seatings} seatings, seed {}{shard}\n", game.seed));
    for (index, table) in tables.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write!(out, "{}", table.write(report::Format::Text))?;
    }
    if let Some(referee) = &outcome.referee {
        let games = referee.games();
        writeln!(out, "\nsequential test after {games} games: {}", verdict_text(referee.verdict(), &settings))?;
    }
    Ok(())
}

/// Checks that a file can be written, and leaves its content as it is. One that is not there is not made, not even for a moment:
/// another process may be making it.
pub(super) fn try_writing(path: &Path) -> Result<(), Error> {
    let failed = |error| Error::file(format!("cannot write {}: {error}", path.display()));
    match fs::metadata(path) {
        Ok(_) => fs::OpenOptions::new().append(true).open(path).map(drop).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.file_name().is_some() => {
            let trial = path.with_file_name(format!(".nply-{}", std::process::id()));
            fs::File::create(&trial).and_then(|_| fs::remove_file(&trial)).map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Writes a file.
pub(super) fn save(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Error> {
    fs::write(path, content).map_err(|error| unwritten(path, &error))
}

/// A new file to write to.
fn create(path: &Path) -> Result<BufWriter<File>, Error> {
    File::create(path).map(BufWriter::new).map_err(|error| unwritten(path, &error))
}

fn unwritten(path: &Path, error: &std::io::Error) -> Error {
    Error::file(format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_live_line_shows_after_one_game_how_little_that_is() {
        let settings = MatchSettings { players: 2, agents: vec!["a".into(), "b".into()], ..MatchSettings::default() };
        let mut tally = Tally::new(&Registry::empty(), &settings);
        let names = settings.labels();
        assert_eq!(live(&names, &tally), "a 0.0 % (0.0 to 100.0), b 0.0 % (0.0 to 100.0)");
        tally.add(&GameRecord {
            seating: vec![0, 1],
            payoff: vec![1.0, 0.0],
            costs: vec![Default::default(); 2],
            ..GameRecord::default()
        });
        assert_eq!(live(&names, &tally), "a 100.0 % (20.7 to 100.0), b 0.0 % (0.0 to 79.3)");
    }
}
