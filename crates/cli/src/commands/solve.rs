//! `nply solve`.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use nply::dfpn::Answer;
use nply::proof::Counts;
use nply::{Budget, Error, quantity};
use nply_arena::{Memory, ProofClaim, ProofFile, Request, Session, Solved, Solving, SolvingState, amount_text};
use serde_json::json;

use super::App;
use super::stop::{listen, signal};
use crate::args::{Position, Solve, SolveBy};
use crate::output::{Failure, Out};

/// The time between two lines of progress.
const PAUSE: Duration = Duration::from_secs(5);

pub(super) fn run(asked: &Solve, app: &App, out: &mut Out) -> Result<(), Failure> {
    if let Some(path) = &asked.verify {
        return verify(path, app, out);
    }
    let (Some(game), Some(player)) = (&asked.game, asked.player) else {
        return Err(Error::usage("a game and a player to solve it for are needed").into());
    };
    let position = Position {
        game: game.clone(),
        players: asked.players,
        position: asked.position.clone(),
        moves: asked.moves.clone(),
        seed: asked.seed,
    };
    let named = position.game(&app.registry)?;
    let session = named.open(&position.request())?;
    session.check_open()?;
    if let Some(memory) = Memory::here().filter(|memory| asked.table > memory.total) {
        let (table, total) = (quantity::size_text(asked.table), memory.total >> 20);
        let error = Error::refused(format!("the table may take {table} of memory, and this machine has {total}M"));
        return Err(error.help("give a smaller --table").into());
    }
    if let Some(path) = &asked.proof {
        // Nothing slow is done for a file that cannot be written.
        let file = fs::OpenOptions::new().append(true).create(true).open(path);
        file.map_err(|error| cannot("write", path, &error))?;
    }
    let budget = Budget { nodes: asked.nodes, time: asked.time, stop: Some(listen()), ..Budget::default() };
    let solving = Solving {
        player,
        share: asked.by.map(|by| matches!(by, SolveBy::Share)),
        at_least: asked.at_least.clone(),
        budget,
        table: usize::try_from(asked.table).unwrap_or(usize::MAX),
        proof: asked.proof.as_ref().map(|_| asked.proof_limit),
    };
    let found = session.solve(&solving, &mut progress(app))?;
    if let Some(path) = &asked.proof {
        let claims = found.claims.iter();
        let claims = claims.map(|claim| ProofClaim {
            at_least: claim.at_least,
            yes: claim.yes,
            bytes: claim.proof.bytes.clone(),
        });
        let file = ProofFile {
            game: named.to_string(),
            players: session.player_count(),
            position: session.position(),
            player,
            share: found.is_share,
            claims: claims.collect(),
        };
        fs::write(path, file.to_bytes()).map_err(|error| cannot("write", path, &error))?;
    }
    if app.common.json {
        writeln!(out, "{}", found.to_json())?;
    } else {
        write(&found, asked.proof.as_deref(), session.as_ref(), out)?;
    }
    out.flush()?;
    signal().map_or(Ok(()), |signal| Err(Failure::Stopped(signal)))
}

/// Writes a line of progress now and then.
fn progress(app: &App) -> impl FnMut(&SolvingState) + use<> {
    let (is_quiet, mut last) = (app.common.quiet, Instant::now());
    move |state| {
        if !is_quiet && last.elapsed() >= PAUSE {
            last = Instant::now();
            eprintln!("{}", state.text);
        }
    }
}

/// What was found, for people.
fn write(found: &Solved, proof: Option<&Path>, session: &dyn Session, out: &mut Out) -> io::Result<()> {
    let (name, amount) = (found.tally, |amount| found.amount(amount));
    writeln!(out, "player  {} of {}", found.player, session.player_count())?;
    if let Some((at_least, answer)) = found.answer {
        writeln!(out, "asked   {name} of at least {}", amount(at_least))?;
        writeln!(out, "answer  {}", answer.word())?;
    }
    match found.value {
        Some((least, most)) if least == most => writeln!(out, "value   {name} of {}", amount(least))?,
        Some((least, most)) => writeln!(out, "value   {name} from {} to {}", amount(least), amount(most))?,
        None => {}
    }
    if found.value.is_some() {
        let asked: Vec<String> =
            found.asked.iter().map(|asked| format!("{} {}", amount(asked.at_least), asked.answer.word())).collect();
        writeln!(out, "asked   {}", if asked.is_empty() { "nothing".into() } else { asked.join(", ") })?;
    }
    writeln!(out, "nodes   {}", found.nodes())?;
    writeln!(out, "time    {:.1} ms", found.time.as_secs_f64() * 1e3)?;
    writeln!(out, "line    {}", found.line.join(" "))?;
    if let Some(path) = proof {
        for claim in &found.claims {
            let claimed = claim_text(claim.yes, name, &amount(claim.at_least));
            writeln!(out, "proof   {claimed}: {}", counts_text(&claim.proof.counts, claim.proof.bytes.len()))?;
        }
        let is_open = found.answer.is_some_and(|(_, answer)| answer == Answer::Unknown);
        let what = if is_open { "nothing is proved, so no claim is" } else { "claims and proofs are" };
        writeln!(out, "file    {what} in {}", path.display())?;
    }
    Ok(())
}

fn claim_text(yes: bool, name: &str, amount: &str) -> String {
    if yes { format!("{name} of at least {amount}") } else { format!("{name} of less than {amount}") }
}

fn counts_text(counts: &Counts, bytes: usize) -> String {
    let Counts { positions, choices, ends, bounds } = counts;
    format!("{positions} positions, {choices} chosen moves, {ends} ends, {bounds} by the bounds, {bytes} bytes")
}

/// Checks every claim of a file.
fn verify(path: &Path, app: &App, out: &mut Out) -> Result<(), Failure> {
    let bytes = fs::read(path).map_err(|error| cannot("read", path, &error))?;
    let within = |error: Error| error.within(path.display());
    let file = ProofFile::from_bytes(&bytes).map_err(within)?;
    let named = app.registry.find(&file.game).map_err(within)?;
    let request = Request { players: Some(file.players), position: Some(file.position.clone()), ..Request::default() };
    let session = named.open(&request).map_err(within)?;
    let mut results = Vec::new();
    for claim in &file.claims {
        let counts = session.check_proof(&file, claim, &mut progress(app)).map_err(within)?;
        results.push((claim, counts));
    }
    // The last claim may have been refuted: only now is anything verified.
    let by = if file.share { "share" } else { "points" };
    let results = results.into_iter().map(|(claim, counts)| (claim, amount_text(claim.at_least, file.share), counts));
    if app.common.json {
        let claims: Vec<serde_json::Value> = results
            .map(|(claim, amount, counts)| {
                json!({ "at_least": amount, "proved": claim.yes, "positions": counts.positions,
                    "choices": counts.choices, "ends": counts.ends, "bounds": counts.bounds })
            })
            .collect();
        writeln!(
            out,
            "{}",
            json!({ "game": file.game, "players": file.players, "position": file.position, "player": file.player,
                "by": by, "verified": claims })
        )?;
        return Ok(());
    }
    writeln!(out, "{}, {} players: {}", file.game, file.players, file.position)?;
    let mut count = 0;
    for (claim, amount, counts) in results {
        let claimed = claim_text(claim.yes, by, &amount);
        let size = counts_text(&counts, claim.bytes.len());
        writeln!(out, "verified: player {} gets {claimed}: {size}", file.player)?;
        count += 1;
    }
    if count == 0 {
        writeln!(out, "the file has no claims")?;
    }
    Ok(())
}

fn cannot(act: &str, path: &Path, error: &io::Error) -> Error {
    Error::file(format!("cannot {act} {}: {error}", path.display()))
}
