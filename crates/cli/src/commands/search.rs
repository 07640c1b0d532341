//! `nply search`.

use std::io::Write;

use nply::Budget;
use nply_arena::{AgentInfo, Spec, Thought, agents, check_ends};

use crate::args::{Common, Search};
use crate::output::{Failure, Out, short, shorts};

pub(super) fn run(search: &Search, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let mut session = search.position.open()?;
    let mut spec = Spec::parse(&search.agent)?;
    if let Some(threads) = common.threads {
        spread(&mut spec, threads);
    }
    let agent = session.seat(&spec, search.position.seed)?;
    let budget = search.limits.budget_or(Budget::default());
    check_ends(&spec, &budget)?;
    let thought = session.think(agent, &budget, &mut |thought| {
        if !common.quiet {
            eprintln!("{}", line(thought));
        }
    })?;
    if common.json {
        writeln!(out, "{}", thought.to_json())?;
        return Ok(());
    }
    writeln!(out, "move    {}", thought.m)?;
    if let Some(value) = thought.value {
        writeln!(out, "value   {}", short(value))?;
    }
    if let Some(scores) = &thought.scores {
        writeln!(out, "scores  {}", shorts(scores))?;
    }
    writeln!(out, "depth   {}", thought.depth)?;
    writeln!(out, "nodes   {}", thought.nodes)?;
    writeln!(out, "time    {:.1} ms", thought.time.as_secs_f64() * 1e3)?;
    writeln!(out, "line    {}", thought.pv.join(" "))?;
    Ok(())
}

/// Gives an agent that can use them so many threads, unless it has its own number.
fn spread(agent: &mut Spec, threads: u32) {
    const KEY: &str = "threads";
    let takes = |info: &AgentInfo| info.name == agent.name && info.options(None).iter().any(|option| option.key == KEY);
    if agents().iter().any(takes) && agent.pairs.iter().all(|(key, _)| key != KEY) {
        agent.pairs.push((KEY.into(), threads.to_string()));
    }
}

/// What was found, in one line.
pub(super) fn line(thought: &Thought) -> String {
    let value = thought.value.map_or_else(String::new, |value| format!(", value {}", short(value)));
    let (nodes, time) = (thought.nodes, thought.time.as_secs_f64());
    format!("depth {:>2}{value}, {nodes} nodes, {time:.3} s: {}", thought.depth, thought.pv.join(" "))
}

/// What it cost, and nothing of what was found.
pub(super) fn effort(thought: &Thought) -> String {
    format!("depth {:>2}, {} nodes, {:.3} s", thought.depth, thought.nodes, thought.time.as_secs_f64())
}
