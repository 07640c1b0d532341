//! `nply bench`.

use std::io::Write;

use nply_arena::{BenchRow, bench, fingerprint};
use serde_json::{Value, json};

use super::App;
use crate::output::{Failure, Out};

pub(super) fn run(app: &App, out: &mut Out) -> Result<(), Failure> {
    let common = &app.common;
    let show = !common.json && !common.quiet;
    if show {
        writeln!(out, "{:<32} {:<42} {:>5} {:>12} {:>12}", "game", "agent", "depth", "nodes", "nodes/s")?;
        out.flush()?;
    }
    let rows = bench(&app.registry, |row| {
        if show {
            let _ = writeln!(
                out,
                "{:<32} {:<42} {:>5} {:>12} {:>12.0}",
                row.game,
                row.agent,
                row.depth,
                row.nodes,
                speed(row)
            );
            let _ = out.flush();
        }
    })?;
    let nodes: u64 = rows.iter().map(|row| row.nodes).sum();
    let seconds: f64 = rows.iter().map(|row| row.time.as_secs_f64()).sum();
    let fingerprint = fingerprint(&rows);
    if common.json {
        let row = |row: &BenchRow| {
            json!({
                "game": row.game, "agent": row.agent, "depth": row.depth, "nodes": row.nodes, "nps": speed(row),
                "move": row.m, "value": row.value,
            })
        };
        let rows: Vec<Value> = rows.iter().map(row).collect();
        let nps = nodes as f64 / seconds;
        writeln!(out, "{}", json!({ "nodes": nodes, "fingerprint": fingerprint, "nps": nps, "rows": rows }))?;
        return Ok(());
    }
    if show {
        writeln!(out)?;
    }
    writeln!(out, "nodes {nodes}\nfingerprint {fingerprint}")?;
    if show {
        writeln!(out, "nodes/s {:.0}", nodes as f64 / seconds)?;
    }
    Ok(())
}

fn speed(row: &BenchRow) -> f64 {
    row.nodes as f64 / row.time.as_secs_f64().max(1e-9)
}
