//! `nply tournament`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nply::Budget;
use nply_arena::{Error, Forfeit, NamedGame, Played, Row, Spec, Tournament, rates_svg, tally};
use serde_json::{Value, json};

use crate::args::{self, Common};
use crate::output::{self, Failure, Out, short, table};

pub(super) fn run(asked: &args::Tournament, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let game = NamedGame::new(&Spec::parse(&asked.game)?)?;
    let players = game.player_count(asked.players)?;
    let agents = Spec::parse_list(&asked.agents)?;
    if agents.is_empty() {
        return Err(Error::usage("a tournament needs agents").help("write --agents \"greedy random\"").into());
    }
    if asked.games == 0 {
        return Err(Error::usage("a tournament of 0 games shows nothing").help("write --games 100").into());
    }
    let tournament = Tournament {
        game,
        players,
        agents,
        games: asked.games,
        budget: asked.limits.budget_or(Budget::nodes(10_000)),
        seed: asked.seed,
        threads: common.threads(),
        progress: output::progress,
    };
    let names: Vec<String> = tournament.agents.iter().map(Spec::to_string).collect();
    let bar = progress(tournament.total(), common.quiet);
    let mut points = vec![0.0; names.len()];
    let games = tournament.run(&Arc::default(), |played| {
        for (&kind, &share) in played.seating.iter().zip(&played.payoff) {
            points[kind] += f64::from(share);
        }
        bar.inc(1);
        let rates = names
            .iter()
            .zip(&points)
            .map(|(name, points)| format!("{name} {:.1} %", 100.0 * points / bar.position() as f64));
        bar.set_message(rates.collect::<Vec<String>>().join(", "));
    })?;
    bar.finish_and_clear();
    tell_forfeits(&names, &games);
    let rows = tally(names.len(), &games);
    if common.json {
        write_json(out, &names, &rows)?;
    } else {
        write_table(out, asked, &tournament, &names, &rows)?;
    }
    if let Some(path) = &asked.csv {
        save(path, &csv(&names, &games))?;
    }
    if let Some(path) = &asked.svg {
        let title = format!("{}, {players} players, {} games", asked.game, games.len());
        let rates: Vec<(String, f64, (f64, f64))> =
            names.iter().zip(&rows).map(|(name, row)| (name.clone(), row.rate(), row.interval())).collect();
        save(path, &rates_svg(&title, &rates, 1.0 / names.len().min(players) as f64))?;
        if !common.json {
            writeln!(out, "\nplot: {}", path.display())?;
        }
    }
    Ok(())
}

fn progress(total: u64, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {eta} to go: {msg}");
    ProgressBar::with_draw_target(Some(total), target).with_style(style.expect("the template is right"))
}

fn write_table(
    out: &mut Out,
    asked: &args::Tournament,
    tournament: &Tournament,
    names: &[String],
    rows: &[Row],
) -> Result<(), Failure> {
    let total = tournament.total();
    writeln!(
        out,
        "{}, {} players: {total} games, {} seatings, seed {}\n",
        asked.game,
        tournament.players,
        tournament.seatings().len(),
        tournament.seed
    )?;
    let mut header: Vec<String> = ["agent", "games", "points", "rate (95 % interval)"].map(String::from).to_vec();
    header.extend((1..=tournament.players).map(|seat| format!("seat {seat}")));
    header.extend(["depth", "nodes/move", "ms/move"].map(String::from));
    let mut cells = vec![header];
    for (name, row) in names.iter().zip(rows) {
        let (low, high) = row.interval();
        let rate = format!("{:.1} % ({:.1} to {:.1})", 100.0 * row.rate(), 100.0 * low, 100.0 * high);
        let mut line = vec![name.clone(), row.games.to_string(), format!("{:.1}", row.points), rate];
        for &(times, points) in &row.seats {
            line.push(if times == 0 { "-".into() } else { format!("{:.1} %", 100.0 * points / times as f64) });
        }
        let time = format!("{:.3}", row.time.as_secs_f64() * 1e3);
        line.extend([format!("{:.2}", row.depth), format!("{:.0}", row.nodes), time]);
        cells.push(line);
    }
    Ok(table(out, &cells)?)
}

fn write_json(out: &mut Out, names: &[String], rows: &[Row]) -> Result<(), Failure> {
    let row = |(name, row): (&String, &Row)| {
        let seats: Vec<Value> =
            row.seats.iter().map(|(games, points)| json!({ "games": games, "points": points })).collect();
        json!({
            "agent": name, "games": row.games, "points": row.points, "rate": row.rate(), "interval": [row.interval().0, row.interval().1],
            "seats": seats, "depth": row.depth, "nodes": row.nodes, "time_ms": row.time.as_secs_f64() * 1e3,
        })
    };
    let rows: Vec<Value> = names.iter().zip(rows).map(row).collect();
    Ok(writeln!(out, "{}", json!({ "agents": rows }))?)
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

/// A line for each game: who sat where, who won, what was played.
fn csv(names: &[String], games: &[Played]) -> String {
    let mut text = String::from("game,seats,payoffs,points,plies,moves,forfeit\n");
    for played in games {
        let seats: Vec<&str> = played.seating.iter().map(|&kind| names[kind].as_str()).collect();
        let numbers = |numbers: &[f32]| numbers.iter().map(|&number| short(number)).collect::<Vec<_>>().join(" ");
        let fields = [
            played.number.to_string(),
            format!("\"{}\"", seats.join(" ")),
            numbers(&played.payoff),
            played.points.as_deref().map(numbers).unwrap_or_default(),
            played.moves.len().to_string(),
            played.moves.join(" "),
            played.forfeit.as_ref().map(forfeit).unwrap_or_default(),
        ];
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

/// Who and why, in quotes; quotes inside are doubled.
fn forfeit(forfeit: &Forfeit) -> String {
    format!("\"seat {}: {}\"", forfeit.seat + 1, forfeit.why.replace('"', "\"\""))
}

fn save(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|error| Error::failed(format!("cannot write {}: {error}", path.display())))
}
