//! `nply learn`.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nply::Error;
use nply_games::rolit::Method;
use nply_games::rolit::learn::{Lessons, Report, learn};
use nply_games::rolit::wthor::{self, Record};
use serde_json::json;

use super::App;
use super::tournament::{save, try_writing};
use crate::args::{self, Learn};
use crate::output::{Failure, Out, progress, table};

/// The provenance that is written into the file.
const SOURCE: &str = "WTHOR, the games kept by the French Othello Federation";
const PLAYED: &str = "games of Rolit played with best replies by the averages of rolit.patterns";

pub(super) fn run(asked: &Learn, app: &App, out: &mut Out) -> Result<(), Failure> {
    let Learn::Rolit { wthor: folder, play, players, seed, out: file, until, method } = asked;
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
            let by_play = |games| by_play(*players as usize, games, *seed, app.common.threads());
            (PLAYED, by_play(0..games), Some(("other", by_play(games..games + games.div_ceil(20)))))
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

/// Games played by several threads, in the order in which one would play them.
fn by_play(players: usize, games: Range<u64>, seed: u64, threads: usize) -> Lessons {
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
            let lessons = Lessons::by_play(players, begin..games.end.min(begin + PART), seed);
            played.lock().expect("no thread fails with it").insert(part, lessons);
            progress("playing games", (done.fetch_add(1, Relaxed) + 1) as f64 / parts as f64);
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(play))));
    let mut played = played.into_inner().expect("no thread fails with it").into_values();
    let mut lessons = played.next().expect("there is a game");
    played.for_each(|more| lessons.extend(more));
    lessons
}
