//! `nply explain`.

use std::fs;
use std::io::Write;
use std::path::Path;

use nply::{Budget, Code, Error};

use super::App;
use super::search::{line, with_threads};
use crate::args::Explain;
use crate::output::{Failure, Out};

pub(super) fn run(explain: &Explain, app: &App, out: &mut Out) -> Result<(), Failure> {
    let mut session = explain.position.open(&app.registry)?;
    let agent = with_threads(&*session, &explain.agent, app.common.threads)?;
    let budget = Budget { depth: Some(explain.depth), playouts: Some(explain.playouts), ..Budget::default() };
    let shown = session.explain(&agent, explain.position.seed, &budget, explain.limit as usize)?;
    if let Some(path) = &explain.svg {
        write(path, &shown.to_svg())?;
    }
    if let Some(path) = &explain.tikz {
        write(path, &shown.to_tikz())?;
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

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|error| Error::new(Code::File, format!("{}: {error}", path.display())))
}
