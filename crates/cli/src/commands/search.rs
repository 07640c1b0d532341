//! `nply search`.

use std::io::{self, Write};

use nply::{Budget, Code, Error, Spec};
use nply_arena::{NamedAgent, Session, Thought};

use super::stop::{listen, signal};
use super::{App, idle_limits};
use crate::args::Search;
use crate::output::{Failure, Out, short, shorts, table};

pub(super) fn run(search: &Search, app: &App, out: &mut Out) -> Result<(), Failure> {
    let common = &app.common;
    let mut session = search.position.open(&app.registry)?;
    let budget = search.limits.budget_or(Budget::default());
    let agent = with_threads(&*session, &search.agent, &budget, common.threads)?;
    agent.check_ends(&budget)?;
    session.check_open()?;
    idle_limits([&agent], &budget).iter().for_each(|note| app.note(note));
    let seat = session.seat(&agent, search.position.seed)?;
    // A signal ends the search, and what it found until then is the answer.
    let budget = Budget { stop: Some(listen()), ..budget };
    let thought = session.think(seat, &budget, &mut |thought| {
        if !common.quiet {
            eprintln!("{}", line(thought));
        }
    });
    let thought = thought.map_err(|error| match error.code {
        Code::Forfeit => error.within(format_args!("{agent} forfeits the game")),
        _ => error,
    })?;
    let signal = signal();
    // What `best` stands for is a part of the answer.
    let agent = agent.asked.is_some().then_some(&agent);
    if common.json {
        let mut json = thought.to_json();
        if let Some(agent) = agent {
            json["agent"] = agent.to_string().into();
        }
        writeln!(out, "{json}")?;
    } else {
        if let Some(agent) = agent {
            writeln!(out, "agent   {agent}")?;
        }
        write(&thought, out)?;
    }
    out.flush()?;
    signal.map_or(Ok(()), |signal| Err(Failure::Stopped(signal)))
}

/// What was found, for people.
fn write(thought: &Thought, out: &mut Out) -> io::Result<()> {
    writeln!(out, "move    {}", thought.m)?;
    if let Some(value) = thought.value {
        writeln!(out, "value   {}", short(value))?;
    }
    if let Some(scores) = &thought.scores {
        writeln!(out, "scores  {}", shorts(scores))?;
    }
    if let Some(chances) = &thought.chances {
        writeln!(out, "chances {}", rounded(chances))?;
    }
    writeln!(out, "depth   {}", thought.depth)?;
    writeln!(out, "nodes   {}", thought.nodes)?;
    writeln!(out, "time    {:.1} ms", thought.time.as_secs_f64() * 1e3)?;
    writeln!(out, "line    {}", thought.pv.join(" "))?;
    if !thought.lines.is_empty() {
        writeln!(out)?;
        let mut rows = vec![["", "value", "chances", "line"].map(String::from).to_vec()];
        for (rank, line) in (1..).zip(&thought.lines) {
            let value = line.value.map_or_else(String::new, short);
            let chances = line.chances.as_deref().map_or_else(String::new, rounded);
            rows.push(vec![format!("{rank}."), value, chances, line.pv.join(" ")]);
        }
        table(out, &rows)?;
    }
    Ok(())
}

/// An agent for this budget, with a number of threads if it takes one and has none of its own.
pub(super) fn with_threads(
    session: &dyn Session,
    text: &str,
    budget: &Budget,
    threads: Option<u32>,
) -> Result<NamedAgent, Error> {
    const KEY: &str = "threads";
    let agent = session.agent_within(text, budget)?;
    let mut spec = if agent.asked.is_some() { agent.spec() } else { Spec::parse(text)? };
    let takes = agent.info().settings.iter().any(|setting| setting.key == KEY);
    let Some(threads) = threads.filter(|_| takes && spec.pairs.iter().all(|(key, _)| key != KEY)) else {
        return Ok(agent);
    };
    spec.pairs.push((KEY.into(), threads.to_string()));
    let mut threaded = session.agent(&spec.to_string())?;
    threaded.asked = agent.asked;
    Ok(threaded)
}

/// Chances to three digits.
pub(super) fn rounded(chances: &[f64]) -> String {
    shorts(&chances.iter().map(|chance| (chance * 1e3).round() / 1e3).collect::<Vec<f64>>())
}

/// What was found, in one line.
pub(super) fn line(thought: &Thought) -> String {
    let value = thought.value.map_or_else(String::new, |value| format!(", value {}", short(value)));
    let chances =
        thought.chances.as_ref().map_or_else(String::new, |chances| format!(", chances {}", rounded(chances)));
    let (nodes, time) = (thought.nodes, thought.time.as_secs_f64());
    format!("depth {:>2}{value}{chances}, {nodes} nodes, {time:.3} s: {}", thought.depth, thought.pv.join(" "))
}
