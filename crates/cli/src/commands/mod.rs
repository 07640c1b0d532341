//! The commands, one module each.

mod bench;
mod engine;
mod engine_check;
mod learn;
mod list;
mod perft;
mod play;
mod plots;
mod position;
mod replay;
mod report;
mod reproduce;
mod search;
mod table;
mod tournament;

use std::io::Write;

use clap::{CommandFactory, Parser};
use nply_arena::Error;

use crate::args::{Command, Nply};
use crate::output::{self, Failure, out};

/// Reads the command line and does what it says.
pub(crate) fn run() -> Result<(), Failure> {
    let Nply { command, common } = Nply::try_parse()?;
    output::hush(common.quiet);
    let mut out = out();
    match command {
        Command::Games => list::games(&common, &mut out)?,
        Command::Agents => list::agents(&common, &mut out)?,
        Command::Show(asked) => position::show(&asked, &common, &mut out)?,
        Command::Moves(position) => position::moves(&position, &common, &mut out)?,
        Command::Perft(perft) => perft::run(&perft, &common, &mut out)?,
        Command::Search(search) => search::run(&search, &common, &mut out)?,
        Command::Play(play) => play::run(play, &common, &mut out)?,
        Command::Tournament(tournament) => tournament::run(&tournament, &common, &mut out)?,
        Command::Report(report) => report::run(&report, &common, &mut out)?,
        Command::Replay(replay) => replay::run(&replay, &common, &mut out)?,
        Command::Reproduce(reproduce) => reproduce::run(&reproduce, &common, &mut out)?,
        Command::Engine(asked) => engine::run(&asked, &mut out)?,
        Command::EngineCheck(asked) => engine_check::run(&asked, &common, &mut out)?,
        Command::Bench => bench::run(&common, &mut out)?,
        Command::Table(what) => table::run(&what, &common, &mut out)?,
        Command::Learn(what) => learn::run(&what, &common, &mut out)?,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Nply::command(), "nply", &mut script);
            out.write_all(&script)?;
        }
        Command::Man { command } => clap_mangen::Man::new(described(command.as_deref())?).render(&mut out)?,
    }
    Ok(out.flush()?)
}

/// The whole of the command line, or one command of it.
fn described(name: Option<&str>) -> Result<clap::Command, Error> {
    let mut whole = Nply::command();
    whole.build();
    let Some(name) = name else { return Ok(whole) };
    let names: Vec<&str> = whole.get_subcommands().map(clap::Command::get_name).collect();
    let found = whole.get_subcommands().find(|command| command.get_name() == name);
    let found = found.ok_or_else(|| Error::unknown("command", name, &names))?;
    Ok(found.clone())
}
