//! `nply show` and `nply moves`.

use std::io::Write;

use serde_json::json;

use super::App;
use crate::args::{Position, Show};
use crate::output::{Failure, Out, color, shorts};

pub(super) fn show(asked: &Show, app: &App, out: &mut Out) -> Result<(), Failure> {
    let (position, common) = (&asked.position, &app.common);
    let mut session = position.open(&app.registry)?;
    // Programs get the whole position; `nply engine` is for those that must not know it.
    if common.json {
        let shown = json!({
            "game": position.game, "players": session.player_count(), "turn": session.turn(),
            "position": session.position(), "moves": session.moves().len(), "payoff": session.payoff(),
            "points": session.points(),
        });
        writeln!(out, "{shown}")?;
        return Ok(());
    }
    let color = color(&std::io::stdout());
    let seen = session.picture_for(&[session.turn()], color);
    let is_hidden = !asked.all && session.payoff().is_none() && seen != session.picture(color);
    let picture = if is_hidden { seen } else { session.picture(color) };
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
                "note: what player {} cannot see is hidden, and in the text dealt at random; --all shows it",
                session.turn()
            );
        }
    } else {
        writeln!(out, "{}", session.position())?;
    }
    Ok(())
}

pub(super) fn moves(position: &Position, app: &App, out: &mut Out) -> Result<(), Failure> {
    let session = position.open(&app.registry)?;
    let mut moves = session.moves();
    moves.sort();
    if app.common.json {
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
