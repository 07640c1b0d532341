//! `nply impact`.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use nply::Error;
use nply_arena::impact::{Impact, Measured};

use super::App;
use super::calibrate::judged;
use super::stop::listen;
use crate::args;
use crate::output::{self, Failure, Out, table};

pub(super) fn run(asked: &args::Impact, app: &App, out: &mut Out) -> Result<(), Failure> {
    let (game, counts, evaluations) = judged(&asked.judged, app)?;
    let run = |&players: &usize| Impact {
        game: game.clone(),
        players,
        evaluations: evaluations.clone(),
        games: asked.games,
        seed: asked.judged.seed,
        threads: app.common.threads(),
        progress: output::progress,
    };
    let runs: Vec<Impact> = counts.iter().map(run).collect();
    let stop = listen();
    let total: u64 = runs.iter().map(Impact::total).sum();
    let done = AtomicU64::new(0);
    for run in &runs {
        let watch = || {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            output::progress("playing games", done as f64 / total as f64);
        };
        let Some(all) = run.run(&stop, &watch)? else {
            let done = done.load(Ordering::Relaxed);
            return Err(Error::failed(format!("stopped after {done} of {total} games")).into());
        };
        for measured in &all {
            if app.common.json {
                writeln!(out, "{}", measured.to_json())?;
            } else {
                report(measured, out)?;
            }
            out.flush()?;
        }
    }
    Ok(())
}

fn report(measured: &Measured, out: &mut Out) -> Result<(), Failure> {
    let Measured { game, players, evaluation, positions, all, interval: (low, high), any, by_seat, .. } = measured;
    writeln!(out, "{game}, {players} players, {evaluation}")?;
    writeln!(out, "positions  {positions}")?;
    writeln!(out, "impact     {:.3} ({low:.3} to {high:.3})", all.get())?;
    writeln!(out, "anybody    {:.3}", any.get())?;
    let mut rows = vec![["seats after the mover", "impact", "count"].map(String::from).to_vec()];
    for (seats, rate) in (1..).zip(by_seat) {
        rows.push(vec![format!("{seats}"), format!("{:.3}", rate.get()), rate.count.to_string()]);
    }
    table(out, &rows)?;
    writeln!(out)?;
    Ok(())
}
