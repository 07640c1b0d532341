//! `nply perft`.

use std::io::Write;
use std::time::Instant;

use serde_json::{Value, json};

use super::App;
use crate::args::Perft;
use crate::output::{Failure, Out};

pub(super) fn run(perft: &Perft, app: &App, out: &mut Out) -> Result<(), Failure> {
    let common = &app.common;
    let session = perft.position.open(&app.registry)?;
    let started = Instant::now();
    let mut counts = Vec::new();
    let mut divided = Vec::new();
    for depth in 1..=perft.depth {
        divided = session.divide(depth, common.threads());
        let count: u64 = divided.iter().map(|(_, count)| count).sum();
        counts.push(count);
        if !common.json {
            writeln!(out, "{depth} {count}")?;
            out.flush()?;
        }
    }
    divided.sort();
    if common.json {
        let mut found = json!({ "counts": counts });
        if perft.divide {
            found["divide"] = divided.into_iter().map(|(m, count)| (m, json!(count))).collect::<Value>();
        }
        writeln!(out, "{found}")?;
    } else if perft.divide {
        for (m, count) in divided {
            writeln!(out, "{m} {count}")?;
        }
    }
    if !common.quiet {
        let (all, seconds) = (counts.iter().sum::<u64>() as f64, started.elapsed().as_secs_f64());
        eprintln!("{seconds:.2} s, {:.1} million positions a second", all / seconds.max(1e-9) / 1e6);
    }
    Ok(())
}
