//! `nply reproduce`.

use std::io::Write;
use std::path::Path;

use nply_arena::report::Table;
use nply_arena::{Comparison, EXPERIMENTS, Error, Estimate, Found, Plan, Scale, Spec, budget_text, experiment};
use serde_json::{Value, json};

use super::report::format;
use super::tournament::{play, read_plan, stopped};
use crate::args::{Common, Form, Reproduce};
use crate::output::{self, Failure, Out, table};

pub(super) fn run(asked: &Reproduce, common: &Common, out: &mut Out) -> Result<(), Failure> {
    if asked.format == Form::Parquet {
        let error = Error::usage("a comparison is not written as Parquet");
        return Err(error.help("write --format json, or keep the games with --db and use `nply report`").into());
    }
    let Some(id) = &asked.id else {
        if asked.only.is_some() || asked.db.is_some() || asked.games.is_some() {
            return Err(Error::usage("which table?").help("`nply reproduce` lists them").into());
        }
        return list(common, out);
    };
    if asked.games == Some(0) {
        return Err(Error::usage("0 games show nothing").help("write --games 120").into());
    }
    let plan = if id.ends_with(".toml") { read_plan(Path::new(id))? } else { experiment(id)? };
    let chosen: Vec<usize> = (0..plan.matches.len()).filter(|&index| is_chosen(asked, &plan, index)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = plan.matches.iter().map(|game| game.name.as_str()).collect();
        let error = Error::usage(format!("no match of {id} has that in its name"));
        return Err(error.help(format!("there are {}", names.join(", "))).into());
    }
    let mut tournaments = Vec::new();
    for &index in &chosen {
        let mut tournament = plan.scaled(index, Scale { games: asked.scale, budget: asked.budget })?;
        if asked.budget != 1.0 && plan.tournament(index)?.settings() == tournament.settings() {
            let message =
                format!("--budget changes nothing in match {}, which goes by depth", plan.matches[index].name);
            return Err(Error::usage(message).help("leave it out, or choose others with --match").into());
        }
        tournament.games = asked.games.unwrap_or(tournament.games);
        (tournament.threads, tournament.progress) = (common.threads(), output::progress);
        // What is wrong is told before anything is played.
        let game = &plan.matches[index];
        let checked = tournament.check().and_then(|()| {
            let settings = tournament.settings();
            game.cells.iter().try_for_each(|cell| cell.measure.estimate(cell.agent - 1, &settings, &[]).map(|_| ()))
        });
        checked.map_err(|error| error.within(format_args!("match {}", game.name)))?;
        tournaments.push((game, tournament));
    }
    let (mut found, mut agents, mut broken_off) = (Vec::new(), Vec::new(), None);
    for (at, (game, tournament)) in tournaments.iter().enumerate() {
        if !common.quiet {
            let (total, budget) = (tournament.total(), budget_text(&tournament.budget));
            eprintln!("{} of {}: {}, {total} games, {budget}", at + 1, chosen.len(), game.name);
        }
        let name = format!("{}/{}", plan.id, game.name);
        let outcome = play(tournament, asked.db.as_deref().map(|db| (db, name.as_str())), None, common)?;
        let settings = tournament.settings();
        for cell in &game.cells {
            let ours = cell.measure.estimate(cell.agent - 1, &settings, &outcome.games)?;
            let even = 100.0 / tournament.agents.len().min(tournament.players) as f64;
            found.push(Found { name: &game.name, cell, even, ours });
            agents.push(tournament.agents[cell.agent - 1].clone());
        }
        if !outcome.is_done {
            broken_off = Some(stopped(&outcome, tournament, asked.db.as_deref()));
            break;
        }
    }
    let form = if common.json { Form::Json } else { asked.format };
    write(out, &plan, asked, &found, &agents, form)?;
    out.flush()?;
    broken_off.map_or(Ok(()), |error| Err(error.into()))
}

fn is_chosen(asked: &Reproduce, plan: &Plan, index: usize) -> bool {
    asked.only.as_ref().is_none_or(|texts| texts.split(',').any(|text| plan.matches[index].name.contains(text)))
}

fn list(common: &Common, out: &mut Out) -> Result<(), Failure> {
    let mut rows = vec![["experiment", "matches", "games", "about"].map(String::from).to_vec()];
    for (id, _) in EXPERIMENTS {
        let plan = experiment(id)?;
        let totals = (0..plan.matches.len()).map(|index| Ok(plan.tournament(index)?.total()));
        let games: u64 = totals.sum::<Result<u64, Error>>()?;
        if common.json {
            let matches: Vec<&str> = plan.matches.iter().map(|game| game.name.as_str()).collect();
            let line = json!({ "id": id, "title": plan.title, "source": plan.source, "note": plan.note, "games": games, "matches": matches });
            writeln!(out, "{line}")?;
        }
        rows.push(vec![id.to_string(), plan.matches.len().to_string(), games.to_string(), plan.title]);
    }
    if !common.json {
        table(out, &rows)?;
    }
    Ok(())
}

/// A figure in as few digits as it deserves.
fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 || value == 0.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        size => format!("{value:.*}", 1 + (-size.log10()).ceil().min(17.0) as usize),
    }
}

fn ours(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "-".into(),
        Some(Estimate { value, high, .. }) if high.is_infinite() => figure(value),
        Some(Estimate { value, low, high, .. }) => {
            format!("{} ({} to {})", figure(value), figure(low), figure(high))
        }
    }
}

fn write(
    out: &mut Out,
    plan: &Plan,
    asked: &Reproduce,
    found: &[Found<'_>],
    agents: &[Spec],
    form: Form,
) -> Result<(), Failure> {
    let verdicts: Vec<Option<Comparison>> = found.iter().map(|cell| cell.compare(found)).collect();
    let Some(format) = format(form) else { return write_json(out, plan, asked, found, agents, &verdicts) };
    let header = ["match", "agent", "measure", "paper", "here (95 % interval)", "games", "verdict", "note"];
    let row = |((cell, agent), verdict): ((&Found<'_>, &Spec), &Option<Comparison>)| {
        let paper = match cell.cell.margin {
            Some(margin) => format!("{} ± {margin}", cell.cell.paper),
            None => cell.cell.paper.to_string(),
        };
        vec![
            cell.name.into(),
            agent.to_string(),
            cell.cell.measure.name().into(),
            paper,
            ours(cell.ours),
            cell.ours.map_or(0, |ours| ours.games).to_string(),
            verdict.map_or("no figure", Comparison::name).into(),
            cell.cell.note.clone(),
        ]
    };
    let result = Table {
        caption: format!("{}: {}", plan.id, plan.title),
        header: header.map(String::from).to_vec(),
        rows: found.iter().zip(agents).zip(&verdicts).map(row).collect(),
    };
    write!(out, "{}", result.write(format))?;
    if matches!(form, Form::Csv | Form::Latex) {
        return Ok(());
    }
    let count = |wanted| verdicts.iter().filter(|&&verdict| verdict == Some(wanted)).count();
    let counts = [Comparison::Agrees, Comparison::SameDirection, Comparison::Open, Comparison::Differs].map(count);
    writeln!(
        out,
        "\n{} agree, {} have the same direction, {} are open, {} differ",
        counts[0], counts[1], counts[2], counts[3]
    )?;
    writeln!(out, "\nsource: {}", plan.source)?;
    if !plan.note.is_empty() {
        writeln!(out, "note: {}", plan.note)?;
    }
    if asked.budget != 1.0 {
        writeln!(out, "budgets are {} times the paper's", asked.budget)?;
    }
    Ok(())
}

fn write_json(
    out: &mut Out,
    plan: &Plan,
    asked: &Reproduce,
    found: &[Found<'_>],
    agents: &[Spec],
    verdicts: &[Option<Comparison>],
) -> Result<(), Failure> {
    let cell = |((cell, agent), verdict): ((&Found<'_>, &Spec), &Option<Comparison>)| {
        let ours = cell.ours.map(|ours| {
            let interval = if ours.high.is_finite() { json!([ours.low, ours.high]) } else { Value::Null };
            json!({ "value": ours.value, "interval": interval, "games": ours.games })
        });
        json!({
            "match": cell.name, "agent": agent.to_string(), "measure": cell.cell.measure.name(),
            "paper": { "value": cell.cell.paper, "margin": cell.cell.margin }, "here": ours,
            "verdict": verdict.map(Comparison::name), "note": cell.cell.note,
        })
    };
    let cells: Vec<Value> = found.iter().zip(agents).zip(verdicts).map(cell).collect();
    let result = json!({
        "id": plan.id, "title": plan.title, "source": plan.source, "note": plan.note, "scale": asked.scale,
        "budget": asked.budget, "cells": cells,
    });
    Ok(writeln!(out, "{result}")?)
}
