//! `nply search`.

use std::io::Write;

use nply::Budget;
use nply_arena::{Error, Spec, Thought, check_limits, own_budget};

use crate::args::{Common, Search};
use crate::output::{Failure, Out, short, shorts};

pub(super) fn run(search: &Search, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let mut session = search.position.open()?;
    let spec = Spec::parse(&search.agent)?;
    let agent = session.seat(&spec, search.position.seed)?;
    let budget = search.limits.budget_or(Budget::default());
    check(&spec, &budget)?;
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

/// Says so if a budget would let an agent think for ever. A depth ends every search: agents that do not deepen think a fixed while then.
pub(super) fn check(agent: &Spec, budget: &Budget) -> Result<(), Error> {
    if budget.depth.is_some() || own_budget(agent)?.1.is_some() { Ok(()) } else { check_limits(agent, budget) }
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
