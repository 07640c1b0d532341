//! What a decision may cost, as text: `nodes=250k,depth=3`, for all agents or for one.
//!
//! An agent takes those of the options `depth`, `nodes`, `playouts` and `time` that mean something to it wherever it is
//! named. One that has any of them has a budget of its own, in place of the common one.

use nply::Budget;

use crate::error::Error;
use crate::quantity;
use crate::registry::{LIMITS, agents, inner, is_limited};
use crate::spec::Spec;

/// An agent without its limits, and its own budget if it has one.
///
/// ```
/// use nply::Budget;
/// use nply_arena::{Spec, own_budget};
/// let (agent, own) = own_budget(&Spec::parse("maxn:depth=3,ties=cautious").unwrap()).unwrap();
/// assert_eq!(agent.to_string(), "maxn:ties=cautious");
/// assert_eq!(own, Some(Budget::depth(3)));
/// assert_eq!(own_budget(&Spec::parse("brs").unwrap()).unwrap().1, None);
/// ```
pub fn own_budget(spec: &Spec) -> Result<(Spec, Option<Budget>), Error> {
    let (limits, pairs): (Vec<_>, Vec<_>) =
        spec.pairs.iter().cloned().partition(|(key, _)| LIMITS.contains(&key.as_str()));
    let bare = Spec { name: spec.name.clone(), pairs };
    if limits.is_empty() {
        return Ok((bare, None));
    }
    let mut budget = Budget::default();
    let taken = agents().iter().find(|info| info.name == spec.name).map_or(LIMITS, |info| info.limits);
    for (key, value) in &limits {
        limit(&mut budget, key, value).map_err(|error| error.within(format_args!("{key}={value} of {}", spec.name)))?;
        if !taken.contains(&key.as_str()) {
            let error = Error::usage(format!("{key} is no limit of {}", spec.name));
            let help = if taken.is_empty() { "it takes none".into() } else { format!("it takes {}", taken.join(", ")) };
            return Err(error.help(help));
        }
    }
    Ok((bare, Some(budget)))
}

/// Says so if a budget does not end the thinking of an agent, such as playouts that of a tree search.
pub(crate) fn check_limits(agent: &Spec, budget: &Budget) -> Result<(), Error> {
    if is_limited(agent, budget) {
        return Ok(());
    }
    let message = format!("{} does not end the thinking of {agent}", budget_text(budget));
    // Of agents inside agents, the innermost thinks.
    let mut thinker = agent.clone();
    while let Some(inner) = inner(&thinker) {
        thinker = inner;
    }
    let taken = agents().iter().find(|info| info.name == thinker.name).map_or(LIMITS, |info| info.limits);
    Err(Error::usage(message).help(format!("it takes {}", taken.join(", "))))
}

/// Says so if a budget would let an agent think for ever. A depth ends every search: agents that do not deepen think a fixed
/// while then.
pub fn check_ends(agent: &Spec, budget: &Budget) -> Result<(), Error> {
    if budget.depth.is_some() || own_budget(agent)?.1.is_some() { Ok(()) } else { check_limits(agent, budget) }
}

fn limit(budget: &mut Budget, key: &str, value: &str) -> Result<(), Error> {
    match key {
        "depth" => {
            let depth = quantity::count(value)?;
            let depth = u32::try_from(depth).ok().filter(|&depth| depth > 0);
            budget.depth = Some(depth.ok_or_else(|| Error::usage("a depth is 1 or more plies"))?);
        }
        "nodes" => budget.nodes = Some(quantity::count(value)?),
        "playouts" => budget.playouts = Some(quantity::count(value)?),
        _ => budget.time = Some(quantity::time(value)?),
    }
    Ok(())
}

/// A budget as text, always the same for the same limits: `depth=3,nodes=250000,time=200ms`; `none` without any.
///
/// ```
/// use nply::Budget;
/// assert_eq!(nply_arena::budget_text(&Budget::nodes(250_000)), "nodes=250k");
/// ```
pub fn budget_text(budget: &Budget) -> String {
    let mut limits = Vec::new();
    limits.extend(budget.depth.map(|depth| format!("depth={depth}")));
    limits.extend(budget.nodes.map(|nodes| format!("nodes={}", short(nodes))));
    limits.extend(budget.playouts.map(|playouts| format!("playouts={}", short(playouts))));
    limits.extend(budget.time.map(|time| format!("time={}ms", time.as_secs_f64() * 1e3)));
    if limits.is_empty() { "none".into() } else { limits.join(",") }
}

fn short(count: u64) -> String {
    match count {
        0 => "0".into(),
        count if count.is_multiple_of(1_000_000) => format!("{}M", count / 1_000_000),
        count if count.is_multiple_of(1000) => format!("{}k", count / 1000),
        count => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::testing;
    use std::time::Duration;

    #[test]
    fn limits_of_an_agent_are_read_and_written() {
        let (bare, own) = own_budget(&Spec::parse("mcts:time=1.5s,nodes=2M,solver=off,playouts=7").unwrap()).unwrap();
        assert_eq!(bare.to_string(), "mcts:solver=off");
        assert_eq!(budget_text(&own.unwrap()), "nodes=2M,playouts=7,time=1500ms");
        assert_eq!(budget_text(&Budget::default()), "none");
    }

    #[test]
    fn no_text_makes_the_reader_of_limits_fail() {
        let samples = ["brs:depth=3,ties=x", "maxn:nodes=250k,time=1.5s", "mcts:playouts=5k", "a:time=200ms,depth=1k"];
        testing::mangle(&samples, 1_000_000, |text| {
            let Ok(spec) = Spec::parse(text) else { return };
            match own_budget(&spec) {
                // Times of years are not written exactly.
                Ok((_, Some(budget))) if budget.time.is_none_or(|time| time < Duration::from_secs(1_000_000)) => {
                    let written = Spec::parse(&format!("limits:{}", budget_text(&budget))).unwrap();
                    assert_eq!(own_budget(&written).unwrap().1, Some(budget), "{text:?}");
                }
                Ok(_) => {}
                Err(error) => testing::check_error(&error.message, text),
            }
        });
    }

    #[test]
    fn wrong_limits_are_told() {
        for (text, expected) in [
            ("brs:depth=0", "a depth is 1 or more plies"),
            ("brs:depth=9999999999", "a depth is 1 or more plies"),
            ("brs:nodes=many", "write 250, 250k or 1M"),
            ("brs:time=5", "write 200ms, 1.5s or 2m"),
            ("brs:playouts=5", "playouts is no limit of brs"),
            ("mcts:depth=5", "depth is no limit of mcts"),
            ("random:nodes=5", "nodes is no limit of random"),
        ] {
            let error = own_budget(&Spec::parse(text).unwrap()).unwrap_err();
            assert!(error.message.contains(expected) && error.is_usage, "{error}");
        }
    }
}
