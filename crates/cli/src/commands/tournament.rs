//! `nply tournament`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nply::Budget;
use nply_arena::{
    Error, NamedGame, Parquet, Plan, Played, Referee, Settings, Spec, Tournament, Verdict, margin, own_budget, report,
};
use serde_json::json;

use super::plots;
use crate::args::{self, Common};
use crate::output::{self, Failure, Out};

/// What Ctrl-C sets: that it was pressed, and the flag of the match under way.
static PRESSED: AtomicBool = AtomicBool::new(false);
static UNDER_WAY: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);

/// What was played of a match.
pub(super) struct Outcome {
    /// The games that count.
    pub(super) games: Vec<Played>,
    /// Whether all were played, or enough for a verdict.
    pub(super) is_done: bool,
    /// What the sequential test says, if there is one.
    referee: Option<Referee>,
}

pub(super) fn run(asked: &args::Tournament, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let jobs = jobs(asked, common)?;
    if jobs.len() > 1 && (asked.csv.is_some() || asked.parquet.is_some() || asked.svg.is_some()) {
        let message = format!("{} has {} matches, and --csv, --parquet and --svg write one", asked.game, jobs.len());
        return Err(Error::usage(message).help("keep them with --db, then use `nply report`").into());
    }
    // What is wrong is told before anything is played.
    for (name, tournament) in &jobs {
        tournament
            .check()
            .map_err(|error| if jobs.len() > 1 { error.within(format_args!("match {name}")) } else { error })?;
    }
    for path in [&asked.csv, &asked.parquet, &asked.svg].into_iter().flatten() {
        try_writing(path)?;
    }
    for (index, (name, tournament)) in jobs.iter().enumerate() {
        let outcome = play(tournament, asked.db.as_deref().map(|db| (db, name.as_str())), asked.sprt, common)?;
        let settings = tournament.settings();
        if common.json {
            let mut result = report::json(&settings, &outcome.games);
            result["name"] = json!(name);
            result["done"] = json!(outcome.is_done);
            result["sprt"] = json!(outcome.referee.as_ref().map(|referee| said(referee.verdict(), &settings)));
            writeln!(out, "{result}")?;
        } else {
            if index > 0 {
                writeln!(out)?;
            }
            write(out, name, &jobs, tournament, &outcome)?;
        }
        save_files(asked, name, &settings, &outcome.games, common, out)?;
        out.flush()?;
        if !outcome.is_done {
            return Err(stopped(&outcome, tournament, asked.db.as_deref()).into());
        }
    }
    if !common.quiet {
        eprintln!("\n{}", next(asked, &jobs[0].0));
    }
    Ok(())
}

/// What to try next: commands that can be typed as they stand here.
fn next(asked: &args::Tournament, first: &str) -> String {
    let mut words: Vec<String> = std::env::args_os().map(|word| quoted(&word.to_string_lossy())).collect();
    let nply = words.first().cloned().unwrap_or_else(|| "nply".into());
    if let Some(db) = &asked.db {
        let (db, game) = (quoted(&db.to_string_lossy()), quoted(&format!("{first}/0")));
        return format!(
            "the games are kept in {db}; next:\n  {nply} report {db} --svg plots\n  {nply} replay {db} {game}"
        );
    }
    // Ten times the games, so that the intervals are a third as wide.
    if let Some(games) = asked.games {
        let is_option = |word: &String| word == "--games" || word.starts_with("--games=");
        if let Some(at) = words.iter().position(is_option) {
            // Its value is a word of its own, or behind the sign.
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

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The matches that are asked for, with their names.
fn jobs(asked: &args::Tournament, common: &Common) -> Result<Vec<(String, Tournament)>, Error> {
    if asked.games == Some(0) {
        return Err(Error::usage("a tournament of 0 games shows nothing").help("write --games 100"));
    }
    let mut jobs = if asked.game.ends_with(".toml") { from_file(asked)? } else { vec![from_options(asked)?] };
    for (_, tournament) in &mut jobs {
        (tournament.threads, tournament.progress) = (common.threads(), output::progress);
        if asked.sprt.is_some() && tournament.agents.len() != 2 {
            let message = format!("--sprt tells two kinds apart, and here are {}", tournament.agents.len());
            return Err(Error::usage(message).help("name two agents, or leave it out"));
        }
    }
    Ok(jobs)
}

fn from_file(asked: &args::Tournament) -> Result<Vec<(String, Tournament)>, Error> {
    let has_limits = asked.limits.budget_or(Budget::default()) != Budget::default();
    if asked.agents.is_some() || asked.players.is_some() || asked.name.is_some() || has_limits {
        return Err(Error::usage("the file says who plays what with which budget, and what it is called")
            .help("leave out --agents, --players, --name and limits, or name a game instead of the file"));
    }
    let plan = read_plan(Path::new(&asked.game))?;
    let job = |index: usize| {
        let mut tournament = plan.tournament(index)?;
        tournament.games = asked.games.unwrap_or(tournament.games);
        tournament.seed = asked.seed.unwrap_or(tournament.seed);
        Ok((plan.matches[index].name.clone(), tournament))
    };
    (0..plan.matches.len()).map(job).collect()
}

/// Reads a file of matches.
pub(super) fn read_plan(path: &Path) -> Result<Plan, Error> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| Error::failed(format!("cannot read {shown}: {error}")))?;
    Plan::parse(&text).map_err(|error| error.within(&shown))
}

fn from_options(asked: &args::Tournament) -> Result<(String, Tournament), Error> {
    let game = NamedGame::new(&Spec::parse(&asked.game)?)?;
    let players = game.player_count(asked.players)?;
    let agents = Spec::parse_list(asked.agents.as_deref().unwrap_or_default())?;
    if agents.is_empty() {
        return Err(Error::usage("a tournament needs agents").help("write --agents \"greedy random\""));
    }
    let Some(games) = asked.games else {
        return Err(Error::usage("a tournament needs a number of games").help("write --games 100"));
    };
    let budget = asked.limits.budget_or(Budget::nodes(10_000));
    let (seed, progress) = (asked.seed.unwrap_or(1), output::progress);
    let name = asked.name.clone().unwrap_or_else(|| "tournament".into());
    Ok((name, Tournament { game, players, agents, games, budget, seed, threads: 1, progress }))
}

/// Plays a match with live progress, until it is done, shown, or stopped by Ctrl-C; `kept` is a file and the name there.
pub(super) fn play(
    tournament: &Tournament,
    kept: Option<(&Path, &str)>,
    sprt: Option<f64>,
    common: &Common,
) -> Result<Outcome, Failure> {
    // Each match has a flag of its own: one may end early and the next still be played.
    let stop = listen();
    warn_of_crowding(tournament, common);
    let names: Vec<String> = tournament.agents.iter().map(Spec::to_string).collect();
    let bar = progress(tournament.total(), common.quiet);
    let mut points = vec![0.0; names.len()];
    let mut referee = sprt.map(|delta| Referee::new(delta, tournament.seatings().len()));
    let watch = |played: &Played| {
        for (&kind, &share) in played.seating.iter().zip(&played.payoff) {
            points[kind] += f64::from(share);
        }
        bar.inc(1);
        let rate = |(name, points): (&String, &f64)| {
            let rate = points / bar.position() as f64;
            format!("{name} {:.1} % ± {:.1}", 100.0 * rate, 100.0 * margin(rate, bar.position()))
        };
        bar.set_message(names.iter().zip(&points).map(rate).collect::<Vec<String>>().join(", "));
        if referee.as_mut().is_some_and(|referee| referee.see(played).is_some()) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let games = match kept {
        Some((path, name)) => tournament.run_kept(path, name, &stop, watch),
        None => tournament.run(&stop, watch),
    };
    bar.finish_and_clear();
    let mut games = games?;
    let is_shown = referee.as_ref().is_some_and(|referee| referee.verdict().is_some());
    if let Some(referee) = referee.as_ref().filter(|_| is_shown) {
        // What was played beyond the verdict is kept, but does not count.
        games.retain(|played| played.number < referee.games());
    }
    let is_done = is_shown || games.len() as u64 == tournament.total();
    tell_forfeits(&names, &games);
    Ok(Outcome { games, is_done, referee })
}

/// Says on standard error which kinds forfeited games, and why they did first.
fn tell_forfeits(names: &[String], games: &[Played]) {
    for (kind, name) in names.iter().enumerate() {
        let forfeits = games.iter().filter_map(|played| played.forfeit.as_ref().map(|forfeit| (played, forfeit)));
        let mut own = forfeits.filter(|(played, forfeit)| played.seating[forfeit.seat] == kind).peekable();
        if let Some((played, first)) = own.peek() {
            let (number, why) = (played.number, first.why.clone());
            eprintln!("{name} forfeited {} games, the first of them game {number}: {why}", own.count());
        }
    }
}

/// A flag that Ctrl-C sets; a second Ctrl-C ends the program at once.
fn listen() -> Arc<AtomicBool> {
    static ONCE: Once = Once::new();
    let stop = Arc::new(AtomicBool::new(false));
    *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop.clone());
    // It may have been pressed between two matches.
    if PRESSED.load(Ordering::Relaxed) {
        stop.store(true, Ordering::Relaxed);
    }
    ONCE.call_once(|| {
        // Without a handler Ctrl-C simply ends the program, and what is kept is still whole.
        let _ = ctrlc::set_handler(|| {
            if PRESSED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            if let Some(stop) = &*UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) {
                stop.store(true, Ordering::Relaxed);
            }
        });
    });
    stop
}

/// Time budgets mean less where threads wait for each other.
fn warn_of_crowding(tournament: &Tournament, common: &Common) {
    let timed = |spec| own_budget(spec).is_ok_and(|(_, own)| own.as_ref().unwrap_or(&tournament.budget).time.is_some());
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    if tournament.threads > cores && !common.quiet && tournament.agents.iter().any(timed) {
        let threads = tournament.threads;
        eprintln!(
            "note: {threads} threads on {cores} cores share the time that the agents are given; use --threads {cores}"
        );
    }
}

/// Why a match is not done, and how to go on with it.
pub(super) fn stopped(outcome: &Outcome, tournament: &Tournament, db: Option<&Path>) -> Error {
    let error = Error::failed(format!("stopped after {} of {} games", outcome.games.len(), tournament.total()));
    match db {
        Some(db) => error.help(format!("they are kept in {}; the same command goes on from there", db.display())),
        None => error.help("with --db FILE they would have been kept, and the same command would go on"),
    }
}

fn progress(total: u64, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {eta} to go: {msg}");
    ProgressBar::with_draw_target(Some(total), target).with_style(style.expect("the template is right"))
}

fn write(
    out: &mut Out,
    name: &str,
    jobs: &[(String, Tournament)],
    tournament: &Tournament,
    outcome: &Outcome,
) -> Result<(), Failure> {
    let settings = tournament.settings();
    if jobs.len() > 1 {
        writeln!(out, "{name}")?;
    }
    let mut tables = report::tables(&settings, &outcome.games);
    let seatings = tournament.seatings().len();
    tables[0].caption.push_str(&format!(", {seatings} seatings, seed {}\n", tournament.seed));
    for (index, table) in tables.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write!(out, "{}", table.write(report::Format::Text))?;
    }
    if let Some(referee) = &outcome.referee {
        let games = referee.games();
        writeln!(out, "\nsequential test after {games} games: {}", said(referee.verdict(), &settings))?;
    }
    Ok(())
}

fn said(verdict: Option<Verdict>, settings: &Settings) -> String {
    match verdict {
        Some(Verdict::First) => format!("{} is stronger", settings.agents[0]),
        Some(Verdict::Second) => format!("{} is stronger", settings.agents[1]),
        Some(Verdict::Equal) => "both rates are nearer to one half than was asked for".into(),
        None => "nothing is shown yet".into(),
    }
}

fn save_files(
    asked: &args::Tournament,
    name: &str,
    settings: &Settings,
    games: &[Played],
    common: &Common,
    out: &mut Out,
) -> Result<(), Failure> {
    if let Some(path) = &asked.csv {
        save(path, report::games_csv(settings, games))?;
    }
    if let Some(path) = &asked.parquet {
        let mut file = Parquet::default();
        file.add(name, settings, games);
        save(path, file.finish())?;
    }
    if let Some(path) = &asked.svg {
        save(path, plots::rates(settings, games))?;
        if !common.json {
            writeln!(out, "\nplot: {}", path.display())?;
        }
    }
    Ok(())
}

/// Says so if a file cannot be written, and leaves what is there as it is.
fn try_writing(path: &Path) -> Result<(), Error> {
    let is_new = !path.exists();
    let told = |error| Error::failed(format!("cannot write {}: {error}", path.display()));
    fs::OpenOptions::new().append(true).create(true).open(path).map_err(told)?;
    if is_new { fs::remove_file(path).map_err(told) } else { Ok(()) }
}

/// Writes a file.
pub(super) fn save(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Error> {
    fs::write(path, content).map_err(|error| Error::failed(format!("cannot write {}: {error}", path.display())))
}
