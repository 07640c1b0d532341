//! `nply games` and `nply agents`.

use std::io::Write;

use nply::Limit;
use nply::settings::{Domain, Setting};
use nply_arena::{AgentInfo, GameInfo, NamedGame};
use serde_json::{Value, json};

use super::App;
use crate::args::Agents;
use crate::output::{Failure, Out, table};

pub(super) fn games(app: &App, out: &mut Out) -> Result<(), Failure> {
    if app.common.json {
        let games: Vec<Value> = app.registry.games().map(game_json).collect();
        writeln!(out, "{}", json!({ "games": games }))?;
        return Ok(());
    }
    for (index, info) in app.registry.games().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let counts: Vec<String> = info.players.iter().map(usize::to_string).collect();
        writeln!(out, "{}: {}", info.name, info.about)?;
        let usual = if counts.len() > 1 { format!(" (usually {})", info.usual_players) } else { String::new() };
        writeln!(out, "  players: {}{usual}", counts.join(", "))?;
        write_settings(out, &info.options)?;
        let evals = info.evaluations.iter().map(|(name, about)| vec![format!("  eval={name}"), (*about).into()]);
        table(out, &evals.collect::<Vec<_>>())?;
        if !info.order.is_empty() {
            writeln!(out, "  settings of searches:")?;
            write_settings(out, &info.order)?;
        }
    }
    Ok(())
}

fn game_json(info: &GameInfo) -> Value {
    let evals: Vec<Value> =
        info.evaluations.iter().map(|(name, about)| json!({ "name": name, "about": about })).collect();
    json!({
        "name": info.name, "about": info.about, "players": info.players, "usual": info.usual_players,
        "options": settings_json(&info.options), "evals": evals, "out_of_turn": info.is_out_of_turn,
        "order_options": settings_json(&info.order), "schema": info.schema(),
    })
}

pub(super) fn agents(asked: &Agents, app: &App, out: &mut Out) -> Result<(), Failure> {
    let game = asked.game.as_ref().map(|game| app.registry.find(game)).transpose()?;
    let infos = game.as_ref().map_or_else(|| app.registry.agents().to_vec(), |game| game.agents());
    let (named, game) = (game.as_ref(), game.as_ref().map(|game| game.info()));
    let settings = |info: &AgentInfo| game.map_or_else(|| info.settings.clone(), |game| info.settings_in(game));
    if app.common.json {
        let agent = |info: &AgentInfo| {
            let limits: Vec<&str> = info.limits.iter().map(|limit| limit.key()).collect();
            let options = settings_json(&settings(info));
            let mut agent = json!({ "name": info.name, "about": info.about, "limits": limits, "options": options });
            if let Some(game) = game {
                agent["schema"] = info.schema(game);
            }
            agent
        };
        let mut agents: Vec<Value> = infos.iter().map(agent).collect();
        if let Some(game) = named {
            let row = |known: &Known| {
                let Known { players, budget, agent, shown } = known;
                json!({ "players": players, "budget": budget, "agent": agent, "shown": shown })
            };
            let known: Vec<Value> = known(game)?.iter().map(row).collect();
            agents.iter_mut().filter(|agent| agent["name"] == BEST).for_each(|best| best["stands_for"] = json!(known));
        }
        writeln!(out, "{}", json!({ "agents": agents }))?;
        return Ok(());
    }
    for (index, info) in infos.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        if asked.markdown {
            writeln!(out, "## {}\n\n{}{}.\n", info.name, info.about[..1].to_uppercase(), &info.about[1..])?;
            writeln!(out, "Limits: {}.", limits(info))?;
            write_markdown(out, &settings(info))?;
            continue;
        }
        writeln!(out, "{}: {}", info.name, info.about)?;
        writeln!(out, "  limits: {}", limits(info))?;
        if let Some(games) = &info.games {
            writeln!(out, "  only in: {}", games.join(", "))?;
        }
        write_settings(out, &settings(info))?;
        if let Some(game) = named.filter(|_| info.name == BEST) {
            writeln!(out, "  stands for:")?;
            let row = |known: &Known| {
                let budget = known.budget.unwrap_or("any budget");
                vec![format!("  {} players", known.players), budget.into(), known.agent.clone(), known.shown.clone()]
            };
            table(out, &known(game)?.iter().map(row).collect::<Vec<_>>())?;
        }
    }
    Ok(())
}

/// The agent that stands for others.
const BEST: &str = "best";

/// What `best` stands for.
struct Known {
    players: usize,
    /// The budget it was found at; none for what it is in any game.
    budget: Option<&'static str>,
    agent: String,
    /// The match that showed it, in words.
    shown: String,
}

/// What `best` stands for in a game.
fn known(game: &NamedGame) -> Result<Vec<Known>, Failure> {
    let mut all = Vec::new();
    for &players in game.info().players {
        let entries = game.best_entries(players);
        all.extend(entries.iter().map(|entry| Known {
            players,
            budget: Some(&entry.budget),
            agent: entry.agent.clone(),
            shown: entry.describe(),
        }));
        if entries.is_empty() {
            let (agent, shown) = (game.agent(BEST, players)?.to_string(), "as in any game".into());
            all.push(Known { players, budget: None, agent, shown });
        }
    }
    Ok(all)
}

fn limits(info: &AgentInfo) -> String {
    let keys: Vec<&str> = info.limits.iter().copied().map(Limit::key).collect();
    if keys.is_empty() { "none".into() } else { keys.join(", ") }
}

fn write_settings(out: &mut Out, settings: &[Setting]) -> Result<(), Failure> {
    let row = |setting: &Setting| {
        let default = default(setting).map_or_else(String::new, |value| format!("default {value}"));
        vec![format!("  {}={}", setting.key, values(setting)), default, setting.about.into()]
    };
    Ok(table(out, &settings.iter().map(row).collect::<Vec<_>>())?)
}

fn write_markdown(out: &mut Out, settings: &[Setting]) -> Result<(), Failure> {
    if settings.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| setting | values | default | |\n| --- | --- | --- | --- |")?;
    for setting in settings {
        let values = values(setting).replace('|', "\\|");
        let default = default(setting).map_or_else(String::new, |value| format!("`{value}`"));
        writeln!(out, "| `{}` | {values} | {default} | {} |", setting.key, setting.about)?;
    }
    Ok(())
}

/// The default, if it is a value.
fn default(setting: &Setting) -> Option<&str> {
    setting.value.as_deref().filter(|value| !value.is_empty())
}

fn values(setting: &Setting) -> String {
    match &setting.domain {
        Domain::Evaluation => "NAME".into(),
        Domain::Agent => "(AGENT)".into(),
        Domain::Path => "PATH".into(),
        Domain::List => "(WORDS)".into(),
        Domain::Time => "TIME".into(),
        domain => domain.describe(),
    }
}

fn settings_json(settings: &[Setting]) -> Vec<Value> {
    let setting = |setting: &Setting| {
        json!({
            "key": setting.key, "values": setting.domain.describe(), "default": setting.value, "about": setting.about,
        })
    };
    settings.iter().map(setting).collect()
}
