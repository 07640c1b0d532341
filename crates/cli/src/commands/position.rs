//! `nply show` and `nply moves`.

use std::io::Write;

use serde_json::json;

use crate::args::{Common, Position};
use crate::output::{Failure, Out, colour, shorts};

pub(super) fn show(position: &Position, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let session = position.open()?;
    if common.json {
        let shown = json!({
            "game": position.game, "players": session.player_count(), "turn": session.turn(),
            "position": session.position(), "moves": session.moves().len(), "payoff": session.payoff(),
            "points": session.points(),
        });
        writeln!(out, "{shown}")?;
        return Ok(());
    }
    writeln!(out, "{}\n", session.picture(colour(&std::io::stdout())).trim_end())?;
    match session.payoff() {
        Some(payoff) => writeln!(out, "over: {}", shorts(&payoff))?,
        None => writeln!(out, "player {} to move, {} legal moves", session.turn(), session.moves().len())?,
    }
    if let Some(points) = session.points() {
        writeln!(out, "points: {}", shorts(&points))?;
    }
    writeln!(out, "{}", session.position())?;
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
