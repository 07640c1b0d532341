//! `nply games` and `nply agents`.

use std::io::Write;

use nply_arena::{AgentInfo, Kind, OptionInfo, infos};
use serde_json::{Value, json};

use crate::args::Common;
use crate::output::{Failure, Out, table};

pub(super) fn games(common: &Common, out: &mut Out) -> Result<(), Failure> {
    if common.json {
        let games: Vec<Value> = infos()
            .map(|info| {
                let evals: Vec<Value> =
                    info.evals.iter().map(|(name, about)| json!({ "name": name, "about": about })).collect();
                json!({
                    "name": info.name, "about": info.about, "players": info.players, "usual": info.usual,
                    "options": options_json(info.options), "evals": evals, "out_of_turn": info.is_out_of_turn,
                    "order_options": options_json(info.order_options),
                })
            })
            .collect();
        writeln!(out, "{}", json!({ "games": games }))?;
        return Ok(());
    }
    for (index, info) in infos().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let counts: Vec<String> = info.players.iter().map(usize::to_string).collect();
        writeln!(out, "{}: {}", info.name, info.about)?;
        let usual = if counts.len() > 1 { format!(" (usually {})", info.usual) } else { String::new() };
        writeln!(out, "  players: {}{usual}", counts.join(", "))?;
        write_options(out, info.options)?;
        let evals = info.evals.iter().map(|(name, about)| vec![format!("  eval={name}"), (*about).into()]);
        table(out, &evals.collect::<Vec<_>>())?;
        if !info.order_options.is_empty() {
            writeln!(out, "  searches take as well:")?;
            write_options(out, info.order_options)?;
        }
    }
    Ok(())
}

pub(super) fn agents(common: &Common, out: &mut Out) -> Result<(), Failure> {
    if common.json {
        let agent = |info: &AgentInfo| {
            let options = options_json(&info.options(None));
            json!({ "name": info.name, "about": info.about, "limits": info.limits, "options": options })
        };
        writeln!(out, "{}", json!({ "agents": nply_arena::agents().iter().map(agent).collect::<Vec<Value>>() }))?;
        return Ok(());
    }
    for (index, info) in nply_arena::agents().iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}: {}", info.name, info.about)?;
        let limits = if info.limits.is_empty() { "none".into() } else { info.limits.join(", ") };
        writeln!(out, "  limits: {limits}")?;
        write_options(out, &info.options(None))?;
    }
    Ok(())
}

fn write_options(out: &mut Out, options: &[OptionInfo]) -> Result<(), Failure> {
    let row = |option: &OptionInfo| {
        let default = if option.default.is_empty() { String::new() } else { format!("default {}", option.default) };
        vec![format!("  {}={}", option.key, values(option)), default, option.about.into()]
    };
    Ok(table(out, &options.iter().map(row).collect::<Vec<_>>())?)
}

fn values(option: &OptionInfo) -> String {
    match option.kind {
        Kind::Eval => "NAME".into(),
        Kind::Agent => "(AGENT)".into(),
        Kind::Path => "PATH".into(),
        Kind::Words => "(WORDS)".into(),
        Kind::Time => "TIME".into(),
        kind => kind.describe(),
    }
}

fn options_json(options: &[OptionInfo]) -> Vec<Value> {
    let option = |option: &OptionInfo| json!({ "key": option.key, "values": option.kind.describe(), "default": option.default, "about": option.about });
    options.iter().map(option).collect()
}
