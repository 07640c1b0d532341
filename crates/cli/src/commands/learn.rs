//! `nply learn`.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nply::{Declaration, Error};
use nply_games::focus::{Focus, learn as weights};
use nply_games::rolit::Method;
use nply_games::rolit::learn::{Lessons, Report, learn};
use nply_games::rolit::wthor::{self, Record};
use serde_json::json;

use super::App;
use super::tournament::{save, try_writing};
use crate::args::{self, Learn, LearnFocus, LearnRolit};
use crate::output::{Failure, Out, progress, table};

/// The provenance that is written into the file.
const SOURCE: &str = "WTHOR, the games kept by the French Othello Federation";
const PLAYED: &str = "games of Rolit played with best replies by the averages of rolit.patterns";

pub(super) fn run(asked: &Learn, app: &App, out: &mut Out) -> Result<(), Failure> {
    match asked {
        Learn::Rolit(asked) => rolit(asked, app, out),
        Learn::Focus(asked) => focus(asked, app, out),
    }
}

/// Plays with every number of players, fits the weights and writes them all.
fn focus(asked: &LearnFocus, app: &App, out: &mut Out) -> Result<(), Failure> {
    let &LearnFocus { play: games, seed, out: ref file } = asked;
    try_writing(file)?;
    let header = ["players", "games", "positions", "log-loss", "eval=height", "equal chances"].map(String::from);
    let (mut rows, mut objects) = (vec![header.to_vec()], Vec::new());
    let mut text = format!(
        "# The weights of eval=regression of Focus, in thousandths of the logarithm of a chance.\n\
         # Made by `nply learn focus --play {games} --seed {seed} --out FILE`.\n"
    );
    for &players in Focus::PLAYERS {
        let of = |part| weights::Lessons::by_play(players, part, seed);
        let play = |games| by_play(games, app.common.threads(), of, weights::Lessons::extend);
        let (lessons, others) = (play(0..games), play(games..games + games.div_ceil(10)));
        let learned = weights::Learned::new(&lessons, &others);
        let weights::Learned { loss, loss_of_height, loss_of_equal, .. } = learned;
        let positions = lessons.positions();
        text += &format!("\n# {positions} positions; log-loss on others {loss:.4}, eval=height {loss_of_height:.4}\n");
        text += &learned.to_text();
        let losses = [loss, loss_of_height, loss_of_equal].map(|loss| format!("{loss:.4}"));
        rows.push([players as u64, games, positions].map(|n| n.to_string()).into_iter().chain(losses).collect());
        objects.push(json!({
            "players": players, "games": games, "positions": positions, "tested_positions": others.positions(),
            "loss": loss, "loss_of_height": loss_of_height, "loss_of_equal_chances": loss_of_equal,
        }));
    }
    save(file, text.as_bytes())?;
    if app.common.json {
        writeln!(out, "{}", json!({ "bytes": text.len(), "fits": objects }))?;
        return Ok(());
    }
    table(out, &rows)?;
    writeln!(out, "\n{} bytes written to {}", text.len(), file.display())?;
    Ok(())
}

fn rolit(asked: &LearnRolit, app: &App, out: &mut Out) -> Result<(), Failure> {
    let LearnRolit { wthor: folder, play, players, seed, out: file, until, method } = asked;
    try_writing(file)?;
    let (source, learned, others) = match (folder, play) {
        (Some(folder), _) => {
            let records = wthor::read_folder(folder).map_err(|error| Error::file(error.to_string()))?;
            let is_early = |game: &Record| until.is_none_or(|year| game.year <= year);
            let (early, late): (Vec<Record>, Vec<Record>) = records.into_iter().partition(is_early);
            if early.is_empty() {
                return Err(Error::failed(format!("there are no games to learn from in {}", folder.display())).into());
            }
            let late = (!late.is_empty()).then(|| ("later", Lessons::from(&late[..])));
            (SOURCE, Lessons::from(&early[..]), late)
        }
        (None, &Some(games)) => {
            let of = |part| Lessons::by_play(*players as usize, part, *seed);
            let play = |games| by_play(games, app.common.threads(), of, Lessons::extend);
            (PLAYED, play(0..games), Some(("other", play(games..games + games.div_ceil(20)))))
        }
        (None, None) => unreachable!("one of them is required"),
    };
    let method = match method {
        args::Method::Averages => Method::Averages,
        args::Method::Regression => Method::Regression,
    };
    let patterns = learn(method, source, &learned);
    let (which, tested) = others.as_ref().map_or(("the same", &learned), |(which, others)| (*which, others));
    let report = Report::new(&patterns, tested);
    let bytes = patterns.to_bytes();
    save(file, &bytes)?;
    if app.common.json {
        let stages: Vec<_> = report
            .stages
            .iter()
            .map(
                |stage| json!({ "positions": stage.positions, "correlation": stage.correlation, "error": stage.error }),
            )
            .collect();
        let object = json!({
            "games": learned.games(), "positions": patterns.provenance().positions, "bytes": bytes.len(),
            "tested_games": report.games, "tested_positions": report.positions, "stages": stages,
        });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    writeln!(out, "learned from {} games, {} positions", learned.games(), patterns.provenance().positions)?;
    writeln!(out, "compared with {} {which} games, {} positions\n", report.games, report.positions)?;
    let mut rows = vec![["plies", "positions", "correlation", "mean error in discs"].map(String::from).to_vec()];
    for (index, stage) in report.stages.iter().enumerate() {
        let plies = format!("{}-{}", 5 * index, 5 * index + 4);
        let (correlation, error) = (format!("{:.3}", stage.correlation), format!("{:.2}", stage.error));
        rows.push(vec![plies, stage.positions.to_string(), correlation, error]);
    }
    table(out, &rows)?;
    writeln!(out, "\n{} bytes written to {}", bytes.len(), file.display())?;
    Ok(())
}

/// Lessons of games played by several threads, in the order in which one would play them.
fn by_play<L: Send>(
    games: Range<u64>,
    threads: usize,
    of: impl Fn(Range<u64>) -> L + Sync,
    extend: fn(&mut L, L),
) -> L {
    const PART: u64 = 50;
    let parts = (games.end - games.start).div_ceil(PART);
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let played = Mutex::new(BTreeMap::new());
    let play = || {
        loop {
            let part = next.fetch_add(1, Relaxed);
            if part >= parts {
                break;
            }
            let begin = games.start + part * PART;
            let lessons = of(begin..games.end.min(begin + PART));
            played.lock().expect("no thread fails with it").insert(part, lessons);
            progress("playing games", (done.fetch_add(1, Relaxed) + 1) as f64 / parts as f64);
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(play))));
    let mut played = played.into_inner().expect("no thread fails with it").into_values();
    let mut lessons = played.next().expect("there is a game");
    played.for_each(|more| extend(&mut lessons, more));
    lessons
}
