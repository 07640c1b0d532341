//! `nply calibrate`.

use std::fs;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use nply::{Budget, Code, Error};
use nply_arena::calibrate::{Calibrated, Calibration, ENOUGH};
use nply_arena::{NamedGame, reliability_svg};

use super::App;
use super::stop::listen;
use crate::args::{Calibrate, Judged};
use crate::output::{self, Failure, Out, table};

pub(super) fn run(asked: &Calibrate, app: &App, out: &mut Out) -> Result<(), Failure> {
    let (game, counts, evaluations) = judged(&asked.judged, app)?;
    let runs = counts.iter().map(|&players| calibration(asked, app, &game, players, &evaluations));
    let runs = runs.collect::<Result<Vec<Calibration>, Failure>>()?;
    if let Some(path) = &asked.svg {
        // Nothing slow is done for a file that cannot be written.
        let file = fs::OpenOptions::new().append(true).create(true).open(path);
        file.map_err(|error| Error::file(format!("cannot write {}: {error}", path.display())))?;
    }
    let stop = listen();
    let total: u64 = runs.iter().map(Calibration::total).sum();
    let done = AtomicU64::new(0);
    let mut all = Vec::new();
    for run in &runs {
        let watch = || {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            output::progress("playing games", done as f64 / total as f64);
        };
        let Some(found) = run.run(&stop, &watch)? else {
            let done = done.load(Ordering::Relaxed);
            return Err(Error::failed(format!("stopped after {done} of {total} games")).into());
        };
        for found in &found {
            if app.common.json {
                writeln!(out, "{}", found.to_json())?;
            } else {
                report(found, out)?;
            }
            out.flush()?;
        }
        all.extend(found);
    }
    if !app.common.json {
        for found in all.iter().filter(|found| !found.temperatures.by_stage().is_empty()) {
            writeln!(out, "{}", found.line())?;
        }
    }
    if let Some(path) = &asked.svg {
        let title = format!("{game}: chances and results");
        fs::write(path, reliability_svg(&title, &all))
            .map_err(|error| Error::file(format!("cannot write {}: {error}", path.display())))?;
    }
    Ok(())
}

/// What is judged: the game, the numbers of players and the evaluations.
pub(super) fn judged(asked: &Judged, app: &App) -> Result<(NamedGame, Vec<usize>, Vec<String>), Failure> {
    let game = app.registry.find(&asked.game)?;
    let counts = match asked.all_players {
        true => game.info().players.to_vec(),
        false => vec![game.player_count(asked.players)?],
    };
    let evaluations = evaluations(&asked.eval, &game)?;
    Ok((game, counts, evaluations))
}

/// The evaluations: those asked for, or all that can be made with the game's options.
fn evaluations(asked: &[String], game: &NamedGame) -> Result<Vec<String>, Failure> {
    let names: Vec<&str> = game.info().evaluations.iter().map(|(name, _)| *name).collect();
    if let Some(name) = asked.iter().find(|name| !names.contains(&name.as_str())) {
        let what = format!("evaluation of {}", game.info().name);
        return Err(Error::unknown(Code::BadValue, &what, name, &names).into());
    }
    if !asked.is_empty() {
        return Ok(asked.to_vec());
    }
    let session = game.open(&nply_arena::Request { progress: output::progress, ..Default::default() })?;
    let made: Vec<String> =
        names.iter().filter(|name| session.judge(Some(name)).is_ok()).map(|name| name.to_string()).collect();
    if made.is_empty() {
        session.judge(None)?;
    }
    Ok(made)
}

fn calibration(
    asked: &Calibrate,
    app: &App,
    game: &NamedGame,
    players: usize,
    evaluations: &[String],
) -> Result<Calibration, Failure> {
    let agent = match &asked.agent {
        Some(text) => {
            let budget = asked.limits.budget_or(Budget::default());
            let agent = game.agent_within(text, players, &budget)?;
            agent.check_ends(&budget)?;
            Some((agent, budget))
        }
        None => None,
    };
    Ok(Calibration {
        game: game.clone(),
        players,
        evaluations: evaluations.to_vec(),
        games: asked.games,
        seed: asked.judged.seed,
        threads: app.common.threads(),
        agent,
        progress: output::progress,
    })
}

/// The reliability of one evaluation, as a table.
fn report(found: &Calibrated, out: &mut Out) -> Result<(), Failure> {
    let Calibrated { game, players, name, temperatures, reliability, .. } = found;
    writeln!(out, "{game}, {players} players, {name}")?;
    if !temperatures.by_stage().is_empty() {
        writeln!(out, "temperature   {temperatures}")?;
    }
    writeln!(out, "positions     {}", reliability.positions)?;
    writeln!(out, "log-loss      {:.4}, equal shares {:.4}", reliability.loss, reliability.equal)?;
    if let Some(worst) = reliability.worst() {
        writeln!(out, "off by        {worst:.3} at most, where there are {ENOUGH} chances")?;
    }
    let mut rows = vec![["chances", "mean", "share", "count"].map(String::from).to_vec()];
    for (index, bin) in reliability.bins.iter().enumerate().filter(|(_, bin)| bin.count > 0) {
        let range = format!("{:.1}-{:.1}", index as f64 / 10.0, (index + 1) as f64 / 10.0);
        rows.push(vec![range, format!("{:.3}", bin.chance), format!("{:.3}", bin.share), bin.count.to_string()]);
    }
    table(out, &rows)?;
    writeln!(out)?;
    Ok(())
}
