//! `nply engine-check`.

use std::io::Write;

use nply::Error;
use nply_arena::{Check, Launch, NamedGame, Outcome, Registry, check};
use serde_json::json;

use super::App;
use crate::args::EngineCheck;
use crate::output::{Failure, Out};

pub(super) fn run(asked: &EngineCheck, app: &App, out: &mut Out) -> Result<(), Failure> {
    let usual = Launch::new(&asked.path, asked.args.clone());
    let launch = Launch {
        start: asked.start.unwrap_or(usual.start),
        grace: asked.grace.unwrap_or(usual.grace),
        patience: asked.patience.unwrap_or(usual.patience),
        ..usual
    };
    let games = if asked.game.is_empty() {
        every_game(&app.registry)?
    } else {
        asked.game.iter().map(|game| app.registry.find(game)).collect::<Result<Vec<NamedGame>, Error>>()?
    };
    let (mut failed, mut written) = (0, Ok(()));
    let is_good = check(&launch, &games, &mut |check| {
        failed += u32::from(matches!(check.outcome, Outcome::Failed { .. }));
        let line = if app.common.json { as_json(check) } else { as_text(check) };
        if written.is_ok() {
            written = writeln!(out, "{line}").and_then(|()| out.flush());
        }
    })?;
    written?;
    if is_good {
        return Ok(());
    }
    let checks = if failed == 1 { "check" } else { "checks" };
    Err(Error::failed(format!("{} fails {failed} {checks}", asked.path.display())).into())
}

/// Every game, and with hidden cards those that can have them.
fn every_game(registry: &Registry) -> Result<Vec<NamedGame>, Error> {
    let mut games = Vec::new();
    for info in registry.games() {
        games.push(registry.find(info.name)?);
        if info.options.iter().any(|option| option.key == "hidden") {
            games.push(registry.find(&format!("{}:hidden=yes", info.name))?);
        }
    }
    Ok(games)
}

fn as_text(check: &Check) -> String {
    let name = &check.name;
    match &check.outcome {
        Outcome::Passed(about) => format!("ok       {name}: {about}"),
        Outcome::Skipped(why) => format!("skipped  {name}: {why}"),
        Outcome::Failed { why, hint } => format!("failed   {name}: {why}\n         hint: {hint}"),
    }
}

fn as_json(check: &Check) -> String {
    let (outcome, about, hint) = match &check.outcome {
        Outcome::Passed(about) => ("ok", about, None),
        Outcome::Skipped(why) => ("skipped", why, None),
        Outcome::Failed { why, hint } => ("failed", why, Some(hint)),
    };
    json!({ "check": check.name, "outcome": outcome, "about": about, "hint": hint }).to_string()
}
