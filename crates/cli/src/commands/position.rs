//! `nply show` and `nply moves`.

use std::io::Write;

use serde_json::json;

use crate::args::{Common, Position, Show};
use crate::output::{Failure, Out, colour, shorts};

pub(super) fn show(asked: &Show, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let position = &asked.position;
    let mut session = position.open()?;
    // Programs are told the whole position; `nply engine` is for those that must not know it.
    if common.json {
        let shown = json!({
            "game": position.game, "players": session.player_count(), "turn": session.turn(),
            "position": session.position(), "moves": session.moves().len(), "payoff": session.payoff(),
            "points": session.points(),
        });
        writeln!(out, "{shown}")?;
        return Ok(());
    }
    let colour = colour(&std::io::stdout());
    let seen = session.picture_for(&[session.turn()], colour);
    let is_hidden = !asked.all && session.payoff().is_none() && seen != session.picture(colour);
    let picture = if is_hidden { seen } else { session.picture(colour) };
    writeln!(out, "{}\n", picture.trim_end())?;
    match session.payoff() {
        Some(payoff) => writeln!(out, "over: {}", shorts(&payoff))?,
        None => writeln!(out, "player {} to move, {} legal moves", session.turn(), session.moves().len())?,
    }
    if let Some(points) = session.points() {
        writeln!(out, "points: {}", shorts(&points))?;
    }
    if is_hidden {
        writeln!(out, "{}", session.view())?;
        if !common.quiet {
            eprintln!(
                "note: what player {} does not see is hidden, and in the text a guess; --all shows it",
                session.turn()
            );
        }
    } else {
        writeln!(out, "{}", session.position())?;
    }
    Ok(())
}

pub(super) fn moves(position: &Position, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let session = position.open()?;
    let mut moves = session.moves();
    moves.sort();
    if common.json {
        writeln!(out, "{}", json!({ "turn": session.turn(), "moves": moves, "payoff": session.payoff() }))?;
        return Ok(());
    }
    if let Some(payoff) = session.payoff() {
        writeln!(out, "over {}", shorts(&payoff))?;
    }
    for m in moves {
        writeln!(out, "{m}")?;
    }
    Ok(())
}
