//! The commands, one module each.

mod bench;
mod calibrate;
mod engine;
mod engine_check;
mod explain;
mod impact;
mod input;
mod learn;
mod list;
mod perft;
mod plan;
mod play;
mod plots;
mod position;
mod replay;
mod report;
mod reproduce;
mod search;
mod shards;
mod solve;
mod stop;
mod table;
mod tournament;
mod tune;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use clap::{CommandFactory, Parser};
use nply::{Budget, Code, Error};
use nply_arena::{NamedAgent, Registry};

use crate::args::{Command, Common, Nply};
use crate::output::{self, Failure, out};

/// What every command has: the games, and the options that all understand.
pub(crate) struct App {
    pub(crate) registry: Registry,
    pub(crate) common: Common,
}

/// Reads the command line and carries it out.
pub(crate) fn run(registry: Registry) -> Result<(), Failure> {
    let Nply { command, common } = Nply::try_parse()?;
    output::set_quiet(common.quiet);
    let app = App { registry, common };
    let mut out = out();
    match command {
        Command::Games => list::games(&app, &mut out)?,
        Command::Agents(asked) => list::agents(&asked, &app, &mut out)?,
        Command::Show(asked) => position::show(&asked, &app, &mut out)?,
        Command::Moves(position) => position::moves(&position, &app, &mut out)?,
        Command::Perft(perft) => perft::run(&perft, &app, &mut out)?,
        Command::Search(search) => search::run(&search, &app, &mut out)?,
        Command::Explain(explain) => explain::run(&explain, &app, &mut out)?,
        Command::Solve(asked) => solve::run(&asked, &app, &mut out)?,
        Command::Play(play) => play::run(play, &app, &mut out)?,
        Command::Tournament(tournament) => tournament::run(&tournament, &app, &mut out)?,
        Command::Merge(merge) => shards::merge(&merge, &app, &mut out)?,
        Command::Missing(asked) => shards::missing(&asked, &app, &mut out)?,
        Command::Report(report) => report::run(&report, &app, &mut out)?,
        Command::Replay(replay) => replay::run(&replay, &app, &mut out)?,
        Command::Reproduce(reproduce) => reproduce::run(&reproduce, &app, &mut out)?,
        #[cfg(feature = "serve")]
        Command::Serve(options) => {
            nply_server::run(app.registry, &options, app.common.threads(), app.common.quiet)?;
        }
        Command::Engine(asked) => engine::run(&asked, &app, &mut out)?,
        Command::EngineCheck(asked) => engine_check::run(&asked, &app, &mut out)?,
        Command::Bench => bench::run(&app, &mut out)?,
        Command::Calibrate(asked) => calibrate::run(&asked, &app, &mut out)?,
        Command::Impact(asked) => impact::run(&asked, &app, &mut out)?,
        Command::Tune(asked) => tune::run(&asked, &app, &mut out)?,
        Command::Table(what) => table::run(&what, &app, &mut out)?,
        Command::Learn(what) => learn::run(&what, &app, &mut out)?,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Nply::command(), "nply", &mut script);
            out.write_all(&script)?;
        }
        Command::Man { command } => clap_mangen::Man::new(described(command.as_deref())?).render(&mut out)?,
    }
    Ok(out.flush()?)
}

/// A note on limits that mean nothing to some of the agents, if there are any.
fn idle_limits<'a>(agents: impl IntoIterator<Item = &'a NamedAgent>, budget: &Budget) -> Option<String> {
    let mut by_limit: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for agent in agents {
        for limit in agent.idle_limits(budget) {
            let (names, name) = (by_limit.entry(limit.key()).or_default(), agent.to_string());
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let part =
        |(limit, names): (&&str, &Vec<String>)| format!("the limit {limit:?} means nothing to {}", names.join(" and "));
    let parts: Vec<String> = by_limit.iter().map(part).collect();
    if parts.is_empty() { None } else { Some(format!("note: {}", parts.join("; "))) }
}

/// Notes what agents that were asked for as `best` stand for, each once.
fn mention_best<'a>(agents: impl IntoIterator<Item = &'a NamedAgent>, app: &App) {
    let asked = agents.into_iter().filter_map(|agent| Some((agent.asked.as_ref()?, agent)));
    let notes = asked.map(|(asked, agent)| format!("note: {asked} is {agent}"));
    notes.collect::<BTreeSet<String>>().iter().for_each(|note| app.note(note));
}

/// The whole of the command line, or one command of it.
fn described(name: Option<&str>) -> Result<clap::Command, Error> {
    let mut whole = Nply::command();
    whole.build();
    let Some(name) = name else { return Ok(whole) };
    let names: Vec<&str> = whole.get_subcommands().map(clap::Command::get_name).collect();
    let found = whole.get_subcommands().find(|command| command.get_name() == name);
    let found = found.ok_or_else(|| Error::unknown(Code::UnknownName, "command", name, &names))?;
    Ok(found.clone())
}
