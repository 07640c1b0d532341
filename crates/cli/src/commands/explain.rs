//! `nply explain`.

use std::io::Write;

use nply::Budget;

use super::App;
use super::search::{line, with_threads};
use super::tournament::save;
use crate::args::Explain;
use crate::output::{Failure, Out};

pub(super) fn run(explain: &Explain, app: &App, out: &mut Out) -> Result<(), Failure> {
    let mut session = explain.position.open(&app.registry)?;
    let budget = Budget { depth: Some(explain.depth), playouts: Some(explain.playouts), ..Budget::default() };
    let agent = with_threads(&*session, &explain.agent, &budget, app.common.threads)?;
    let shown = session.explain(&agent, explain.position.seed, &budget, explain.limit as usize)?;
    if let Some(path) = &explain.svg {
        save(path, shown.to_svg())?;
    }
    if let Some(path) = &explain.tikz {
        save(path, shown.to_tikz())?;
    }
    if app.common.json {
        writeln!(out, "{}", shown.to_json(false))?;
        return Ok(());
    }
    if !app.common.quiet {
        writeln!(out, "{}: {}\n{}\n", shown.agent, shown.rule, line(&shown.thought))?;
    }
    out.write_all(shown.to_text().as_bytes())?;
    Ok(())
}
