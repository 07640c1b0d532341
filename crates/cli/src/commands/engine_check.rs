//! `nply engine-check`.

use std::io::Write;

use nply_arena::{Check, Error, Launch, NamedGame, Outcome, Spec, check, infos};
use serde_json::json;

use crate::args::{Common, EngineCheck};
use crate::output::{Failure, Out};

pub(super) fn run(asked: &EngineCheck, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let usual = Launch::new(&asked.path, asked.args.clone());
    let launch = Launch {
        start: asked.start.unwrap_or(usual.start),
        grace: asked.grace.unwrap_or(usual.grace),
        patience: asked.patience.unwrap_or(usual.patience),
        ..usual
    };
    let games = if asked.game.is_empty() {
        let all = infos().map(|info| info.name).chain(["hearts:hidden=yes"]);
        all.map(named).collect::<Result<Vec<NamedGame>, Error>>()?
    } else {
        asked.game.iter().map(|game| named(game)).collect::<Result<Vec<NamedGame>, Error>>()?
    };
    let (mut failed, mut written) = (0, Ok(()));
    let is_good = check(&launch, &games, &mut |check| {
        failed += u32::from(matches!(check.outcome, Outcome::Failed { .. }));
        let line = if common.json { as_json(check) } else { as_text(check) };
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

fn named(game: &str) -> Result<NamedGame, Error> {
    NamedGame::new(&Spec::parse(game)?)
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
